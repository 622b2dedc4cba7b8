// 5. The regularization path: what the two penalties do to curves and interactions.
import { paddedRange } from "../charts/axis";
import { curveOption, curveTable } from "../charts/curve";
import { errorGrid } from "../charts/error_grid";
import { ChartFrame } from "../charts/frame";
import { pairHeight, pairOption, pairPicture, pairTable } from "../charts/heatmap";
import { levelsHeight, levelsOption, levelsTable } from "../charts/levels";
import type { ModelDocument, PathPoint, PenaltyPath } from "../document";
import type { Model } from "../model";
import { Effects } from "../model/effects";
import { coordinateCount } from "../model/encode";
import { el, formatNumber, nameOf, shorten } from "../page/dom";
import { section, type Section } from "../page/parts";
import { onViewChange, view } from "../page/view";

const shownCurves = 4;

export function pathSection(model: Model, path: PenaltyPath): Section {
  return new PathView(model, path).section;
}

// The model with the parameters of another point of the path.
function modelAt(model: ModelDocument, point: PathPoint): ModelDocument {
  const k = point.factor_count;
  let n = 0;
  const attributes = model.attributes.map((attribute) => {
    const count = coordinateCount(attribute);
    const increments = point.increments.slice(n, n + count);
    const factors = increments.map((_, c) => point.factors.slice((n + c) * k, (n + c + 1) * k));
    n += count;
    return { ...attribute, increments, factors };
  });
  return { ...model, base: undefined, pairs: undefined, factor_count: k, attributes };
}

class PathView {
  readonly section: Section;
  private readonly effects = new Map<number, Effects>();
  private readonly frames: ChartFrame[] = [];
  private readonly sliders: HTMLInputElement[];
  private readonly outputs: HTMLOutputElement[];
  private readonly quality = el("p", { id: "path-quality", "aria-live": "polite" });
  private row: number;
  private column: number;

  constructor(
    private readonly model: Model,
    private readonly path: PenaltyPath,
  ) {
    const [recipe] = model.document.model.options.parts;
    this.row = nearest(path.increment_penalties, recipe.increment_penalty);
    this.column = nearest(path.factor_penalties, recipe.factor_penalty);
    const slider = (values: number[], label: string, start: number, set: (i: number) => void) => {
      const input = el("input", {
        type: "range",
        min: 0,
        max: values.length - 1,
        step: 1,
        value: start,
        "aria-label": label,
        disabled: values.length < 2,
      });
      input.addEventListener("input", () => {
        set(Number(input.value));
        this.changed();
      });
      return input;
    };
    this.sliders = [
      slider(path.increment_penalties, "Penalty on the curves", this.row, (i) => (this.row = i)),
      slider(path.factor_penalties, "Penalty on the interactions", this.column, (i) => (this.column = i)),
    ];
    this.outputs = [el("output", {}), el("output", {})];
    const strongest = model.document.pairs[0];
    const cards = model.byImportance.slice(0, shownCurves).map((j) => this.curveCard(j));
    if (strongest) cards.push(this.pairCard(strongest[0], strongest[1]));
    if (path.points.some(({ mae }) => typeof mae?.mean === "number")) cards.push(this.gridCard());
    this.section = section(
      "path",
      "Penalties",
      "What the penalties do",
      el(
        "p",
        {},
        "A larger penalty on the curves flattens them; a larger penalty on the interactions weakens the pairs. Each position of the sliders is a model trained with these penalties on the same rows and knots.",
      ),
      el(
        "div",
        { class: "path-sliders" },
        el("label", {}, "Penalty on the curves (increment_penalty) ", this.outputs[0], this.sliders[0]),
        el("label", {}, "Penalty on the interactions (factor_penalty) ", this.outputs[1], this.sliders[1]),
      ),
      this.quality,
      el("div", { class: "cards" }, ...cards),
    );
    onViewChange(() => this.frames.forEach((frame) => frame.refresh()));
    this.changed();
  }

  private index(): number {
    return this.row * this.path.factor_penalties.length + this.column;
  }

  private effectsAt(index: number): Effects {
    let effects = this.effects.get(index);
    if (!effects)
      this.effects.set(index, (effects = new Effects(modelAt(this.model.document.model, this.path.points[index]))));
    return effects;
  }

