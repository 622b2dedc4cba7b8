// Small parts that several sections use.
import type { Attribute } from "../document";
import { button, el, nameOf } from "./dom";
import { classColor, onThemeChange, theme } from "./theme";

export interface Section {
  id: string;
  link: string; // in the navigation
  element: HTMLElement;
}

// A section with its heading, by which it is folded and unfolded.
export function section(id: string, link: string, heading: string, ...children: (Node | string | null)[]): Section {
  const toggle = button(heading, heading, () => (isFolded(element) ? unfold(element) : fold(element)), "fold");
  const element = el(
    "section",
    { id, "aria-labelledby": `${id}-heading` },
    el("h2", { id: `${id}-heading` }, toggle),
    ...children,
  );
  unfold(element);
  return { id, link, element };
}

const isFolded = (element: HTMLElement) => element.classList.contains("folded");

export function fold(element: HTMLElement): void {
  element.classList.add("folded");
  element.querySelector(".fold")!.setAttribute("aria-expanded", "false");
}

export function unfold(element: HTMLElement): void {
  element.classList.remove("folded");
  element.querySelector(".fold")!.setAttribute("aria-expanded", "true");
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

const numberWords = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

// "two of three", "nine of ten"; finer near the ends: nobody should read "ten of ten" where a case in fifty goes wrong.
export function shareInWords(share: number): string {
  if (share >= 1) return "all";
  if (share <= 0) return "no";
  for (const of of [2, 3, 4, 5, 10, 20, 100]) {
    const count = Math.round(share * of);
    const isNear = of >= 10 || Math.abs(count / of - share) <= 0.015;
    if (isNear && count > 0 && count < of) return `${numberWords[count] ?? count} of ${numberWords[of] ?? of}`;
  }
  return share > 0.5 ? "more than 99 of 100" : "fewer than 1 of 100";
}

export function inCases(share: number): string {
  return `in ${shareInWords(share)} cases`;
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

// Adds the rest of a long list when asked to.
// On paper nothing is left to be asked for.
export function showMore(text: string, onClick: () => void): HTMLElement {
  const more = button(text, text, () => show());
  const place = el("p", { class: "more" }, more);
  const show = () => {
    if (!place.isConnected) return;
    place.remove();
    onClick();
  };
  window.addEventListener("beforeprint", show, { capture: true }); // before the charts are drawn for it
  return place;
}
