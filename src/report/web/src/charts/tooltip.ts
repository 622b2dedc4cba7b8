// Tooltips as elements: ECharts would take a text for markup.
import { el, shorten } from "../page/dom";
import type { Theme } from "../page/theme";

export function lines(...texts: string[]): HTMLElement {
  return el("div", {}, ...texts.map((text, i) => el("div", { class: i === 0 ? "tip-head" : "" }, shorten(text, 120))));
}

export function tooltip(theme: Theme, formatter: (parameter: never) => HTMLElement | string, trigger = "item") {
  return {
    trigger,
    confine: true,
    formatter,
    backgroundColor: theme.background,
    borderColor: theme.line,
    textStyle: { color: theme.text, fontSize: 12 },
    extraCssText: "max-width:20rem;white-space:normal;overflow-wrap:anywhere",
    axisPointer: { lineStyle: { color: theme.muted }, label: { show: false } },
  };
}
