// The score by u and V in O(attributes * factors), added up in the order of the library's ScoreTable: the same bits.
import type { ModelDocument } from "../document";
import { coordinateCount, isSegment, type Position } from "./encode";

interface Cell {
  before: number; // u and -|v|^2 / 2 of the segments before this one
  increment: number;
  square: number; // -|v|^2 / 2
  sumBefore: number[];
  factors: number[];
}

export class ScoreTable {
  private readonly factorCount: number;
  private readonly cells: Cell[][] = [];

  constructor(model: ModelDocument) {
    const k = (this.factorCount = model.factor_count!);
    for (const attribute of model.attributes) {
      const cells: Cell[] = [];
      let sum = 0;
      let squares = 0;
      const before = new Array<number>(k).fill(0);
      for (let c = 0; c < coordinateCount(attribute); ++c) {
        const u = attribute.increments![c];
        const v = attribute.factors![c];
        const segment = isSegment(attribute, c);
        let square = 0;
        for (let f = 0; f < k; ++f) square += v[f] * v[f];
        cells.push({
          before: segment ? sum - 0.5 * squares : 0,
          increment: u,
          square: -0.5 * square,
          sumBefore: segment ? before.slice() : new Array<number>(k).fill(0),
          factors: v,
        });
        for (let f = 0; f < k; ++f) before[f] += v[f];
        sum += u;
        squares += square;
      }
      this.cells.push(cells);
    }
  }

  score(positions: Position[]): number {
    const k = this.factorCount;
    const sum = new Array<number>(k).fill(0);
    let direct = 0;
    for (let j = 0; j < positions.length; ++j) {
      const { coordinate, fraction } = positions[j];
      const cell = this.cells[j][coordinate];
      direct += cell.before + fraction * (cell.increment + fraction * cell.square);
      for (let f = 0; f < k; ++f) sum[f] += cell.sumBefore[f] + fraction * cell.factors[f];
    }
    let square = 0;
    for (let f = 0; f < k; ++f) square += sum[f] * sum[f];
    return direct + 0.5 * square;
  }
}
