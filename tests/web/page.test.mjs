// The report of the shipped cars, opened from disk as a reader does.
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { drawn, env, folder, nextFrame, withPage, xofm } from "./support.mjs";

const cars = join(env.XOFM_DATA, "car_insurance_risk.csv");
// Constant and missing values; curves and surfaces; no pairs; a class without rows; one attribute; a path; an average
// of recipes.
const hard = ["motley.html", "terms.html", "additive.html", "absent.html", "single.html", "path.html", "average.html"];

before(() => {
  for (const name of hard) copyFileSync(join(env.XOFM_CASES, name), join(folder, name));
  xofm(
    "fit",
    "--no-tune",
    cars,
    "--label",
    "risk",
    "--holdout",
    "0.2",
    "--increasing",
    "horsepower",
    "--max-epochs",
    "40",
    "-o",
    "model.json",
  );
  xofm("report", "model.json", "--data", cars, "-o", "report.html");
  xofm("report", "model.json", "-o", "plain.html");
});

test("the file is small", () => {
  assert.ok(statSync(join(folder, "plain.html")).size < 3e6);
  assert.ok(statSync(join(env.XOFM_WEB, "page.html")).size < 1.2e6);
});

test("it opens silently, and its sections stand in order", () =>
  withPage("report.html", {}, async (page) => {
    assert.deepEqual(await page.$$eval("main > section", (sections) => sections.map(({ id }) => id)), [
      "decides",
      "object",
      "attributes",
      "pairs",
      "data",
      "about",
    ]);
    assert.match(await page.innerText("#decides"), /finds the right class in [a-z]+ of [a-z]+ cases/);
    assert.match(await page.innerText("#decides"), /41 rows kept out of training/);
    const { summary } = JSON.parse(readFileSync(join(folder, "model.json"), "utf8"));
    assert.ok(!(await page.innerText("main")).includes(summary.data_fingerprint), "details are folded away");
    await page.click("#about summary");
    assert.ok((await page.innerText("#about")).includes(summary.data_fingerprint));
  }));

for (const name of hard) {
  test(`${name}: every chart can be drawn, listed and saved`, () =>
    withPage(name, {}, async (page) => {
      await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
      for (const figure of await page.locator("figure.chart").all()) {
        await figure.scrollIntoViewIfNeeded();
        await figure.locator("svg").first().waitFor();
        const [table, svg] = await figure.locator(".tools button").all();
        await table.click();
        assert.ok((await figure.locator("tbody tr").count()) > 0);
        await Promise.all([page.waitForEvent("download"), svg.click()]);
      }
      if (name !== "terms.html") await page.check("#attributes input[value=raw]");
      assert.ok(!(await page.textContent("main")).includes("[object"));
    }));
}

test("curves and surfaces have no raw view, and what has no part in the score is named once", () =>
  withPage("terms.html", {}, async (page) => {
    assert.equal(await page.locator("input[value=raw]").count(), 0);
    assert.equal(await page.innerText("#attributes .not-used"), "Not used by the model: c0.");
    assert.deepEqual((await page.locator("#attributes .card h3").allInnerTexts()).sort(), [
      "k0",
      "k1",
      "n0",
      "n1",
      "t0",
    ]);
    assert.equal(await page.locator("#object .control").count(), 5);
    assert.match(await page.innerText("#decides"), /From 5 attributes/);
    assert.ok(!(await page.textContent("#about")).includes("Purified and raw"));
  }));

test("of curves and surfaces the chosen pairs are shown, each with what it does in words", () =>
  withPage("terms.html", {}, async (page) => {
    const { pairs } = JSON.parse(await page.textContent("#report-data"));
    assert.equal(await page.locator("#pairs .pair").count(), pairs.length);
    assert.equal(await page.locator("#pairs select").count(), 0);
    for (const words of await page.locator("#pairs .says").allInnerTexts()) {
      assert.match(words, /^(High|Middling|Low|[nk][01]) .+ with .+ (adds|takes away) \d+(\.\d+)?(;|\.)/);
    }
  }));

