// The model as the page uses it: everything that follows from the values of one object.
import { hasTerms, unpackFactors, type ReportDocument } from "../document";
import { Assigner, type Assigned } from "./assign";
import { ChangeSearch } from "./changes";
import { Effects } from "./effects";
import type { Value } from "./encode";
import { Scorer } from "./score";

export { axisScale, roundTicks, rowBins, scaleKinds, usualScale } from "./axis_scale";
export { nextClass } from "./changes";

export class Model {
  readonly scorer: Scorer;
  readonly assigner: Assigner;
  readonly effects: Effects;
  readonly byImportance: number[]; // attributes with a part in the score, greatest mean effect first

  constructor(readonly document: ReportDocument) {
    unpackFactors(document.model);
    this.scorer = new Scorer(document.model);
    this.assigner = new Assigner(document.model);
    this.effects = new Effects(document.model);
    const effects = document.attributes.map(({ mean_absolute }) => mean_absolute);
    const used = effects.map((_, j) => j).filter((j) => this.effects.isUsed(j));
    this.byImportance = used.sort((a, b) => effects[b] - effects[a]);
  }

  // Curves and surfaces, which have no raw view; otherwise u and V.
  get hasTerms(): boolean {
    return hasTerms(this.document.model);
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
