// The score by curves and surfaces, added up in the order of the library's TermTable: the same bits.
import type { Attribute, ModelDocument, Surface } from "../document";
import { coordinateCount, isSegment, segmentCount, type Position } from "./encode";

// What the curve says at its stops: knots or levels, then special values and missing if training had any, then of a
// categorical attribute a level that training has not seen.
export function curveStops(attribute: Attribute): number[] {
  const { kind, has_missing, values, special_values, missing_value, other_value } = attribute;
  return [
    ...values!,
    ...(special_values ?? []),
    ...(has_missing ? [missing_value!] : []),
    ...(kind === "categorical" ? [other_value!] : []),
  ];
}

// The two stops of the curve that a coordinate lies between. Stops count knots upwards whatever the direction.
function stopsOf(attribute: Attribute, coordinate: number): { empty: number; full: number } {
  if (attribute.kind === "categorical") {
    return { empty: attribute.levels!.length + (attribute.has_missing ? 1 : 0), full: coordinate };
  }
  const count = attribute.knots!.length;
  if (!isSegment(attribute, coordinate)) {
    const stop = count + coordinate - segmentCount(attribute); // special, missing
    return { empty: stop, full: stop };
  }
  if (count === 1) return { empty: 0, full: 0 };
  if (attribute.direction !== "decreasing") return { empty: coordinate, full: coordinate + 1 };
  return { empty: count - 1 - coordinate, full: count - 2 - coordinate };
}

// Per coordinate of the attribute: what stands at its stops, empty and full.
export function alongCoordinates<T>(attribute: Attribute, atStops: T[]): { empty: T; full: T }[] {
  return Array.from({ length: coordinateCount(attribute) }, (_, c) => {
    const { empty, full } = stopsOf(attribute, c);
    return { empty: atStops[empty], full: atStops[full] };
  });
}

// The place of every stop of the attribute on a surface's axis: node, and how far it is to the next.
export function placesOnAxis(attribute: Attribute, nodes: number[]): number[] {
  if (attribute.kind === "categorical") {
    const count = attribute.levels!.length + (attribute.has_missing ? 2 : 1);
    return Array.from({ length: count }, (_, stop) => stop);
  }
  let node = 0;
  const places = attribute.knots!.map((knot) => {
    while (node + 2 < nodes.length && nodes[node + 1] <= knot) ++node;
    if (nodes.length < 2) return 0;
    const [low, high] = [nodes[node], nodes[node + 1]];
    return node + (knot / 2 - low / 2) / (high / 2 - low / 2);
  });
  const behind = coordinateCount(attribute) - segmentCount(attribute); // special, missing
  return [...places, ...Array.from({ length: behind }, (_, k) => nodes.length + k)];
}

// A place on an axis of `count` nodes as the node below it and the share of the way to the next.
export function axisPosition(place: number, count: number): { node: number; next: number; fraction: number } {
  const node = Math.min(Math.trunc(place), count - 1);
  return { node, next: Math.min(node + 1, count - 1), fraction: place - node };
}

// A surface with its attributes by number.
export interface PlacedSurface {
  first: number;
  second: number;
  surface: Surface;
}

export function placedSurfaces({ attributes, pairs }: ModelDocument): PlacedSurface[] {
  const place = new Map(attributes.map(({ name }, j) => [name, j]));
  return pairs!.map((surface) => ({
    first: place.get(surface.first)!,
    second: place.get(surface.second)!,
    surface,
  }));
}

// Value at fraction 0, and what fraction 1 adds.
interface Line {
  start: number;
  step: number;
}

interface Axis {
  attribute: number;
  count: number; // of nodes
  places: Line[]; // per coordinate of the attribute
}

interface Grid {
  first: Axis;
  second: Axis;
  values: number[][];
}

function linesOf(attribute: Attribute, atStops: number[]): Line[] {
  return alongCoordinates(attribute, atStops).map(({ empty, full }) => ({ start: empty, step: full - empty }));
}

export class TermTable {
  private readonly base: number;
  private readonly curves: Line[][];
  private readonly grids: Grid[];

  constructor(model: ModelDocument) {
    const { attributes } = model;
    const axis = (j: number, nodes: number[], count: number): Axis => ({
      attribute: j,
      count,
      places: linesOf(attributes[j], placesOnAxis(attributes[j], nodes)),
    });
    this.base = model.base!;
    this.curves = attributes.map((attribute) => linesOf(attribute, curveStops(attribute)));
    this.grids = placedSurfaces(model).map(({ first, second, surface }) => ({
      first: axis(first, surface.first_knots, surface.values.length),
      second: axis(second, surface.second_knots, surface.values[0].length),
      values: surface.values,
    }));
  }

  score(positions: Position[]): number {
    const at = (line: Line, fraction: number) => line.start + fraction * line.step;
    let score = this.base;
    positions.forEach(({ coordinate, fraction }, j) => (score += at(this.curves[j][coordinate], fraction)));
    for (const { first, second, values } of this.grids) {
      const on = ({ attribute, count, places }: Axis) => {
        const { coordinate, fraction } = positions[attribute];
        return axisPosition(at(places[coordinate], fraction), count);
      };
      const a = on(first);
      const b = on(second);
      const along = (row: number[]) => row[b.node] + b.fraction * (row[b.next] - row[b.node]);
      const near = along(values[a.node]);
      const far = along(values[a.next]);
      score += near + a.fraction * (far - near);
    }
    return score;
  }
}
