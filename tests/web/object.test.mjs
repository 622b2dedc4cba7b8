// One object in the report of the shipped cars: what the page computes is what the program says.
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { env, folder, isNear, prediction, random, withPage, xofm } from "./support.mjs";

const cars = join(env.XOFM_DATA, "car_insurance_risk.csv");
const tolerance = 1e-9;
let attributes;

before(() => {
  xofm("fit", "--no-tune", cars, "--label", "risk", "--max-epochs", "40", "-o", "model.json");
  xofm("report", "model.json", "--data", cars, "-o", "report.html");
  xofm("report", "model.json", "-o", "plain.html");
  copyFileSync(join(env.XOFM_CASES, "motley6.html"), join(folder, "outside.html"));
  const [head, ...lines] = readFileSync(cars, "utf8").trim().split("\n");
  const named = [`id,${head}`, ...lines.map((line, i) => `car ${i + 1},${line}`)];
  writeFileSync(join(folder, "named.csv"), named.join("\n") + "\n");
  xofm("fit", "--no-tune", "named.csv", "--id", "id", "--label", "risk", "--max-epochs", "20", "-o", "named.json");
  xofm("report", "named.json", "--data", "named.csv", "-o", "named.html");
  attributes = JSON.parse(readFileSync(join(folder, "model.json"), "utf8")).attributes;
});

// Random values, a few of them outside what training has seen.
function randomRow({ uniform, below }) {
  return attributes.map(({ knots, levels }) => {
    if (uniform() < 0.1) return null;
    if (levels) return below(levels.length);
    const [least, greatest] = [knots[0], knots[knots.length - 1]];
    return least + (uniform() * 1.2 - 0.1) * (greatest - least);
  });
}

// Moves the controls as a hand would: sliders inside their range, the field of numbers outside it.
async function setRow(page, row) {
  const more = page.locator("#object .more button");
  if (await more.count()) await more.click();
  await page.evaluate((values) => {
    values.forEach((value, j) => {
      const control = document.querySelector(`#object .control[data-attribute="${j}"]`);
      const set = (input, text, event) => {
        input.value = text;
        input.dispatchEvent(new Event(event, { bubbles: true }));
      };
      const select = control.querySelector(":scope > select");
      if (select) return set(select, value === null ? "" : String(value), "change");
      const [slider, number, missing] = ["[type=range]", "[type=number]", ".missing input"].map((part) =>
        control.querySelector(part),
      );
      if (missing.checked !== (value === null)) missing.click();
      if (value === null) return;
      const inside = value >= Number(slider.min) && value <= Number(slider.max);
      set(inside ? slider : number, String(value), "input");
    });
  }, row);
}

function predictions(rows) {
  const cell = (value, j) =>
    value === null ? "" : attributes[j].levels ? `"${attributes[j].levels[value]}"` : String(value);
  const lines = [attributes.map(({ name }) => name).join(","), ...rows.map((row) => row.map(cell).join(","))];
  writeFileSync(join(folder, "rows.csv"), lines.join("\n") + "\n");
  const [header, ...cells] = xofm("predict", "model.json", "rows.csv")
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  return cells.map((values) => Object.fromEntries(header.map((name, i) => [name, values[i]])));
}

async function isAsPredicted(page, expected, where) {
  const classes = ["-2", "-1", "0", "1", "2", "3"];
  const now = await prediction(page);
  isNear(now.score, Number(expected.score), tolerance, `${where}, score`);
  assert.deepEqual(
    [now.label, now.lowest, now.highest].map((h) => classes[h]),
    [expected.class, expected.lowest, expected.highest],
    where,
  );
  classes.forEach((name, h) => {
    isNear(
      now.probabilities[h],
      Number(expected[`probability_${name}`]),
      tolerance,
      `${where}, probability of ${name}`,
    );
    if (expected[`support_${name}`] !== "")
      isNear(now.support[h], Number(expected[`support_${name}`]), tolerance, `${where}, support of ${name}`);
  });
}

test("moved values give what xofm predict says", () =>
  withPage("plain.html", {}, async (page) => {
    const numbers = random(7);
    const rows = Array.from({ length: 12 }, () => randomRow(numbers));
    const expected = predictions(rows);
    for (const [i, row] of rows.entries()) {
      await setRow(page, row);
      await isAsPredicted(page, expected[i], `row ${i}`);
    }
    assert.ok(new Set(expected.map((row) => row.class)).size > 1, "the rows are of several classes");
  }));

test("a chosen row gives what xofm predict says", () =>
  withPage("report.html", {}, async (page) => {
    const lines = xofm("predict", "model.json", cars)
      .trim()
      .split("\n")
      .map((line) => line.split(","));
    for (const row of [0, 17, 204]) {
      await page.selectOption("#row", String(row));
      await isAsPredicted(page, Object.fromEntries(lines[0].map((name, i) => [name, lines[row + 1][i]])), `row ${row}`);
    }
  }));

