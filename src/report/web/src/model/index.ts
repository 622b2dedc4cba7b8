// The model as the page uses it: everything that follows from the values of one object.
import { unpackFactors, type ReportDocument } from "../document";
import { Assigner, type Assigned } from "./assign";
import { ChangeSearch } from "./changes";
import { Effects } from "./effects";
import type { Value } from "./encode";
import { Scorer } from "./score";

export { nextClass } from "./changes";

export class Model {
  readonly scorer: Scorer;
  readonly assigner: Assigner;
  readonly effects: Effects;

  constructor(readonly document: ReportDocument) {
    unpackFactors(document.model);
    this.scorer = new Scorer(document.model);
    this.assigner = new Assigner(document.model);
    this.effects = new Effects(document.model);
  }

  predict(values: Value[]): Assigned {
    return this.assigner.assign(this.scorer.score(values));
  }

  changes(values: Value[]): ChangeSearch {
    return new ChangeSearch(
      this.document.model,
      this.scorer,
      this.assigner,
      this.effects,
      this.document.pieces,
      values,
    );
  }
}
