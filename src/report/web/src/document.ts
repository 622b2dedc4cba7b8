// The document that report_data.cpp writes: the model file (docs/reference/model-file.md) and what the page needs beside it.

export interface Attribute {
  name: string;
  kind: "numeric" | "categorical";
  description?: string;
  unit?: string;
  direction?: "none" | "increasing" | "decreasing";
  knots?: number[];
  levels?: string[];
  special?: number[]; // that training has seen; each has a value of its own beside the curve
  absent_special?: number[]; // that it has not: taken for missing
  has_missing: boolean;
  typical: { coordinate: number; fraction: number };
  increments?: number[]; // of a model with u and V
  factors?: number[][]; // likewise; packed in the document: see unpackFactors
  values?: number[]; // of a model of curves and surfaces: the curve at the knots or levels
  special_values?: number[];
  missing_value?: number;
  other_value?: number; // of a level that training has not seen
  mean_encoding: number[];
  class_histogram: number[][];
  bins?: { edges: number[]; weights: number[] }; // of a numeric attribute: training rows in ranges with about as many each
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
  ids?: string[]; // where the training rows have names
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

// What two attributes do together. Rows are nodes of the first, columns of the second: some of its knots or all levels,
// then special values and missing if training had any, then of a categorical attribute a level that training has not
// seen.
export interface Surface {
  first: string;
  second: string;
  first_knots: number[]; // of a categorical attribute: none
  second_knots: number[];
  values: number[][];
  row_weights: number[][]; // training rows per cell, a node rounded down
}

// One way to train: its options by name, and its weight in the average with the others.
export interface Recipe {
  [option: string]: unknown;
  increment_penalty: number;
  factor_penalty: number;
  weight: number;
}

export interface TrainOptions {
  [option: string]: unknown;
  parts: Recipe[];
}

// How the model was found.
export interface ModelRecord {
  search?: { recipe_count: number; passes: number; out_of_time: boolean };
  interrupted: boolean;
}

export interface ModelDocument {
  program: string;
  label: string;
  classes: string[];
  factor_count?: number; // of a model with u and V
  base?: number; // of a model of curves and surfaces
  attributes: Attribute[];
  pairs?: Surface[]; // likewise
  options: TrainOptions;
  record?: ModelRecord;
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
  // Of the rows given alone:
  is_training_data?: boolean;
  reliability?: [promised: number, observed: number, count: number][];
  groups?: { attribute: number; groups: RowGroup[] }[];
}

// Rows with values of one attribute from ... to; null: missing; of levels both are the level.
export type RowGroup = [from: number | null, to: number | null, count: number, accuracy: number, mae: number];

// Some of the rows of --data, by columns; null is missing, -1 a level that training never saw.
export interface Rows {
  file: string;
  total: number;
  numbers: number[]; // data rows, from 1
  ids?: string[]; // their names, where they have any
  columns: (number | null)[][];
  labels: number[] | null;
}

// Scores from lowest to highest get this class.
export type ScorePiece = [lowest: number, highest: number, label: number];

// What `xofm check` says of the rows of --data, if they are labelled.
export interface RowCheck {
  row_count: number;
  attributes: {
    name: string;
    kind: "numeric" | "categorical";
    why: string;
    missing_count: number;
    distinct_count: number;
    outlier_count?: number;
    accuracy_alone: number;
  }[];
  duplicate_count: number;
  contradictory_count: number;
  best_accuracy: number;
  best_mae: number;
  findings: string[]; // sentences without their full stop
}

export interface ReportDocument {
  title: string;
  model: ModelDocument;
  quality: Quality[]; // best source first; empty if nothing was kept out
  attributes: { raw_range: number; range: number; mean_absolute: number }[]; // means over the training rows
  pairs: [first: number, second: number, range: number][]; // strongest first
  pair_count: number; // of all; `pairs` may hold fewer
  pieces: ScorePiece[];
  option_help: Record<string, string>; // what an option does, by name
  check: RowCheck | null;
  rows: Rows | null;
}

// Whether the model is curves and surfaces, and not u and V.
export function hasTerms(model: ModelDocument): boolean {
  return model.base !== undefined;
}

// The document has the factors of an attribute as one text: base64 of 8-byte little-endian numbers, row by row.
export function unpackFactors({ attributes, factor_count: k }: ModelDocument): void {
  for (const attribute of attributes) {
    const packed: unknown = attribute.factors;
    if (typeof packed !== "string") continue;
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    attribute.factors = attribute.increments!.map((_, c) =>
      Array.from({ length: k! }, (_, f) => view.getFloat64(8 * (c * k! + f), true)),
    );
  }
}
