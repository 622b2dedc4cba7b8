// How good the model is, looked at more closely: by class, whether its probabilities hold, and by groups of rows.
import { barsHeight, barsOption } from "../charts/bars";
import { calibrationOption } from "../charts/calibration";
import { ChartFrame } from "../charts/frame";
import type { Quality, ReportDocument, RowGroup } from "../document";
import { el, formatNumber, formatPercent, nameOf, replace, shorten, tableOf } from "../page/dom";

const total = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);

export function qualityDetails(quality: Quality, document: ReportDocument): HTMLElement[] {
  return [
    classTable(quality, document),
    ...(quality.reliability?.length ? [calibration(quality.reliability)] : []),
    ...(quality.groups?.length ? [subgroups(quality.groups, document)] : []),
  ];
}

// Each class by itself: how many of its rows are found, and how far one can rely on being told it.
function classTable({ confusion }: Quality, { model }: ReportDocument): HTMLElement {
  const share = (part: number, of: number) => (of > 0 ? formatPercent(part / of) : "–");
  const rows = model.classes.map((name, h) => {
    const counts = confusion[h];
    const told = total(confusion.map((row) => row[h]));
    const below = total(counts.slice(0, h));
    const above = total(counts.slice(h + 1));
    const all = total(counts);
    return [
      name || "(empty)",
      all,
      share(counts[h], all),
      share(below, all),
      share(above, all),
      share(counts[h], told),
    ];
  });
  const header = [model.label, "rows", "found", "taken for a lower one", "taken for a higher one", "right when said"];
  return el(
    "div",
    { class: "by-class" },
    el("h3", {}, "Each class by itself"),
    el("div", { class: "scroll" }, tableOf({ header, rows }, "Of the rows of each, lowest first")),
  );
}

function calibration(reliability: NonNullable<Quality["reliability"]>): HTMLElement {
  const frame = new ChartFrame({
    title: () => "Do the probabilities hold",
    describe: () =>
      "Promised and observed shares: " +
      reliability.map(([promised, observed]) => `${formatPercent(promised)} ${formatPercent(observed)}`).join(", "),
    height: () => 260,
    option: (theme) => calibrationOption(reliability, theme),
    table: () => ({
      header: ["promised", "observed", "cases"],
      rows: reliability.map(([promised, observed, count]) => [formatPercent(promised), formatPercent(observed), count]),
    }),
  });
  return el(
    "div",
    { class: "calibration" },
    el("h3", {}, "Do the probabilities hold?"),
    el(
      "p",
      { class: "muted" },
      "Across: how probable the model said it was that a row is so high or higher. Up: how often it was so. On the line both agree; the larger the point, the more cases.",
    ),
    frame.element,
  );
}

function subgroups(groups: NonNullable<Quality["groups"]>, document: ReportDocument): HTMLElement {
  const { attributes } = document.model;
  const select = el("select", { id: "subgroup" });
  groups.forEach(({ attribute }, i) =>
    select.append(el("option", { value: i }, shorten(attributes[attribute].name, 60))),
  );
  const chosen = () => groups[Number(select.value)];
  const name = ([from, to]: RowGroup) => {
    const { kind, levels } = attributes[chosen().attribute];
    if (from === null) return "missing";
    if (kind === "categorical") return from < 0 ? "not seen in training" : levels![from] || "(empty)";
    return from === to ? formatNumber(from) : `${formatNumber(from)} to ${formatNumber(to!)}`;
  };
  const text = ([, , count, accuracy, mae]: RowGroup) =>
    `${mae.toFixed(2)} off, ${formatPercent(accuracy)} right, ${formatNumber(count)} row${count === 1 ? "" : "s"}`;
  const frame = new ChartFrame({
    title: () => `Error by ${attributes[chosen().attribute].name}`,
    describe: () =>
      `Mean error by ${shorten(attributes[chosen().attribute].name, 60)}: ` +
      chosen()
        .groups.map((group) => `${shorten(name(group), 40)} ${text(group)}`)
        .join("; "),
    height: () => barsHeight(chosen().groups.length),
    option: (theme, width) =>
      barsOption(
        chosen().groups.map((group) => ({ name: name(group), value: group[4], text: text(group) })),
        theme,
        width,
      ),
    table: () => ({
      header: [attributes[chosen().attribute].name, "rows", "right", "mean error"],
      rows: chosen().groups.map((group) => [name(group), group[2], formatPercent(group[3]), group[4]]),
    }),
  });
  const worst = el("p", { class: "muted" });
  const sayWorst = () => {
    const found = groupsByError(groups)[0];
    select.value = String(found.place);
    replace(
      worst,
      "It errs most by ",
      nameOf(attributes[groups[found.place].attribute].name, 60),
      ": ",
      nameOf(name(found.group), 60),
      ", ",
      `${text(found.group)}.`,
    );
  };
  sayWorst();
  select.addEventListener("change", () => frame.refresh());
  return el(
    "div",
    { class: "subgroups" },
    el("h3", {}, "Is it as good for all?"),
    worst,
    el("p", {}, el("label", { for: "subgroup" }, "Mean error by "), select),
    frame.element,
  );
}

const leastRows = 10; // of fewer an error says little

// The groups of all attributes, the greatest mean error first.
function groupsByError(groups: NonNullable<Quality["groups"]>): { place: number; group: RowGroup }[] {
  const all = groups.flatMap(({ groups: own }, place) => own.map((group) => ({ place, group })));
  const large = all.filter(({ group }) => group[2] >= leastRows);
  return (large.length > 0 ? large : all).sort((a, b) => b.group[4] - a.group[4]);
}
