// Whether promised probabilities come true: points on the diagonal do.
import { formatNumber, formatPercent } from "../page/dom";
import type { Theme } from "../page/theme";
import { fontSize, valueAxis } from "./axis";
import type { Option } from "./echarts";
import { lines, tooltip } from "./tooltip";

export function calibrationOption(points: [number, number, number][], theme: Theme): Option {
  const most = Math.max(...points.map(([, , count]) => count));
  const axis = (name: string, nameGap: number) =>
    valueAxis(theme, {
      min: 0,
      max: 1,
      interval: 0.25,
      name,
      nameLocation: "middle",
      nameGap,
      axisLabel: { color: theme.muted, fontSize, formatter: (share: number) => formatPercent(share) },
    });
  return {
    grid: { left: 62, right: 20, top: 12, bottom: 44 },
    xAxis: axis("promised", 28),
    yAxis: axis("observed", 46),
    series: [
      {
        id: "agreement",
        type: "line",
        silent: true,
        symbol: "none",
        tooltip: { show: false },
        lineStyle: { color: theme.muted, type: "dashed", width: 1 },
        data: [
          [0, 0],
          [1, 1],
        ],
      },
      {
        id: "calibration",
        type: "scatter",
        itemStyle: { color: theme.accent },
        data: points.map(([promised, observed, count]) => ({
          value: [promised, observed],
          symbolSize: 6 + 14 * Math.sqrt(count / most),
        })),
      },
    ],
    tooltip: tooltip(theme, ({ dataIndex }: { dataIndex: number }) => {
      const [promised, observed, count] = points[dataIndex];
      return lines(
        `promised ${formatPercent(promised)}`,
        `observed ${formatPercent(observed)}`,
        `${formatNumber(count)} cases`,
      );
    }),
  };
}
