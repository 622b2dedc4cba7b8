// Bundles the page: node build.mjs --modules DIR --cpp FILE [--html FILE] [--model FILE]
//   --modules  folder with node_modules
//   --cpp      C++ source that holds the page
//   --html     the page itself, to look at
//   --model    the model's evaluation alone, as a module for tests
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const { values: paths } = parseArgs({
  options: {
    modules: { type: "string" },
    cpp: { type: "string" },
    html: { type: "string" },
    model: { type: "string" },
  },
});
const esbuild = createRequire(resolve(paths.modules, "build.cjs"))("esbuild");
const shared = {
  bundle: true,
  write: false,
  logLevel: "warning",
  target: "es2020",
  charset: "ascii",
  legalComments: "none",
  nodePaths: [resolve(paths.modules)],
};

async function bundle(entry, options) {
  const result = await esbuild.build({ ...shared, ...options, entryPoints: [join(here, entry)] });
  return result.outputFiles[0].text.trimEnd();
}

const script = await bundle("src/main.ts", { format: "iife", minify: true });
const style = await bundle("src/style.css", { minify: true });
for (const [name, text, end] of [
  ["script", script, /<\/script|<!--/i],
  ["style", style, /<\/style/i],
]) {
  if (end.test(text)) throw new Error(`the bundled ${name} holds ${end}, which would end its element`);
}
// The licences of what is bundled travel with it. A comment must not hold two dashes.
const licences = ["echarts/NOTICE", "echarts/LICENSE", "echarts/licenses/LICENSE-d3", "zrender/LICENSE"]
  .map((file) => `${file}\n\n${readFileSync(join(paths.modules, file), "utf8")}`)
  .join("\n\n")
  .replace(/--+/g, (dashes) => "=".repeat(dashes.length));
// Only this very script may run, and nothing may be loaded: what a name in the data looks like cannot matter.
const hash = createHash("sha256").update(script).digest("base64");
const page = readFileSync(join(here, "src/page.html"), "utf8")
  .replace("@SCRIPT_HASH@", () => hash)
  .replace("@LICENCES@", () => licences)
  .replace("@STYLE@", () => style)
  .replace("@SCRIPT@", () => script);
if (paths.html) writeFileSync(paths.html, page);

if (paths.cpp) {
  // Pieces of raw string, since compilers limit the length of one.
  const pieces = page.match(/[^]{1,12000}/g).map((piece) => `R"xofm_page(${piece})xofm_page"`);
  if (page.includes(')xofm_page"')) throw new Error("the page holds the end of its own raw string");
  writeFileSync(
    paths.cpp,
    `#include "report/report_page.hpp"\nstd::string_view xofm::detail::report_page() {\n  static constexpr char page[] =\n${pieces.join("\n")};\n  return {page, sizeof(page) - 1};\n}\n`,
  );
}
if (paths.model) writeFileSync(paths.model, await bundle("src/model/index.ts", { format: "esm" }));
