// One categorical attribute: a bar per level, the greatest first, and the training rows per class beside it.
import { formatNumber, formatSigned, type Table } from "../page/dom";
import { classColor, type Theme } from "../page/theme";
import { categoryAxis, paddedRange, valueAxis } from "./axis";
import { curveValues, type CurvePicture } from "./curve";
import type { Option } from "./echarts";
import { lines, tooltip } from "./tooltip";

export const shownLevels = 10; // at first

interface Level {
  name: string;
  value: number;
  weights: number[];
  band: [number, number] | null;
  isFaint: boolean; // missing, or not seen in training
}

export function levelsOf({ attribute, classes, curve, band }: CurvePicture): Level[] {
  const levels: Level[] = attribute.levels!.map((name, c) => ({
    name: name === "" ? "(empty)" : name,
    value: curve.values[c],
    weights: attribute.class_histogram[c],
    band: band ? [band.lower[c], band.upper[c]] : null,
    isFaint: false,
  }));
  levels.sort((a, b) => b.value - a.value);
  const add = (name: string, value: number | null, weights: number[], band: [number, number] | null) => {
    if (value !== null) levels.push({ name, value, weights, band, isFaint: true });
  };
  add("missing", curve.missing, attribute.class_histogram[attribute.levels!.length], band?.missing ?? null);
  add("other", curve.other, new Array<number>(classes.length).fill(0), null);
  return levels;
}

// Both ends of the list when it is long: what raises the score most, and what lowers it most.
function shown(levels: Level[], limit: number): Level[] {
  if (levels.length <= limit) return levels;
  return [...levels.slice(0, Math.ceil(limit / 2)), ...levels.slice(-Math.floor(limit / 2))];
}

export function levelsHeight(picture: CurvePicture, limit = shownLevels): number {
  return Math.max(130, 56 + 20 * shown(levelsOf(picture), limit).length);
}

export function levelsOption(picture: CurvePicture, theme: Theme, width: number, limit = shownLevels): Option {
  const { classes, curve, band } = picture;
  const levels = shown(levelsOf(picture), limit);
  const range = picture.range ?? paddedRange(curveValues(curve, band));
  const names = levels.map((level) => level.name);
  const labelWidth = Math.min(110, width * 0.28, 16 + 6.2 * Math.max(...names.map((name) => name.length)));
  const right = 14 + width * 0.24;
  const vertical = { top: 8, bottom: 44 };
  const name = (text: string) => ({ name: text, nameLocation: "middle", nameGap: 24 });
  const common = { inverse: true, axisLine: { show: false } };
  return {
    grid: [
      { left: labelWidth + 12, right: right + 22, ...vertical },
      { left: width - right, right: 14, ...vertical },
    ],
    xAxis: [
      valueAxis(theme, {
        ...range,
        ...name("score"),
        gridIndex: 0,
        axisLabel: { ...valueAxis(theme).axisLabel, showMinLabel: false, showMaxLabel: false },
      }),
      valueAxis(theme, { ...name("training rows"), gridIndex: 1, splitLine: { show: false }, splitNumber: 2 }),
    ],
    yAxis: [
      categoryAxis(theme, names, labelWidth, { ...common, gridIndex: 0 }),
      categoryAxis(theme, names, 0, { ...common, gridIndex: 1, axisLabel: { show: false } }),
    ],
    series: [
      {
        type: "bar",
        barWidth: "62%",
        data: levels.map((level) => ({
          value: level.value,
          itemStyle: { color: level.value < 0 ? theme.negative : theme.positive, opacity: level.isFaint ? 0.55 : 1 },
        })),
      },
      ...bandMarks(levels, theme),
      ...classes.map((_, h) => ({
        type: "bar",
        stack: "rows",
        barWidth: "62%",
        xAxisIndex: 1,
        yAxisIndex: 1,
        itemStyle: { color: classColor(h, classes.length, theme) },
        data: levels.map((level) => level.weights[h]),
      })),
    ],
    tooltip: tooltip(theme, (parameter: { dataIndex: number }) => {
      const level = levels[parameter.dataIndex];
      const texts = [level.name, `score ${formatSigned(level.value)}`];
      if (level.band) texts.push(`band ${formatSigned(level.band[0])} to ${formatSigned(level.band[1])}`);
      return lines(...texts, ...classes.map((name, h) => `${name}: ${formatNumber(level.weights[h])} training rows`));
    }),
  };
}

// A thin line per level from one end of its band to the other.
function bandMarks(levels: Level[], theme: Theme): Option[] {
  if (!levels.some((level) => level.band)) return [];
  const data = levels.flatMap((level, i) => (level.band ? [level.band.map((end) => ({ coord: [end, i] }))] : []));
  return [
    {
      type: "scatter",
      data: [],
      markLine: {
        silent: true,
        animation: false,
        symbol: "none",
        label: { show: false },
        lineStyle: { color: theme.text, type: "solid", width: 1.2, opacity: 0.7 },
        data,
      },
    },
  ];
}

export function levelsTable(picture: CurvePicture): Table {
  const { classes, band } = picture;
  return {
    header: ["level", "score", ...(band ? ["band from", "band to"] : []), ...classes.map((name) => `rows: ${name}`)],
    rows: levelsOf(picture).map((level) => [
      level.name,
      level.value,
      ...(band ? (level.band ?? ["", ""]) : []),
      ...level.weights,
    ]),
  };
}
