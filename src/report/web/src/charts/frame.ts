// A chart with all that belongs to it: a description for screen readers, a table, SVG and PNG to save.
//
// Charts are drawn when they come near the window, so that a page of a hundred opens at once; all are drawn for paper.
import { button, el, replace, tableOf, type Table } from "../page/dom";
import { lightTheme, onThemeChange, setPrinting, theme, type Theme } from "../page/theme";
import { echarts, type Chart, type Option } from "./echarts";

export interface ChartSpec {
  title: () => string; // names the files that are saved
  describe: () => string; // what a screen reader says
  height: (width: number) => number;
  option: (theme: Theme, width: number) => Option;
  table: () => Table;
  onClick?: (data: unknown) => void;
  tool?: HTMLElement; // stands before those that all charts have
}

// Without quotes: ECharts writes the list into an attribute as it is.
const fontFamily = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, sans-serif";
const frames = new Set<ChartFrame>();
const usualWidth = 480;
const paperWidth = 680; // of the page's text on A4, in CSS pixels

export class ChartFrame {
  readonly element: HTMLElement;
  private readonly canvas = el("div", { class: "canvas" });
  private readonly tablePlace = el("div", { class: "table-place", hidden: true });
  private readonly tableButton: HTMLButtonElement;
  private chart: Chart | null = null;

  constructor(private readonly spec: ChartSpec) {
    this.tableButton = button("Table", "Show the numbers as a table", () => this.toggleTable());
    this.tableButton.setAttribute("aria-expanded", "false");
    const tools = el(
      "div",
      { class: "tools" },
      spec.tool,
      this.tableButton,
      button("SVG", "Save the chart as SVG", () => this.saveSvg()),
      button("PNG", "Save the chart as PNG", () => void this.savePng()),
    );
    this.canvas.setAttribute("role", "img");
    this.canvas.style.height = `${spec.height(usualWidth)}px`; // until it is drawn
    this.element = el("figure", { class: "chart" }, this.canvas, tools, this.tablePlace);
    frames.add(this);
    nearby.observe(this.element);
    owners.set(this.element, this);
  }

  // Draws, or draws again with what the functions of the spec now say; a chart that was never near stays undrawn.
  refresh(): void {
    if (!this.chart) return;
    this.draw();
  }

  isVisible(): boolean {
    return this.element.checkVisibility();
  }

  draw(): void {
    if (!this.element.isConnected || !this.isVisible()) return;
    const width = this.canvas.clientWidth;
    const size = { width, height: this.spec.height(width) };
    this.canvas.style.height = `${size.height}px`;
    this.canvas.setAttribute("aria-label", this.spec.describe());
    if (!this.chart) {
      this.chart = echarts.init(this.canvas, null, { renderer: "svg", ...size });
      if (this.spec.onClick) this.chart.on("click", (event) => this.spec.onClick!(event.data));
    } else {
      this.chart.resize(size);
    }
    // All is new but the tooltip, which ECharts may be about to show again.
    this.chart.setOption(this.fullOption(theme(), size.width), {
      replaceMerge: ["grid", "xAxis", "yAxis", "series", "visualMap"],
    });
    if (!this.tablePlace.hidden) this.fillTable();
  }

  drop(): void {
    nearby.unobserve(this.element);
    frames.delete(this);
    this.chart?.dispose();
  }

  private fullOption(colors: Theme, width: number): Option {
    return {
      animation: false,
      textStyle: { fontFamily, color: colors.text },
      ...this.spec.option(colors, width),
    };
  }

  private toggleTable(): void {
    this.tablePlace.hidden = !this.tablePlace.hidden;
    this.tableButton.setAttribute("aria-expanded", String(!this.tablePlace.hidden));
    if (!this.tablePlace.hidden) this.fillTable();
  }

  private fillTable(): void {
    replace(this.tablePlace, tableOf(this.spec.table(), this.spec.title()));
  }

  // Saved charts are for documents: light, whatever the page is.
  private svgText(): { text: string; width: number; height: number } {
    const width = this.canvas.clientWidth;
    const size = { width, height: this.spec.height(width) };
    const chart = echarts.init(null, null, { renderer: "svg", ssr: true, ...size });
    chart.setOption({ ...this.fullOption(lightTheme, size.width), backgroundColor: lightTheme.background });
    const text = chart.renderToSVGString();
    chart.dispose();
    return { text, ...size };
  }

  private saveSvg(): void {
    save(new Blob([this.svgText().text], { type: "image/svg+xml" }), `${fileName(this.spec.title())}.svg`);
  }

  private async savePng(): Promise<void> {
    const { text, width, height } = this.svgText();
    const image = new Image();
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
    await image.decode();
    const scale = 2;
    const canvas = el("canvas", { width: width * scale, height: height * scale });
    canvas.getContext("2d")!.drawImage(image, 0, 0, width * scale, height * scale);
    canvas.toBlob((blob) => blob && save(blob, `${fileName(this.spec.title())}.png`), "image/png");
  }
}

const owners = new WeakMap<Element, ChartFrame>();
const nearby = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      nearby.unobserve(entry.target);
      owners.get(entry.target)?.draw();
    }
  },
  { rootMargin: "300px" },
);

function redrawDrawn(): void {
  for (const frame of frames) frame.refresh();
}

let resizeTimer = 0;
window.addEventListener("resize", () => {
  window.clearTimeout(resizeTimer);
  resizeTimer = window.setTimeout(redrawDrawn, 100);
});
onThemeChange(redrawDrawn);
window.addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printing");
  setPrinting(true);
  for (const frame of frames) frame.draw();
});
window.addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printing");
  setPrinting(false);
});
document.documentElement.style.setProperty("--paper-width", `${paperWidth}px`);

function fileName(title: string): string {
  return (
    title
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60) || "chart"
  );
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
