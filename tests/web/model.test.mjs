// The page's arithmetic against the library's.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { env, isNear, random } from "./support.mjs";

const { Model, axisScale, nextClass, rowBins, scaleKinds, usualScale } = await import(
  pathToFileURL(join(env.XOFM_WEB, "model.mjs")).href
);

// Scores are added up in the library's order; exp() may differ in its last digit.
const scoreTolerance = 1e-13;
const tolerance = 1e-9;

const names = readdirSync(env.XOFM_CASES).filter((name) => name.endsWith(".json"));
const cases = names.map((name) => {
  const content = JSON.parse(readFileSync(join(env.XOFM_CASES, name), "utf8"));
  return { name, ...content, model: new Model(content.document) };
});

test("there are models of every rule, with u and V and with curves and surfaces", () => {
  for (const hasTerms of [false, true]) {
    const some = cases.filter(({ model }) => model.hasTerms === hasTerms);
    const rules = new Set(some.map(({ document }) => document.model.assignment.rule));
    assert.deepEqual([...rules].sort(), ["probability", "support", "threshold"]);
  }
});

function forEachRow(check) {
  for (const { name, rows, model } of cases) rows.forEach((row, i) => check(row, model, `${name} row ${i}`));
}

function areNear(actual, expected, what) {
  assert.equal(actual.length, expected.length, what);
  actual.forEach((value, i) => isNear(value, expected[i], tolerance, `${what}, ${i}`));
}

test("scores, classes, intervals, support and probabilities are those of the library", () => {
  forEachRow((row, model, where) => {
    const now = model.predict(row.values);
    if (model.hasTerms) assert.equal(now.score, row.score, `${where}, score`);
    isNear(now.score, row.score, scoreTolerance, `${where}, score`);
    assert.deepEqual([now.label, now.lowest, now.highest], [row.label, row.lowest, row.highest], where);
    areNear(now.support, row.support, `${where}, support`);
    areNear(now.probabilities, row.probabilities, `${where}, probabilities`);
  });
});

test("covering intervals are those of the library", () => {
  let count = 0;
  forEachRow((row, model, where) => {
    const { probabilities } = model.predict(row.values);
    if (!row.covering) return assert.equal(model.assigner.covering(probabilities, 0.9), null, where);
    for (const [coverage, lowest, highest] of row.covering) {
      assert.deepEqual(model.assigner.covering(probabilities, coverage), { lowest, highest }, `${where}, ${coverage}`);
      ++count;
    }
  });
  assert.ok(count > 100);
});

test("contributions are those of the library and add up to the score", () => {
  forEachRow((row, model, where) => {
    const parts = model.effects.contributions(row.values);
    const pairs = parts.pairs.map(({ value }) => value);
    isNear(parts.base, row.base, tolerance, `${where}, base`);
    areNear(parts.attributes, row.attributes, `${where}, attributes`);
    areNear(pairs, row.pairs, `${where}, pairs`);
    const sum = [...parts.attributes, ...pairs].reduce((total, value) => total + value, parts.base);
    isNear(sum, row.score, tolerance, `${where}, sum`);
  });
});

test("curves and surfaces are those of the library", () => {
  for (const { name, document, model, raw_curves, purified_curves, products, surfaces } of cases) {
    const count = document.model.attributes.length;
    let pair = 0;
    for (let a = 0; a < count; ++a) {
      for (const [view, expected] of [
        ...(model.hasTerms ? [] : [["raw", raw_curves[a]]]),
        ["purified", purified_curves[a]],
      ]) {
        const curve = model.effects.curve(a, view);
        areNear(curve.values, expected.values, `${name} ${view} curve ${a}`);
        assert.equal(curve.missing === null, expected.missing === null);
        if (curve.missing !== null) isNear(curve.missing, expected.missing, tolerance, `${name} missing ${a}`);
      }
      for (let b = a + 1; b < count; ++b, ++pair) {
        if (!model.hasTerms)
          areNear(model.effects.surface(a, b, "raw").flat(), products[pair].flat(), `${name} products ${a}, ${b}`);
        areNear(model.effects.surface(a, b, "purified").flat(), surfaces[pair].flat(), `${name} surface ${a}, ${b}`);
      }
    }
  }
});

test("of curves and surfaces only those with a part in the score are used", () => {
  for (const { name, document, model } of cases.filter(({ model }) => model.hasTerms)) {
    const { attributes, pairs } = document.model;
    const unused = attributes.filter((_, j) => !model.byImportance.includes(j)).map((attribute) => attribute.name);
    assert.deepEqual(unused, ["c0"], name);
    assert.equal(document.pairs.length, pairs.length, name);
    assert.ok(document.pairs.every(([a, b]) => model.effects.isPair(a, b) && model.effects.isPair(b, a)));
    assert.ok(!model.effects.isPair(0, 2), name);
  }
});

