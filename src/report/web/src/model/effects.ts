// What every value of an attribute brings to the score, raw (the paper's view) and purified: the library's Effects.
//
//   raw       U = sum_j u_j + sum_j self_j + sum_{j < j'} <S_j, S_j'>
//   purified  U = base + sum_j curve_j + sum_{j < j'} <S_j - E S_j, S_j' - E S_j'>
import type { Attribute, ModelDocument } from "../document";
import { coordinateCount, isSegment, locate, segmentCount, type Position, type Value } from "./encode";

export interface Effect {
  raw: number; // u_j
  own: number; // u_j and the products of the attribute with itself
  sum: number[]; // S_j
}

export interface Curve {
  values: number[]; // at each knot, ascending, or of each level
  missing: number | null;
}

export interface Contributions {
  base: number;
  attributes: number[];
  pairs: { first: number; second: number; value: number }[];
}

export function dot(a: number[], b: number[]): number {
  let product = 0;
  for (let f = 0; f < a.length; ++f) product += a[f] * b[f];
  return product;
}

function addTimes(to: Effect, share: number, effect: Effect): void {
  to.raw += share * effect.raw;
  to.own += share * effect.own;
  for (let f = 0; f < to.sum.length; ++f) to.sum[f] += share * effect.sum[f];
}

export class Effects {
  private readonly before: Effect[][] = []; // per attribute and coordinate: of all segments before it filled
  private readonly step: Effect[][] = []; // of filling it
  private readonly means: Effect[] = [];
  private readonly others: number[][] = []; // per attribute: sum of E S over the other attributes

  constructor(readonly model: ModelDocument) {
    const nothing = (): Effect => ({ raw: 0, own: 0, sum: new Array<number>(model.factor_count).fill(0) });
    for (const attribute of model.attributes) {
      const running = nothing();
      const mean = nothing();
      const before: Effect[] = [];
      const steps: Effect[] = [];
      for (let c = 0; c < coordinateCount(attribute); ++c) {
        const segment = isSegment(attribute, c);
        const start = segment ? { ...running, sum: running.sum.slice() } : nothing();
        const u = attribute.increments[c];
        const v = attribute.factors[c];
        const step = { raw: u, own: u + dot(v, start.sum), sum: v };
        if (segment) addTimes(running, 1, step);
        addTimes(mean, attribute.mean_encoding[c], step);
        before.push(start);
        steps.push(step);
      }
      this.before.push(before);
      this.step.push(steps);
      this.means.push(mean);
    }
    model.attributes.forEach((_, j) => {
      const sum = new Array<number>(model.factor_count).fill(0);
      this.means.forEach((mean, other) => {
        if (other !== j) for (let f = 0; f < sum.length; ++f) sum[f] += mean.sum[f];
      });
      this.others.push(sum);
    });
  }

  at(attribute: number, position: Position): Effect {
    const start = this.before[attribute][position.coordinate];
    const effect = { ...start, sum: start.sum.slice() };
    addTimes(effect, position.fraction, this.step[attribute][position.coordinate]);
    return effect;
  }

  atValue(attribute: number, value: Value): Effect {
    return this.at(attribute, locate(this.model.attributes[attribute], value));
  }

  // At the knots, ascending, or levels; then of a missing value if training had any.
  stops(attribute: number): Effect[] {
    return stopValues(this.model.attributes[attribute]).map((value) => this.atValue(attribute, value));
  }

  deviation(attribute: number, effect: Effect): number[] {
    return effect.sum.map((value, f) => value - this.means[attribute].sum[f]);
  }

  purified(attribute: number, effect: Effect): number {
    return effect.own - this.means[attribute].own + dot(this.deviation(attribute, effect), this.others[attribute]);
  }

  base(): number {
    let base = 0;
    const sum = new Array<number>(this.model.factor_count).fill(0);
    for (const mean of this.means) {
      base += mean.own + dot(mean.sum, sum);
      for (let f = 0; f < sum.length; ++f) sum[f] += mean.sum[f];
    }
    return base;
  }

  curve(attribute: number, view: "raw" | "purified"): Curve {
    const values = this.stops(attribute).map((stop) => (view === "raw" ? stop.raw : this.purified(attribute, stop)));
    const missing = this.model.attributes[attribute].has_missing ? values.pop()! : null;
    return { values, missing };
  }

  // [of the first][of the second]; a missing value comes last. Purified: at knots; raw: products of the segments.
  surface(first: number, second: number, view: "raw" | "purified"): number[][] {
    const rows = view === "raw" ? this.readingOrder(first) : this.deviations(first);
    const columns = view === "raw" ? this.readingOrder(second) : this.deviations(second);
    return rows.map((x) => columns.map((y) => dot(x, y)));
  }

  contributions(values: Value[]): Contributions {
    const effects = values.map((value, j) => this.atValue(j, value));
    const deviations = effects.map((effect, j) => this.deviation(j, effect));
    const pairs: Contributions["pairs"] = [];
    for (let a = 0; a < values.length; ++a) {
      for (let b = a + 1; b < values.length; ++b) {
        pairs.push({ first: a, second: b, value: dot(deviations[a], deviations[b]) });
      }
    }
    return { base: this.base(), attributes: effects.map((effect, j) => this.purified(j, effect)), pairs };
  }

  private deviations(attribute: number): number[][] {
    return this.stops(attribute).map((stop) => this.deviation(attribute, stop));
  }

  // Factors of the segments by ascending knots, of the levels, of missing values.
  private readingOrder(attribute: number): number[][] {
    const { factors, direction } = this.model.attributes[attribute];
    const count = segmentCount(this.model.attributes[attribute]);
    if (direction !== "decreasing") return factors;
    return [...factors.slice(0, count).reverse(), ...factors.slice(count)];
  }
}

export function stopValues(attribute: Attribute): Value[] {
  const values: Value[] = attribute.kind === "numeric" ? [...attribute.knots!] : attribute.levels!.map((_, c) => c);
  return attribute.has_missing ? [...values, null] : values;
}
