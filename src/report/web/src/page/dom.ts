// Elements made by code. Names come from untrusted files: all text goes in as text, nothing as markup.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, ...children);
  return element;
}

export function append(element: Element, ...children: Child[]): void {
  for (const child of children) if (child) element.append(child);
}

export function replace(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, ...children);
}

export function button(text: string, label: string, onClick: () => void, className = ""): HTMLButtonElement {
  const element = el("button", { type: "button", class: className, "aria-label": label === text ? null : label }, text);
  element.addEventListener("click", onClick);
  return element;
}

const nameLimit = 80;

export function shorten(text: string, limit = nameLimit): string {
  const characters = Array.from(text.slice(0, 4 * limit));
  return characters.length > limit || text.length > 4 * limit ? characters.slice(0, limit - 1).join("") + "…" : text;
}

// A name from the data: isolated, so that right-to-left letters do not disturb the sentence around it.
export function nameOf(text: string, limit = nameLimit): HTMLElement {
  const shown = shorten(text, limit);
  return el("bdi", { class: "name", title: shown === text ? null : text }, shown === "" ? "(empty)" : shown);
}

export interface Table {
  header: string[];
  rows: (string | number)[][];
}

export function tableOf(table: Table, caption: string): HTMLTableElement {
  const head = el("tr", {}, ...table.header.map((text) => el("th", { scope: "col" }, shorten(text))));
  const body = table.rows.map((cells) =>
    el(
      "tr",
      {},
      ...cells.map((cell, i) =>
        i === 0
          ? el("th", { scope: "row" }, shorten(String(cell)))
          : el("td", {}, typeof cell === "number" ? formatNumber(cell) : shorten(cell)),
      ),
    ),
  );
  return el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body));
}

// Four digits are what a person reads; whole numbers keep theirs.
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return value.toExponential(2).replace("-", "−");
  const text = size >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

// With two decimals and its sign.
export function formatSigned(value: number): string {
  const text = Math.abs(value).toFixed(2);
  return text === "0.00" ? "0.00" : (value < 0 ? "−" : "+") + text;
}

export function formatPercent(share: number): string {
  const percent = 100 * share;
  if (percent > 0 && percent < 1) return "<1 %";
  return `${percent > 99 && percent < 100 ? ">99" : Math.round(percent)} %`;
}
