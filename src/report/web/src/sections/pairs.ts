// 4. Pairs by strength: a matrix to pick from, the picked pair, and the strongest ones.
import { ChartFrame } from "../charts/frame";
import { matrixHeight, matrixOption, pairHeight, pairOption, pairPicture, pairTable } from "../charts/heatmap";
import type { PairPicture } from "../charts/heatmap";
import type { Attribute } from "../document";
import type { Model } from "../model";
import { el, formatNumber, formatSigned, nameOf, replace, shorten } from "../page/dom";
import { nameWithUnit, section, showMore, type Section } from "../page/parts";
import { onViewChange, view, viewSwitch } from "../page/view";

const matrixLimit = 20; // attributes in the matrix: the strongest; the lists have all
const galleryLength = 4; // of a model with all pairs
const shownFirst = 8; // of chosen pairs
const scalePairs = 200; // the scale is that of the strongest; weaker ones cannot exceed it by much in the raw view

const termsText =
  " All other pairs do nothing together. Grey cells (in tables: in brackets) have no training rows near: what the model says there is a guess.";

export function pairsSection(model: Model): Section {
  const {
    pairs,
    pair_count,
    model: { attributes },
  } = model.document;
  if (pairs.length === 0) {
    return section(
      "pairs",
      "Pairs",
      "What pairs of attributes do together",
      el(
        "p",
        { class: "notice" },
        attributes.length < 2
          ? "The model has one attribute: there are no pairs."
          : `This model has no interactions: each attribute acts alone${model.hasTerms ? "" : " (factor_count is 0)"}.`,
      ),
    );
  }
  return section(
    "pairs",
    "Pairs",
    "What pairs of attributes do together",
    el(
      "p",
      {},
      "Beyond what each attribute does alone, two together can raise the score (orange) or lower it (blue). All heat-maps have one colour scale, centred at zero: where there is no colour, the two act independently." +
        (model.hasTerms ? termsText : ""),
    ),
    model.hasTerms ? null : el("div", { class: "controls" }, viewSwitch()),
    ...(model.hasTerms ? chosenPairs(model) : allPairs(model)),
    pair_count > pairs.length
      ? el(
          "p",
          { class: "muted" },
          `Of ${formatNumber(pair_count)} pairs the ${formatNumber(pairs.length)} strongest are here.`,
        )
      : null,
  );
}

// Few: each is shown.
function chosenPairs(model: Model): HTMLElement[] {
  const cards = el("div", { class: "cards" });
  const add = (some: typeof pairs) => some.forEach(([a, b]) => cards.append(pairCard(model, () => [a, b]).element));
  const { pairs } = model.document;
  add(pairs.slice(0, shownFirst));
  const rest = pairs.slice(shownFirst);
  return [cards, ...(rest.length > 0 ? [showMore(`Show all ${pairs.length} pairs`, () => add(rest))] : [])];
}

// Many: one is picked, and the strongest are shown.
function allPairs(model: Model): HTMLElement[] {
  const { pairs } = model.document;
  const strongest = pairs.slice(1, 1 + galleryLength);
  return [
    new PairPicker(model).element,
    ...(strongest.length > 0 ? [el("h3", {}, "The strongest pairs after the first")] : []),
    el("div", { class: "cards" }, ...strongest.map(([a, b]) => pairCard(model, () => [a, b]).element)),
  ];
}

// One scale for all heat-maps: the greatest absolute value among the strongest pairs.
const scales = new Map<string, number>();
export function pairScale(model: Model): number {
  const known = scales.get(view());
  if (known !== undefined) return known;
  let scale = 0;
  for (const [a, b] of model.document.pairs.slice(0, scalePairs)) {
    for (const row of model.effects.surface(a, b, view()))
      for (const value of row) scale = Math.max(scale, Math.abs(value));
  }
  scales.set(view(), scale);
  return scale;
}