test("a surface is drawn at its own nodes, and where no training rows are near it is marked", () =>
  withPage("terms.html", {}, async (page) => {
    const card = page.locator("#pairs .pair", { hasText: "n1 × k0" });
    await card.scrollIntoViewIfNeeded();
    await drawn(page);
    await card.locator(".tools button").first().click();
    const { attributes, pairs } = JSON.parse(await page.textContent("#report-data")).model;
    const surface = pairs.find(({ first, second }) => first === "n1" && second === "k0");
    const { levels } = attributes.find(({ name }) => name === "k0");
    const names = await card.locator("thead th").allInnerTexts();
    assert.deepEqual(names.slice(1), [...levels, "missing", "other"]);
    assert.equal(await card.locator("tbody tr").count(), surface.first_knots.length + 1);
    const other = await card.locator("tbody tr td:last-child").allInnerTexts();
    assert.ok(
      other.every((text) => /^\(.*\)$/.test(text)),
      "no training row has another level",
    );
    assert.match(await card.locator(".canvas").getAttribute("aria-label"), /cells have no training rows near/);
  }));

test("an average of recipes says so", () =>
  withPage("average.html", {}, async (page) => {
    const shares = page.locator("#about table", { hasText: "average of these recipes" }).locator("thead th");
    assert.deepEqual(await shares.allTextContents(), ["share", "75 %", "25 %"]);
  }));

test("a model that nobody has tested says so", () => {
  xofm("fit", "--no-tune", cars, "--label", "risk", "--max-epochs", "5", "-o", "untested.json");
  xofm("report", "untested.json", "-o", "untested.html");
  return withPage("untested.html", {}, async (page) =>
    assert.match(await page.innerText("#decides"), /is not known: no rows were kept out/),
  );
});

const openTable = async (page, card) => {
  await page.locator(card).scrollIntoViewIfNeeded();
  await page.locator(`${card} >> .tools button`).first().click();
  return () => page.innerText(`${card} >> .table-place`);
};

test("the switch turns curves and heat-maps between purified and raw", () =>
  withPage("report.html", {}, async (page) => {
    const curve = await openTable(page, "#attributes .card >> nth=0");
    const pair = await openTable(page, "#pairs .pair >> nth=0");
    const before = [await curve(), await pair()];
    await page.check("#attributes input[value=raw]");
    assert.notEqual(await curve(), before[0]);
    assert.notEqual(await pair(), before[1]);
    assert.ok(await page.isChecked("#pairs input[value=raw]"), "all switches move together");
    await page.check("#pairs input[value=purified]");
    assert.deepEqual([await curve(), await pair()], before);
  }));

test("a pair is picked from the lists and from the matrix", () =>
  withPage("report.html", {}, async (page) => {
    const heading = () => page.innerText("#pairs .pair h3 >> nth=0");
    await page.selectOption("#pairs select >> nth=0", { label: "price" });
    await page.selectOption("#pairs select >> nth=1", { label: "make" });
    assert.equal(await heading(), "price × make");
    await page.selectOption("#pairs select >> nth=0", { label: "make" });
    assert.equal(await heading(), "make × price", "the same on both sides swaps them");
    const matrix = page.locator("#pairs .canvas").first();
    await matrix.scrollIntoViewIfNeeded();
    await drawn(page);
    const { width } = await matrix.boundingBox();
    const position = { x: width - 14, y: 14 };
    await matrix.hover({ position });
    await nextFrame(page); // under the pointer a cell is drawn anew, and a click that begins on the old one is none
    await matrix.click({ position });
    assert.notEqual(await heading(), "make × price");
  }));

async function save(page, text) {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator("#attributes .card .tools button", { hasText: text }).first().click(),
  ]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

