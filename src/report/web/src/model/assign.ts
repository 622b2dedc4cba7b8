// From a score to a class, the interval of classes, their support and probabilities: the library's Assigner.
import type { Assignment, ModelDocument, Reference } from "../document";

export interface Assigned {
  score: number;
  label: number;
  lowest: number;
  highest: number;
  support: number[];
  probabilities: number[];
}

// The first index for which the condition fails; it holds for a beginning of the list.
function partitionPoint(values: number[], holds: (value: number) => boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(values[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}

// sigmoid(a) - sigmoid(b), from the side where neither is near 1.
function sigmoidDifference(a: number, b: number): number {
  return a + b > 0 ? sigmoid(-b) - sigmoid(-a) : sigmoid(a) - sigmoid(b);
}

export class Assigner {
  private readonly assignment: Assignment;
  private readonly classes: Reference[];
  private readonly cumulative: number[][] = []; // weight of the points before each
  private total = 0;
  private readonly logisticShare: number; // of the probabilities; the rest are strays
  private readonly medianCuts: number[]; // slope * score above the h-th: the median is class h + 1 or better

  constructor(model: ModelDocument) {
    this.assignment = model.assignment;
    this.classes = model.reference;
    for (const points of this.classes) {
      const sums = [0];
      for (const weight of points.weights) sums.push(sums[sums.length - 1] + weight);
      this.cumulative.push(sums);
      this.total += sums[sums.length - 1];
    }
    const { thresholds, floor } = this.assignment.calibration;
    const strays = floor.reduce((total, share) => total + share, 0);
    this.logisticShare = 1 - strays;
    let straysBelow = 0;
    this.medianCuts = thresholds.map((threshold, h) => {
      straysBelow += floor[h] ?? 0;
      const greatest = Math.min(Math.max(0.5 + (straysBelow - strays / 2) / this.logisticShare, 0), 1);
      return threshold + Math.log(greatest / (1 - greatest));
    });
  }

  // The best class with a training object at or below the score, and the worst with one at or above it (Definition 4).
  bounds(score: number): { best: number | null; worst: number | null } {
    let best: number | null = null;
    let worst: number | null = null;
    this.classes.forEach(({ scores }, h) => {
      if (scores.length > 0 && scores[0] <= score) best = h;
      if (scores.length > 0 && scores[scores.length - 1] >= score) worst ??= h;
    });
    return { best, worst };
  }

  interval(score: number): { lowest: number; highest: number } {
    const bounds = this.bounds(score);
    const [left, right] = [bounds.best ?? 0, bounds.worst ?? this.classes.length - 1];
    return { lowest: Math.min(left, right), highest: Math.max(left, right) };
  }

  support(score: number): number[] {
    const margin = this.assignment.margin;
    const count = this.classes.length;
    const support = new Array<number>(count).fill(0);
    let sum = 0;
    for (let h = 0; h < count; ++h) {
      support[h] += sum;
      sum += this.cumulative[h][partitionPoint(this.classes[h].scores, (point) => score - point > margin)];
    }
    sum = 0;
    for (let h = count - 1; h >= 0; --h) {
      support[h] += sum;
      const sums = this.cumulative[h];
      sum += sums[sums.length - 1] - sums[partitionPoint(this.classes[h].scores, (point) => !(point - score > margin))];
    }
    return support.map((value, h) => {
      const sums = this.cumulative[h];
      return Math.min(value / (this.total - sums[sums.length - 1]), 1);
    });
  }

  probabilities(score: number): number[] {
    const { slope, thresholds, floor } = this.assignment.calibration;
    const count = this.classes.length;
    return this.classes.map((_, h) => {
      const a = h === 0 ? Infinity : slope * score - thresholds[h - 1];
      const b = h + 1 === count ? -Infinity : slope * score - thresholds[h];
      return this.logisticShare * sigmoidDifference(a, b) + (floor[h] ?? 0);
    });
  }

  assign(score: number): Assigned {
    const { lowest, highest } = this.interval(score);
    const support = this.support(score);
    const probabilities = this.probabilities(score);
    return {
      score,
      label: this.label(score, lowest, highest, support, probabilities),
      lowest,
      highest,
      support,
      probabilities,
    };
  }

  // A contiguous set of classes that holds the true one in this share of new objects; none if no such promise can be
  // made. The library's covering_interval: the set grows from the median class by its likelier neighbour.
  covering(probabilities: number[], coverage: number): { lowest: number; highest: number } | null {
    const { conformity } = this.assignment;
    if (conformity.length === 0) return null;
    const top = probabilities.length - 1;
    const rank = Math.ceil((conformity.length + 1) * coverage);
    if (rank > conformity.length) return { lowest: 0, highest: top };
    let median = 0;
    for (let below = probabilities[0]; below < 0.5 && median < top;) below += probabilities[++median];
    let [lowest, highest, mass] = [median, median, probabilities[median]];
    while (lowest > 0 || highest < top) {
      const down = highest === top || (lowest > 0 && probabilities[lowest - 1] >= probabilities[highest + 1]);
      if (Math.min(mass, 1) > conformity[rank - 1]) break;
      mass += probabilities[down ? --lowest : ++highest];
    }
    return { lowest, highest };
  }

  private label(score: number, lowest: number, highest: number, support: number[], probabilities: number[]): number {
    const { rule, aim, mae_cuts, accuracy_cuts, calibration } = this.assignment;
    if (rule === "support") {
      let best = lowest;
      for (let h = lowest + 1; h <= highest; ++h) if (support[h] > support[best]) best = h;
      return best;
    }
    if (rule === "threshold") return partitionPoint(aim === "mae" ? mae_cuts : accuracy_cuts, (cut) => cut <= score);
    if (aim === "accuracy") return probabilities.indexOf(Math.max(...probabilities));
    const position = calibration.slope * score;
    return partitionPoint(this.medianCuts, (cut) => cut < position);
  }
}
