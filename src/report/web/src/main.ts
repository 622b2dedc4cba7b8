// The page: reads its document, builds its sections from top to bottom.
import type { ReportDocument } from "./document";
import { Model } from "./model";
import { el, nameOf, shorten } from "./page/dom";
import { fold, unfold } from "./page/parts";
import { themeSwitch } from "./page/theme";
import { aboutSection } from "./sections/about";
import { attributesSection } from "./sections/attributes";
import { dataSection } from "./sections/data";
import { decidesSection } from "./sections/decides";
import { objectSection } from "./sections/object";
import { pairsSection } from "./sections/pairs";
import { pathSection } from "./sections/path";

const narrowest = 600; // pixels

function build(report: ReportDocument): void {
  document.title = `${shorten(report.title, 80)} – xofm report`;
  const model = new Model(report);
  const sections = [
    decidesSection(model),
    objectSection(model),
    attributesSection(model),
    pairsSection(model),
    ...(report.model.path?.points.length ? [pathSection(model, report.model.path)] : []),
    ...(report.check ? [dataSection(report.check, report.rows!.file)] : []),
    aboutSection(report),
  ];
  const nav = el(
    "nav",
    { "aria-label": "Sections" },
    ...sections.map(({ element, id, link }) => {
      const anchor = el("a", { href: `#${id}` }, link);
      anchor.addEventListener("click", () => unfold(element));
      return anchor;
    }),
    themeSwitch(),
  );
  const main = el("main", { id: "main" }, el("h1", {}, nameOf(report.title, 120)));
  document.body.append(nav, main);
  main.append(...sections.map(({ element }) => element));
  // On a phone only what the model decides is open at first.
  if (window.innerWidth < narrowest) sections.slice(1).forEach(({ element }) => fold(element));
}

try {
  build(JSON.parse(document.getElementById("report-data")!.textContent!) as ReportDocument);
} catch (error) {
  document.body.append(el("p", { class: "notice" }, `This report cannot be shown: ${String(error)}`));
  throw error;
}
