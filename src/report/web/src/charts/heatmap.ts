// Heat-maps: what two attributes do together, and how strong each pair is.
import type { Attribute } from "../document";
import type { Effects } from "../model/effects";
import { formatNumber, formatSigned, type Table } from "../page/dom";
import { divergingColors, sequentialColors, type Theme } from "../page/theme";
import { categoryAxis, fontSize } from "./axis";
import type { Option } from "./echarts";
import { lines, tooltip } from "./tooltip";

export interface PairPicture {
  first: Attribute;
  second: Attribute;
  across: string[]; // what stands on the axis of the first
  up: string[];
  values: number[][]; // [of the first][of the second]
  isEmpty: boolean[][] | null; // no training rows are near; null: not known
  scale: number; // greatest absolute value of all pairs
}

type View = "raw" | "purified";

// The pair at the nodes of its surface; of a model with u and V at all knots (purified) or segments (raw).
export function pairPicture(effects: Effects, first: number, second: number, view: View, scale: number): PairPicture {
  const attributes = [effects.model.attributes[first], effects.model.attributes[second]];
  const placed = effects.placedSurface(first, second);
  if (!placed) {
    const [across, up] = attributes.map((attribute) => axisNames(attribute, attribute.knots ?? [], view));
    const values = effects.surface(first, second, view);
    return { first: attributes[0], second: attributes[1], across, up, values, isEmpty: null, scale };
  }
  const { first_knots, second_knots, values, row_weights } = placed.surface;
  const isSwapped = placed.first !== first;
  const knots = isSwapped ? [second_knots, first_knots] : [first_knots, second_knots];
  const [across, up] = attributes.map((attribute, side) => [
    ...axisNames(attribute, knots[side], view),
    ...(attribute.kind === "categorical" ? ["other"] : []),
  ]);
  const turned = <T>(table: T[][]) => (isSwapped ? table[0].map((_, k) => table.map((row) => row[k])) : table);
  return {
    first: attributes[0],
    second: attributes[1],
    across,
    up,
    values: turned(values),
    isEmpty: turned(emptyNodes(row_weights, first_knots.length, second_knots.length)),
    scale,
  };
}

// Rows are counted by cell: a knot is a corner of the cell that begins there and of the one that ends there.
function emptyNodes(weights: number[][], firstKnots: number, secondKnots: number): boolean[][] {
  const cells = (node: number, knots: number) => (node > 0 && node < knots ? [node - 1, node] : [node]);
  return weights.map((row, i) =>
    row.map((_, k) => cells(i, firstKnots).every((a) => cells(k, secondKnots).every((b) => weights[a][b] === 0))),
  );
}

// Knots (purified) or segments between them (raw), levels, special values, missing.
function axisNames(attribute: Attribute, numbers: number[], view: View): string[] {
  const missing = [...(attribute.special ?? []).map(formatNumber), ...(attribute.has_missing ? ["missing"] : [])];
  if (attribute.kind === "categorical") return [...attribute.levels!.map((level) => level || "(empty)"), ...missing];
  const knots = roundedTexts(numbers);
  if (view === "purified" || knots.length === 1) return [...knots, ...missing];
  return [...knots.slice(1).map((knot, i) => `${knots[i]}–${knot}`), ...missing];
}

// As few digits as still say where each number lies between its neighbours.
export function roundedTexts(numbers: number[]): string[] {
  const gap = Math.min(...numbers.slice(1).map((number, i) => number - numbers[i]));
  for (let digits = 1; digits < 4; ++digits) {
    const rounded = numbers.map((number) => Number(number.toPrecision(digits)));
    if (rounded.every((number, i) => Math.abs(number - numbers[i]) <= 0.1 * gap)) return rounded.map(formatNumber);
  }
  return numbers.map(formatNumber);
}

export function pairHeight({ up }: PairPicture): number {
  return Math.min(620, 118 + 22 * Math.max(6, up.length));
}

export function pairOption(picture: PairPicture, theme: Theme, width: number): Option {
  const { first, second, across, up, isEmpty } = picture;
  const left = Math.min(width * 0.3, 22 + 6.2 * Math.max(...up.map((name) => name.length)));
  const cell = (width - left - 20) / across.length;
  const long = Math.max(...across.map((name) => name.length));
  const rotate = cell < 6.6 * long + 6 ? 50 : 0;
  // Labels that would lie on each other are left out evenly.
  const interval = rotate ? Math.max(0, Math.ceil(13 / cell) - 1) : 0;
  const scale = picture.scale || 1;
  const label = { color: theme.text, fontSize };
  const xAxis = categoryAxis(theme, across, rotate ? 66 : 400);
  const yAxis = categoryAxis(theme, up, left);
  return {
    grid: { left: left + 6, right: 14, top: 28, bottom: rotate ? 106 : 82 },
    xAxis: {
      ...xAxis,
      name: shortName(first),
      nameLocation: "middle",
      nameGap: rotate ? 56 : 28,
      nameTextStyle: label,
      axisLabel: { ...xAxis.axisLabel, rotate, interval },
    },
    yAxis: {
      ...yAxis,
      name: shortName(second),
      nameLocation: "end",
      nameGap: 10,
      nameTextStyle: { ...label, align: "left", padding: [0, 0, 0, -left] },
      axisLabel: { ...yAxis.axisLabel, interval: up.length > 24 ? Math.ceil(up.length / 24) - 1 : 0 },
    },
    visualMap: {
      type: "continuous",
      min: -scale,
      max: scale,
      dimension: 2,
      orient: "horizontal",
      left: "center",
      bottom: 0,
      itemWidth: 10,
      itemHeight: 150,
      text: [formatSigned(scale), formatSigned(-scale)],
      textStyle: { color: theme.muted, fontSize },
      inRange: { color: divergingColors(theme) },
      calculable: false,
      hoverLink: false,
      seriesIndex: 0,
    },
    series: [
      cellSeries("cells", picture, false, {}, theme),
      cellSeries("empty", picture, true, { color: theme.line }, theme),
    ],
    tooltip: tooltip(theme, (parameter: { data: number[] }) => {
      const [i, k, value] = parameter.data;
      const texts = [`score ${formatSigned(value)}`, `${first.name}: ${across[i]}`, `${second.name}: ${up[k]}`];
      return lines(...texts, ...(isEmpty?.[i][k] ? ["no training rows near"] : []));
    }),
  };
}

