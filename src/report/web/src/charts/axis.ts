// The look of axes, shared by all charts.
import { formatNumber, shorten } from "../page/dom";
import type { Theme } from "../page/theme";

export const fontSize = 11;

export function valueAxis(theme: Theme, more: Record<string, unknown> = {}) {
  return {
    type: "value",
    axisLine: { show: false, lineStyle: { color: theme.line } },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: theme.line, width: 1, opacity: 0.6 } },
    axisLabel: { color: theme.muted, fontSize, hideOverlap: true, formatter: (value: number) => formatNumber(value) },
    nameTextStyle: { color: theme.muted, fontSize },
    ...more,
  };
}

export function categoryAxis(theme: Theme, names: string[], width: number, more: Record<string, unknown> = {}) {
  // About six pixels a letter; ECharts itself measures what still does not fit.
  const letters = Math.max(4, Math.floor(width / 6));
  return {
    type: "category",
    data: names.map((_, i) => i),
    axisLine: { lineStyle: { color: theme.line } },
    axisTick: { show: false },
    axisLabel: {
      color: theme.text,
      fontSize,
      interval: 0,
      formatter: (_: string, i: number) => shorten(names[i] ?? "", letters),
    },
    ...more,
  };
}

// The ends of all values, zero among them, with a little room.
export function paddedRange(values: number[]): { min: number; max: number } {
  const least = Math.min(0, ...values);
  const greatest = Math.max(0, ...values);
  const room = (greatest - least || 1) * 0.06;
  return { min: least - room, max: greatest + room };
}
