// What the drawings show, by their pixels and their data: the page of a model with a count, a skewed attribute and a
// pair; and that it is readable in the dark and on a phone.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { drawn, folder, isNear, look, nextFrame, withPage, xofm } from "./support.mjs";
import { visits } from "./visits.mjs";

const classColours = { mild: "#440154", severe: "#fde725" }; // theme.ts: about these

before(() => {
  visits("visits.csv");
  xofm("fit", "visits.csv", "--label", "stage", "--classes", "mild,severe", "--id", "id", "-o", "visits.json");
  xofm("report", "visits.json", "--data", "visits.csv", "-o", "visits.html");
});

const card = (page, name) => page.locator("#attributes .card", { has: page.locator(`h3 bdi:text-is("${name}")`) });

// The drawing of a card, from this share of its height down.
async function strip(page, name, from) {
  const canvas = card(page, name).locator(".canvas");
  await canvas.scrollIntoViewIfNeeded();
  await drawn(page);
  const { x, y, width, height } = await canvas.boundingBox();
  const clip = { x, y: y + from * height, width, height: (1 - from) * height };
  return look(page, await page.screenshot({ clip }));
}

const parts = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
const distance = (a, b) => Math.hypot(...parts(a).map((part, i) => part - parts(b)[i]));
const painted = ({ colours }, like) =>
  Object.entries(colours).reduce((sum, [colour, count]) => sum + (distance(colour, like) < 60 ? count : 0), 0);

test("under the curve of a count every class takes its share of the area", () =>
  withPage("visits.html", {}, async (page) => {
    const { model } = JSON.parse(await page.textContent("#report-data"));
    const rows = model.attributes.find(({ name }) => name === "visits").class_histogram;
    const [mild, severe] = [0, 1].map((h) => rows.reduce((sum, byClass) => sum + byClass[h], 0));
    const seen = await strip(page, "visits", 0.68);
    const [low, high] = [painted(seen, classColours.mild), painted(seen, classColours.severe)];
    assert.ok(low + high > 1000, "something is drawn");
    isNear(high / (low + high), severe / (mild + severe), 0.05, "share of the higher class");
  }));

test("a skewed attribute has a logarithmic axis with round numbers, and the reader can choose another", () =>
  withPage("visits.html", {}, async (page) => {
    const income = card(page, "income");
    await income.scrollIntoViewIfNeeded();
    await drawn(page);
    const axis = income.locator("select");
    assert.equal(await axis.inputValue(), "log");
    assert.equal(await card(page, "age").locator("select").inputValue(), "even");
    const path = () => income.locator("svg path[stroke='#22577a'][fill='none']").last().getAttribute("d");
    const widths = [];
    for (const kind of ["log", "even", "rows"]) {
      await axis.selectOption(kind);
      await nextFrame(page);
      const texts = await income.locator("svg text").allTextContents();
      const ticks = texts.map(Number).filter((tick) => tick > 100);
      assert.ok(ticks.length >= 3, `${kind}: ${texts}`);
      for (const tick of ticks.slice(1, -1)) assert.equal(tick, Number(tick.toPrecision(2)), `${kind}: ${texts}`);
      widths.push(await path());
    }
    assert.equal(new Set(widths).size, 3, "the curve is drawn anew");
  }));

test("curves have scales of their own until one for all is asked for, and knots show under the pointer", () =>
  withPage("visits.html", {}, async (page) => {
    const labels = async (name) => (await card(page, name).locator("svg text").allTextContents()).join(" ");
    const age = card(page, "age").locator(".canvas");
    await age.scrollIntoViewIfNeeded();
    await drawn(page);
    const circles = () => card(page, "age").locator("svg path[stroke='#22577a'][fill='#ffffff']").count();
    const own = await labels("age");
    const before = await circles();
    const { width } = await age.boundingBox();
    await age.hover({ position: { x: width * 0.5, y: 80 } });
    await nextFrame(page);
    assert.ok((await circles()) > before, "a knot is marked");
    await page.check("#attributes .check:has-text('same scale') input");
    await nextFrame(page);
    assert.notEqual(await labels("age"), own);
  }));

test("a heat-map has all its cells at once, round labels, no borders, and grey where no rows are", () =>
  withPage("visits.html", {}, async (page) => {
    const { model } = JSON.parse(await page.textContent("#report-data"));
    assert.ok(model.pairs.length > 0, "the model has a pair");
    const pair = page.locator("#pairs .pair").first();
    await pair.scrollIntoViewIfNeeded();
    await drawn(page);
    const { values, first_knots: knots } = model.pairs[0];
    const cells = await pair.locator("svg path[fill]:not([stroke])").count();
    assert.ok(cells >= values.length * values[0].length, `${cells} cells`);
    const canvas = pair.locator(".canvas");
    const { colours, width, height } = await look(page, await canvas.screenshot());
    assert.ok((colours["#ffffff"] ?? 0) < 0.65 * width * height, "most of it is colour");
    const texts = await pair.locator("svg text").allTextContents();
    for (const knot of knots) assert.ok(texts.includes(String(Number(knot.toPrecision(3)))), `${knot} in ${texts}`);
    assert.match(await pair.locator(".says").innerText(), /(adds|takes away) 0\.\d/);
  }));

