// Many attributes, many rows: the page shows what matters and thins what does not.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { folder, prediction, withPage, xofm } from "./support.mjs";

before(() => {
  xofm(
    "generate",
    "--rows",
    "3000",
    "--attributes",
    "100",
    "--categorical",
    "10",
    "--missing",
    "0.05",
    "--classes",
    "5",
    "--seed",
    "1",
    "-o",
    "wide.csv",
  );
  xofm("fit", "--no-tune", "wide.csv", "--max-epochs", "5", "-o", "wide.json");
  xofm("report", "wide.json", "-o", "wide.html");
  xofm("report", "wide.json", "--data", "wide.csv", "-o", "wide_data.html");
});

test("a hundred attributes stay within the limits of size", () => {
  assert.ok(statSync(join(folder, "wide.html")).size < 3e6);
  assert.ok(statSync(join(folder, "wide_data.html")).size < 20e6);
});

test("of a hundred attributes the most important come first, and all when asked for", () =>
  withPage("wide.html", {}, async (page) => {
    const cards = page.locator("#attributes .card");
    assert.equal(await cards.count(), 12);
    const drawn = await page.locator("#attributes .card svg").count();
    assert.ok(drawn < 12, "charts far below are not drawn yet");
    await page.click("#attributes .more >> text=Show all 100 attributes");
    assert.equal(await cards.count(), 100);
    await page.click("#object .more button");
    assert.equal(await page.locator("#object .control").count(), 100);
    assert.ok(Number.isFinite((await prediction(page)).score));
  }));

test("of many rows some are kept, and the page says how many", () =>
  withPage("wide_data.html", {}, async (page) => {
    assert.equal(await page.locator("#row option").count(), 500);
    assert.match(await page.innerText("#object"), /500 of 3000 rows, evenly spread/);
  }));
