// The document that report_data.cpp writes: the model file (docs/model-file.md) and what the page needs beside it.

export interface Attribute {
  name: string;
  kind: "numeric" | "categorical";
  description?: string;
  unit?: string;
  direction?: "none" | "increasing" | "decreasing";
  knots?: number[];
  levels?: string[];
  has_missing: boolean;
  typical: { coordinate: number; fraction: number };
  increments: number[];
  factors: number[][]; // packed in the document: see unpackFactors
  mean_encoding: number[];
  class_histogram: number[][];
  certificate?: { least_slope: number; holds: boolean };
}

export interface Assignment {
  rule: "support" | "threshold" | "probability";
  aim: "accuracy" | "mae";
  reference_source: string;
  margin: number;
  accuracy_cuts: number[];
  mae_cuts: number[];
  calibration: { slope: number; thresholds: number[]; floor: number[] };
  conformity: number[]; // how unlikely the true classes of unseen rows were: quantiles, ascending; may be empty
}

export interface Reference {
  scores: number[];
  weights: number[];
  rows: number[];
}

// How far a purified curve moves when training is repeated on resampled rows.
export interface Band {
  lower: number[];
  upper: number[];
  missing?: [number, number];
}

export interface Bands {
  refit_count: number;
  lower_share: number;
  upper_share: number;
  attributes: Band[];
}

export interface MeanSpread {
  mean: number | null;
  spread: number | null;
}

export interface PathPoint {
  increment_penalty: number;
  factor_penalty: number;
  accuracy: MeanSpread | null;
  mae: MeanSpread | null;
  factor_count: number;
  increments: number[]; // over all coordinates of all attributes
  factors: number[]; // row by row
}

// Models over a grid of penalties; points run over the factor penalties first.
export interface PenaltyPath {
  fold_count: number;
  increment_penalties: number[];
  factor_penalties: number[];
  points: PathPoint[];
}

export interface ModelDocument {
  program: string;
  label: string;
  classes: string[];
  factor_count: number;
  attributes: Attribute[];
  options: Record<string, unknown>;
  assignment: Assignment;
  reference: Reference[];
  summary: {
    row_count: number;
    class_weights: number[];
    objective: number;
    loss: number;
    epochs: number;
    stop_reason: string;
    data_fingerprint: string;
  };
  certificate: { holds: boolean };
  bands?: Bands;
  path?: PenaltyPath;
}

// A metric; the spread is over the trials of a cross-validation.
export interface Measure {
  value: number | null;
  spread?: number | null;
}

export interface Quality {
  source: "validation" | "holdout" | "data";
  row_count: number;
  trial_count?: number;
  measures: Record<string, Measure>;
  confusion: number[][];
  is_training_data?: boolean;
}

// Some of the rows of --data, by columns; null is missing, -1 a level that training never saw.
export interface Rows {
  file: string;
  total: number;
  numbers: number[]; // data rows, from 1
  columns: (number | null)[][];
  labels: number[] | null;
}

// Scores from lowest to highest get this class.
export type ScorePiece = [lowest: number, highest: number, label: number];

export interface ReportDocument {
  title: string;
  model: ModelDocument;
  quality: Quality[]; // best source first; empty if nothing was kept out
  attributes: { raw_range: number; range: number; mean_absolute: number }[]; // means over the training rows
  pairs: [first: number, second: number, range: number][]; // strongest first
  pair_count: number; // of all; `pairs` may hold fewer
  pieces: ScorePiece[];
  rows: Rows | null;
}

// The document has the factors of an attribute as one text: base64 of 8-byte little-endian numbers, row by row.
export function unpackFactors({ attributes, factor_count: k }: ModelDocument): void {
  for (const attribute of attributes) {
    const packed: unknown = attribute.factors;
    if (typeof packed !== "string") continue;
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    attribute.factors = attribute.increments.map((_, c) =>
      Array.from({ length: k }, (_, f) => view.getFloat64(8 * (c * k + f), true)),
    );
  }
}
