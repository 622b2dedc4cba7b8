// What would have to change for the next class: the smallest change of one attribute, for each that can do it.
import type { Model } from "../model";
import { nextClass, type Change } from "../model/changes";
import type { Value } from "../model/encode";
import { button, el, formatNumber, formatPercent, nameOf, replace, shorten } from "../page/dom";

const shownChanges = 4;

export interface ChangesPart {
  element: HTMLElement;
  update: (values: Value[], isKept: (j: number) => boolean) => void;
}

export function changesPart(model: Model, apply: (attribute: number, value: number) => void): ChangesPart {
  const places = el("div", { class: "two" });
  const update = (values: Value[], isKept: (j: number) => boolean) => {
    const own = model.predict(values).label;
    const search = model.changes(values);
    const side = (step: 1 | -1) => {
      const target = nextClass(model.document.pieces, own, step);
      const heading = step > 0 ? "To the next higher class" : "To the next lower class";
      if (target === null) return el("div", {}, el("h4", {}, heading), el("p", { class: "muted" }, "There is none."));
      const name = model.document.model.classes[target];
      const changes = search.toClass(target, isKept);
      return el(
        "div",
        { "data-target": target, "data-changes": JSON.stringify(changes) },
        el("h4", {}, `${heading}, `, nameOf(name, 40)),
        changes.length === 0
          ? el("p", { class: "muted" }, "No change of one attribute alone leads there.")
          : el(
              "ol",
              { class: "changes" },
              ...changes
                .slice(0, shownChanges)
                .map((change) => changeItem(model, search.roundOutwards(change, target), apply)),
            ),
      );
    };
    replace(places, side(1), side(-1));
  };
  return {
    element: el(
      "div",
      { class: "what-if" },
      el("h3", {}, "What would have to change"),
      el(
        "p",
        { class: "muted" },
        "The smallest change of a single attribute, all others kept, cheapest first; rounded outwards, so that typing the number works. It speaks of the model, not of cause and effect.",
      ),
      places,
    ),
    update,
  };
}

function changeItem(model: Model, change: Change, apply: (attribute: number, value: number) => void): HTMLElement {
  const attribute = model.document.model.attributes[change.attribute];
  const isLevel = attribute.kind === "categorical";
  const text = (value: number, numberText: (number: number) => string) =>
    isLevel ? shorten(attribute.levels![value] ?? "not seen in training", 40) : numberText(value);
  // All digits: typed in, the number leads to the class.
  const goal = text(change.to, (number) => String(number).replace("-", "−"));
  const size = isLevel ? "another level" : `${formatPercent(change.cost)} of its range`;
  return el(
    "li",
    {},
    nameOf(attribute.name, 40),
    " ",
    text(change.from, formatNumber),
    " → ",
    el("strong", {}, goal),
    attribute.unit ? ` ${shorten(attribute.unit, 16)}` : "",
    el("span", { class: "muted" }, ` ${size} `),
    button(
      "try",
      `Set ${shorten(attribute.name, 60)} to ${goal}`,
      () => apply(change.attribute, change.to),
      "small",
    ),
  );
}