test("a chart is saved as SVG and as PNG", () =>
  withPage("report.html", {}, async (page) => {
    const svg = await save(page, "SVG");
    assert.match(svg.name, /\.svg$/);
    assert.match(svg.content.toString(), /^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    const png = await save(page, "PNG");
    assert.match(png.name, /\.png$/);
    assert.equal(png.content.subarray(1, 4).toString(), "PNG");
    assert.ok(png.content.length > 5000, "something is drawn");
  }));

test("the theme is the system's until the reader chooses", () =>
  withPage("report.html", { colorScheme: "dark" }, async (page) => {
    const theme = () => page.getAttribute("html", "data-theme");
    const background = () => page.$eval("body", (body) => getComputedStyle(body).backgroundColor);
    assert.equal(await theme(), "dark");
    const dark = await background();
    await page.click(".theme-switch");
    assert.equal(await theme(), "light");
    assert.notEqual(await background(), dark);
    await page.emulateMedia({ colorScheme: "light" });
    assert.equal(await theme(), "light");
  }));

test("every chart that is drawn has a description, a table and its place in the width of a phone", () =>
  withPage("report.html", { viewport: { width: 400, height: 800 } }, async (page) => {
    await page.$$eval(".folded .fold", (all) => all.forEach((fold) => fold.click()));
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    for (let y = 0; y < height; y += 600) {
      await page.evaluate((to) => window.scrollTo(0, to), y);
      await page.waitForTimeout(20);
    }
    const charts = await page.$$eval(".canvas", (all) =>
      all.map((canvas) => ({
        label: canvas.getAttribute("aria-label"),
        isDrawn: canvas.querySelector("svg") !== null,
      })),
    );
    assert.ok(charts.length > 20);
    for (const { label, isDrawn } of charts) assert.ok(!isDrawn || label.length > 10);
    assert.ok(charts.filter(({ isDrawn }) => isDrawn).length > 15);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), 0);
    const controls = await page.$$eval(
      "main input, main select",
      (all) => all.filter((input) => !input.labels?.length && !input.getAttribute("aria-label")).length,
    );
    assert.equal(controls, 0, "every control has a name");
  }));

test("the path's sliders change curves, pair and error", () =>
  withPage("path.html", {}, async (page) => {
    const quality = () => page.innerText("#path-quality");
    const curve = await openTable(page, "#path .card >> nth=0");
    const pair = await openTable(page, "#path .card >> nth=4");
    const move = async (slider, to) =>
      page.$eval(
        `#path input >> nth=${slider}`,
        (input, value) => {
          input.value = value;
          input.dispatchEvent(new Event("input", { bubbles: true }));
        },
        to,
      );
    assert.match(await quality(), /3 folds: accuracy 0\.\d+ ± /);
    await move(0, 0);
    await move(1, 0);
    const loose = [await curve(), await pair(), await quality()];
    await move(0, 2);
    const flat = [await curve(), await pair()];
    assert.notEqual(flat[0], loose[0]);
    await move(1, 2);
    assert.notEqual(await pair(), flat[1]);
    // Both: factors without a penalty do what the curves may not, and the error can stay the same.
    assert.notEqual(await quality(), loose[2]);
  }));

test("bands are drawn and listed", () =>
  withPage("path.html", {}, async (page) => {
    const table = await openTable(page, "#attributes .card >> nth=0");
    assert.match(await table(), /band from/);
    assert.match(await page.innerText("#attributes"), /90 % of 5 refits/);
  }));

test("with bands the mean effect has its spread over the refits beside it", () =>
  withPage("path.html", {}, async (page) => {
    const chart = page.locator("#attributes figure").first();
    await chart.scrollIntoViewIfNeeded();
    await drawn(page);
    const texts = (await chart.locator("svg text").allTextContents()).filter((text) => text.includes("range"));
    assert.ok(texts.length > 0);
    for (const text of texts) {
      const [, mean, low, high] = /^(\S+) \((\S+) to (\S+)\), range /.exec(text);
      assert.ok(Number(low) <= Number(high) && Number(mean) < 3 * Number(high), text);
    }
  }));
