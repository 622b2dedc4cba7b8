// 2. Attributes by importance, each with its curve.
import { paddedRange } from "../charts/axis";
import { barsHeight, barsOption } from "../charts/bars";
import { curveOption, curveTable, curveValues, type CurvePicture } from "../charts/curve";
import { ChartFrame } from "../charts/frame";
import { levelsHeight, levelsOf, levelsOption, levelsTable, shownLevels } from "../charts/levels";
import type { Attribute } from "../document";
import type { Model } from "../model";
import { el, formatNumber, formatSigned, nameOf, shorten } from "../page/dom";
import { classLegend, nameWithUnit, section, showMore } from "../page/parts";
import { onViewChange, view, viewSwitch } from "../page/view";

const shownFirst = 12;
const summaryLength = 15;
const mostLevels = 200; // in a chart; the table has all
const mostUnused = 50;

export function attributesSection(model: Model): HTMLElement {
  const order = model.byImportance;
  const scale = new CurveScale(model);
  const cards = el("div", { class: "cards" });
  const addCards = (attributes: number[]) => attributes.forEach((j) => cards.append(attributeCard(model, j, scale)));
  addCards(order.slice(0, shownFirst));
  const rest = order.slice(shownFirst);
  const { bands } = model.document.model;
  const bandText = bands
    ? ` The shaded band is where ${Math.round(100 * (bands.upper_share - bands.lower_share))} % of ${bands.refit_count} refits on resampled rows put the curve: where it is wide, the data do not decide.`
    : "";
  return section(
    "attributes",
    "What each attribute does",
    el(
      "p",
      {},
      "A curve shows how much each value adds to the score or takes from it; a higher score means a higher class. Circles are knots: between them the curve is straight. Beneath lie the training rows, coloured by class: where there are few, trust the curve less." +
        bandText,
    ),
    importanceChart(model, order).element,
    el(
      "div",
      { class: "controls" },
      model.hasTerms ? null : viewSwitch(),
      scale.control(),
      classLegend(model.document.model.classes),
    ),
    el("p", { class: "muted view-note" }, model.hasTerms ? termsNote : viewNote()),
    cards,
    rest.length > 0 ? showMore(`Show all ${order.length} attributes`, () => addCards(rest)) : null,
    notUsed(model, order),
  );
}

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

// One scale for all curves shows which attributes matter; a scale for each shows the shape of the small ones.
class CurveScale {
  private readonly box = el("input", { type: "checkbox", checked: true });
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

function importanceChart(model: Model, order: number[]): ChartFrame {
  const { attributes } = model.document;
  const names = model.document.model.attributes.map(nameWithUnit);
  const range = (j: number) => (view() === "raw" ? attributes[j].raw_range : attributes[j].range);
  const shown = () => [...order].sort((a, b) => range(b) - range(a)).slice(0, summaryLength);
  const frame = new ChartFrame({
    title: () => "Importance of the attributes",
    describe: () =>
      "Importance, the range of each curve: " +
      shown()
        .map((j) => `${shorten(names[j], 40)} ${formatNumber(range(j))}`)
        .join(", "),
    height: () => barsHeight(Math.min(order.length, summaryLength)),
    option: (theme, width) =>
      barsOption(
        shown().map((j) => ({ name: names[j], value: range(j), text: range(j).toPrecision(3) })),
        theme,
        width,
      ),
    table: () => ({
      header: ["attribute", "range", ...(model.hasTerms ? [] : ["raw range"]), "mean absolute contribution"],
      rows: order.map((j) => [
        names[j],
        attributes[j].range,
        ...(model.hasTerms ? [] : [attributes[j].raw_range]),
        attributes[j].mean_absolute,
      ]),
    }),
  });
  onViewChange(() => frame.refresh());
  return frame;
}

function attributeCard(model: Model, j: number, scale: CurveScale): HTMLElement {
  const attribute = model.document.model.attributes[j];
  const isNumeric = attribute.kind === "numeric";
  const picture = (): CurvePicture => ({
    attribute,
    classes: model.document.model.classes,
    curve: model.effects.curve(j, view()),
    band: bandOf(model, j),
    range: scale.range(),
  });
  let levelLimit = shownLevels;
  const frame = new ChartFrame({
    title: () => attribute.name,
    describe: () => describeCurve(picture()),
    height: () => (isNumeric ? 250 : levelsHeight(picture(), levelLimit)),
    option: (theme, width) =>
      isNumeric ? curveOption(picture(), theme) : levelsOption(picture(), theme, width, levelLimit),
    table: () => (isNumeric ? curveTable(picture()) : levelsTable(picture())),
  });
  onViewChange(() => frame.refresh());
  scale.onChange(() => frame.refresh());
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