// All at once: drawn by and by, half of them would be missing on paper. Cells without training rows are grey: what the
// heat-map says there is a guess.
function cellSeries(
  id: string,
  { values, isEmpty }: PairPicture,
  isGuess: boolean,
  itemStyle: Option,
  theme: Theme,
): Option {
  return {
    id,
    type: "heatmap",
    progressive: 0,
    data: values.flatMap((row, i) =>
      row.flatMap((value, k) => ((isEmpty?.[i][k] ?? false) === isGuess ? [[i, k, value]] : [])),
    ),
    itemStyle,
    emphasis: { itemStyle: { borderColor: theme.text, borderWidth: 1.5 } },
  };
}

function shortName(attribute: Attribute): string {
  const name = attribute.unit ? `${attribute.name} (${attribute.unit})` : attribute.name;
  return name.length > 34 ? `${name.slice(0, 33)}…` : name;
}

// In brackets: no training rows are near.
export function pairTable({ first, second, across, up, values, isEmpty }: PairPicture): Table {
  const cell = (i: number, k: number) => (isEmpty?.[i][k] ? `(${formatNumber(values[i][k])})` : values[i][k]);
  return {
    header: [`${first.name} \\ ${second.name}`, ...up],
    rows: across.map((name, i) => [name, ...up.map((_, k) => cell(i, k))]),
  };
}

export interface MatrixPicture {
  names: string[];
  strengths: { row: number; column: number; value: number }[]; // both halves
  picked: { row: number; column: number } | null;
}

// Drawn once more with a frame, above their neighbours.
export function pickedCells(data: number[][], theme: Theme): Option {
  const itemStyle = { borderColor: theme.positive, borderWidth: 2.5 };
  return { type: "heatmap", progressive: 0, silent: true, z: 3, data, itemStyle };
}

const matrixLabel = (width: number) => Math.min(120, width * 0.3);

// Cells as high as wide, within reason.
export function matrixHeight(count: number, width: number): number {
  const label = matrixLabel(width);
  return label + 16 + count * Math.min(26, Math.max(11, (width - label - 16) / count));
}

export function matrixOption({ names, strengths, picked }: MatrixPicture, theme: Theme, width: number): Option {
  const label = matrixLabel(width);
  const isTight = (width - label - 16) / names.length < 15;
  const greatest = Math.max(1e-300, ...strengths.map(({ value }) => value));
  const plain = categoryAxis(theme, names, isTight ? label * 1.2 : label);
  const axis = { ...plain, axisLabel: { ...plain.axisLabel, fontSize: isTight ? 9 : fontSize } };
  const isPicked = ({ row, column }: { row: number; column: number }) =>
    picked !== null &&
    ((row === picked.row && column === picked.column) || (row === picked.column && column === picked.row));
  return {
    grid: { left: label + 8, right: 8, top: 8, bottom: label + 8 },
    xAxis: { ...axis, axisLabel: { ...axis.axisLabel, rotate: isTight ? 90 : 60 }, axisLine: { show: false } },
    yAxis: { ...axis, inverse: true, axisLine: { show: false } },
    visualMap: { show: false, min: 0, max: greatest, dimension: 2, inRange: { color: sequentialColors(theme) } },
    series: [
      {
        type: "heatmap",
        progressive: 0,
        cursor: "pointer",
        data: strengths.map(({ row, column, value }) => ({
          value: [column, row, value],
          itemStyle: { borderColor: theme.background, borderWidth: 1 },
        })),
        emphasis: { itemStyle: { borderColor: theme.text, borderWidth: 1.5 } },
      },
      pickedCells(
        strengths.filter(isPicked).map(({ row, column, value }) => [column, row, value]),
        theme,
      ),
    ],
    tooltip: tooltip(theme, (parameter: { value: number[] }) => {
      const [column, row, value] = parameter.value;
      return lines(`${names[row]} × ${names[column]}`, `strength ${formatNumber(value)}`);
    }),
  };
}
