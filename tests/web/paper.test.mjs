// What a committee prints: the PDF of a report, rendered to pictures by poppler.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { folder, look, withPage, xofm } from "./support.mjs";
import { visits } from "./visits.mjs";

before(() => {
  visits("visits.csv");
  xofm("fit", "visits.csv", "--label", "stage", "--classes", "mild,severe", "--id", "id", "-o", "visits.json");
  xofm("report", "visits.json", "--data", "visits.csv", "-o", "visits.html");
});

// The pages as PNG, and their texts.
async function print(page, name) {
  writeFileSync(join(folder, `${name}.pdf`), await page.pdf({ preferCSSPageSize: true }));
  execFileSync("pdftoppm", ["-r", "50", "-png", `${name}.pdf`, name], { cwd: folder });
  const files = readdirSync(folder)
    .filter((file) => file.startsWith(`${name}-`))
    .sort();
  const texts = execFileSync("pdftotext", ["-layout", `${name}.pdf`, "-"], { cwd: folder, encoding: "utf8" }).split(
    "\f",
  );
  return { pictures: files.map((file) => readFileSync(join(folder, file))), texts };
}

test("print is complete: every part begins a page, and takes the width between the margins", () =>
  withPage("visits.html", {}, async (page) => {
    for (const details of await page.locator("#about details").all()) await details.locator("summary").click();
    const { pictures, texts } = await print(page, "visits");
    for (const heading of [
      "One object",
      "What each attribute does",
      "What pairs of attributes do",
      "How to read this",
    ]) {
      assert.ok(
        texts.some((text) => text.trimStart().startsWith(heading)),
        heading,
      );
    }
    const margin = 15 / 210; // mm of A4
    const widths = [];
    for (const picture of pictures) {
      const { across, width, height } = await look(page, picture);
      assert.ok(Math.abs(height / width - Math.SQRT2) < 0.01, "A4");
      widths.push((across[1] - across[0]) / (1 - 2 * margin));
    }
    assert.ok(Math.max(...widths) <= 1.01 && Math.max(...widths) > 0.97, `${widths}`);
    assert.ok(widths.filter((width) => width > 0.9).length >= 3, `${widths}`);
    assert.equal(
      await page.$$eval(
        "figure.chart",
        (all) => all.filter((figure) => figure.checkVisibility() && !figure.querySelector("svg")).length,
      ),
      0,
      "all charts are drawn",
    );
  }));

test("a heat-map is printed whole", () =>
  withPage("visits.html", {}, async (page) => {
    const { pictures, texts } = await print(page, "pairs");
    const place = texts.findIndex((text) => text.trimStart().startsWith("What pairs of attributes do"));
    const { colours, width, height } = await look(page, pictures[place]);
    const isOrangeOrBlue = (colour) => {
      const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
      return Math.abs(r - b) > 24 && r > g !== b > g;
    };
    const painted = Object.entries(colours).reduce((sum, [c, count]) => sum + (isOrangeOrBlue(c) ? count : 0), 0);
    assert.ok(painted > 0.02 * width * height, `${painted} pixels`);
  }));

test("of a hundred attributes all are printed", () => {
  xofm("generate", "--rows", "300", "--attributes", "30", "--classes", "3", "--seed", "2", "-o", "wide.csv");
  xofm("fit", "--no-tune", "wide.csv", "--max-epochs", "5", "-o", "wide.json");
  xofm("report", "wide.json", "-o", "wide.html");
  return withPage("wide.html", {}, async (page) => {
    const { texts } = await print(page, "wide");
    assert.equal(await page.locator("#attributes .card").count(), 30);
    const { attributes } = JSON.parse(readFileSync(join(folder, "wide.json"), "utf8"));
    for (const { name } of attributes)
      assert.ok(
        texts.some((text) => text.includes(name)),
        name,
      );
  });
});