function pairFrame(model: Model, pair: () => [number, number]): ChartFrame {
  const picture = () => pairPicture(model.effects, ...pair(), view(), pairScale(model));
  const frame = new ChartFrame({
    title: () => `${picture().first.name} × ${picture().second.name}`,
    describe: () => describePair(picture()),
    height: () => pairHeight(picture()),
    option: (theme, width) => pairOption(picture(), theme, width),
    table: () => pairTable(picture()),
  });
  onViewChange(() => frame.refresh());
  return frame;
}

function pairCard(model: Model, pair: () => [number, number]): { element: HTMLElement; refresh: () => void } {
  const frame = pairFrame(model, pair);
  const heading = el("h3", {});
  const words = el("p", { class: "says" });
  const { attributes } = model.document.model;
  const update = () => {
    replace(heading, nameOf(attributes[pair()[0]].name, 40), " × ", nameOf(attributes[pair()[1]].name, 40));
    replace(words, ...pairWords(pairPicture(model.effects, ...pair(), view(), pairScale(model))));
  };
  update();
  onViewChange(update);
  return {
    element: el("article", { class: "card pair" }, heading, words, frame.element),
    refresh: () => (update(), frame.refresh()),
  };
}

// What the pair does most, where training rows are: "High income with low age adds 0.40; ... takes away 0.31."
function pairWords(picture: PairPicture): (Node | string)[] {
  const { values, isEmpty, across, up } = picture;
  const cells = values.flatMap((row, i) => row.map((value, k) => ({ i, k, value, isGuess: isEmpty?.[i][k] ?? false })));
  const known = cells.filter(({ isGuess }) => !isGuess);
  const from = known.length > 0 ? known : cells;
  const most = from.reduce((best, cell) => (cell.value > best.value ? cell : best));
  const least = from.reduce((best, cell) => (cell.value < best.value ? cell : best));
  const said = [most, least].filter(({ value }) => formatSigned(value) !== "0.00");
  if (said.length === 0) return ["Hardly anything, where training rows are."];
  return said.flatMap(({ i, k, value }, n) => [
    ...place(picture.first, across, i, n === 0),
    " with ",
    ...place(picture.second, up, k, false),
    ` ${value > 0 ? "adds" : "takes away"} ${formatNumber(Number(Math.abs(value).toFixed(2)))}`,
    n + 1 < said.length ? "; " : ".",
  ]);
}

// "low age", "age missing", "make volvo".
function place(attribute: Attribute, names: string[], node: number, isFirst: boolean): (Node | string)[] {
  const name = nameOf(attribute.name, 40);
  const special = attribute.special ?? [];
  const behind = special.length + (attribute.has_missing ? 1 : 0);
  const numbers = names.length - behind; // knots, or the segments between them
  if (attribute.kind === "categorical" || node >= numbers) return [name, " ", nameOf(names[node], 24)];
  const share = numbers > 1 ? node / (numbers - 1) : 0.5;
  const word = share < 0.3 ? "low" : share > 0.7 ? "high" : "middling";
  return [`${isFirst ? word[0].toUpperCase() + word.slice(1) : word} `, name, ` (${names[node]})`];
}

function describePair({ first, second, values, isEmpty }: PairPicture): string {
  const all = values.flat();
  const emptyCount = isEmpty ? isEmpty.flat().filter((empty) => empty).length : 0;
  const emptyText = emptyCount > 0 ? ` ${emptyCount} of ${all.length} cells have no training rows near.` : "";
  return `${shorten(nameWithUnit(first), 60)} and ${shorten(nameWithUnit(second), 60)} together: from ${formatNumber(Math.min(...all))} to ${formatNumber(Math.max(...all))}.${emptyText}`;
}

class PairPicker {
  readonly element: HTMLElement;
  private readonly selects: HTMLSelectElement[];
  private picked: [number, number];

