// Heat-maps: what two attributes do together, and how strong each pair is.
import type { Attribute } from "../document";
import { formatNumber, formatSigned, type Table } from "../page/dom";
import { divergingColors, sequentialColors, type Theme } from "../page/theme";
import { categoryAxis, fontSize } from "./axis";
import type { Option } from "./echarts";
import { lines, tooltip } from "./tooltip";

export interface PairPicture {
  first: Attribute;
  second: Attribute;
  values: number[][]; // [of the first][of the second]
  view: "raw" | "purified";
  scale: number; // greatest absolute value of all pairs
}

// What stands on an axis: knots (purified) or segments between them (raw), levels, missing.
export function axisNames(attribute: Attribute, view: "raw" | "purified"): string[] {
  const missing = attribute.has_missing ? ["missing"] : [];
  if (attribute.kind === "categorical") return [...attribute.levels!.map((level) => level || "(empty)"), ...missing];
  const knots = attribute.knots!.map(formatNumber);
  if (view === "purified" || knots.length === 1) return [...knots, ...missing];
  return [...knots.slice(1).map((knot, i) => `${knots[i]}–${knot}`), ...missing];
}

export function pairHeight({ second, view }: PairPicture): number {
  return Math.min(620, 118 + 22 * Math.max(6, axisNames(second, view).length));
}

export function pairOption(picture: PairPicture, theme: Theme, width: number): Option {
  const { first, second, values, view } = picture;
  const across = axisNames(first, view);
  const up = axisNames(second, view);
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
    },
    series: [
      {
        type: "heatmap",
        data: values.flatMap((row, i) => row.map((value, k) => [i, k, value])),
        itemStyle: { borderColor: theme.background, borderWidth: 1 },
        emphasis: { itemStyle: { borderColor: theme.text, borderWidth: 1.5 } },
      },
    ],
    tooltip: tooltip(theme, (parameter: { data: number[] }) => {
      const [i, k, value] = parameter.data;
      return lines(`score ${formatSigned(value)}`, `${first.name}: ${across[i]}`, `${second.name}: ${up[k]}`);
    }),
  };
}

function shortName(attribute: Attribute): string {
  const name = attribute.unit ? `${attribute.name} (${attribute.unit})` : attribute.name;
  return name.length > 34 ? `${name.slice(0, 33)}…` : name;
}

export function pairTable({ first, second, values, view }: PairPicture): Table {
  return {
    header: [`${first.name} \\ ${second.name}`, ...axisNames(second, view)],
    rows: axisNames(first, view).map((name, i) => [name, ...values[i]]),
  };
}

export interface MatrixPicture {
  names: string[];
  strengths: { row: number; column: number; value: number }[]; // both halves
  picked: { row: number; column: number } | null;
}

// Drawn once more with a frame, above their neighbours.
export function pickedCells(data: number[][], theme: Theme): Option {
  return { type: "heatmap", silent: true, z: 3, data, itemStyle: { borderColor: theme.positive, borderWidth: 2.5 } };
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
