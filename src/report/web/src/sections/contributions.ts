// The parts that add up to the score of one object.
import type { Bar } from "../charts/bars";
import type { Model } from "../model";
import type { Contributions } from "../model/effects";
import type { Value } from "../model/encode";
import { formatNumber, shorten } from "../page/dom";

const shownContributions = 14;

export interface Part {
  name: () => string;
  value: number;
}

// All parts of the score beside the base, the greatest first. With a hundred attributes there are 5,000 pairs: only
// those that are shown get a name.
export function sortedParts(model: Model, values: Value[], parts: Contributions): Part[] {
  const { attributes } = model.document.model;
  const valueText = (j: number) => {
    const value = values[j];
    if (value === null) return "missing";
    return attributes[j].kind === "numeric"
      ? formatNumber(value)
      : shorten(attributes[j].levels![value] ?? "not seen", 16);
  };
  const all: Part[] = [
    ...model.byImportance.map((j) => ({
      name: () => `${shorten(attributes[j].name, 24)} = ${valueText(j)}`,
      value: parts.attributes[j],
    })),
    ...parts.pairs.map(({ first, second, value }) => ({
      name: () => `${shorten(attributes[first].name, 18)} × ${shorten(attributes[second].name, 18)}`,
      value,
    })),
  ];
  return all.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}

const named = ({ name, value }: Part): Bar => ({ name: name(), value });

// The greatest, and all others as one bar: the picture adds up too.
export function contributionBars(model: Model, values: Value[], parts: Contributions): Bar[] {
  const all = sortedParts(model, values, parts);
  if (all.length <= shownContributions + 1) return all.map(named);
  const rest = all.slice(shownContributions);
  const sum = rest.reduce((total, part) => total + part.value, 0);
  return [
    ...all.slice(0, shownContributions).map(named),
    { name: `${rest.length} others together`, value: sum, faint: true },
  ];
}
