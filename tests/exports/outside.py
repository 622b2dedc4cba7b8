#!/usr/bin/env python3
"""The programs of examples/scorers, which know nothing of xofm, say of the shipped cars what predict says: outside.py XOFM FOLDER."""

import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples/scorers"
CARS = ROOT / "data/car_insurance_risk.csv"


def run(command, **options):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def check(name, text, wanted):
    found = list(csv.DictReader(text.splitlines()[:len(wanted) + 1]))
    assert len(found) == len(wanted), f"{name}: {len(found)} rows"
    spread = max(float(row["score"]) for row in wanted) - min(float(row["score"]) for row in wanted)
    for i, (row, other) in enumerate(zip(found, wanted), 1):
        miss = abs(float(row["score"]) - float(other["score"]))
        assert miss <= 1e-9 * spread, f"{name}, row {i}: score {row['score']}, not {other['score']}"
        assert row["class"] == other["class"], f"{name}, row {i}: class {row['class']}, not {other['class']}"
        assert row["reason"] == other["reason_1"], f"{name}, row {i}: reason {row['reason']}, not {other['reason_1']}"
    print(f"{name}: {len(wanted)} rows as predict says")


def main():
    xofm, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "model.json"
    run([xofm, "fit", CARS, "--label", "risk", "--no-tune", "--pairs", 3, "-q", "-o", model])
    wanted = list(csv.DictReader(run([xofm, "predict", model, CARS, "--reasons", 1], stderr=subprocess.DEVNULL).splitlines()))
    for target, name, *options in [("c", "model.c"), ("onnx", "model.onnx"), ("pmml", "model.pmml"),
                                   ("sql", "score.sql", "--dialect", "sqlite", "--table", "rows", "--id", "id")]:
        run([xofm, "export", model, "--to", target, "-q", "-o", folder / name, *options])

    assert (folder / "model.c").stat().st_size < 100_000, "a large file for a small model"
    run(["gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "-I", folder, EXAMPLES / "score.c",
         folder / "model.c", "-lm", "-o", folder / "score"])
    with CARS.open() as rows:
        check("C", run([folder / "score"], stdin=rows), wanted)
    check("ONNX", run([sys.executable, EXAMPLES / "score_onnx.py", folder / "model.onnx", CARS]), wanted)
    with CARS.open() as rows:
        check("PMML", run(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{ROOT}/build/exports/jars/*", EXAMPLES / "Score.java",
                           folder / "model.pmml"], stdin=rows), wanted)
    script = (f'.import --csv "{CARS}" given\nCREATE VIEW scored AS\n{(folder / "score.sql").read_text()};\n'
              + (EXAMPLES / "score_million.sql").read_text())
    found = run(["sqlite3"], input=script)
    check("SQL", found, wanted)
    last = found.splitlines()[-1]
    assert last.startswith("1000000 rows scored, "), last
    print(last)


if __name__ == "__main__":
    main()
