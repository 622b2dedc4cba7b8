// The view that all curves and heat-maps show: the paper's raw one, or the purified one that adds up to the score.
import { el } from "./dom";

export type View = "raw" | "purified";

let current: View = "purified";
const listeners: (() => void)[] = [];

export function view(): View {
  return current;
}

export function onViewChange(listener: () => void): void {
  listeners.push(listener);
}

let groupCount = 0;

// Several switches may stand on the page; they move together.
export function viewSwitch(): HTMLElement {
  const name = `view${++groupCount}`;
  const choice = (value: View, text: string) => {
    const input = el("input", { type: "radio", name, value });
    input.checked = value === current;
    input.addEventListener("change", () => {
      current = value;
      for (const listener of listeners) listener();
    });
    onViewChange(() => (input.checked = value === current));
    return el("label", {}, input, text);
  };
  return el(
    "fieldset",
    { class: "switch" },
    el("legend", {}, "View"),
    choice("purified", "purified"),
    choice("raw", "raw"),
  );
}
