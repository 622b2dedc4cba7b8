// Light and dark: the system's choice, or the reader's.
import { button } from "./dom";

export interface Theme {
  dark: boolean;
  background: string;
  text: string;
  muted: string;
  line: string;
  accent: string;
  positive: string;
  negative: string;
  neutral: string; // zero of the diverging scale
}

export const lightTheme: Theme = {
  dark: false,
  background: "#ffffff",
  text: "#1d232b",
  muted: "#5b6673",
  line: "#dfe3e8",
  accent: "#22577a",
  positive: "#b5520a",
  negative: "#2b6ca8",
  neutral: "#f5f4f1",
};

export const darkTheme: Theme = {
  dark: true,
  background: "#1a1f26",
  text: "#e8ebef",
  muted: "#a3adb9",
  line: "#343c47",
  accent: "#86bce0",
  positive: "#f09a4e",
  negative: "#6fb1e6",
  neutral: "#2b323c",
};

// Blue to orange through nothing: told apart with every kind of colour vision, and in grey by the sign in the table.
export function divergingColors(theme: Theme): string[] {
  return theme.dark
    ? ["#8cc4f2", "#3f7fb5", theme.neutral, "#b56a26", "#f7b070"]
    : ["#174a7c", "#7fb2d9", theme.neutral, "#eda55d", "#8f3d02"];
}

// Nothing to much, in one hue.
export function sequentialColors(theme: Theme): string[] {
  return theme.dark ? [theme.neutral, "#3a6d8f", "#9fd3f0"] : [theme.neutral, "#9cc3dc", "#17456b"];
}

// Viridis (van der Walt and Smith, 2015): ordered by lightness, so the order of the classes is seen as such.
const viridis = [
  "#440154",
  "#482878",
  "#3e4a89",
  "#31688e",
  "#26828e",
  "#1f9e89",
  "#35b779",
  "#6dcd59",
  "#b4de2c",
  "#fde725",
];

export function classColor(h: number, count: number, theme: Theme): string {
  const share = count === 1 ? 0.5 : h / (count - 1);
  const at = theme.dark ? 2.2 + share * 6.8 : 0.4 + share * 7.8; // stay away from the background
  return mix(viridis[Math.floor(at)], viridis[Math.min(Math.floor(at) + 1, viridis.length - 1)], at - Math.floor(at));
}

export function mix(a: string, b: string, share: number): string {
  const part = (color: string, i: number) => parseInt(color.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mixed = [0, 1, 2].map((i) => Math.round(part(a, i) * (1 - share) + part(b, i) * share));
  return "#" + mixed.map((value) => value.toString(16).padStart(2, "0")).join("");
}

// Black or white, whichever stands out more from the colour (WCAG 2.1): at least 4.5 to 1.
export function inkOn(color: string): string {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const part = parseInt(color.slice(i, i + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}

const system = window.matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let chosen: "light" | "dark" | null = null;
let printing = false;

export function theme(): Theme {
  if (printing) return lightTheme;
  return (chosen ?? (system.matches ? "dark" : "light")) === "dark" ? darkTheme : lightTheme;
}

export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

// Paper is white.
export function setPrinting(value: boolean): void {
  printing = value;
  apply();
}

function apply(): void {
  document.documentElement.dataset.theme = theme().dark ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function themeSwitch(): HTMLButtonElement {
  const text = () => (theme().dark ? "Light" : "Dark");
  const toggle = button(
    text(),
    "Switch between light and dark",
    () => {
      chosen = theme().dark ? "light" : "dark";
      apply();
    },
    "theme-switch",
  );
  onThemeChange(() => (toggle.textContent = text()));
  system.addEventListener("change", apply);
  apply();
  return toggle;
}