  private changed(): void {
    const point = this.path.points[this.index()];
    this.sliders[0].value = String(this.row);
    this.sliders[1].value = String(this.column);
    this.outputs[0].textContent = formatNumber(point.increment_penalty);
    this.outputs[1].textContent = formatNumber(point.factor_penalty);
    const measure = (value: PathPoint["mae"]) =>
      typeof value?.mean === "number"
        ? `${value.mean.toFixed(3)}${typeof value.spread === "number" ? ` ± ${value.spread.toFixed(3)}` : ""}`
        : null;
    const [accuracy, mae] = [measure(point.accuracy), measure(point.mae)];
    this.quality.textContent =
      accuracy && mae
        ? `On rows held out in ${this.path.fold_count} folds: accuracy ${accuracy}, mean error ${mae} classes.`
        : "The path was not validated.";
    this.frames.forEach((frame) => frame.refresh());
  }

  // One scale over the whole path, so that flattening is seen.
  private curveRange(j: number): { min: number; max: number } {
    const values = this.path.points.flatMap((_, index) => {
      const { values: at, missing } = this.effectsAt(index).curve(j, view());
      return missing === null ? at : [...at, missing];
    });
    return paddedRange([Math.min(...values), Math.max(...values)]);
  }

  private curveCard(j: number): HTMLElement {
    const attribute = this.model.document.model.attributes[j];
    const isNumeric = attribute.kind === "numeric";
    const ranges = new Map<string, { min: number; max: number }>();
    const picture = () => {
      if (!ranges.has(view())) ranges.set(view(), this.curveRange(j));
      return {
        attribute,
        classes: this.model.document.model.classes,
        curve: this.effectsAt(this.index()).curve(j, view()),
        band: null,
        range: ranges.get(view()),
      };
    };
    const frame = new ChartFrame({
      title: () => `${attribute.name}, path`,
      describe: () =>
        `${shorten(attribute.name, 60)} at the chosen penalties: from ${formatNumber(Math.min(...picture().curve.values))} to ${formatNumber(Math.max(...picture().curve.values))}`,
      height: () => (isNumeric ? 250 : levelsHeight(picture())),
      option: (theme, width) => (isNumeric ? curveOption(picture(), theme) : levelsOption(picture(), theme, width)),
      table: () => (isNumeric ? curveTable(picture()) : levelsTable(picture())),
    });
    this.frames.push(frame);
    return el("article", { class: "card" }, el("h3", {}, nameOf(attribute.name)), frame.element);
  }

  private pairCard(first: number, second: number): HTMLElement {
    const { attributes } = this.model.document.model;
    const scales = new Map<string, number>();
    const picture = () => {
      if (!scales.has(view())) {
        const all = this.path.points.flatMap((_, index) => this.effectsAt(index).surface(first, second, view()).flat());
        scales.set(
          view(),
          all.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
        );
      }
      return pairPicture(this.effectsAt(this.index()), first, second, view(), scales.get(view())!);
    };
    const frame = new ChartFrame({
      title: () => `${attributes[first].name} × ${attributes[second].name}, path`,
      describe: () =>
        `The strongest pair at the chosen penalties: from ${formatNumber(Math.min(...picture().values.flat()))} to ${formatNumber(Math.max(...picture().values.flat()))}`,
      height: () => pairHeight(picture()),
      option: (theme, width) => pairOption(picture(), theme, width),
      table: () => pairTable(picture()),
    });
    this.frames.push(frame);
    return el(
      "article",
      { class: "card" },
      el("h3", {}, nameOf(attributes[first].name, 40), " × ", nameOf(attributes[second].name, 40)),
      frame.element,
    );
  }

  private gridCard(): HTMLElement {
    const { increment_penalties: rows, factor_penalties: columns, points } = this.path;
    const frame = new ChartFrame({
      title: () => "Mean error along the path",
      describe: () => "Mean error on rows held out, by penalties; the same numbers are in the table",
      height: () => 110 + 34 * rows.length,
      option: (theme, width) => errorGrid(this.path, this.index(), theme, width),
      table: () => ({
        header: ["curves \\ interactions", ...columns.map(formatNumber)],
        rows: rows.map((penalty, i) => [
          formatNumber(penalty),
          ...columns.map((_, k) => points[i * columns.length + k].mae?.mean ?? "–"),
        ]),
      }),
      onClick: (data) => {
        [this.column, this.row] = (data as { value: number[] }).value;
        this.changed();
      },
    });
    this.frames.push(frame);
    return el("article", { class: "card" }, el("h3", {}, "Mean error on rows held out"), frame.element);
  }
}

function nearest(values: number[], wanted: number): number {
  const distances = values.map((value) => Math.abs(value - wanted));
  return distances.indexOf(Math.min(...distances));
}