test("a suggested change leads to the class it promises", () =>
  withPage("report.html", {}, async (page) => {
    await page.selectOption("#row", "17");
    await prediction(page);
    const target = Number(await page.getAttribute("#object [data-target]", "data-target"));
    await page.click("#object [data-target] button.small");
    assert.equal((await prediction(page)).label, target);
  }));

test("what is fixed is not suggested, what may only rise rises, and what costs more comes later", () =>
  withPage("report.html", {}, async (page) => {
    await page.selectOption("#row", "17");
    await page.check("#efforts");
    await page.click("#object .more button");
    const changes = async () => JSON.parse(await page.getAttribute("#object [data-target]", "data-changes"));
    const effort = (attribute) => page.locator(`#object .control[data-attribute="${attribute}"] .effort`);
    const at = async (attribute) => (await changes()).findIndex((change) => change.attribute === attribute);
    await prediction(page);
    const [first, second] = await changes();
    assert.ok(second, "there are several ways");
    await effort(first.attribute).locator("input").fill("1000");
    await prediction(page);
    assert.ok((await at(first.attribute)) > (await at(second.attribute)));
    assert.deepEqual(
      (await changes()).map(({ cost }) => cost),
      (await changes()).map(({ cost }) => cost).sort((a, b) => a - b),
    );
    await effort(second.attribute).locator("select").selectOption("stay");
    await prediction(page);
    assert.equal(await at(second.attribute), -1);
    for (const [may, sign] of [
      ["rise", 1],
      ["fall", -1],
    ]) {
      for (const choice of await page.locator("#object .effort select:has(option[value=rise])").all()) {
        await choice.selectOption(may);
      }
      await prediction(page);
      const numbers = (await changes()).filter(({ attribute }) => attributes[attribute].knots);
      assert.ok(
        numbers.every(({ from, to }) => (to - from) * sign > 0),
        may,
      );
    }
  }));

test("a suggestion shows where it comes from in as many digits as tell the two apart", () =>
  withPage("report.html", {}, async (page) => {
    let shown = 0;
    for (let row = 0; row < 60; ++row) {
      await page.selectOption("#row", String(row));
      await prediction(page);
      for (const text of await page.locator("#object .changes li").allInnerTexts()) {
        const [, from, to] = /(\S+) → (\S+)/.exec(text);
        assert.notEqual(from, to, text);
        ++shown;
      }
    }
    assert.ok(shown > 60);
  }));

test("rows go by name where they have one, and are found by it", () =>
  withPage("named.html", {}, async (page) => {
    assert.match(await page.innerText("#row option >> nth=0"), /^car 1 \(row 1\), truth: /);
    await page.fill("#object .row-picker input", "CAR 18 (row");
    assert.equal(await page.locator("#row option").count(), 1);
    const found = await prediction(page);
    await page.fill("#object .row-picker input", "");
    await page.selectOption("#row", "17");
    assert.deepEqual(await prediction(page), found);
    await page.fill("#object .row-picker input", "no such car");
    assert.ok(await page.isDisabled("#row"));
  }));

test("the interval that promises something comes first, and what lies outside an interval is explained", () =>
  withPage("outside.html", {}, async (page) => {
    let outside = 0;
    let contradicted = 0;
    for (let row = 0; row < 40; ++row) {
      await page.selectOption("#row", String(row));
      const { label, lowest, highest } = await prediction(page);
      const [, covering, possible] = await page.locator("#prediction p").allInnerTexts();
      assert.match(covering, /^In nine of ten such cases the truth is /);
      assert.match(possible, /^Possible by the training scores: /);
      const isOutside = label < lowest || label > highest;
      assert.equal(/is not among them: it is chosen by/.test(possible), isOutside, possible);
      outside += isOutside;
      contradicted += /Two training rows contradict each other: row \d+ \(/.test(possible);
    }
    assert.ok(outside > 0 && contradicted > 0, `${outside}, ${contradicted}`);
  }));

test("the explanation of one object prints on one page", () =>
  withPage("report.html", {}, async (page) => {
    await page.evaluate(() => document.documentElement.classList.add("only-object"));
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
    assert.equal(pdf.match(/\/Type \/Page\b/g).length, 1);
  }));

test("the keyboard moves a slider, and the answer follows", () =>
  withPage("report.html", {}, async (page) => {
    const before = await prediction(page);
    await page.focus("#object .control input[type=range]");
    for (let i = 0; i < 30; ++i) await page.keyboard.press("ArrowRight");
    assert.notEqual((await prediction(page)).score, before.score);
  }));
