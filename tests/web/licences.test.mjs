// What is bundled into the page may be given away, and its licences travel with it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const web = process.env.XOFM_WEB;
const modules = join(web, "node_modules");
const source = resolve(dirname(fileURLToPath(import.meta.url)), "../../src/report/web/src");
const needsNotice = new Set(["Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"]);
const needsNothing = new Set(["0BSD", "CC0-1.0"]);

// Packages of which at least one file is in the bundle.
async function bundledPackages() {
  const esbuild = createRequire(join(modules, "build.cjs"))("esbuild");
  const result = await esbuild.build({
    bundle: true,
    write: false,
    metafile: true,
    nodePaths: [modules],
    entryPoints: [join(source, "main.ts"), join(source, "style.css")],
    outdir: "out",
  });
  const names = Object.keys(result.metafile.inputs).map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

// As build.mjs writes it into a comment.
const commented = (text) => text.replace(/--+/g, (dashes) => "=".repeat(dashes.length));

test("every bundled package has a licence that allows it, and its text is in the page", async () => {
  const page = readFileSync(join(web, "page.html"), "utf8");
  const packages = await bundledPackages();
  assert.ok(packages.includes("echarts"), "the charts are bundled");
  for (const name of packages) {
    const { license } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
    assert.ok(needsNotice.has(license) || needsNothing.has(license), `${name} is under ${license}: may it be bundled?`);
    if (needsNotice.has(license)) {
      const text = readFileSync(join(modules, name, "LICENSE"), "utf8");
      assert.ok(page.includes(commented(text)), `the licence of ${name} (${license}) is not in the page; see build.mjs`);
    }
  }
});

test("the lock file installs no package of another licence", () => {
  const lock = JSON.parse(readFileSync(join(source, "../package-lock.json"), "utf8"));
  for (const [name, { license }] of Object.entries(lock.packages)) {
    assert.ok(needsNotice.has(license) || needsNothing.has(license), `${name} is under ${license}`);
  }
});
