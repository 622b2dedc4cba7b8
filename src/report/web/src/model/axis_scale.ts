// How the numbers of an attribute lie along an axis, and how many training rows lie where. Skewed attributes have most
// of their rows on a small part of an even axis: they are drawn by logarithm, or so that equal widths hold about as
// many rows.
import type { Attribute } from "../document";
import { segmentCount } from "./encode";

export type ScaleKind = "even" | "log" | "rows";

// An even axis is what it is; the places of the others run from 0 to 1.
export interface AxisScale {
  kind: ScaleKind;
  least: number; // place
  greatest: number;
  place: (value: number) => number;
  value: (place: number) => number;
}

const evenShare = 0.1; // of the widths of an axis by rows; so no part of it has no width at all
// Shares of the rows, and the least part of an axis that is wide enough for those in between. Of a normal distribution
// they take a half and a fifth.
const middles = [
  { from: 0.05, to: 0.95, width: 0.35 },
  { from: 0.25, to: 0.75, width: 0.13 },
];

// Weight of the training rows per segment (by ascending knots) and class.
export function segmentWeights(attribute: Attribute): number[][] {
  const weights = attribute.class_histogram.slice(0, segmentCount(attribute));
  return attribute.direction === "decreasing" ? weights.reverse() : weights;
}

const total = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);

// Linear from point to point; both ascending.
function along(from: number[], to: number[], at: number): number {
  let i = 0;
  while (i < from.length - 2 && from[i + 1] <= at) ++i;
  const width = from[i + 1] - from[i];
  return width > 0 ? to[i] + ((at - from[i]) / width) * (to[i + 1] - to[i]) : to[i];
}

// The training rows from one number to the next, by class.
interface Span {
  from: number;
  to: number;
  weights: number[];
}

// Rows are counted by segment and class, and all classes together by finer ranges, which say where in the segment.
function rowSpans(attribute: Attribute): Span[] {
  const knots = attribute.knots!;
  const { edges, weights } = attribute.bins ?? { edges: [], weights: [] };
  const ends = [knots[0], ...edges];
  return segmentWeights(attribute).flatMap((byClass, i) => {
    const [from, to] = [knots[i], knots[i + 1]];
    const marks = [from, ...edges.filter((edge) => edge > from && edge < to), to];
    const pieces = marks.slice(1).map((end, k) => ({ from: marks[k], to: end }));
    const masses = pieces.map((piece) => {
      const bin = edges.findIndex((edge) => edge >= piece.to);
      const width = bin < 0 ? 0 : ends[bin + 1] - ends[bin];
      return width > 0 ? (weights[bin] * (piece.to - piece.from)) / width : 0;
    });
    if (edges[0] === from) masses[0] += weights[0]; // many rows at the least number
    const mass = total(masses);
    return pieces.map(({ from, to }, k) => {
      const share = mass > 0 && Number.isFinite(mass) ? masses[k] / mass : 1 / pieces.length;
      return { from, to, weights: byClass.map((weight) => weight * share) };
    });
  });
}

// The ends of the spans, and the share of the rows below each.
function sharesBelow(attribute: Attribute): { ends: number[]; shares: number[] } {
  const spans = rowSpans(attribute);
  const sum = total(spans.map(({ weights }) => total(weights))) || 1;
  let below = 0;
  return {
    ends: [spans[0].from, ...spans.map(({ to }) => to)],
    shares: [0, ...spans.map(({ weights }) => (below += total(weights) / sum))],
  };
}

export function axisScale(attribute: Attribute, kind: ScaleKind): AxisScale {
  const knots = attribute.knots!;
  // A constant attribute has one knot: a point in the middle of a scale around it.
  const [least, greatest] = knots.length > 1 ? [knots[0], knots[knots.length - 1]] : [knots[0] - 1, knots[0] + 1];
  if (kind === "even" || knots.length === 1)
    return { kind: "even", least, greatest, place: (value) => value, value: (place) => place };
  const share = (value: number) => (value / 2 - least / 2) / (greatest / 2 - least / 2);
  if (kind === "log") {
    const [low, high] = [Math.log(least), Math.log(greatest)];
    return {
      kind,
      least: 0,
      greatest: 1,
      place: (value) => (Math.log(value) - low) / (high - low),
      value: (place) => Math.min(Math.max(Math.exp(low + place * (high - low)), least), greatest),
    };
  }
  const { ends, shares } = sharesBelow(attribute);
  const places = shares.map((below, i) => (1 - evenShare) * below + evenShare * share(ends[i]));
  return {
    kind,
    least: 0,
    greatest: 1,
    place: (value) => along(ends, places, value),
    value: (place) => along(places, ends, place),
  };
}

export function scaleKinds({ knots }: Attribute): ScaleKind[] {
  if (knots!.length < 3) return ["even"];
  return knots![0] > 0 ? ["even", "log", "rows"] : ["even", "rows"];
}

// Whether most rows lie on a small part of such an axis.
function isCrowded(attribute: Attribute, kind: ScaleKind): boolean {
  const scale = axisScale(attribute, kind);
  const { ends, shares } = sharesBelow(attribute);
  const place = (share: number) => scale.place(along(shares, ends, share));
  return middles.some(({ from, to, width }) => place(to) - place(from) < width * (scale.greatest - scale.least));
}

// Even, unless most rows would lie on a small part of it.
export function usualScale(attribute: Attribute): ScaleKind {
  const kinds = scaleKinds(attribute);
  if (kinds.length === 1 || !isCrowded(attribute, "even")) return "even";
  return kinds.includes("log") && !isCrowded(attribute, "log") ? "log" : "rows";
}

// Round numbers about evenly over an axis that is not even, as places.
export function roundTicks(scale: AxisScale, count = 6): number[] {
  const ticks = Array.from({ length: count }, (_, i) => {
    const wanted = (i + 0.5) / count;
    const value = scale.value(wanted);
    for (let digits = 1; digits < 17; ++digits) {
      const place = scale.place(Number(value.toPrecision(digits)));
      if (place >= 0 && place <= 1 && Math.abs(place - wanted) < 0.3 / count) return place;
    }
    return scale.place(value);
  });
  return ticks.filter((place, i) => i === 0 || place - ticks[i - 1] > 0.3 / count);
}

// Training rows by bins of equal width on the axis and class: [bin][class]. The rows of a span are spread over the bins
// that it reaches into, so that however close the knots are, every row is seen.
export function rowBins(attribute: Attribute, scale: AxisScale, count: number): number[][] {
  const bins = Array.from({ length: count }, () => new Array<number>(attribute.class_histogram[0].length).fill(0));
  if (attribute.knots!.length < 2) return bins;
  const bin = (value: number) => {
    const share = (scale.place(value) / 2 - scale.least / 2) / (scale.greatest / 2 - scale.least / 2);
    return count * Math.min(Math.max(share, 0), 1);
  };
  for (const { from, to, weights } of rowSpans(attribute)) {
    const [start, end] = [bin(from), bin(to)];
    const last = Math.min(Math.max(Math.ceil(end) - 1, Math.floor(start)), count - 1);
    for (let b = Math.min(Math.floor(start), last); b <= last; ++b) {
      const share = end > start ? (Math.min(end, b + 1) - Math.max(start, b)) / (end - start) : 1;
      weights.forEach((weight, h) => (bins[b][h] += weight * Math.max(share, 0)));
    }
  }
  return bins;
}
