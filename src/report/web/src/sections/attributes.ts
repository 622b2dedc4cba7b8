// 3. Attributes by importance, each with its curve.
import { paddedRange } from "../charts/axis";
import { barsHeight, barsOption } from "../charts/bars";
import { curveOption, curveTable, curveValues, type CurvePicture } from "../charts/curve";
import { ChartFrame } from "../charts/frame";
import { levelsHeight, levelsOf, levelsOption, levelsTable, shownLevels } from "../charts/levels";
import type { Attribute } from "../document";
import type { Model } from "../model";
import { scaleKinds, segmentWeights, usualScale, type ScaleKind } from "../model/axis_scale";
import { el, formatNumber, formatSigned, nameOf, replace, shorten } from "../page/dom";
import { classLegend, nameWithUnit, section, showMore, type Section } from "../page/parts";
import { onViewChange, view, viewSwitch } from "../page/view";

const shownFirst = 12;
const searchFrom = 8; // of fewer attributes one finds each by looking
const summaryLength = 15;
const mostLevels = 200; // in a chart; the table has all
const mostUnused = 50;

export function attributesSection(model: Model): Section {
  const order = model.byImportance;
  const scale = new CurveScale(model);
  const list = new CardList(model, (j) => attributeCard(model, j, scale));
  const { bands } = model.document.model;
  const bandText = bands
    ? ` The shaded band is where ${Math.round(100 * (bands.upper_share - bands.lower_share))} % of ${bands.refit_count} refits on resampled rows put the curve: where it is wide, the data do not decide.`
    : "";
  return section(
    "attributes",
    "Attributes",
    "What each attribute does",
    el(
      "p",
      {},
      "A curve shows how much each value adds to the score or takes from it; a higher score means a higher class. Beneath lie the training rows, coloured by class: where there are few, trust the curve less." +
        bandText,
    ),
    el("h3", {}, "How much each matters"),
    el("p", { class: "muted" }, importanceText, bands ? spreadText : ""),
    importanceChart(model, order).element,
    el(
      "div",
      { class: "controls" },
      ...list.controls,
      model.hasTerms ? null : viewSwitch(),
      scale.control(),
      classLegend(model.document.model.classes),
    ),
    el("p", { class: "muted view-note" }, model.hasTerms ? termsNote : viewNote()),
    list.element,
    notUsed(model, order),
  );
}

const importanceText =
  "The bar is the mean effect: by how much the attribute moves the score of a training row, up or down, on average. Its range, from the lowest point of the curve to the highest, counts even if hardly any row is there.";
const spreadText = " In brackets: the mean effects of curves within the bands of the refits.";

const termsNote = "The mean of a curve over the training rows is zero; base, curves and pairs add up to the score.";

// Attributes without a part in the score, in one line.
function notUsed(model: Model, used: number[]): HTMLElement | null {
  const names = model.document.model.attributes.filter((_, j) => !used.includes(j)).map(({ name }) => name);
  if (names.length === 0) return null;
  const listed = names.slice(0, mostUnused).flatMap((name, i) => [i > 0 ? ", " : "", nameOf(name, 40)]);
  const rest = names.length > mostUnused ? ` and ${names.length - mostUnused} others` : "";
  return el("p", { class: "muted not-used" }, "Not used by the model: ", ...listed, `${rest}.`);
}

// What the view in force means, following the switch.
function viewNote(): Node {
  const text = document.createTextNode("");
  const update = () =>
    (text.data =
      view() === "purified"
        ? "Purified: the mean over the training rows is zero, and curves and pairs add up to the score."
        : "Raw, as in the paper: the attribute's own increments from its first knot on; products of attributes stand apart.");
  update();
  onViewChange(update);
  return text;
}

// The cards of the attributes, of a hundred the first few: sorted and searched by name.
class CardList {
  readonly element = el("div", {});
  readonly controls: HTMLElement[];
  private readonly search = el("input", { type: "search", placeholder: "Find an attribute" });
  private readonly sort = el("select", {});
  private readonly cards = new Map<number, HTMLElement>();
  private readonly orders: [string, (a: number, b: number) => number][];

  constructor(
    private readonly model: Model,
    private readonly make: (attribute: number) => HTMLElement,
  ) {
    const { attributes } = model.document;
    const name = (j: number) => this.model.document.model.attributes[j].name;
    this.orders = [
      ["mean effect", (a, b) => attributes[b].mean_absolute - attributes[a].mean_absolute],
      ["range", (a, b) => attributes[b].range - attributes[a].range],
      ["name", (a, b) => name(a).localeCompare(name(b))],
    ];
    this.orders.forEach(([text], i) => this.sort.append(el("option", { value: i }, text)));
    this.search.setAttribute("aria-label", "Find an attribute");
    this.search.addEventListener("input", () => this.show());
    this.sort.addEventListener("change", () => this.show());
    const isLong = model.byImportance.length > searchFrom;
    this.controls = [
      ...(isLong ? [this.search] : []),
      ...(model.byImportance.length > 2 ? [el("label", { class: "check" }, "Order by", this.sort)] : []),
    ];
    this.show();
  }