test("importance is the mean effect, with the range beside it", () =>
  withPage("visits.html", {}, async (page) => {
    const { attributes, model } = JSON.parse(await page.textContent("#report-data"));
    const order = attributes.map((_, j) => j).sort((a, b) => attributes[b].mean_absolute - attributes[a].mean_absolute);
    const names = await page.locator("#attributes .card h3 bdi").allInnerTexts();
    assert.equal(names[0], model.attributes[order[0]].name);
    const chart = page.locator("#attributes figure").first();
    await chart.scrollIntoViewIfNeeded();
    await drawn(page);
    assert.ok((await chart.locator("svg text").allTextContents()).some((text) => /^0?\.?\d.*, range \d/.test(text)));
  }));

test("each class by itself, whether probabilities hold, and the error by groups of rows", () =>
  withPage("visits.html", {}, async (page) => {
    const { quality, model } = JSON.parse(await page.textContent("#report-data"));
    const given = quality.find(({ source }) => source === "data");
    await page.click("#decides details summary");
    const byClass = page.locator("#decides details .by-class tbody tr");
    assert.equal(await byClass.count(), 2);
    const [mild] = given.confusion;
    assert.ok((await byClass.first().innerText()).includes(`${Math.round((100 * mild[0]) / (mild[0] + mild[1]))} %`));
    const plot = page.locator("#decides .calibration .canvas");
    await plot.scrollIntoViewIfNeeded();
    await drawn(page);
    assert.equal(
      await page.locator("#decides .calibration svg path[fill='#22577a']").count(),
      given.reliability.length,
      "a point for each bin",
    );
    assert.ok(given.reliability.every(([promised, observed]) => promised >= 0 && observed <= 1));
    for (const { attribute, groups } of given.groups) {
      assert.equal(
        groups.reduce((sum, [, , count]) => sum + count, 0),
        given.row_count,
        model.attributes[attribute].name,
      );
    }
    const groups = page.locator("#decides .subgroups");
    assert.match(await groups.innerText(), /It errs most by (visits|income|dose|age)/);
    const before = await groups.locator(".canvas").getAttribute("aria-label");
    await page.selectOption("#subgroup", { index: 0 });
    await page.selectOption("#subgroup", { index: 1 });
    await nextFrame(page);
    assert.notEqual(await groups.locator(".canvas").getAttribute("aria-label"), before);
  }));

// Relative luminance and contrast: WCAG 2.1.
const luminance = (rgb) => {
  const [r, g, b] = rgb.map((part) =>
    part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};

for (const colorScheme of ["light", "dark"]) {
  test(`all text stands out from its background: ${colorScheme}`, () =>
    withPage("visits.html", { colorScheme }, async (page) => {
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      for (let y = 0; y < height; y += 500) {
        await page.evaluate((to) => window.scrollTo(0, to), y);
        await drawn(page);
      }
      const pairs = await page.evaluate(() => {
        const numbers = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
        const behind = (element) => {
          const layers = [];
          for (let at = element; at; at = at.parentElement) {
            const [r, g, b, alpha = 1] = numbers(getComputedStyle(at).backgroundColor);
            if (alpha > 0) layers.push([r, g, b, alpha]);
            if (alpha === 1) break;
          }
          return layers.reduceRight((under, [r, g, b, alpha]) =>
            [r, g, b].map((part, i) => part * alpha + under[i] * (1 - alpha)),
          );
        };
        return [...document.querySelectorAll("main *, nav *")]
          .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
          .filter((element) => element.checkVisibility() && !element.closest("[disabled]"))
          .map((element) => {
            const { color, fill } = getComputedStyle(element);
            const ink = numbers(element instanceof SVGElement ? fill : color).slice(0, 3);
            return { text: element.textContent.slice(0, 40), ink, ground: behind(element).slice(0, 3) };
          });
      });
      assert.ok(pairs.length > 100);
      for (const { text, ink, ground } of pairs) {
        const found = contrast(ink, ground);
        assert.ok(found >= 4.5, `“${text}”: ${found.toFixed(2)}, ${ink} on ${ground}`);
      }
    }));
}

test("on a phone the page is short: its parts are folded, and unfold by finger, key and link", () =>
  withPage("visits.html", { viewport: { width: 390, height: 800 } }, async (page) => {
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok((await height()) < 4000, `${await height()} px`);
    const isOpen = (id) => page.getAttribute(`#${id} .fold`, "aria-expanded");
    assert.deepEqual(await Promise.all(["decides", "object", "pairs"].map(isOpen)), ["true", "false", "false"]);
    await page.click("#pairs .fold");
    assert.equal(await isOpen("pairs"), "true");
    await drawn(page);
    await page.focus("#object .fold");
    await page.keyboard.press("Enter");
    assert.equal(await isOpen("object"), "true");
    await page.click("nav a[href='#about']");
    assert.equal(await isOpen("about"), "true");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), 0);
  }));

test("the page is small and opens quickly", async () => {
  assert.ok(statSync(join(folder, "visits.html")).size < 1.2e6);
  await withPage("visits.html", {}, async (page) => {
    const taken = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domComplete);
    assert.ok(taken < 5000, `${taken} ms`); // a busy machine may be five times as slow as the second that is meant
  });
});
