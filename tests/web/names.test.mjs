// Names come from files that nobody has checked. They are shown as text, whatever they hold.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { folder, random, withPage, xofm } from "./support.mjs";

const attack = "</script><img src=x onerror=window.hacked=1>";
const names = [
  attack,
  "<!--<script>window.hacked=1</script>",
  "=1+1;cmd|' /C calc'!A0",
  "x".repeat(10_000),
  "😀 \u{1F468}\u200D\u{1F469}\u200D\u{1F467}",
  "\u05E9\u05DC\u05D5\u05DD \u202E txt.exe",
  "a\u2028b\u2029c & \"quoted\" 'single' `${1}`",
  "{a|rich} {b}",
  "__proto__",
];
const classes = ["<b>low</b>", "constructor", "</style><svg onload=window.hacked=1>"];
const levels = ["<img src=x onerror=window.hacked=1>", "javascript:window.hacked=1", "toString"];

const quoted = (text) => `"${text.replaceAll('"', '""')}"`;

before(() => {
  const { uniform, below } = random(3);
  const lines = [[...names, "level<i>", "label</script>"].map(quoted).join(",")];
  for (let i = 0; i < 90; ++i) {
    const numbers = names.map(() => uniform().toFixed(4));
    const h = Math.min(2, Math.floor(3 * (0.7 * Number(numbers[0]) + 0.3 * uniform())));
    lines.push([...numbers, quoted(levels[below(3)]), quoted(classes[h])].join(","));
  }
  writeFileSync(join(folder, "hostile.csv"), lines.join("\n") + "\n");
  xofm(
    "fit",
    "--no-tune",
    "hostile.csv",
    "--classes",
    classes.join(","),
    "--max-epochs",
    "30",
    "--holdout",
    "0.3",
    "-o",
    "model.json",
  );
  xofm("report", "model.json", "--data", "hostile.csv", "--title", attack, "-o", "report.html");
});

// The buttons are pressed by script: what is at stake here is what the page draws, not how it is clicked.
async function drawAll(page) {
  await page.$$eval(".more button", (all) => all.forEach((button) => button.click()));
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let y = 0; y < height; y += 500) {
    await page.evaluate((to) => window.scrollTo(0, to), y);
    await page.waitForTimeout(20);
  }
  await page.$$eval(".tools button", (all) =>
    all.filter((button) => button.textContent === "Table").forEach((button) => button.click()),
  );
}

test("no name becomes an element or runs", () =>
  withPage("report.html", {}, async (page) => {
    await drawAll(page);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(
      await page.locator("img, iframe, object, embed, main b, main i, main script, main style, svg[onload]").count(),
      0,
    );
    const handlers = await page.$$eval(
      "*",
      (all) => all.filter((element) => [...element.attributes].some(({ name }) => name.startsWith("on"))).length,
    );
    assert.equal(handlers, 0);
    // Moving over a chart shows its tooltip, which holds names too.
    for (const canvas of (await page.locator("#attributes .canvas, #pairs .canvas").all()).slice(0, 8)) {
      await canvas.scrollIntoViewIfNeeded();
      const { width, height } = await canvas.boundingBox();
      for (const [x, y] of [
        [0.5, 0.3],
        [0.7, 0.5],
        [0.9, 0.3],
      ])
        await canvas.hover({ position: { x: width * x, y: height * y } });
    }
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("img").count(), 0);
  }));

test("names are read as they are", () =>
  withPage("report.html", {}, async (page) => {
    await drawAll(page);
    assert.equal(await page.innerText("h1"), attack);
    assert.ok((await page.title()).startsWith(attack));
    const headings = await page.$$eval("#attributes .card h3 bdi", (all) =>
      all.map((heading) => heading.title || heading.textContent),
    );
    assert.deepEqual([...headings].sort(), [...names, "level<i>"].sort());
    const text = await page.textContent("main");
    for (const name of [...classes, ...levels]) assert.ok(text.includes(name), name);
  }));

test("a name of 10,000 letters does not push the page apart", () =>
  withPage("report.html", { viewport: { width: 400, height: 800 } }, async (page) => {
    await drawAll(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), 0);
  }));

// Chromium lets a page save ten files and then asks: so a page for every eight.
for (const first of [0, 8, 16]) {
  test(`a saved chart is a sound file without script, from the ${first + 1}. on`, () =>
    withPage("report.html", {}, async (page) => {
      await drawAll(page);
      const cards = await page.locator("#attributes .card, #pairs .card, #object figure").all();
      assert.ok(cards.length > first);
      for (const card of cards.slice(first, first + 8)) {
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          card.locator(".tools button", { hasText: "SVG" }).first().dispatchEvent("click"),
        ]);
        assert.match(download.suggestedFilename(), /^[^/\\<>:"|?*]{1,70}\.svg$/);
        const faults = await page.evaluate(
          (text) => {
            const svg = new DOMParser().parseFromString(text, "image/svg+xml");
            return svg.querySelectorAll("parsererror, script, img, foreignObject, [onload], [onerror]").length;
          },
          readFileSync(await download.path(), "utf8"),
        );
        assert.equal(faults, 0, download.suggestedFilename());
      }
    }));
}

test("the page refuses scripts that are not its own", () =>
  withPage("report.html", {}, async (page) => {
    const policy = await page.getAttribute("meta[http-equiv=Content-Security-Policy]", "content");
    assert.match(policy, /default-src 'none'; script-src 'sha256-[^']+';/);
    assert.ok(!policy.includes("script-src 'unsafe"));
  }));
