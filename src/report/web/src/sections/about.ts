// 6. How to read this, and what is needed to make the model again.
import { hasTerms, type ModelDocument, type Recipe, type ReportDocument } from "../document";
import { el, formatNumber, shorten, tableOf } from "../page/dom";
import { section, type Section } from "../page/parts";

const rawTerm = "Purified and raw"; // of models with u and V

const terms: [string, string][] = [
  [
    "Score",
    "One number per object, the sum of a base, one contribution per attribute and one per pair of attributes. The higher the score, the higher the class.",
  ],
  [
    "In nine of ten such cases",
    "The classes that hold the true one in nine of ten new cases like the training rows: counted on rows that the model had not seen.",
  ],
  [
    "Possible by the training scores",
    "No lower than the best class that has a training row with at most this score, no higher than the worst class that has one with at least this score. Single unusual training rows can make it wide.",
  ],
  [
    "Support",
    "Of all training objects of the other classes, the share that lies on the right side of this object by more than the margin: lower classes below it, higher ones above it.",
  ],
  ["Probability", "How often objects with such a score belonged to each class, smoothed by a proportional-odds model."],
  [
    rawTerm,
    "The raw view shows the parameters as they were learned (paper, Section 3.4). The purified view moves all that an attribute does alone out of the pairs, so that a heat-map shows only what the two do together; both give the same scores.",
  ],
  [
    "Mean effect and range",
    "By how much an attribute moves the score of a training row on average, and how far its curve goes from its lowest point to its highest.",
  ],
  [
    "Not cause and effect",
    "The model describes how attributes and classes went together in the training rows. Changing an attribute in the world need not change the class in the world.",
  ],
];

const ruleTexts: Record<string, string> = {
  support: "the class in the interval with the greatest support",
  threshold: "cuts on the score with the fewest errors",
  probability: "the median of the class probabilities",
};

// Of this model, and with the penalties that it was fitted by, if they are a part of what was minimised.
function lossText(model: ModelDocument): string {
  const { loss, objective } = model.summary;
  return formatNumber(loss) + (objective === loss ? "" : `, with penalties ${formatNumber(objective)}`);
}

export function aboutSection(document: ReportDocument): Section {
  const { model } = document;
  const shownTerms = terms.filter(([term]) => term !== rawTerm || !hasTerms(model));
  const { rule, aim } = model.assignment;
  const { parts, ...shared } = model.options;
  const { weight: _, ...recipe } = parts[0];
  const options = flatten(parts.length > 1 ? shared : { ...recipe, ...shared });
  const ruleText = rule === "probability" && aim === "accuracy" ? "the most probable class" : ruleTexts[rule];
  const facts: [string, string][] = [
    ["Class rule", `${rule}, ${aim}: ${ruleText}`],
    ["Training rows", formatNumber(model.summary.row_count)],
    ["Data fingerprint", model.summary.data_fingerprint],
    ["Training", `${model.summary.epochs} epoch${model.summary.epochs === 1 ? "" : "s"}, ${model.summary.stop_reason}`],
    ["Pair loss on the training rows", lossText(model)],
    ...searchFacts(model),
    ["Program", `xofm ${model.program}; charts by Apache ECharts (Apache-2.0)`],
  ];
  return section(
    "about",
    "How to read",
    "How to read this",
    el("dl", { class: "terms" }, ...shownTerms.flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)])),
    el(
      "details",
      { class: "technical" },
      el("summary", {}, "Technical details: how the model was made, and how to make it again"),
      el(
        "p",
        {},
        "The same program with these options and the same rows (they have the same fingerprint) gives the same model, to the last bit.",
      ),
      el(
        "div",
        { class: "two facts" },
        tableOf({ header: ["", ""], rows: facts }, "The model"),
        optionTable(options, document.option_help),
      ),
      ...(parts.length > 1 ? [recipes(parts)] : []),
    ),
  );
}

// What an option does is said where the pointer rests on it. Attributes and classes have names of their own choice.
function optionTable(options: [string, string][], help: Record<string, string>): HTMLElement {
  const table = tableOf({ header: ["option", "value"], rows: options }, "Options of training");
  options.forEach(([name], i) => {
    if (!/^(attributes|class_weights)\./.test(name))
      table.tBodies[0].rows[i].title = help[name.split(".").pop()!] ?? "";
  });
  return table;
}

// How the model was found, as far as that is known.
function searchFacts({ record }: ModelDocument): [string, string][] {
  const facts: [string, string][] = [];
  if (record?.search) {
    const { recipe_count: count, passes, out_of_time: late } = record.search;
    const recipes = `${formatNumber(count)} recipe${count === 1 ? "" : "s"}`;
    facts.push([
      "Search",
      `${recipes}, ${formatNumber(passes)} training passes${late ? " until the time was up" : ""}`,
    ]);
  }
  if (record?.interrupted) facts.push(["Interrupted", "the best model when training was asked to stop"]);
  return facts;
}

// The recipes that the model, or what it was taken from, is the average of; the rest is in the options.
function recipes(parts: Recipe[]): HTMLElement {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const names = Object.keys(parts[0]).filter((name) => name !== "weight");
  const share = ({ weight }: Recipe) => `${Math.round((100 * weight) / total)} %`;
  const rows = names.map((name) => [name.replaceAll("_", " "), ...parts.map((part) => String(part[name]))]);
  const table = tableOf({ header: ["share", ...parts.map(share)], rows }, "The model is the average of these recipes");
  return el("div", { class: "scroll" }, table);
}

function flatten(options: Record<string, unknown>, prefix = ""): [string, string][] {
  return Object.entries(options).flatMap(([name, value]): [string, string][] =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? flatten(value as Record<string, unknown>, `${prefix}${shorten(name, 40)}.`)
      : [[`${prefix}${shorten(name, 40)}`, String(value)]],
  );
}
