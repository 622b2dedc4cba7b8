// What would have to change for the next class: the smallest change of one attribute, for each that can do it.
import type { Model } from "../model";
import { nextClass, type Change, type Effort } from "../model/changes";
import type { Value } from "../model/encode";
import { button, el, formatNumber, formatPercent, nameOf, replace, shorten } from "../page/dom";

const shownChanges = 4;

export interface ChangesPart {
  element: HTMLElement;
  update: (values: Value[], efforts: (j: number) => Effort) => void;
}

export function changesPart(model: Model, apply: (attribute: number, value: number) => void): ChangesPart {
  const places = el("div", { class: "two" });
  const update = (values: Value[], efforts: (j: number) => Effort) => {
    const own = model.predict(values).label;
    const search = model.changes(values);
    const side = (step: 1 | -1) => {
      const target = nextClass(model.document.pieces, own, step);
      if (target === null) {
        const heading = step > 0 ? "Nothing lies above" : "Nothing lies below";
        return el("div", {}, el("h4", {}, heading), el("p", { class: "muted" }, "No score leads to a class beyond."));
      }
      const name = model.document.model.classes[target];
      const changes = search.toClass(target, efforts);
      return el(
        "div",
        { "data-target": target, "data-changes": JSON.stringify(changes) },
        el("h4", {}, step > 0 ? "Up to " : "Down to ", nameOf(name, 40)),
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
        "Each line is one way: the smallest change of a single attribute, all others kept; rounded outwards, so that typing the number works. The least effort comes first; what an attribute costs, and whether it may change at all, you set beside its value. This speaks of the model, not of cause and effect.",
      ),
      places,
    ),
    update,
  };
}

function changeItem(model: Model, change: Change, apply: (attribute: number, value: number) => void): HTMLElement {
  const attribute = model.document.model.attributes[change.attribute];
  const isLevel = attribute.kind === "categorical";
  const level = (value: number) => shorten(attribute.levels![value] ?? "not seen in training", 40);
  const number = (value: number) => String(value).replace("-", "−");
  // All digits: typed in, the number leads to the class. Where it came from has as many as tell the two apart.
  const goal = isLevel ? level(change.to) : number(change.to);
  const short = formatNumber(change.from);
  const start = isLevel ? level(change.from) : short === formatNumber(change.to) ? number(change.from) : short;
  const size = isLevel ? "another level" : `${formatPercent(change.share)} of its range`;
  return el(
    "li",
    {},
    nameOf(attribute.name, 40),
    " ",
    start,
    " → ",
    el("strong", {}, goal),
    attribute.unit ? ` ${shorten(attribute.unit, 16)}` : "",
    el("span", { class: "muted" }, ` ${size} `),
    button("try", `Set ${shorten(attribute.name, 60)} to ${goal}`, () => apply(change.attribute, change.to), "small"),
  );
}
