// Rows with what is hard to draw: a count with many zeros, a skewed income, a pair, and names.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, random } from "./support.mjs";

export function visits(file) {
  const { uniform, below } = random(11);
  const lines = ["id,visits,dose,income,age,stage"];
  for (let i = 0; i < 400; ++i) {
    const count = Math.min(12, Math.floor(-3 * Math.log(1 - uniform())));
    const dose = [0, 0, 0, 5, 10, 20][below(6)];
    const income = Math.round(Math.exp(6 + 7 * uniform() ** 2));
    const age = 20 + below(60);
    const together = count > 2 ? 1.6 * (dose >= 10 ? 1 : -1) : 0;
    const noise = uniform() + uniform() + uniform() - 1.5;
    const score = 0.2 * count + 0.9 * Math.log(income / 5000) + 0.03 * (age - 50) + together + noise;
    lines.push(`P${String(i).padStart(4, "0")},${count},${dose},${income},${age},${score > 0.4 ? "severe" : "mild"}`);
  }
  writeFileSync(join(folder, file), lines.join("\n") + "\n");
}