test("the smallest change of one attribute costs what the library says, and leads to the class", () => {
  let found = 0;
  forEachRow((row, model, where) => {
    for (const [expected, step] of [
      [row.better, 1],
      [row.worse, -1],
    ]) {
      const target = nextClass(model.document.pieces, row.label, step);
      assert.equal(target, expected?.target ?? null, where);
      if (target === null) continue;
      const changes = model.changes(row.values).toClass(target);
      assert.equal(changes.length > 0, expected.cost !== null, where);
      if (changes.length === 0) continue;
      ++found;
      isNear(changes[0].cost, expected.cost, tolerance, `${where}, cost`);
      for (const { attribute, to } of changes) {
        const changed = row.values.slice();
        changed[attribute] = to;
        assert.equal(model.predict(changed).label, target, `${where}, after the change`);
      }
    }
  });
  assert.ok(found > 100);
});

test("a change in round numbers is the library's, has few digits and leads to the class", () => {
  let rounded = 0;
  forEachRow((row, model, where) => {
    for (const expected of [row.better, row.worse]) {
      if (!expected?.rounded) continue;
      const search = model.changes(row.values);
      const [exact] = search.toClass(expected.target);
      const change = search.roundOutwards(exact, expected.target);
      const changed = row.values.slice();
      changed[change.attribute] = Number(String(change.to));
      assert.equal(model.predict(changed).label, expected.target, where);
      if (change.attribute === expected.rounded.attribute) isNear(change.to, expected.rounded.to, 1e-2, where);
      if (String(change.to).length < String(exact.to).length) ++rounded;
    }
  });
  assert.ok(rounded > 50, `${rounded}`);
});

test("an attribute that is to stay is not changed", () => {
  forEachRow((row, model, where) => {
    if (!row.better) return;
    const effort = (j) => ({ cost: 1, may: j === 0 ? "stay" : "change" });
    const changes = model.changes(row.values).toClass(row.better.target, effort);
    assert.ok(
      changes.every(({ attribute }) => attribute !== 0),
      where,
    );
  });
});

const numeric = cases.flatMap(({ name, document }) =>
  document.model.attributes
    .filter(({ kind, knots }) => kind === "numeric" && knots.length > 1)
    .map((attribute) => ({ where: `${name} ${attribute.name}`, attribute })),
);

test("an axis of every kind keeps the order of the knots, and leads back from a place to its value", () => {
  for (const { where, attribute } of numeric) {
    for (const kind of scaleKinds(attribute)) {
      const scale = axisScale(attribute, kind);
      const places = attribute.knots.map(scale.place);
      isNear(places[0], scale.least, tolerance, `${where} ${kind}`);
      isNear(places.at(-1), scale.greatest, tolerance, `${where} ${kind}`);
      assert.ok(
        places.slice(1).every((place, i) => place > places[i]),
        `${where} ${kind}`,
      );
      attribute.knots.forEach((knot, i) => isNear(scale.value(places[i]), knot, tolerance, `${where} ${kind}`));
    }
  }
});

test("beneath a curve every training row is counted once, whatever the axis", () => {
  for (const { where, attribute } of numeric) {
    for (const kind of scaleKinds(attribute)) {
      const bins = rowBins(attribute, axisScale(attribute, kind), 40);
      const segments = attribute.class_histogram.slice(0, attribute.knots.length - 1);
      bins[0].forEach((_, h) => {
        const [drawn, known] = [bins, segments].map((all) => all.reduce((sum, byClass) => sum + byClass[h], 0));
        isNear(drawn, known, tolerance, `${where} ${kind} class ${h}`);
      });
    }
  }
});

test("rows that crowd in dense knots share the bin they fall in, and are not cut off", () => {
  const attribute = {
    kind: "numeric",
    knots: [0, 1e-9, 1, 1 + 1e-9, 10],
    has_missing: false,
    class_histogram: [
      [50, 50],
      [0, 0],
      [30, 10],
      [1, 9],
    ],
  };
  const bins = rowBins(attribute, axisScale(attribute, "even"), 10);
  assert.deepEqual(bins[0].map(Math.round), [50, 50]);
  assert.deepEqual(bins[1].map(Math.round), [30, 11]);
});

test("a skewed attribute is drawn by logarithm, or by rows where it reaches zero; an even one as it is", () => {
  const spread = (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const edges = Array.from({ length: 20 }, (_, i) => sorted[Math.ceil(((i + 1) * sorted.length) / 20) - 1]);
    const knots = [sorted[0], sorted[100], sorted.at(-1)];
    const below = sorted.filter((value) => value < knots[1]).length;
    const class_histogram = [[below], [sorted.length - below]];
    return {
      kind: "numeric",
      knots,
      has_missing: false,
      class_histogram,
      bins: { edges, weights: edges.map(() => 10) },
    };
  };
  const { uniform } = random(5);
  const even = Array.from({ length: 200 }, uniform);
  assert.equal(usualScale(spread(even)), "even");
  assert.equal(usualScale(spread(even.map((u) => Math.exp(14 * u)))), "log");
  assert.equal(usualScale(spread(even.map((u) => (u < 0.1 ? 0 : Math.exp(14 * u))))), "rows");
});
