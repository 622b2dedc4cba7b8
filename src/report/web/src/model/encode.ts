// Where a value lies on its attribute's scale: AttributeEncoder::locate of the library, step by step.
import type { Attribute } from "../document";

export interface Position {
  coordinate: number;
  fraction: number;
}

export type ValueNote = "" | "below_range" | "above_range" | "new_level" | "unexpected_missing";

// A number, the code of a level, or null: missing.
export type Value = number | null;

export function segmentCount(attribute: Attribute): number {
  if (attribute.kind === "categorical") return attribute.levels!.length;
  return Math.max(attribute.knots!.length - 1, 1);
}

export function coordinateCount(attribute: Attribute): number {
  return segmentCount(attribute) + (attribute.special ?? []).length + (attribute.has_missing ? 1 : 0);
}

export function isSegment(attribute: Attribute, coordinate: number): boolean {
  return attribute.kind === "numeric" && coordinate < segmentCount(attribute);
}

// (value - low) / (high - low), also where the difference would overflow.
function fractionBetween(low: number, high: number, value: number): number {
  const width = high - low;
  if (!Number.isFinite(width)) return (value / 2 - low / 2) / (high / 2 - low / 2);
  return (value - low) / width;
}

// No value, or a special one that training has not seen.
export function isMissing(attribute: Attribute, value: Value): boolean {
  return value === null || (attribute.absent_special ?? []).includes(value);
}

export function isSpecial(attribute: Attribute, value: Value): boolean {
  return value !== null && (attribute.special ?? []).includes(value);
}

export function noteOn(attribute: Attribute, value: Value): ValueNote {
  if (value === null || isMissing(attribute, value)) return attribute.has_missing ? "" : "unexpected_missing";
  if (isSpecial(attribute, value)) return "";
  if (attribute.kind === "categorical") return value >= 0 && value < attribute.levels!.length ? "" : "new_level";
  const knots = attribute.knots!;
  if (value < knots[0]) return "below_range";
  return value > knots[knots.length - 1] ? "above_range" : "";
}

export function locate(attribute: Attribute, value: Value): Position {
  if (value === null || isMissing(attribute, value)) {
    return attribute.has_missing ? { coordinate: coordinateCount(attribute) - 1, fraction: 1 } : attribute.typical;
  }
  if (isSpecial(attribute, value)) {
    return { coordinate: segmentCount(attribute) + attribute.special!.indexOf(value), fraction: 1 };
  }
  return locateOnCurve(attribute, value);
}

// The same of a number that is taken as one even if it is special.
export function locateOnCurve(attribute: Attribute, value: number): Position {
  if (attribute.kind === "categorical") {
    const known = value >= 0 && value < attribute.levels!.length;
    return known ? { coordinate: Math.trunc(value), fraction: 1 } : { coordinate: 0, fraction: 0 };
  }
  const knots = attribute.knots!;
  if (knots.length === 1) return { coordinate: 0, fraction: 0 };
  const clamped = Math.min(Math.max(value, knots[0]), knots[knots.length - 1]);
  // The number of inner knots at or below the value.
  let segment = 0;
  while (segment < knots.length - 2 && knots[segment + 1] <= clamped) ++segment;
  const fraction = fractionBetween(knots[segment], knots[segment + 1], clamped);
  if (attribute.direction !== "decreasing") return { coordinate: segment, fraction };
  return { coordinate: knots.length - 2 - segment, fraction: 1 - fraction };
}
