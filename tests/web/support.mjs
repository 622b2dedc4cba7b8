// What the tests of the page share: the program, the browser, a page that must stay silent.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";

export const env = process.env;

// Removed when the tests of the file have run.
export const folder = mkdtempSync(join(tmpdir(), "xofm-web-"));
after(() => rmSync(folder, { recursive: true, force: true }));

export function xofm(...words) {
  return execFileSync(env.XOFM_PROGRAM, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
}

// Numbers of our own that are the same everywhere: Park and Miller, 1988.
export function random(seed) {
  let state = seed;
  const next = () => (state = (state * 48271) % 2147483647) / 2147483647;
  return { uniform: next, below: (n) => Math.floor(next() * n) };
}

function launch() {
  assert.ok(
    env.XOFM_CHROMIUM && existsSync(env.XOFM_CHROMIUM),
    "there is no Chromium: run scripts/setup test, then configure anew",
  );
  const { chromium } = createRequire(join(env.XOFM_WEB, "tests.cjs"))("playwright-core");
  return chromium.launch({
    executablePath: env.XOFM_CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });
}

// Opens a report from disk, hands it to the test, and fails if the page has said or asked for anything meanwhile.
// A browser of its own for each page: one that has saved files may stop drawing the pages that follow.
export async function withPage(file, options, use) {
  const browser = await launch();
  try {
    await visit(browser, file, options, use);
  } finally {
    await browser.close();
  }
}

async function visit(browser, file, options, use) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(env.XOFM_WEB_TIMEOUT ?? 60_000)); // a safety net: the machine may be busy
  const heard = [];
  page.on("console", (message) => heard.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => heard.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => (heard.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) heard.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(folder, file)).href);
  await page.waitForSelector("#about", { state: "attached" });
  await use(page);
  assert.deepEqual(heard, []);
}

// Waits until what the page was asked for is drawn: it answers in the next frame.
export function nextFrame(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// Waits until all charts near the window are drawn: each may move those below it, and a click meets what it was not
// meant for.
export async function drawn(page) {
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".canvas")].every((canvas) => {
      const { width, top, bottom } = canvas.getBoundingClientRect();
      const isNear = canvas.checkVisibility() && width > 0 && bottom > -300 && top < innerHeight + 300;
      return !isNear || canvas.querySelector("svg path");
    }),
  );
  await nextFrame(page);
}

// What the page says of its object, exactly.
export async function prediction(page) {
  await nextFrame(page);
  return page.$eval("#prediction", ({ dataset }) => ({
    score: Number(dataset.score),
    label: Number(dataset.label),
    lowest: Number(dataset.lowest),
    highest: Number(dataset.highest),
    support: JSON.parse(dataset.support),
    probabilities: JSON.parse(dataset.probabilities),
  }));
}

// What a PNG shows: pixels per colour, and the columns and rows of pixels that are not white, from and to, as shares.
export async function look(page, png) {
  const blank = await page.context().newPage();
  const seen = await blank.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const { width, height } = image;
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      const colours = {};
      const [across, down] = [
        [width, 0],
        [height, 0],
      ];
      for (let i = 0; i < data.length; i += 4) {
        const colour = "#" + [0, 1, 2].map((k) => data[i + k].toString(16).padStart(2, "0")).join("");
        colours[colour] = (colours[colour] ?? 0) + 1;
        if (colour === "#ffffff") continue;
        for (const [range, at] of [
          [across, (i / 4) % width],
          [down, Math.floor(i / 4 / width)],
        ]) {
          range[0] = Math.min(range[0], at);
          range[1] = Math.max(range[1], at + 1);
        }
      }
      return { width, height, colours, across: across.map((x) => x / width), down: down.map((y) => y / height) };
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
  await blank.close();
  return seen;
}

export function isNear(actual, expected, tolerance, what) {
  const close = Math.abs(actual - expected) <= tolerance * Math.max(1, Math.abs(expected));
  assert.ok(close, `${what}: ${actual} instead of ${expected}`);
}
