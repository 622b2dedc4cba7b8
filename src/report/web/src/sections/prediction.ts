// What the model says of one object: class, interval, support, probabilities, its place among the training objects, and
// the contributions that add up to its score.
import { barsHeight, barsOption, scoresOption, signedBarsOption, type Bar, type ScoreRange } from "../charts/bars";
import { ChartFrame } from "../charts/frame";
import type { Assignment, Reference } from "../document";
import type { Model } from "../model";
import type { Assigned } from "../model/assign";
import type { Contributions } from "../model/effects";
import { noteOn, type Value, type ValueNote } from "../model/encode";
import { append, el, formatNumber, formatPercent, formatSigned, nameOf, replace, shorten } from "../page/dom";
import { shareInWords } from "../page/parts";
import { classColor, lightTheme, type Theme } from "../page/theme";
import { contributionBars, sortedParts } from "./contributions";

const tableLength = 500;
const coverage = 0.9;

const noteTexts: Record<Exclude<ValueNote, "" | "new_level">, string> = {
  below_range: "lies below all training rows and counts as their least value",
  above_range: "lies above all training rows and counts as their greatest value",
  unexpected_missing: "is missing, as in no training row; it counts as typical",
};

export interface PredictionParts {
  elements: HTMLElement[];
  contributions: HTMLElement;
  update: (values: Value[]) => void;
}

export function predictionParts(model: Model, start: Value[]): PredictionParts {
  const { classes, reference } = model.document.model;
  let values = start;
  let now: Assigned = model.predict(values);
  let parts: Contributions = model.effects.contributions(values);
  const summary = el("div", { id: "prediction", "aria-live": "polite" });
  const classBars = (shares: () => number[], theme: Theme): Bar[] =>
    classes.map((name, h) => ({
      name,
      value: shares()[h],
      color: classColor(h, classes.length, theme),
      text: formatPercent(shares()[h]),
    }));
  const shareFrame = (title: string, shares: () => number[], isFaint: (h: number) => boolean) =>
    new ChartFrame({
      title: () => title,
      describe: () =>
        `${title}: ` +
        classBars(shares, lightTheme)
          .map((bar) => `${shorten(bar.name, 40)} ${bar.text}`)
          .join(", "),
      height: () => barsHeight(classes.length),
      option: (theme, width) =>
        barsOption(
          classBars(shares, theme).map((bar, h) => ({ ...bar, faint: isFaint(h) })),
          theme,
          width,
          1,
        ),
      table: () => ({
        header: [model.document.model.label, "share"],
        rows: classes.map((name, h) => [name, formatPercent(shares()[h])]),
      }),
    });
  const support = shareFrame(
    "Support",
    () => now.support,
    (h) => h < now.lowest || h > now.highest,
  );
  const probability = shareFrame(
    "Probability",
    () => now.probabilities,
    () => false,
  );
  const ranges = reference.map(scoreQuantiles);
  const scoreRanges = (theme: Theme): ScoreRange[] =>
    classes.map((name, h) => ({ name, color: classColor(h, classes.length, theme), quantiles: ranges[h] }));
  const scores = new ChartFrame({
    title: () => "Score among the training objects",
    describe: () =>
      `The score is ${formatNumber(now.score)}. Scores of the training objects: ` +
      scoreRanges(lightTheme)
        .map(({ name, quantiles }) =>
          quantiles
            ? `${shorten(name, 40)} ${formatNumber(quantiles[0])} to ${formatNumber(quantiles[4])}`
            : `${shorten(name, 40)} none`,
        )
        .join(", "),
    height: () => 62 + 26 * classes.length,
    option: (theme, width) => scoresOption(scoreRanges(theme), now.score, theme, width),
    table: () => ({
      header: [model.document.model.label, "least", "quarter", "middle", "three quarters", "greatest"],
      rows: scoreRanges(lightTheme).map(({ name, quantiles }) => [name, ...(quantiles ?? ["–", "–", "–", "–", "–"])]),
    }),
  });
  let bars = contributionBars(model, values, parts);
  const contributions = new ChartFrame({
    title: () => "Contributions to the score",
    describe: () =>
      `Contributions to the score ${formatNumber(now.score)}: ` +
      bars.map((bar) => `${bar.name} ${formatSigned(bar.value)}`).join(", "),
    height: () => barsHeight(bars.length) + 10,
    option: (theme, width) => signedBarsOption(bars, theme, width),
    table: () => ({
      header: ["part", "contribution"],
      rows: [
        ["base", parts.base],
        ...sortedParts(model, values, parts)
          .slice(0, tableLength)
          .map((part): [string, number] => [part.name(), part.value]),
      ],
    }),
  });
  const sum = el("p", { class: "muted" });
  const update = (next: Value[]) => {
    values = next;
    now = model.predict(values);
    parts = model.effects.contributions(values);
    bars = contributionBars(model, values, parts);
    showSummary(summary, model, values, now);
    const rest = now.score - parts.base;
    sum.textContent = `Base ${formatNumber(parts.base)}, where the curves start, and all contributions, ${formatSigned(rest)}, add up to the score ${formatNumber(now.score)}.`;
    for (const frame of [support, probability, scores, contributions]) frame.refresh();
  };
  return {
    elements: [
      summary,
      el(
        "div",
        { class: "two" },
        el(
          "div",
          {},
          el("h4", {}, "Support"),
          el("p", { class: "muted" }, "training objects of other classes that lie on the right side"),
          support.element,
        ),
        el(
          "div",
          {},
          el("h4", {}, "Probability"),
          el("p", { class: "muted" }, "how often objects with such a score are of each class"),
          probability.element,
        ),
      ),
      el("div", { class: "among" }, el("h4", {}, "Among the training objects"), scores.element),
    ],
    contributions: el(
      "div",
      { class: "contributions" },
      el("h3", {}, "Why: contributions to the score"),
      sum,
      contributions.element,
    ),
    update,
  };
}

