// The values of one object, each with a control that moves it.
import type { Attribute } from "../document";
import type { Effort } from "../model/changes";
import type { Value } from "../model/encode";
import { el, formatNumber, nameOf, shorten } from "../page/dom";
import { nameWithUnit } from "../page/parts";

export interface Control {
  element: HTMLElement;
  set: (value: Value) => void; // shows a value, without telling
  effort: () => Effort; // to change it, on the way to another class
}

interface Listener {
  onValue: (value: Value) => void;
  onEffort: () => void;
}

const unseen = -1;

export function valueControl(attribute: Attribute, j: number, listener: Listener): Control {
  const make = attribute.kind === "categorical" ? levelInput : numberInput;
  const id = `value${j}`;
  const input = make(attribute, id, listener.onValue);
  const effort = effortInput(attribute, listener.onEffort);
  const label = el(
    "label",
    { for: id },
    nameOf(attribute.name, 40),
    attribute.unit ? el("span", { class: "unit" }, ` ${shorten(attribute.unit, 16)}`) : null,
  );
  return {
    element: el("div", { class: "control", "data-attribute": j }, label, ...input.elements, effort.element),
    set: input.set,
    effort: effort.effort,
  };
}

const mayTexts = { change: "may change", rise: "only upwards", fall: "only downwards", stay: "fixed" };
const leastCost = 0.01;

// Whether an attribute may change, and how much effort that is.
function effortInput(attribute: Attribute, onEffort: () => void): { element: HTMLElement; effort: () => Effort } {
  const name = shorten(attribute.name, 60);
  const may = el("select", { "aria-label": `How ${name} may change` });
  for (const [value, text] of Object.entries(mayTexts)) {
    const isDirection = value === "rise" || value === "fall";
    if (attribute.kind === "numeric" || !isDirection) may.append(el("option", { value }, text));
  }
  const cost = el("input", { type: "number", min: leastCost, step: "any", value: 1 });
  cost.setAttribute("aria-label", `Effort to change ${name}, times the usual`);
  for (const input of [may, cost]) input.addEventListener("input", onEffort);
  return {
    element: el("span", { class: "effort" }, may, el("label", {}, "effort ×", cost)),
    effort: () => ({
      cost: Number(cost.value) >= leastCost ? Number(cost.value) : 1,
      may: may.value as Effort["may"],
    }),
  };
}

interface Input {
  elements: HTMLElement[];
  set: (value: Value) => void;
}

function levelInput(attribute: Attribute, id: string, onValue: (value: Value) => void): Input {
  const select = el("select", { id });
  attribute.levels!.forEach((level, c) => select.append(el("option", { value: c }, shorten(level || "(empty)", 60))));
  select.append(el("option", { value: unseen }, "another, not seen in training"));
  select.append(el("option", { value: "" }, "missing"));
  select.addEventListener("change", () => onValue(select.value === "" ? null : Number(select.value)));
  return { elements: [select], set: (value) => (select.value = value === null ? "" : String(value)) };
}

function numberInput(attribute: Attribute, id: string, onValue: (value: Value) => void): Input {
  const knots = attribute.knots!;
  const [least, greatest] = [knots[0], knots[knots.length - 1]];
  const name = shorten(nameWithUnit(attribute), 60);
  const slider = el("input", {
    type: "range",
    id,
    min: least,
    max: greatest,
    step: "any",
    disabled: least === greatest,
  });
  const number = el("input", { type: "number", step: "any", "aria-label": `${name}, as a number` });
  const missing = el("input", { type: "checkbox", "aria-label": `${name} is missing` });
  const show = (value: Value) => {
    missing.checked = value === null;
    slider.classList.toggle("off", value === null);
    number.classList.toggle("off", value === null);
    if (value === null) return;
    slider.value = String(value);
    number.value = String(value);
    slider.setAttribute("aria-valuetext", formatNumber(value));
  };
  slider.addEventListener("input", () => {
    const value = Number(slider.value);
    show(value);
    onValue(value);
  });
  number.addEventListener("input", () => {
    const value = number.value === "" ? NaN : Number(number.value);
    if (!Number.isFinite(value)) return;
    missing.checked = false;
    slider.value = String(value);
    slider.classList.remove("off");
    number.classList.remove("off");
    onValue(value);
  });
  missing.addEventListener("change", () => {
    const value = missing.checked ? null : Number(slider.value);
    show(value);
    onValue(value);
  });
  return { elements: [slider, number, el("label", { class: "missing" }, missing, "missing")], set: show };
}
