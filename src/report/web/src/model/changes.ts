// The smallest change of one attribute that moves an object to another class: the library's search over the pieces on
// which the score is linear, attribute by attribute. Every change found is tried on the model itself.
import type { ModelDocument, ScorePiece } from "../document";
import type { Assigner } from "./assign";
import { isMissing, isSpecial, locate, locateOnCurve, type Position, type Value } from "./encode";
import { dot, type Effects } from "./effects";
import type { Scorer } from "./score";

export interface Change {
  attribute: number;
  from: number;
  to: number;
  share: number; // |change| / (last knot - first knot); of a change of level 1
  cost: number; // the same, times what the attribute costs
  score: number; // after the change
}

// What it takes to change an attribute: a factor of the cost, and in which direction it may go at all.
export interface Effort {
  cost: number;
  may: "change" | "rise" | "fall" | "stay";
}

export const usualEffort: Effort = { cost: 1, may: "change" };

const mostDigits = 17; // as many as tell all numbers apart

// The nearest number with this many significant digits at `value` or beyond it in the direction of `sign`.
function roundTowards(value: number, digits: number, sign: number): number {
  const text = value.toExponential(digits - 1);
  const rounded = Number(text);
  if ((rounded - value) * sign >= 0) return rounded;
  const [mantissa, exponent] = text.split("e");
  const next = BigInt(mantissa.replace(".", "")) + BigInt(sign > 0 ? 1 : -1);
  return Number(`${next}e${Number(exponent) - digits + 1}`);
}

// The next class above (step 1) or below (step -1) the object's own that any score gets.
export function nextClass(pieces: ScorePiece[], own: number, step: 1 | -1): number | null {
  const labels = pieces.map(([, , label]) => label).filter((label) => (label - own) * step > 0);
  if (labels.length === 0) return null;
  return step > 0 ? Math.min(...labels) : Math.max(...labels);
}

export class ChangeSearch {
  private readonly positions: Position[];
  private readonly score: number;
  private readonly sums: number[][]; // S_j of the object's values

  constructor(
    private readonly model: ModelDocument,
    private readonly scorer: Scorer,
    private readonly assigner: Assigner,
    private readonly effects: Effects,
    private readonly pieces: ScorePiece[],
    private readonly values: Value[],
  ) {
    this.positions = values.map((value, j) => locate(model.attributes[j], value));
    this.score = scorer.scoreAt(this.positions);
    this.sums = this.positions.map((position, j) => effects.at(j, position).sum);
  }

  // The smallest change of each attribute that reaches the class, least effort first. Missing stays missing, and
  // a special value what it is; levels neither rise nor fall.
  toClass(target: number, effortOf: (attribute: number) => Effort = () => usualEffort): Change[] {
    const pieces = this.pieces.filter(([, , label]) => label === target);
    const changes: Change[] = [];
    this.model.attributes.forEach((attribute, j) => {
      const own = this.values[j];
      const { cost, may } = effortOf(j);
      if (own === null || isSpecial(attribute, own) || isMissing(attribute, own) || may === "stay") return;
      const found =
        attribute.kind === "numeric"
          ? this.searchNumbers(j, own, target, pieces, may)
          : may === "change"
            ? this.searchLevels(j, own, target)
            : null;
      if (found) changes.push({ ...found, cost: found.share * cost });
    });
    return changes.sort((a, b) => a.cost - b.cost);
  }

  // The same change in a number that can be typed: moved on to as few digits as still reach the class. That adds at most
  // 1 % to the change, or 0.1 % of the range if that is more; as in the library.
  roundOutwards(change: Change, target: number): Change {
    const { kind, knots } = this.model.attributes[change.attribute];
    if (kind === "categorical") return change;
    const least = knots![0];
    const greatest = knots![knots!.length - 1];
    const slack = Math.max(0.01 * Math.abs(change.to - change.from), 0.001 * (greatest - least));
    for (let digits = 1; digits < mostDigits; ++digits) {
      const to = roundTowards(change.to, digits, change.to - change.from);
      if (!(Math.abs(to - change.to) <= slack && to >= least && to <= greatest)) continue;
      const found = this.attempt(change.attribute, to, target);
      if (found) return { ...found, cost: change.share > 0 ? (change.cost / change.share) * found.share : 0 };
    }
    return change;
  }

  private share(attribute: number, to: number): number {
    const { kind, knots } = this.model.attributes[attribute];
    const from = this.values[attribute]!;
    if (to === from) return 0;
    return kind === "categorical" ? 1 : Math.abs(to - from) / (knots![knots!.length - 1] - knots![0]);
  }

