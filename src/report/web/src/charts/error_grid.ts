// The error on rows held out over the grid of penalties.
import type { PenaltyPath } from "../document";
import { formatNumber } from "../page/dom";
import { sequentialColors, type Theme } from "../page/theme";
import { categoryAxis, fontSize } from "./axis";
import type { Option } from "./echarts";
import { pickedCells } from "./heatmap";
import { lines, tooltip } from "./tooltip";

export function errorGrid(path: PenaltyPath, picked: number, theme: Theme, width: number): Option {
  const { increment_penalties: rows, factor_penalties: columns, points } = path;
  const errors = points.map(({ mae }) => mae?.mean ?? NaN);
  const known = errors.filter(Number.isFinite);
  const nameText = { color: theme.muted, fontSize };
  const label = { show: true, fontSize, formatter: ({ value }: { value: number[] }) => value[2].toFixed(3) };
  return {
    grid: { left: 56, right: 14, top: 30, bottom: 46 },
    xAxis: {
      ...categoryAxis(theme, columns.map(formatNumber), width / columns.length),
      name: "penalty on the interactions",
      nameLocation: "middle",
      nameGap: 28,
      nameTextStyle: nameText,
    },
    yAxis: {
      ...categoryAxis(theme, rows.map(formatNumber), 50),
      name: "penalty on the curves",
      nameTextStyle: { ...nameText, align: "left", padding: [0, 0, 0, -46] },
    },
    visualMap: {
      show: false,
      min: Math.min(...known),
      max: Math.max(...known),
      dimension: 2,
      inRange: { color: sequentialColors(theme) },
    },
    series: [
      {
        type: "heatmap",
        progressive: 0,
        cursor: "pointer",
        label,
        data: errors.map((value, i) => ({
          value: [i % columns.length, Math.floor(i / columns.length), value],
          itemStyle: { borderColor: theme.background, borderWidth: 1 },
        })),
      },
      {
        ...pickedCells([[picked % columns.length, Math.floor(picked / columns.length), errors[picked]]], theme),
        label,
      },
    ],
    tooltip: tooltip(theme, ({ value }: { value: number[] }) =>
      lines(
        `mean error ${formatNumber(value[2])}`,
        `curves ${formatNumber(rows[value[1]])}, interactions ${formatNumber(columns[value[0]])}`,
      ),
    ),
  };
}
