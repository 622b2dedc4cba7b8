// Pictures of a report for the documents: its attributes and its object, as a browser shows them.
// Usage: page_pictures.mjs REPORT FOLDER_OF_NODE_MODULES ATTRIBUTES.png OBJECT.png
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [report, modules, ...outputs] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(modules), "pictures.cjs"))("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.XOFM_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1140, height: 820 } });
  await page.goto(pathToFileURL(resolve(report)).href);
  // Charts are drawn as they come into view, and those above move what is below: so twice.
  const show = async (id, down) => {
    for (let round = 0; round < 2; round++) {
      await page.evaluate(([name, by]) => (document.getElementById(name).scrollIntoView(), scrollBy(0, by)), [id, down]);
      await page.waitForTimeout(2000);
    }
  };
  for (const [place, [id, down]] of [["attributes", 470], ["object", 0]].entries()) {
    await show(id, down);
    await page.screenshot({ path: outputs[place] });
  }
} finally {
  await browser.close();
}
