// One numeric attribute: its curve with band and knots, the value of a missing cell beside it, and beneath it where the
// training rows of each class lie.
import type { Attribute, Band } from "../document";
import { segmentCount } from "../model/encode";
import type { Curve } from "../model/effects";
import { formatNumber, formatSigned, type Table } from "../page/dom";
import { classColor, type Theme } from "../page/theme";
import { fontSize, paddedRange, valueAxis } from "./axis";
import type { Option } from "./echarts";
import { lines, tooltip } from "./tooltip";

export interface CurvePicture {
  attribute: Attribute;
  classes: string[];
  curve: Curve;
  band: Band | null;
  range?: { min: number; max: number }; // shared by all curves
}

const missingWidth = 58;

// Weight of the training rows per segment (by ascending knots) and class.
export function segmentWeights(attribute: Attribute): number[][] {
  const weights = attribute.class_histogram.slice(0, segmentCount(attribute));
  return attribute.direction === "decreasing" ? weights.reverse() : weights;
}

export function curveValues(curve: Curve, band: Band | null): number[] {
  const beside = [...curve.special, curve.missing, curve.other].filter((value) => value !== null);
  return [...curve.values, ...beside, ...(band ? [...band.lower, ...band.upper, ...(band.missing ?? [])] : [])];
}

export function curveOption(picture: CurvePicture, theme: Theme): Option {
  const { attribute, classes, curve, band } = picture;
  // A constant attribute has one knot: a point in the middle of a scale around it.
  const knots = attribute.knots!;
  const ends = knots.length > 1 ? [knots[0], knots[knots.length - 1]] : [knots[0] - 1, knots[0] + 1];
  const range = picture.range ?? paddedRange(curveValues(curve, band));
  const right = curve.missing === null ? 14 : missingWidth + 14;
  const label = valueAxis(theme).axisLabel;
  const xAxis = { min: ends[0], max: ends[1], splitLine: { show: false } };
  const yAxis = { ...range, axisLabel: { ...label, showMinLabel: false, showMaxLabel: false } };
  const points = knots.map((knot, i) => [knot, curve.values[i]]);
  const grids: Option[] = [
    { left: 46, right, top: 14, height: 150 },
    { left: 46, right, top: 176, height: 46 },
  ];
  const xAxes: Option[] = [
    valueAxis(theme, { ...xAxis, gridIndex: 0, axisLabel: { show: false } }),
    valueAxis(theme, { ...xAxis, gridIndex: 1, axisLine: { show: true, lineStyle: { color: theme.line } } }),
  ];
  const yAxes: Option[] = [
    valueAxis(theme, { ...yAxis, gridIndex: 0 }),
    valueAxis(theme, {
      gridIndex: 1,
      min: 0,
      max: densityTop(attribute),
      axisLabel: { show: false },
      splitLine: { show: false },
    }),
  ];
  const series: Option[] = [
    ...bandSeries(knots, band, theme),
    lineSeries(points, theme),
    ...densitySeries(attribute, classes, theme),
  ];
  if (curve.missing !== null) {
    grids.push({ right: 14, width: missingWidth - 16, top: 14, height: 150 });
    xAxes.push({
      type: "category",
      gridIndex: 2,
      data: ["missing"],
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: { color: theme.muted, fontSize },
    });
    yAxes.push(valueAxis(theme, { ...range, gridIndex: 2, axisLabel: { show: false } }));
    series.push(...missingSeries(curve.missing, band, theme));
  }
  return {
    grid: grids,
    xAxis: xAxes,
    yAxis: yAxes,
    series,
    tooltip: tooltip(
      theme,
      (parameters: { seriesId?: string; dataIndex: number; axisIndex?: number }[]) => {
        const at = parameters.find((parameter) => parameter.seriesId === "curve") ?? parameters[0];
        if (at.seriesId === "missing") return lines("missing value", `score ${formatSigned(curve.missing!)}`);
        const i = Math.min(at.dataIndex, knots.length - 1);
        return at.seriesId === "curve" ? knotText(picture, i) : densityText(picture, i);
      },
      "axis",
    ),
  };
}

function knotText({ attribute, curve, band }: CurvePicture, i: number): HTMLElement {
  const unit = attribute.unit ? ` ${attribute.unit}` : "";
  const texts = [`${formatNumber(attribute.knots![i])}${unit}`, `score ${formatSigned(curve.values[i])}`];
  if (band) texts.push(`band ${formatSigned(band.lower[i])} to ${formatSigned(band.upper[i])}`);
  return lines(...texts);
}

function densityText({ attribute, classes }: CurvePicture, i: number): HTMLElement {
  const weights = segmentWeights(attribute);
  const knots = attribute.knots!;
  const segment = Math.min(i, weights.length - 1);
  const end = knots[Math.min(segment + 1, knots.length - 1)];
  return lines(
    `${formatNumber(knots[segment])} to ${formatNumber(end)}: training rows`,
    ...classes.map((name, h) => `${name}: ${formatNumber(weights[segment][h])}`),
  );
}

