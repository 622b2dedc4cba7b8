// Plain bars: importance, class counts, support and probability, contributions; and scores among the training objects.
import { formatNumber, formatSigned } from "../page/dom";
import type { Theme } from "../page/theme";
import { categoryAxis, fontSize, paddedRange, valueAxis } from "./axis";
import type { Option } from "./echarts";
import { lines, tooltip } from "./tooltip";

export interface Bar {
  name: string;
  value: number;
  color?: string;
  faint?: boolean;
  text?: string; // at the end of the bar
}

export function barsHeight(count: number): number {
  return 12 + 24 * Math.max(count, 1);
}

export function barsOption(bars: Bar[], theme: Theme, width: number, max?: number): Option {
  const label = Math.min(170, width * 0.36, 14 + 6.4 * Math.max(4, ...bars.map((bar) => bar.name.length)));
  const longest = Math.max(0, ...bars.map((bar) => bar.text?.length ?? 0));
  return {
    grid: { left: label + 10, right: Math.max(66, 10 + 6.2 * longest), top: 4, bottom: 8 },
    xAxis: valueAxis(theme, { min: 0, max, axisLabel: { show: false }, splitLine: { show: false } }),
    yAxis: categoryAxis(
      theme,
      bars.map((bar) => bar.name),
      label,
      { inverse: true },
    ),
    series: [
      {
        type: "bar",
        barWidth: "64%",
        data: bars.map((bar) => ({
          value: bar.value,
          itemStyle: { color: bar.color ?? theme.accent, opacity: bar.faint ? 0.35 : 1, borderRadius: [0, 2, 2, 0] },
        })),
        label: {
          show: true,
          position: "right",
          color: theme.muted,
          fontSize,
          formatter: ({ dataIndex }: { dataIndex: number }) =>
            bars[dataIndex].text ?? formatNumber(bars[dataIndex].value),
        },
      },
    ],
    tooltip: tooltip(theme, ({ dataIndex }: { dataIndex: number }) =>
      lines(bars[dataIndex].name, bars[dataIndex].text ?? formatNumber(bars[dataIndex].value)),
    ),
  };
}

// Bars to both sides of zero.
export function signedBarsOption(bars: Bar[], theme: Theme, width: number): Option {
  const label = Math.min(230, width * 0.42, 14 + 6.4 * Math.max(4, ...bars.map((bar) => bar.name.length)));
  const range = paddedRange(bars.map((bar) => bar.value));
  const room = ((range.max - range.min) * 40) / Math.max(width - label - 100, 60); // for the numbers at the ends
  return {
    grid: { left: label + 10, right: 12, top: 4, bottom: 26 },
    xAxis: valueAxis(theme, {
      min: range.min - room,
      max: range.max + room,
      axisLabel: { ...valueAxis(theme).axisLabel, showMinLabel: false, showMaxLabel: false },
    }),
    yAxis: categoryAxis(
      theme,
      bars.map((bar) => bar.name),
      label,
      { inverse: true, axisLine: { show: false } },
    ),
    series: [
      {
        type: "bar",
        barWidth: "64%",
        data: bars.map((bar) => ({
          value: bar.value,
          itemStyle: { color: bar.value < 0 ? theme.negative : theme.positive, opacity: bar.faint ? 0.5 : 1 },
          label: { position: bar.value < 0 ? "left" : "right" },
        })),
        label: {
          show: true,
          color: theme.text,
          fontSize,
          formatter: ({ value }: { value: number }) => formatSigned(value),
        },
        markLine: {
          silent: true,
          symbol: "none",
          label: { show: false },
          lineStyle: { color: theme.muted, type: "solid", width: 1 },
          data: [{ xAxis: 0 }],
        },
      },
    ],
    tooltip: tooltip(theme, ({ dataIndex }: { dataIndex: number }) =>
      lines(bars[dataIndex].name, formatSigned(bars[dataIndex].value)),
    ),
  };
}

export interface ScoreRange {
  name: string;
  color: string;
  quantiles: number[] | null; // least, quarter, half, three quarters, greatest; none without training rows
}

// Where one score lies among those of the training objects of each class.
export function scoresOption(ranges: ScoreRange[], score: number, theme: Theme, width: number): Option {
  const label = Math.min(150, width * 0.3, 14 + 6.4 * Math.max(4, ...ranges.map((range) => range.name.length)));
  const all = [score, ...ranges.flatMap((range) => range.quantiles ?? [])];
  const room = (Math.max(...all) - Math.min(...all) || 1) * 0.05;
  return {
    grid: { left: label + 10, right: 14, top: 22, bottom: 26 },
    xAxis: valueAxis(theme, {
      min: Math.min(...all) - room,
      max: Math.max(...all) + room,
      axisLabel: { ...valueAxis(theme).axisLabel, showMinLabel: false, showMaxLabel: false },
    }),
    yAxis: categoryAxis(
      theme,
      ranges.map((range) => range.name),
      label,
      { inverse: true, axisLine: { show: false } },
    ),
    series: [
      {
        type: "boxplot",
        layout: "vertical",
        boxWidth: [6, 14],
        data: ranges.map((range) => ({
          value: range.quantiles ?? [],
          itemStyle: { color: range.color, borderColor: theme.muted },
        })),
        markLine: {
          silent: true,
          symbol: "none",
          label: {
            formatter: `this object: ${formatNumber(score)}`,
            color: theme.positive,
            fontSize,
            position: "start",
          },
          lineStyle: { color: theme.positive, type: "solid", width: 2 },
          data: [{ xAxis: score }],
        },
      },
    ],
    tooltip: tooltip(theme, ({ dataIndex }: { dataIndex: number }) => {
      const { name, quantiles } = ranges[dataIndex];
      if (!quantiles) return lines(name, "no training rows");
      return lines(
        name,
        `scores ${formatNumber(quantiles[0])} to ${formatNumber(quantiles[4])}`,
        `middle ${formatNumber(quantiles[2])}`,
      );
    }),
  };
}
