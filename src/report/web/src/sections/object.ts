// 4. One object: its values, and all that follows from them at once.
import type { Rows } from "../document";
import type { Model } from "../model";
import type { Value } from "../model/encode";
import { button, el, formatNumber, shorten } from "../page/dom";
import { section, showMore } from "../page/parts";
import { changesPart } from "./changes";
import { valueControl, type Control } from "./controls";
import { predictionParts } from "./prediction";

const shownFirst = 12;

export function objectSection(model: Model): HTMLElement {
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
    changes.update(values, (j) => controls[j].isKept());
  };
  attributes.forEach((attribute, j) => {
    controls.push(
      valueControl(attribute, j, {
        onValue: (value) => {
          values[j] = value;
          update();
        },
        onKeep: update,
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
      "The most important attributes come first. “keep” excludes an attribute from the suggestions.",
    ),
    list,
    rest.length > 0
      ? showMore(`Show all ${order.length} attributes`, () => rest.forEach((j) => list.append(controls[j].element)))
      : null,
    el(
      "p",
      {},
      button("Typical object", "Set every attribute to its typical value", () => setAll(typicalValues(model))),
    ),
  );
  const results = el("div", { class: "results" }, ...prediction.elements);
  refresh();
  return section(
    "object",
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
    changes.element,
    prediction.contributions,
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

function rowPicker(model: Model, rows: Rows, onRow: (row: number) => void): HTMLElement {
  const { classes } = model.document.model;
  const select = el("select", { id: "row" });
  rows.numbers.forEach((number, i) => {
    const label = rows.labels ? `, true class ${shorten(classes[rows.labels[i]], 30)}` : "";
    select.append(el("option", { value: i }, `Row ${number}${label}`));
  });
  select.addEventListener("change", () => onRow(Number(select.value)));
  const step = (by: number) => {
    select.selectedIndex = Math.min(Math.max(select.selectedIndex + by, 0), rows.numbers.length - 1);
    onRow(select.selectedIndex);
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
      button("‹", "Previous row", () => step(-1)),
      select,
      button("›", "Next row", () => step(1)),
    ),
  );
}
