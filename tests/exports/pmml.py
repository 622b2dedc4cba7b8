"""PMML, by jpmml-evaluator: all models by one Java program."""

import base64
import math
from pathlib import Path

from engines import EngineError, few_pairs, run

JARS = Path(__file__).parents[2] / "build/exports/jars"


def cell(value):
    if isinstance(value, str):
        return ":" + base64.b64encode(value.encode()).decode()
    if value is None or math.isnan(value):
        return ""
    return repr(value).replace("inf", "Infinity")


def text(given):
    return base64.b64decode(given[1:]).decode() if given else None


def pmml(cases):
    cases = few_pairs(cases)
    if not (JARS / "wanted").exists():
        raise EngineError(f"{JARS} is missing: run scripts/java_jars build/exports/jars tests/exports/pom.xml")
    for case in cases:
        names = [name for name, _, _ in case.columns]
        lines = [names, *zip(*(values for _, _, values in case.columns))]
        (case.folder / "model.pmml.rows").write_text("".join("\t".join(map(cell, line)) + "\n" for line in lines))
    run(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{JARS}/*", str(Path(__file__).with_name("Pmml.java")),
         *(str(case.folder / "model.pmml") for case in cases)])
    for case in cases:
        header, *rows = [line.split("\t") for line in (case.folder / "model.pmml.scores").read_text().splitlines()]
        classes = len(case.class_names)
        names = [text(name) for name in header]
        assert names == ["score", "class", *("probability_" + name for name in case.class_names),
                         "reason_1", "reason_2", "reason_3"], f"{case.name}, pmml: outputs {names}"
        case.check("pmml", [row[0] for row in rows], [text(row[1]) for row in rows],
                   [row[2:2 + classes] for row in rows], [[text(name) for name in row[2 + classes:]] for row in rows])
    return len(cases)
