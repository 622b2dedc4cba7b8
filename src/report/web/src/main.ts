// The page: reads its document, builds its sections from top to bottom.
import type { ReportDocument } from "./document";
import { Model } from "./model";
import { el, nameOf, shorten } from "./page/dom";
import { themeSwitch } from "./page/theme";
import { aboutSection } from "./sections/about";
import { attributesSection } from "./sections/attributes";
import { dataSection } from "./sections/data";
import { decidesSection } from "./sections/decides";
import { objectSection } from "./sections/object";
import { pairsSection } from "./sections/pairs";
import { pathSection } from "./sections/path";

function build(report: ReportDocument): void {
  document.title = `${shorten(report.title, 80)} – xofm report`;
  const model = new Model(report);
  const links: [string, string][] = [
    ["decides", "Decision"],
    ["attributes", "Attributes"],
    ["pairs", "Pairs"],
    ["object", "One object"],
    ["path", "Penalties"],
    ...(report.check ? ([["data", "Rows"]] as [string, string][]) : []),
    ["about", "How to read"],
  ];
  const nav = el(
    "nav",
    { "aria-label": "Sections" },
    ...links.map(([id, text]) => el("a", { href: `#${id}` }, text)),
    themeSwitch(),
  );
  const main = el("main", { id: "main" }, el("h1", {}, nameOf(report.title, 120)));
  document.body.append(nav, main);
  main.append(
    decidesSection(model),
    attributesSection(model),
    pairsSection(model),
    objectSection(model),
    pathSection(model),
    ...(report.check ? [dataSection(report.check, report.rows!.file)] : []),
    aboutSection(report),
  );
}

try {
  build(JSON.parse(document.getElementById("report-data")!.textContent!) as ReportDocument);
} catch (error) {
  document.body.append(el("p", { class: "notice" }, `This report cannot be shown: ${String(error)}`));
  throw error;
}
