// 1. What the model decides, and how well.
import { barsHeight, barsOption } from "../charts/bars";
import { ChartFrame } from "../charts/frame";
import type { Measure, Quality, ReportDocument } from "../document";
import type { Model } from "../model";
import { el, formatNumber, formatPercent, nameOf, shorten } from "../page/dom";
import { qualityDetails } from "./quality";
import { inCases, plural, section, type Section } from "../page/parts";
import { classColor, inkOn, mix, onThemeChange, theme } from "../page/theme";

export function decidesSection({ document, effects }: Model): Section {
  const { model, quality } = document;
  const used = model.attributes.filter((_, j) => effects.isUsed(j));
  const intro = el(
    "p",
    { class: "lead" },
    `From ${plural(used.length, "attribute")} of an object the model works out a score, and from the score one of ` +
      `${model.classes.length} ordered classes of `,
    nameOf(model.label),
    `. It has learned from ${plural(model.summary.row_count, "row")}.`,
  );
  return section(
    "decides",
    "Decision",
    "What the model decides",
    intro,
    ...qualityParts(document),
    ...quality.slice(1).map((other) => otherQuality(other, document)),
  );
}

function qualityParts(document: ReportDocument): HTMLElement[] {
  const best = document.quality[0];
  if (!best) {
    return [
      el(
        "p",
        { class: "notice" },
        "How good it is on new objects is not known: no rows were kept out when it was trained, and none were given that it had not seen.",
      ),
      ...classCounts(document),
    ];
  }
  return [
    ...qualityOf(best, document),
    el(
      "div",
      { class: "two" },
      el("div", {}, el("h3", {}, "Where it errs"), confusionTable(best, document.model.classes)),
      el("div", {}, ...classCounts(document)),
    ),
    ...qualityDetails(best, document),
  ];
}

function otherQuality(quality: Quality, document: ReportDocument): HTMLElement {
  return el(
    "details",
    {},
    el("summary", {}, `The same on ${sourceText(quality, document)}`),
    ...qualityOf(quality, document),
    confusionTable(quality, document.model.classes),
    ...qualityDetails(quality, document),
  );
}

function qualityOf(quality: Quality, document: ReportDocument): HTMLElement[] {
  return [
    el("p", { class: "verdict" }, verdict(quality)),
    el("p", { class: "muted" }, sourceSentence(quality, document), " ", baseline(quality, document)),
    tiles(quality),
  ];
}

function sourceText(quality: Quality, document: ReportDocument): string {
  if (quality.source === "validation") {
    return quality.trial_count === 1
      ? `${plural(quality.row_count, "row")} that a model trained alike had not seen`
      : `rows left out in turn, ${plural(quality.trial_count ?? 0, "trial")}`;
  }
  if (quality.source === "holdout") return `${plural(quality.row_count, "row")} kept out of training`;
  return `the ${plural(quality.row_count, "row")} of ${shorten(document.rows?.file ?? "the data", 60)}`;
}

function sourceSentence(quality: Quality, document: ReportDocument): string {
  const text = `Measured on ${sourceText(quality, document)}.`;
  if (quality.source !== "data") return text;
  return quality.is_training_data
    ? `${text} The model was trained on these very rows: on new objects it will do worse.`
    : `${text} If the model was trained on some of them, it looks better than it is.`;
}

function verdict({ measures }: Quality): string {
  const accuracy = measures.accuracy?.value ?? 0;
  const withinOne = measures.within_one?.value ?? 0;
  const right = `The model finds the right class ${inCases(accuracy)}`;
  if (withinOne <= accuracy) return `${right}.`;
  return `${right}; ${inCases(withinOne)} it is at most one class off.`;
}

// What answering without looking would achieve.
function baseline(quality: Quality, document: ReportDocument): string {
  const counts = quality.confusion.map((row) => row.reduce((sum, count) => sum + count, 0));
  const most = counts.indexOf(Math.max(...counts));
  const share =
    counts[most] /
    Math.max(
      1,
      counts.reduce((sum, count) => sum + count, 0),
    );
  return `Always answering “${shorten(document.model.classes[most], 40)}”, the most frequent class, would be right in ${formatPercent(share)}.`;
}

function tiles({ measures }: Quality): HTMLElement {
  const tile = (name: string, measure: Measure | undefined, format: (value: number) => string, text: string) => {
    if (measure?.value === null || measure === undefined) return null;
    const spread = measure.spread ? ` ± ${format(measure.spread)}` : "";
    return el(
      "div",
      { class: "tile" },
      el("dt", {}, name),
      el("dd", {}, format(measure.value) + spread),
      el("dd", { class: "muted" }, text),
    );
  };
  const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
  const number = (value: number) => value.toFixed(3);
  return el(
    "dl",
    { class: "tiles" },
    tile("Accuracy", measures.accuracy, percent, "the right class"),
    tile("Within one", measures.within_one, percent, "at most one class off"),
    tile("Mean error", measures.mae, number, "classes off on average"),
    tile("Weighted kappa", measures.qwk, number, "1 is perfect, 0 is chance"),
  );
}

function confusionTable(quality: Quality, classes: string[]): HTMLElement {
  const cells: { cell: HTMLElement; share: number }[] = [];
  const rows = quality.confusion.map((counts, h) => {
    const total = counts.reduce((sum, count) => sum + count, 0);
    const data = counts.map((count, p) => {
      const cell = el("td", { class: h === p ? "right" : "" }, count === 0 ? "·" : formatNumber(count));
      cells.push({ cell, share: total > 0 ? count / total : 0 });
      return cell;
    });
    return el("tr", {}, el("th", { scope: "row" }, nameOf(classes[h], 24)), ...data);
  });
  const paint = () => {
    for (const { cell, share } of cells) {
      const color = mix(theme().background, theme().accent, 0.85 * share);
      cell.style.background = share > 0 ? color : "transparent";
      cell.style.color = share > 0 ? inkOn(color) : "";
    }
  };
  paint();
  onThemeChange(paint);
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "true ↓"),
    ...classes.map((name) => el("th", { scope: "col" }, nameOf(name, 16))),
  );
  const caption = el("caption", {}, "Rows by true class (down) and predicted class (across)");
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Confusion matrix" },
    el("table", { class: "confusion" }, caption, el("thead", {}, head), el("tbody", {}, ...rows)),
  );
}

function classCounts({ model }: ReportDocument): HTMLElement[] {
  const weights = model.summary.class_weights;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const text = (weight: number) => `${formatNumber(weight)} (${formatPercent(weight / total)})`;
  const frame = new ChartFrame({
    title: () => "Training rows per class",
    describe: () =>
      "Training rows per class, lowest class first: " +
      model.classes.map((name, h) => `${shorten(name, 40)} ${text(weights[h])}`).join(", "),
    height: () => barsHeight(model.classes.length),
    option: (colors, width) => ({
      ...barsOption(
        model.classes.map((name, h) => ({
          name,
          value: weights[h],
          color: classColor(h, weights.length, colors),
          text: text(weights[h]),
        })),
        colors,
        width,
      ),
    }),
    table: () => ({
      header: ["class", "rows", "share"],
      rows: model.classes.map((name, h) => [name, weights[h], formatPercent(weights[h] / total)]),
    }),
  });
  return [el("h3", {}, "Training rows per class, lowest first"), frame.element];
}