  // The change, if it really leads to the class.
  private attempt(attribute: number, to: number, target: number): Change | null {
    const from = this.values[attribute]!;
    const own = this.model.attributes[attribute];
    // Nobody can become what a special value stands for.
    if (to === from || isSpecial(own, to) || isMissing(own, to)) return null;
    const positions = this.positions.slice();
    positions[attribute] = locate(own, to);
    const score = this.scorer.scoreAt(positions);
    if (this.assigner.assign(score).label !== target) return null;
    const share = this.share(attribute, to);
    return { attribute, from, to, share, cost: share, score };
  }

  // Rounding may leave the change a hair short of the class: doubled steps towards the limit, then halved back.
  private attemptNear(attribute: number, start: number, limit: number, target: number): Change | null {
    const direct = this.attempt(attribute, start, target);
    if (direct) return direct;
    const room = Math.abs(limit - start);
    const sign = limit < start ? -1 : 1;
    const moved = (step: number) => this.attempt(attribute, step < room ? start + sign * step : limit, target);
    let fails = 0;
    let step = Math.max((Math.abs(start) + room) * 2 ** -53, 2.2250738585072014e-308);
    let found: Change | null = null;
    while (room > 0 && !(found = moved(step)) && step < room) {
      fails = step;
      step *= 2;
    }
    if (!found) return null;
    for (let halving = 0; halving < 60; ++halving) {
      const middle = fails + (step - fails) / 2;
      if (middle === fails || middle === step) break;
      const nearer = moved(middle);
      if (nearer) {
        step = middle;
        found = nearer;
      } else {
        fails = middle;
      }
    }
    return found;
  }

  private searchLevels(attribute: number, own: number, target: number): Change | null {
    for (let level = 0; level < this.model.attributes[attribute].levels!.length; ++level) {
      const found = level === own ? null : this.attempt(attribute, level, target);
      if (found) return found;
    }
    return null;
  }

  private searchNumbers(
    attribute: number,
    own: number,
    target: number,
    pieces: ScorePiece[],
    may: Effort["may"],
  ): Change | null {
    const knots = this.model.attributes[attribute].knots!;
    const up = knots.filter((knot) => knot > own);
    const down = knots.filter((knot) => knot < own).reverse();
    // Outside the training range the score stays as at its end: a change starts there.
    if (own >= knots[0] && own <= knots[knots.length - 1]) {
      up.unshift(own);
      down.unshift(own);
    }
    let best: Change | null = null;
    for (const side of [...(may === "fall" ? [] : [up]), ...(may === "rise" ? [] : [down])]) {
      const found = this.searchSide(attribute, side, target, pieces);
      if (found && (!best || found.cost < best.cost)) best = found;
    }
    return best;
  }

  // On each piece the score is linear: the first entry into a target piece is the nearest.
  private searchSide(attribute: number, side: number[], target: number, pieces: ScorePiece[]): Change | null {
    const scoreAt = this.alongAttribute(attribute);
    let best: Change | null = null;
    for (let i = 0; i + 1 < side.length; ++i) {
      const near = scoreAt(side[i]);
      const far = scoreAt(side[i + 1]);
      for (const entry of entries(pieces, near, far)) {
        const share = entry === near ? 0 : Math.min(Math.max((entry - near) / (far - near), 0), 1);
        const value = share === 1 ? side[i + 1] : side[i] + share * (side[i + 1] - side[i]);
        const planned = this.share(attribute, value);
        const found = this.attemptNear(attribute, value, side[i + 1], target);
        if (found && (!best || found.cost < best.cost)) best = found;
        // Found where it was looked for, and not some way on: a piece may be too narrow to be hit.
        if (found && found.cost <= planned + 1e-9 * (1 + planned)) return best;
      }
    }
    return best;
  }

  // The score as a function of one attribute, all others as they are.
  private alongAttribute(attribute: number): (value: number) => number {
    const rest = new Array<number>(this.effects.length).fill(0);
    this.sums.forEach((sum, j) => {
      if (j === attribute) return;
      for (let f = 0; f < rest.length; ++f) rest[f] += sum[f];
    });
    const own = this.model.attributes[attribute];
    const part = (value: Value) => {
      const onCurve = own.kind === "numeric" && value !== null;
      const effect = this.effects.at(attribute, onCurve ? locateOnCurve(own, value) : locate(own, value));
      return effect.own + dot(effect.sum, rest);
    };
    const constant = this.score - part(this.values[attribute]);
    return (value) => constant + part(value);
  }
}

// Scores at which a way from one score to another enters the pieces, in order.
function entries(pieces: ScorePiece[], from: number, to: number): number[] {
  const slack = 1e-12 * (1 + Math.abs(from) + Math.abs(to));
  const scores = pieces.some(([lowest, highest]) => lowest <= from && from <= highest) ? [from] : [];
  if (to >= from) {
    for (const [lowest] of pieces) if (lowest > from && lowest <= to + slack) scores.push(lowest);
  } else {
    for (const [, highest] of [...pieces].reverse()) if (highest < from && highest >= to - slack) scores.push(highest);
  }
  return scores;
}
