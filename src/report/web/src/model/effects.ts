// What every value of an attribute brings to the score, raw (the paper's view) and purified: the library's Effects.
//
//   raw       U = sum_j u_j + sum_j self_j + sum_{j < j'} <S_j, S_j'>
//   purified  U = base + sum_j curve_j + sum_{j < j'} <S_j - E S_j, S_j' - E S_j'>
//
// A model of curves and surfaces has the second form as it is, with E S = 0: S of a surface's first attribute says how
// much of each of its nodes the value is, S of the second what the surface says at those nodes.
import { hasTerms, type Attribute, type ModelDocument } from "../document";
import { coordinateCount, isSegment, locate, locateOnCurve, segmentCount, type Position, type Value } from "./encode";
import { alongCoordinates, axisPosition, curveStops, placedSurfaces, placesOnAxis } from "./term_table";
import type { PlacedSurface } from "./term_table";

export interface Effect {
  raw: number; // u_j; of a model of curves and surfaces: nothing
  own: number; // u_j and the products of the attribute with itself; or its curve
  sum: number[]; // S_j
}

export interface Curve {
  values: number[]; // at each knot, ascending, or of each level
  special: number[]; // of each special value
  missing: number | null;
  other: number | null; // of a level that training has not seen, where the model has a value for it
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
  readonly length: number; // of S
  private readonly surfaces: PlacedSurface[] = [];
  private readonly before: Effect[][] = []; // per attribute and coordinate: of all segments before it filled
  private readonly step: Effect[][] = []; // of filling it
  private readonly means: Effect[] = [];
  private readonly others: number[][] = []; // per attribute: sum of E S over the other attributes

  constructor(readonly model: ModelDocument) {
    if (hasTerms(model)) {
      this.surfaces = placedSurfaces(model);
      this.length = this.surfaces.reduce((sum, { surface }) => sum + surface.values.length, 0);
      this.addTerms();
    } else {
      this.length = model.factor_count!;
      this.addParameters();
    }
    this.addOthers();
  }

  // Whether the attribute has any part in the score.
  isUsed(attribute: number): boolean {
    if (!hasTerms(this.model)) return true;
    const isZero = curveStops(this.model.attributes[attribute]).every((value) => value === 0);
    return !isZero || this.surfaces.some(({ first, second }) => first === attribute || second === attribute);
  }

  // Whether two attributes may bring something together: any two, or those that have a surface.
  isPair(a: number, b: number): boolean {
    return hasTerms(this.model) ? this.placedSurface(a, b) !== undefined : a !== b;
  }