  private show(): void {
    const wanted = this.search.value.trim().toLowerCase();
    const { attributes } = this.model.document.model;
    const found = this.model.byImportance.filter((j) => {
      const { name, description } = attributes[j];
      return `${name} ${description ?? ""}`.toLowerCase().includes(wanted);
    });
    found.sort(this.orders[Number(this.sort.value)][1]);
    const cards = el("div", { class: "cards" });
    const add = (some: number[]) => some.forEach((j) => cards.append(this.card(j)));
    add(found.slice(0, shownFirst));
    const rest = found.slice(shownFirst);
    replace(
      this.element,
      found.length === 0 ? el("p", { class: "muted" }, "No attribute has such a name.") : cards,
      rest.length > 0 ? showMore(`Show all ${found.length} attributes`, () => add(rest)) : null,
    );
  }

  private card(j: number): HTMLElement {
    let card = this.cards.get(j);
    if (!card) this.cards.set(j, (card = this.make(j)));
    return card;
  }
}

// One scale for all curves shows which attributes matter; a scale for each shows the shape of the small ones.
class CurveScale {
  private readonly box = el("input", { type: "checkbox" });
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly model: Model) {
    this.box.addEventListener("change", () => this.listeners.forEach((listener) => listener()));
  }

  control(): HTMLElement {
    return el("label", { class: "check" }, this.box, "same scale for all");
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  range(): { min: number; max: number } | undefined {
    if (!this.box.checked) return undefined;
    const values = this.model.byImportance.flatMap((j) =>
      curveValues(this.model.effects.curve(j, view()), bandOf(this.model, j)),
    );
    return paddedRange([Math.min(...values), Math.max(...values)]);
  }
}

// Bands are of the purified curves.
function bandOf(model: Model, j: number) {
  return view() === "purified" ? (model.document.model.bands?.attributes[j] ?? null) : null;
}

