// Small parts that several sections use.
import type { Attribute } from "../document";
import { el, nameOf } from "./dom";
import { classColor, onThemeChange, theme } from "./theme";

// A section with its heading, reached from the navigation.
export function section(id: string, heading: string, ...children: (Node | string | null)[]): HTMLElement {
  const element = el("section", { id, "aria-labelledby": `${id}-heading` }, el("h2", { id: `${id}-heading` }, heading));
  for (const child of children) if (child) element.append(child);
  return element;
}

// Which colour is which class.
export function classLegend(classes: string[]): HTMLElement {
  const swatches = classes.map(() => el("span", { class: "swatch", "aria-hidden": "true" }));
  const paint = () =>
    swatches.forEach((swatch, h) => (swatch.style.background = classColor(h, classes.length, theme())));
  paint();
  onThemeChange(paint);
  const items = classes.map((name, h) => el("li", {}, swatches[h], nameOf(name, 24)));
  return el("ul", { class: "legend", "aria-label": "Classes, lowest first" }, ...items);
}

export function nameWithUnit(attribute: Attribute): string {
  return attribute.unit ? `${attribute.name} (${attribute.unit})` : attribute.name;
}

// "9 of 10", finer near the ends: nobody should read "10 of 10" where a case in fifty goes wrong.
export function shareInWords(share: number): string {
  if (share >= 1) return "all";
  if (share <= 0) return "no";
  for (const of of [10, 20, 100]) {
    const count = Math.round(share * of);
    if (count > 0 && count < of) return `${count} of ${of}`;
  }
  return share > 0.5 ? "more than 99 of 100" : "fewer than 1 of 100";
}

export function inCases(share: number): string {
  const words = shareInWords(share);
  return `in ${words} cases`;
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

// Adds the rest of a long list when asked to.
export function showMore(text: string, onClick: () => void): HTMLElement {
  const place = el("p", { class: "more" });
  const more = el("button", { type: "button" }, text);
  more.addEventListener("click", () => {
    place.remove();
    onClick();
  });
  place.append(more);
  return place;
}