  // The surface of a pair in a model that has surfaces.
  placedSurface(a: number, b: number): PlacedSurface | undefined {
    return this.surfaces.find(({ first, second }) => (first === a && second === b) || (first === b && second === a));
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

  // At the knots, ascending, or levels; then of special values and of a missing one if training had any.
  stops(attribute: number): Effect[] {
    const own = this.model.attributes[attribute];
    const knotCount = own.knots?.length ?? 0; // a knot may be where a special value is
    return stopValues(own).map((value, i) =>
      i < knotCount ? this.at(attribute, locateOnCurve(own, value!)) : this.atValue(attribute, value),
    );
  }

  deviation(attribute: number, effect: Effect): number[] {
    return effect.sum.map((value, f) => value - this.means[attribute].sum[f]);
  }

  purified(attribute: number, effect: Effect): number {
    return effect.own - this.means[attribute].own + dot(this.deviation(attribute, effect), this.others[attribute]);
  }

  base(): number {
    let base = this.model.base ?? 0;
    const sum = new Array<number>(this.length).fill(0);
    for (const mean of this.means) {
      base += mean.own + dot(mean.sum, sum);
      for (let f = 0; f < sum.length; ++f) sum[f] += mean.sum[f];
    }
    return base;
  }

  curve(attribute: number, view: "raw" | "purified"): Curve {
    const values = this.stops(attribute).map((stop) => (view === "raw" ? stop.raw : this.purified(attribute, stop)));
    const missing = this.model.attributes[attribute].has_missing ? values.pop()! : null;
    const specialCount = (this.model.attributes[attribute].special ?? []).length;
    const special = values.splice(values.length - specialCount, specialCount);
    const other = hasTerms(this.model) ? this.model.attributes[attribute].other_value : undefined;
    return { values, special, missing, other: other ?? null };
  }

  // [of the first][of the second]; special values and a missing one come last. Purified: at knots; raw: products of the segments.
  surface(first: number, second: number, view: "raw" | "purified"): number[][] {
    const rows = view === "raw" ? this.readingOrder(first) : this.deviations(first);
    const columns = view === "raw" ? this.readingOrder(second) : this.deviations(second);
    return rows.map((x) => columns.map((y) => dot(x, y)));
  }

  contributions(values: Value[]): Contributions {
    const effects = values.map((value, j) => this.atValue(j, value));
    const deviations = effects.map((effect, j) => this.deviation(j, effect));
    const pairs: Contributions["pairs"] = [];
    const add = (first: number, second: number) =>
      pairs.push({ first, second, value: dot(deviations[first], deviations[second]) });
    if (hasTerms(this.model)) this.surfaces.forEach(({ first, second }) => add(first, second));
    else for (let a = 0; a < values.length; ++a) for (let b = a + 1; b < values.length; ++b) add(a, b);
    return { base: this.base(), attributes: effects.map((effect, j) => this.purified(j, effect)), pairs };
  }

  private nothing(): Effect {
    return { raw: 0, own: 0, sum: new Array<number>(this.length).fill(0) };
  }

  private addParameters(): void {
    for (const attribute of this.model.attributes) {
      const running = this.nothing();
      const mean = this.nothing();
      const before: Effect[] = [];
      const steps: Effect[] = [];
      for (let c = 0; c < coordinateCount(attribute); ++c) {
        const segment = isSegment(attribute, c);
        const start = segment ? { ...running, sum: running.sum.slice() } : this.nothing();
        const u = attribute.increments![c];
        const v = attribute.factors![c];
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
  }

  private addTerms(): void {
    this.model.attributes.forEach((attribute, j) => {
      const ways = alongCoordinates(attribute, this.stopEffects(j));
      this.before.push(ways.map(({ empty }) => empty));
      this.step.push(
        ways.map(({ empty, full }) => {
          const step = { ...full, sum: full.sum.slice() };
          addTimes(step, -1, empty);
          return step;
        }),
      );
      this.means.push(this.nothing());
    });
  }

  // Of each stop of the attribute's curve: what curve and surfaces say there.
  private stopEffects(attribute: number): Effect[] {
    const effects = curveStops(this.model.attributes[attribute]).map((own) => ({ ...this.nothing(), own }));
    let offset = 0;
    for (const { first, second, surface } of this.surfaces) {
      const { values } = surface;
      if (first === attribute) {
        placesOnAxis(this.model.attributes[attribute], surface.first_knots).forEach((place, stop) => {
          const at = axisPosition(place, values.length);
          effects[stop].sum[offset + at.node] += 1 - at.fraction;
          effects[stop].sum[offset + at.next] += at.fraction;
        });
      }
      if (second === attribute) {
        placesOnAxis(this.model.attributes[attribute], surface.second_knots).forEach((place, stop) => {
          const { node, next, fraction } = axisPosition(place, values[0].length);
          values.forEach((row, i) => {
            effects[stop].sum[offset + i] = row[node] + fraction * (row[next] - row[node]);
          });
        });
      }
      offset += values.length;
    }
    return effects;
  }

  // All before it and all after it: subtracting from one total would lose digits.
  private addOthers(): void {
    const before = this.nothing();
    const after = this.nothing();
    const others = this.means.map(() => this.nothing());
    this.means.forEach((mean, j) => {
      const last = this.means.length - 1 - j;
      addTimes(others[j], 1, before);
      addTimes(others[last], 1, after);
      addTimes(before, 1, mean);
      addTimes(after, 1, this.means[last]);
    });
    this.others.push(...others.map(({ sum }) => sum));
  }

  private deviations(attribute: number): number[][] {
    return this.stops(attribute).map((stop) => this.deviation(attribute, stop));
  }

  // Factors of the segments by ascending knots, of the levels, of missing values.
  private readingOrder(attribute: number): number[][] {
    const { factors, direction } = this.model.attributes[attribute];
    const count = segmentCount(this.model.attributes[attribute]);
    if (direction !== "decreasing") return factors!;
    return [...factors!.slice(0, count).reverse(), ...factors!.slice(count)];
  }
}

export function stopValues(attribute: Attribute): Value[] {
  const values: Value[] = attribute.kind === "numeric" ? [...attribute.knots!] : attribute.levels!.map((_, c) => c);
  return [...values, ...(attribute.special ?? []), ...(attribute.has_missing ? [null] : [])];
}