// The area between the ends of the band: along the upper one, and back along the lower.
function bandSeries(knots: number[], band: Band | null, theme: Theme): Option[] {
  if (!band) return [];
  const outline = [
    ...knots.map((knot, i) => [knot, band.upper[i]]),
    ...knots.map((knot, i) => [knot, band.lower[i]]).reverse(),
  ];
  return [
    {
      type: "custom",
      silent: true,
      tooltip: { show: false },
      data: [[knots[0], band.lower[0]]],
      renderItem: (_: unknown, api: { coord: (point: number[]) => number[] }) => ({
        type: "polygon",
        shape: { points: outline.map((point) => api.coord(point)) },
        style: { fill: theme.accent, opacity: 0.18 },
      }),
    },
  ];
}

function lineSeries(points: number[][], theme: Theme): Option {
  return {
    id: "curve",
    type: "line",
    data: points,
    symbol: "circle",
    symbolSize: points.length > 40 ? 3 : 6,
    showAllSymbol: true,
    itemStyle: { color: theme.background, borderColor: theme.accent, borderWidth: 1.6 },
    lineStyle: { color: theme.accent, width: 2 },
    markLine: {
      silent: true,
      symbol: "none",
      label: { show: false },
      lineStyle: { color: theme.muted, type: "dashed", width: 1, opacity: 0.7 },
      data: [{ yAxis: 0 }],
    },
  };
}

function missingSeries(missing: number, band: Band | null, theme: Theme): Option[] {
  const point = {
    id: "missing",
    type: "scatter",
    xAxisIndex: 2,
    yAxisIndex: 2,
    symbol: "diamond",
    symbolSize: 11,
    itemStyle: { color: theme.positive },
    data: [[0, missing]],
  };
  if (!band?.missing) return [point];
  const ends = band.missing;
  return [
    {
      type: "line",
      silent: true,
      xAxisIndex: 2,
      yAxisIndex: 2,
      symbol: "none",
      lineStyle: { color: theme.positive, width: 2, opacity: 0.5 },
      data: ends.map((end) => [0, end]),
    },
    point,
  ];
}

// Up to where densities are drawn: a peak of one narrow segment is cut off, or all others would vanish beside it.
function densityTop(attribute: Attribute): number | undefined {
  const knots = attribute.knots!;
  if (knots.length < 2) return undefined;
  const totals = segmentWeights(attribute).map(
    (byClass, i) => byClass.reduce((sum, weight) => sum + weight, 0) / (knots[i + 1] - knots[i]),
  );
  totals.sort((a, b) => a - b);
  const common = totals[Math.floor(0.75 * (totals.length - 1))];
  return Math.min(totals[totals.length - 1], 4 * common) || undefined;
}

// Rows per unit of the attribute, so that areas count rows; the classes on top of each other: each area reaches down to
// zero, and those of lower classes are painted over it.
function densitySeries(attribute: Attribute, classes: string[], theme: Theme): Option[] {
  const weights = segmentWeights(attribute);
  const knots = attribute.knots!;
  if (knots.length < 2) return [];
  const upTo = (byClass: number[], h: number) => byClass.slice(0, h + 1).reduce((sum, weight) => sum + weight, 0);
  const series = classes.map((_, h) => {
    const data = weights.map((byClass, i) => [knots[i], upTo(byClass, h) / (knots[i + 1] - knots[i])]);
    data.push([knots[knots.length - 1], data[data.length - 1][1]]);
    const color = classColor(h, classes.length, theme);
    return {
      id: `density${h}`,
      type: "line",
      step: "end",
      xAxisIndex: 1,
      yAxisIndex: 1,
      symbol: "none",
      lineStyle: { width: 0 },
      areaStyle: { color, opacity: 1 },
      itemStyle: { color },
      data,
    };
  });
  return series.reverse();
}

export function curveTable({ attribute, curve, band }: CurvePicture): Table {
  const bands = band ? ["band from", "band to"] : [];
  const rows: (string | number)[][] = attribute.knots!.map((knot, i) => [
    formatNumber(knot),
    curve.values[i],
    ...(band ? [band.lower[i], band.upper[i]] : []),
  ]);
  curve.special.forEach((value, k) =>
    rows.push([`${attribute.special![k]} (special)`, value, ...(band ? ["", ""] : [])]),
  );
  if (curve.missing !== null) rows.push(["missing", curve.missing, ...(band?.missing ?? (band ? ["", ""] : []))]);
  return { header: [attribute.unit ? `value (${attribute.unit})` : "value", "score", ...bands], rows };
}
