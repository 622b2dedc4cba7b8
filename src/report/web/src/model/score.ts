// The score of a row, by whichever kind of model it is.
import { hasTerms, type ModelDocument } from "../document";
import { locate, type Position, type Value } from "./encode";
import { ScoreTable } from "./score_table";
import { TermTable } from "./term_table";

export class Scorer {
  private readonly table: ScoreTable | TermTable;

  constructor(private readonly model: ModelDocument) {
    this.table = hasTerms(model) ? new TermTable(model) : new ScoreTable(model);
  }

  score(values: Value[]): number {
    return this.scoreAt(values.map((value, j) => locate(this.model.attributes[j], value)));
  }

  scoreAt(positions: Position[]): number {
    return this.table.score(positions);
  }
}
