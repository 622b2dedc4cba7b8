// What there is to know of the rows that were given: as `xofm check` says it.
import type { RowCheck } from "../document";
import { el, formatPercent, shorten, tableOf } from "../page/dom";
import { plural, section, type Section } from "../page/parts";

const mostAttributes = 200;

export function dataSection(check: RowCheck, file: string): Section {
  const rows = check.attributes.slice(0, mostAttributes).map(({ name, ...found }) => [
    name,
    found.why,
    found.missing_count === 0 ? "" : formatPercent(found.missing_count / check.row_count),
    found.distinct_count,
    found.outlier_count ? plural(found.outlier_count, "row") : "",
    formatPercent(found.accuracy_alone),
  ]);
  const left = check.attributes.length - rows.length;
  return section(
    "data",
    "Rows",
    "The rows",
    el("p", {}, `${plural(check.row_count, "row")} of ${shorten(file, 80) || "the file"}, looked at as xofm check does.`),
    check.findings.length === 0
      ? el("p", {}, "Nothing stands out.")
      : el("ul", { class: "findings" }, ...check.findings.map((text) => el("li", {}, `${shorten(text, 400)}.`))),
    el(
      "details",
      {},
      el("summary", {}, "Every attribute"),
      tableOf(
        {
          header: ["attribute", "taken for", "missing", "different", "far off", "right by it alone"],
          rows,
        },
        "What each column was taken for, and how often it alone gives the class",
      ),
      left > 0 ? el("p", {}, `… and ${left} more.`) : null,
    ),
  );
}