type Interval = { lowest: number; highest: number };

const holds = ({ lowest, highest }: Interval, h: number) => lowest <= h && h <= highest;

// What the class is chosen by, for when it lies outside an interval.
function ruleWords({ rule, aim }: Assignment): string {
  if (rule === "support") return "the support of all training rows";
  if (rule === "threshold") return "cuts on the score that err least over all training rows";
  return aim === "mae" ? "the middle of the probabilities" : "the greatest probability";
}

// First the interval that promises something, then that of the training scores and why it is as it is.
function intervalWords(model: Model, now: Assigned): HTMLElement[] {
  const { classes, label, assignment, reference } = model.document.model;
  const range = ({ lowest, highest }: Interval) =>
    lowest === highest
      ? [nameOf(classes[lowest], 40)]
      : [nameOf(classes[lowest], 40), " to ", nameOf(classes[highest], 40)];
  const outside = (interval: Interval, basis: string) =>
    holds(interval, now.label)
      ? []
      : [
          " ",
          nameOf(classes[now.label], 40),
          ` is not among them: it is chosen by ${ruleWords(assignment)}, ${basis}.`,
        ];
  const covering = model.assigner.covering(now.probabilities, coverage);
  const { best, worst } = model.assigner.bounds(now.score);
  const row = (h: number, i: number) => [
    `${shorten(reference[h].ids?.[i] ?? `row ${reference[h].rows[i]}`, 40)} (`,
    nameOf(label, 40),
    " ",
    nameOf(classes[h], 40),
    ")",
  ];
  const contradiction =
    best !== null && worst !== null && best > worst
      ? [
          " Two training rows contradict each other: ",
          ...row(best, 0),
          " scores no more than this object, ",
          ...row(worst, reference[worst].rows.length - 1),
          " no less; so all between stay possible.",
        ]
      : [];
  return [
    ...(covering
      ? [
          el(
            "p",
            { class: "covering" },
            `In ${shareInWords(coverage)} such cases the truth is `,
            ...range(covering),
            ".",
            ...outside(covering, "and these come from how often such rows were of each class"),
          ),
        ]
      : []),
    el(
      "p",
      { class: "possible" },
      "Possible by the training scores: ",
      ...range(now),
      ".",
      ...contradiction,
      ...outside(now, "and these rest on single training rows"),
    ),
  ];
}

function showSummary(place: HTMLElement, model: Model, values: Value[], now: Assigned): void {
  const { classes, attributes } = model.document.model;
  replace(
    place,
    el(
      "p",
      { class: "class-line" },
      nameOf(model.document.model.label, 40),
      ": ",
      el("strong", {}, nameOf(classes[now.label], 40)),
      el("span", { class: "muted" }, ` score ${formatNumber(now.score)}`),
    ),
    ...intervalWords(model, now),
  );
  // The exact numbers, for those who read the page by program.
  Object.assign(place.dataset, {
    score: now.score,
    label: now.label,
    lowest: now.lowest,
    highest: now.highest,
    support: JSON.stringify(now.support),
    probabilities: JSON.stringify(now.probabilities),
  });
  const notes = attributes.flatMap((attribute, j) => {
    const note = noteOn(attribute, values[j]);
    if (note === "" || !model.effects.isUsed(j)) return [];
    const newLevel = `has a level that no training row has; it ${model.hasTerms ? "counts as “other”" : "adds nothing"}`;
    return [el("li", {}, nameOf(attribute.name, 60), ` ${note === "new_level" ? newLevel : noteTexts[note]}`)];
  });
  append(place, notes.length > 0 ? el("ul", { class: "notes" }, ...notes) : null);
}

function scoreQuantiles({ scores, weights }: Reference): number[] | null {
  if (scores.length === 0) return null;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return [0, 0.25, 0.5, 0.75, 1].map((share) => {
    let before = 0;
    for (let i = 0; i < scores.length; ++i) {
      before += weights[i];
      if (before >= share * total) return scores[i];
    }
    return scores[scores.length - 1];
  });
}
