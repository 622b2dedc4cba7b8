// 2. One object: its values, and all that follows from them at once.
import type { Rows } from "../document";
import type { Model } from "../model";
import type { Value } from "../model/encode";
import { button, el, formatNumber, replace, shorten } from "../page/dom";
import { section, showMore, type Section } from "../page/parts";
import { changesPart } from "./changes";
import { valueControl, type Control } from "./controls";
import { predictionParts } from "./prediction";

const shownFirst = 12;

export function objectSection(model: Model): Section {
  const { attributes } = model.document.model;
  const { rows } = model.document;
  const order = model.byImportance;
  let values = rows ? rowValues(rows, 0) : typicalValues(model);
  const controls: Control[] = [];
  const prediction = predictionParts(model, values);
  const changes = changesPart(model, (j, value) => {
    values[j] = value;
    controls[j].set(value);
    update();
  });
  // Many sliders may move in one frame of the screen; one answer is enough.
  let isScheduled = false;
  const update = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      refresh();
    });
  };
  const refresh = () => {
    prediction.update(values);
    changes.update(values, (j) => controls[j].effort());
  };
  attributes.forEach((attribute, j) => {
    controls.push(
      valueControl(attribute, j, {
        onValue: (value) => {
          values[j] = value;
          update();
        },
        onEffort: update,
      }),
    );
    controls[j].set(values[j]);
  });
  const setAll = (next: Value[]) => {
    values = next;
    controls.forEach((control, j) => control.set(values[j]));
    update();
  };
  const list = el("div", { class: "control-list" }, ...order.slice(0, shownFirst).map((j) => controls[j].element));
  const rest = order.slice(shownFirst);
  const inputs = el(
    "div",
    { class: "inputs" },
    el("h3", {}, "Its values"),
    rows ? rowPicker(model, rows, (row) => setAll(rowValues(rows, row))) : null,
    el(
      "p",
      { class: "muted" },
      "The most important attributes come first. “Efforts” lets you say what may change on the way to another class, and what that costs.",
    ),
    effortSwitch(list),
    list,
    rest.length > 0
      ? showMore(`Show all ${order.length} attributes`, () => rest.forEach((j) => list.append(controls[j].element)))
      : null,
    el(
      "p",
      {},
      button("Typical object", "Set every attribute to its typical value", () => setAll(typicalValues(model))),
      " ",
      button("Print this object", "Print or save the explanation of this object", printObject),
    ),
  );
  const results = el("div", { class: "results" }, ...prediction.elements);
  refresh();
  return section(
    "object",
    "One object",
    "One object",
    el(
      "p",
      {},
      rows
        ? "Choose a row or move the values: class, support and contributions follow at once."
        : "Move the values: class, support and contributions follow at once.",
      " Everything is computed here, in the page; nothing leaves it.",
    ),
    el("div", { class: "object" }, inputs, results),
    prediction.contributions,
    changes.element,
  );
}

function rowValues(rows: Rows, row: number): Value[] {
  return rows.columns.map((column) => column[row]);
}

// The medians and the most frequent levels.
function typicalValues(model: Model): Value[] {
  return model.document.model.attributes.map(({ kind, knots, direction, typical }) => {
    if (kind === "categorical") return typical.coordinate;
    if (knots!.length === 1) return knots![0];
    const isDown = direction === "decreasing";
    const segment = isDown ? knots!.length - 2 - typical.coordinate : typical.coordinate;
    const fraction = isDown ? 1 - typical.fraction : typical.fraction;
    return knots![segment] + fraction * (knots![segment + 1] - knots![segment]);
  });
}

// Efforts stay out of the way until they are wanted.
function effortSwitch(list: HTMLElement): HTMLElement {
  const box = el("input", { type: "checkbox", id: "efforts" });
  box.addEventListener("change", () => list.classList.toggle("with-efforts", box.checked));
  return el("label", { class: "check" }, box, "Efforts");
}

// The explanation alone, on one page; the browser's own dialog also saves it.
function printObject(): void {
  const root = document.documentElement.classList;
  root.add("only-object");
  window.addEventListener("afterprint", () => root.remove("only-object"), { once: true });
  window.print();
}

function rowPicker(model: Model, rows: Rows, onRow: (row: number) => void): HTMLElement {
  const { classes } = model.document.model;
  const select = el("select", { id: "row" });
  const texts = rows.numbers.map((number, i) => {
    const name = rows.ids ? `${shorten(rows.ids[i], 40)} (row ${number})` : `Row ${number}`;
    return rows.labels ? `${name}, truth: ${shorten(classes[rows.labels[i]], 30)}` : name;
  });
  const list = (wanted: string) => {
    const found = texts.flatMap((text, i) => (text.toLowerCase().includes(wanted) ? [i] : []));
    replace(select, ...found.map((i) => el("option", { value: i }, texts[i])));
    return found;
  };
  list("");
  select.addEventListener("change", () => onRow(Number(select.value)));
  const search = el("input", {
    type: "search",
    placeholder: "Find",
    "aria-label": "Find a row by name, number or class",
  });
  search.addEventListener("input", () => {
    const found = list(search.value.trim().toLowerCase());
    select.disabled = found.length === 0;
    if (found.length > 0) onRow(found[0]);
  });
  const step = (by: number) => {
    if (select.options.length === 0) return;
    select.selectedIndex = Math.min(Math.max(select.selectedIndex + by, 0), select.options.length - 1);
    onRow(Number(select.value));
  };
  const thinned =
    rows.total > rows.numbers.length
      ? ` (${rows.numbers.length} of ${formatNumber(rows.total)} rows, evenly spread)`
      : "";
  return el(
    "div",
    { class: "row-picker" },
    el("label", { for: "row" }, `Row of ${shorten(rows.file, 40)}${thinned}`),
    el(
      "div",
      {},
      search,
      button("‹", "Previous row", () => step(-1)),
      select,
      button("›", "Next row", () => step(1)),
    ),
  );
}