// The mean effect of curves at the near and at the far end of the band: what refits make of it, about.
function effectSpread(model: Model, j: number): [number, number] | undefined {
  const band = bandOf(model, j);
  if (!band) return undefined;
  const attribute = model.document.model.attributes[j];
  const ends = band.lower.map((low, i): [number, number] => [low, band.upper[i]]);
  const weights = new Array<number>(ends.length).fill(0);
  const rows = attribute.class_histogram.map((byClass) => byClass.reduce((sum, weight) => sum + weight, 0));
  if (attribute.kind === "categorical") weights.forEach((_, i) => (weights[i] = rows[i]));
  else
    segmentWeights(attribute).forEach((byClass, i) => {
      for (const knot of [i, Math.min(i + 1, weights.length - 1)])
        weights[knot] += byClass.reduce((sum, weight) => sum + weight, 0) / 2;
    });
  if (band.missing) {
    ends.push(band.missing);
    weights.push(rows[rows.length - 1]);
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const mean = (size: (low: number, high: number) => number) =>
    ends.reduce((sum, [low, high], i) => sum + (weights[i] / total) * size(low, high), 0);
  return [mean((low, high) => Math.max(0, low, -high)), mean((low, high) => Math.max(Math.abs(low), Math.abs(high)))];
}

function importanceChart(model: Model, order: number[]): ChartFrame {
  const { attributes } = model.document;
  const names = model.document.model.attributes.map(nameWithUnit);
  const shown = order.slice(0, summaryLength);
  const short = (value: number) => formatNumber(Number(value.toPrecision(2)));
  const text = (j: number) => {
    const { mean_absolute: mean, range } = attributes[j];
    const ends = effectSpread(model, j);
    return `${short(mean)}${ends ? ` (${ends.map(short).join(" to ")})` : ""}, range ${short(range)}`;
  };
  return new ChartFrame({
    title: () => "How much each attribute matters",
    describe: () =>
      "Mean effect on the score, and the range of the curve: " +
      shown.map((j) => `${shorten(names[j], 40)} ${text(j)}`).join("; "),
    height: () => barsHeight(shown.length),
    option: (theme, width) =>
      barsOption(
        shown.map((j) => ({ name: names[j], value: attributes[j].mean_absolute, text: text(j) })),
        theme,
        width,
      ),
    table: () => ({
      header: ["attribute", "mean effect", "range", ...(model.hasTerms ? [] : ["raw range"])],
      rows: order.map((j) => [
        names[j],
        attributes[j].mean_absolute,
        attributes[j].range,
        ...(model.hasTerms ? [] : [attributes[j].raw_range]),
      ]),
    }),
  });
}

const axisTexts = { even: "even axis", log: "logarithmic axis", rows: "axis by number of rows" };

// The axis of one curve: chosen by how the rows lie, until the reader chooses.
class AxisChoice {
  readonly element: HTMLElement | undefined;
  private readonly select = el("select", {});

  constructor(attribute: Attribute) {
    const kinds = scaleKinds(attribute);
    for (const kind of kinds) this.select.append(el("option", { value: kind }, axisTexts[kind]));
    this.select.value = usualScale(attribute);
    this.select.setAttribute("aria-label", `Axis of ${shorten(attribute.name, 60)}`);
    this.element = kinds.length > 1 ? this.select : undefined;
  }

  onChange(listener: () => void): void {
    this.select.addEventListener("change", listener);
  }

  kind(): ScaleKind {
    return this.select.value as ScaleKind;
  }
}

function attributeCard(model: Model, j: number, scale: CurveScale): HTMLElement {
  const attribute = model.document.model.attributes[j];
  const isNumeric = attribute.kind === "numeric";
  const axis = isNumeric ? new AxisChoice(attribute) : null;
  const picture = (): CurvePicture => ({
    attribute,
    classes: model.document.model.classes,
    curve: model.effects.curve(j, view()),
    band: bandOf(model, j),
    range: scale.range(),
    scale: axis?.kind(),
  });
  let levelLimit = shownLevels;
  const frame = new ChartFrame({
    tool: axis?.element,
    title: () => attribute.name,
    describe: () => describeCurve(picture()),
    height: () => (isNumeric ? 250 : levelsHeight(picture(), levelLimit)),
    option: (theme, width) =>
      isNumeric ? curveOption(picture(), theme) : levelsOption(picture(), theme, width, levelLimit),
    table: () => (isNumeric ? curveTable(picture()) : levelsTable(picture())),
  });
  onViewChange(() => frame.refresh());
  scale.onChange(() => frame.refresh());
  axis?.onChange(() => frame.refresh());
  const levelCount = isNumeric ? 0 : levelsOf(picture()).length;
  return el(
    "article",
    { class: "card", "data-attribute": j },
    el(
      "h3",
      {},
      nameOf(attribute.name),
      attribute.unit ? el("span", { class: "unit" }, ` ${shorten(attribute.unit, 20)}`) : null,
    ),
    attribute.description ? el("p", { class: "description" }, shorten(attribute.description, 300)) : null,
    certificate(attribute),
    frame.element,
    levelCount > shownLevels
      ? showMore(`Show all ${levelCount} levels`, () => {
          levelLimit = Math.min(levelCount, mostLevels);
          frame.refresh();
        })
      : null,
  );
}

function certificate(attribute: Attribute): HTMLElement | null {
  const proof = attribute.certificate;
  if (!proof || !attribute.direction || attribute.direction === "none") return null;
  const way = attribute.direction === "increasing" ? "rises" : "falls";
  const arrow = attribute.direction === "increasing" ? "↗" : "↘";
  if (!proof.holds)
    return el("p", { class: "badge broken" }, `${arrow} asked to be ${attribute.direction}, but not proved so`);
  return el(
    "p",
    {
      class: "badge",
      title: `Least change of the score across a segment in this direction, whatever the other attributes are: ${formatNumber(proof.least_slope)}`,
    },
    `${arrow} never ${way === "rises" ? "lowers the score as it rises" : "raises the score as it rises"}: proved, whatever the other values`,
  );
}

function describeCurve({ attribute, curve }: CurvePicture): string {
  const name = shorten(nameWithUnit(attribute), 60);
  const least = curve.values.indexOf(Math.min(...curve.values));
  const greatest = curve.values.indexOf(Math.max(...curve.values));
  const at = (i: number) =>
    attribute.kind === "numeric" ? formatNumber(attribute.knots![i]) : shorten(attribute.levels![i], 40);
  const special = curve.special.map(
    (value, k) => ` The special value ${attribute.special![k]} gives ${formatSigned(value)}.`,
  );
  const missing = curve.missing === null ? "" : ` A missing value gives ${formatSigned(curve.missing)}.`;
  return `${name}: the score is least, ${formatSigned(curve.values[least])}, at ${at(least)} and greatest, ${formatSigned(curve.values[greatest])}, at ${at(greatest)}.${special.join("")}${missing}`;
}
