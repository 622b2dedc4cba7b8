// The values of one object, each with a control that moves it.
import type { Attribute } from "../document";
import type { Value } from "../model/encode";
import { el, formatNumber, nameOf, shorten } from "../page/dom";
import { nameWithUnit } from "../page/parts";

export interface Control {
  element: HTMLElement;
  set: (value: Value) => void; // shows a value, without telling
  isKept: () => boolean; // not to be changed to reach another class
}

interface Listener {
  onValue: (value: Value) => void;
  onKeep: () => void;
}

const unseen = -1;

export function valueControl(attribute: Attribute, j: number, listener: Listener): Control {
  const make = attribute.kind === "categorical" ? levelInput : numberInput;
  const id = `value${j}`;
  const input = make(attribute, id, listener.onValue);
  const keep = el("input", { type: "checkbox", "aria-label": `Keep ${shorten(attribute.name, 60)} as it is` });
  keep.addEventListener("change", listener.onKeep);
  const label = el(
    "label",
    { for: id },
    nameOf(attribute.name, 40),
    attribute.unit ? el("span", { class: "unit" }, ` ${shorten(attribute.unit, 16)}`) : null,
  );
  return {
    element: el(
      "div",
      { class: "control", "data-attribute": j },
      label,
      ...input.elements,
      el("label", { class: "keep" }, keep, "keep"),
    ),
    set: input.set,
    isKept: () => keep.checked,
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
