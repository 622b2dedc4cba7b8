// One object in the report of the shipped cars: what the page computes is what the program says.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
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
      const select = control.querySelector("select");
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

test("what is to be kept is not suggested", () =>
  withPage("report.html", {}, async (page) => {
    const first = async () => JSON.parse(await page.getAttribute("#object [data-target]", "data-changes"))[0].attribute;
    await page.click("#object .more button");
    const attribute = await first();
    await page.check(`#object .control[data-attribute="${attribute}"] .keep input`);
    await prediction(page);
    assert.notEqual(await first(), attribute);
  }));

test("the keyboard moves a slider, and the answer follows", () =>
  withPage("report.html", {}, async (page) => {
    const before = await prediction(page);
    await page.focus("#object .control input[type=range]");
    for (let i = 0; i < 30; ++i) await page.keyboard.press("ArrowRight");
    assert.notEqual((await prediction(page)).score, before.score);
  }));