  constructor(private readonly model: Model) {
    const {
      pairs,
      model: { attributes },
    } = model.document;
    this.picked = [pairs[0][0], pairs[0][1]];
    const card = pairCard(model, () => this.picked);
    const matrix = this.matrix();
    this.selects = [0, 1].map((side) => {
      const select = el("select", { "aria-label": side === 0 ? "First attribute" : "Second attribute" });
      attributes.forEach(({ name }, j) => select.append(el("option", { value: j }, shorten(name, 60))));
      select.addEventListener("change", () => this.pick(side, Number(select.value)));
      return select;
    });
    this.changed = () => {
      this.showPicked();
      card.refresh();
      matrix.refresh();
    };
    this.showPicked();
    const lists = el(
      "p",
      { class: "pair-lists" },
      el("label", {}, "Look at ", this.selects[0]),
      el("label", {}, " with ", this.selects[1]),
    );
    this.element = el(
      "div",
      { class: "cards" },
      el("article", { class: "card" }, el("h3", {}, "All pairs: the more colour, the stronger"), matrix.element),
      el("div", {}, lists, card.element),
    );
  }

  private changed: () => void = () => {};

  // The second list has the attributes that do something together with the first.
  private showPicked(): void {
    const {
      effects,
      document: {
        model: { attributes },
      },
    } = this.model;
    const [first] = this.picked;
    const isOffered = [
      (j: number) => attributes.some((_, other) => effects.isPair(j, other)),
      (j: number) => j === first || effects.isPair(first, j),
    ];
    this.selects.forEach((select, side) => {
      [...select.options].forEach((option, j) => (option.hidden = option.disabled = !isOffered[side](j)));
      select.value = String(this.picked[side]);
    });
  }

  // An attribute has no pair with itself: picking it for one side swaps the two. Without a pair with the other side it
  // takes its strongest.
  private pick(side: number, attribute: number): void {
    let other = this.picked[1 - side] === attribute ? this.picked[side] : this.picked[1 - side];
    if (!this.model.effects.isPair(attribute, other)) {
      const [a, b] = this.model.document.pairs.find(([a, b]) => a === attribute || b === attribute)!;
      other = a === attribute ? b : a;
    }
    this.picked = side === 0 ? [attribute, other] : [other, attribute];
    this.changed();
  }

  private matrix(): ChartFrame {
    const {
      pairs,
      model: { attributes },
    } = this.model.document;
    const members: number[] = [];
    for (const [a, b] of pairs) {
      for (const j of [a, b]) if (members.length < matrixLimit && !members.includes(j)) members.push(j);
      if (members.length === matrixLimit) break;
    }
    const place = new Map(members.map((j, i) => [j, i]));
    const strengths = pairs.flatMap(([a, b, value]) => {
      const row = place.get(a);
      const column = place.get(b);
      return row === undefined || column === undefined
        ? []
        : [
            { row, column, value },
            { row: column, column: row, value },
          ];
    });
    const names = members.map((j) => attributes[j].name);
    return new ChartFrame({
      title: () => "Strength of the pairs",
      describe: () =>
        "Strength of the pairs; the strongest: " +
        pairs
          .slice(0, 5)
          .map(
            ([a, b, value]) =>
              `${shorten(attributes[a].name, 40)} with ${shorten(attributes[b].name, 40)} ${formatNumber(value)}`,
          )
          .join(", ") +
        ". Use the two lists to pick a pair.",
      height: (width) => matrixHeight(members.length, width),
      option: (theme, width) => {
        const [row, column] = this.picked.map((j) => place.get(j));
        return matrixOption(
          { names, strengths, picked: row === undefined || column === undefined ? null : { row, column } },
          theme,
          width,
        );
      },
      table: () => ({
        header: ["pair", "strength"],
        rows: pairs
          .slice(0, 500)
          .map(([a, b, value]) => [`${shorten(attributes[a].name, 40)} × ${shorten(attributes[b].name, 40)}`, value]),
      }),
      onClick: (data) => {
        const [column, row] = (data as { value: number[] }).value;
        this.picked = [members[row], members[column]];
        this.changed();
      },
    });
  }
}
