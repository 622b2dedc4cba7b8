// One numeric attribute: its curve with band and knots, the value of a missing cell beside it, and beneath it where the
// training rows of each class lie.
import type { Attribute, Band } from "../document";
import { axisScale, roundTicks, rowBins, type AxisScale, type ScaleKind } from "../model/axis_scale";
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
  scale?: ScaleKind;
}

const missingWidth = 58;
const binCount = 40;
const bends = 60; // points that draw a straight piece as the bow that it is on an axis that is not even

export function curveValues(curve: Curve, band: Band | null): number[] {
  const beside = [...curve.special, curve.missing, curve.other].filter((value) => value !== null);
  return [...curve.values, ...beside, ...(band ? [...band.lower, ...band.upper, ...(band.missing ?? [])] : [])];
}

export function curveOption(picture: CurvePicture, theme: Theme): Option {
  const { attribute, classes, curve, band } = picture;
  const knots = attribute.knots!;
  const scale = axisScale(attribute, picture.scale ?? "even");
  const bins = rowBins(attribute, scale, binCount);
  const range = picture.range ?? paddedRange(curveValues(curve, band));
  const right = curve.missing === null ? 14 : missingWidth + 14;
  const label = valueAxis(theme).axisLabel;
  const xAxis = { min: scale.least, max: scale.greatest, splitLine: { show: false } };
  const yAxis = { ...range, axisLabel: { ...label, showMinLabel: false, showMaxLabel: false } };
  const points = knots.map((knot, i) => [scale.place(knot), curve.values[i]]);
  const grids: Option[] = [
    { left: 46, right, top: 14, height: 150 },
    { left: 46, right, top: 176, height: 46 },
  ];
  const xAxes: Option[] = [
    valueAxis(theme, { ...xAxis, gridIndex: 0, axisLabel: { show: false } }),
    valueAxis(theme, {
      ...xAxis,
      gridIndex: 1,
      axisLine: { show: true, lineStyle: { color: theme.line } },
      ...roundLabels(scale, theme),
    }),
  ];
  const yAxes: Option[] = [
    valueAxis(theme, { ...yAxis, gridIndex: 0 }),
    valueAxis(theme, {
      gridIndex: 1,
      min: 0,
      axisLabel: { show: false },
      splitLine: { show: false },
    }),
  ];
  const series: Option[] = [
    ...bandSeries(points, band, theme),
    ...(scale.kind !== "even" ? [bowSeries(picture, scale, theme)] : []),
    lineSeries(points, scale.kind === "even", theme),
    ...rowSeries(bins, scale, classes, theme),
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
        return at.seriesId === "curve" ? knotText(picture, i) : binText(picture, scale, bins, at.dataIndex);
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

function binText({ classes }: CurvePicture, scale: AxisScale, bins: number[][], at: number): HTMLElement {
  const bin = Math.min(at, bins.length - 1);
  const width = (scale.greatest - scale.least) / bins.length;
  const [from, to] = [bin, bin + 1].map((i) => formatNumber(scale.value(scale.least + i * width)));
  const count = (weight: number) => formatNumber(Number(weight.toPrecision(2)));
  return lines(
    `${from} to ${to}: about so many training rows`,
    ...classes.map((name, h) => `${name}: ${count(bins[bin][h])}`),
  );
}

// An axis that is not even has ticks of its own.
function roundLabels(scale: AxisScale, theme: Theme): Option {
  if (scale.kind === "even") return {};
  const ticks = roundTicks(scale);
  return {
    axisLabel: {
      ...valueAxis(theme).axisLabel,
      customValues: ticks,
      formatter: (place: number) => formatNumber(Number(scale.value(place).toPrecision(3))),
    },
    axisTick: { show: true, customValues: ticks, length: 3, lineStyle: { color: theme.muted } },
  };
}

// The area between the ends of the band: along the upper one, and back along the lower.
function bandSeries(points: number[][], band: Band | null, theme: Theme): Option[] {
  if (!band) return [];
  const outline = [
    ...points.map(([place], i) => [place, band.upper[i]]),
    ...points.map(([place], i) => [place, band.lower[i]]).reverse(),
  ];
  return [
    {
      type: "custom",
      silent: true,
      tooltip: { show: false },
      data: [[points[0][0], band.lower[0]]],
      renderItem: (_: unknown, api: { coord: (point: number[]) => number[] }) => ({
        type: "polygon",
        shape: { points: outline.map((point) => api.coord(point)) },
        style: { fill: theme.accent, opacity: 0.18 },
      }),
    },
  ];
}

// Knots show under the pointer.
function lineSeries(points: number[][], isShown: boolean, theme: Theme): Option {
  return {
    id: "curve",
    type: "line",
    data: points,
    symbol: "circle",
    symbolSize: 7,
    showSymbol: points.length === 1,
    itemStyle: { color: theme.background, borderColor: theme.accent, borderWidth: 1.6 },
    lineStyle: { color: theme.accent, width: 2, opacity: isShown ? 1 : 0 },
    emphasis: { lineStyle: { width: 2 } },
    markLine: {
      silent: true,
      symbol: "none",
      label: { show: false },
      lineStyle: { color: theme.muted, type: "dashed", width: 1, opacity: 0.7 },
      data: [{ yAxis: 0 }],
    },
  };
}

// Straight between the knots, seen on an axis that is not.
function bowSeries({ attribute, curve }: CurvePicture, scale: AxisScale, theme: Theme): Option {
  const knots = attribute.knots!;
  const data = knots.flatMap((knot, i) => {
    const own = scale.place(knot);
    if (i + 1 === knots.length) return [[own, curve.values[i]]];
    const steps = Math.max(1, Math.ceil((scale.place(knots[i + 1]) - own) * bends));
    return Array.from({ length: steps }, (_, k) => {
      const share = k / steps;
      const value = knot + share * (knots[i + 1] - knot);
      return [scale.place(value), curve.values[i] + share * (curve.values[i + 1] - curve.values[i])];
    });
  });
  return {
    id: "bow",
    type: "line",
    silent: true,
    symbol: "none",
    tooltip: { show: false },
    data,
    lineStyle: { color: theme.accent, width: 2 },
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

// The classes on top of each other: each area reaches down to zero, and those of lower classes are painted over it.
function rowSeries(bins: number[][], scale: AxisScale, classes: string[], theme: Theme): Option[] {
  const width = (scale.greatest - scale.least) / bins.length;
  const upTo = (byClass: number[], h: number) => byClass.slice(0, h + 1).reduce((sum, weight) => sum + weight, 0);
  const series = classes.map((_, h) => {
    const data = bins.map((byClass, i) => [scale.least + i * width, upTo(byClass, h)]);
    data.push([scale.greatest, data[data.length - 1][1]]);
    const color = classColor(h, classes.length, theme);
    return {
      id: `rows${h}`,
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
