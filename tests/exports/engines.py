"""What runs the exports. An engine takes the cases, checks each that is for it and says how many."""

import contextlib
import csv
import importlib.util
import io
import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

TABLE = 'a "table"'
ID = 'row\'s "id"'


class EngineError(Exception):
    pass


def run(command, **options):
    done = subprocess.run(command, capture_output=True, check=False, **options)
    if done.returncode != 0:
        raise EngineError(f"{command[0]} fails: {(done.stdout + done.stderr)[-2000:].decode(errors='replace')}")
    return done.stdout


def few_pairs(cases):
    return [case for case in cases if case.has_few_pairs]


# C: a program that includes the file reads the cells of a row as bytes and writes the result likewise.
C_PROGRAM = r"""
#define XOFM_MODEL_INTERFACE_ONLY
#include "model.c"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  static double numbers[XOFM_MODEL_NUMBERS + 1];
  static char cells[XOFM_MODEL_TEXTS + 1][1000];
  const char* texts[XOFM_MODEL_TEXTS + 1];
  static xofm_model_result result;
  int j, length;
  if (xofm_model_test() != 0) return 1;
  for (j = 0; j < XOFM_MODEL_NUMBERS; ++j) printf("%s%c", xofm_model_number_names[j], 0);
  for (j = 0; j < XOFM_MODEL_TEXTS; ++j) printf("%s%c", xofm_model_text_names[j], 0);
  while (fread(numbers, sizeof(double), XOFM_MODEL_NUMBERS, stdin) == XOFM_MODEL_NUMBERS) {
    for (j = 0; j < XOFM_MODEL_TEXTS; ++j) {
      if (fread(&length, sizeof length, 1, stdin) != 1) return 0;
      if (length >= 0 && fread(cells[j], 1, (size_t)length, stdin) != (size_t)length) return 1;
      texts[j] = length < 0 ? NULL : cells[j];
      if (length >= 0) cells[j][length] = 0;
    }
    xofm_model_score(numbers, texts, &result);
    fwrite(&result, sizeof result, 1, stderr);
  }
  return 0;
}
"""


def c(cases):
    for case in cases:
        assert (case.folder / "model.c").stat().st_size < 100_000, f"{case.name}: a large file for a small model"
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "main.c").write_text(C_PROGRAM)
            program = Path(folder) / "scorer"
            flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-I", str(case.folder)]
            run(["gcc", *flags, str(case.folder / "model.c"), f"{folder}/main.c", "-o", str(program), "-lm"])
            run(["gcc", *flags, "-DXOFM_MODEL_MAIN", str(case.folder / "model.c"), "-o", f"{folder}/test", "-lm"])
            run([f"{folder}/test"])
            by_name = {name: (is_text, values) for name, is_text, values in case.columns}
            names = run([program], stdin=subprocess.DEVNULL).decode().split("\0")[:-1]
            columns = [by_name[name] for name in names]
            rows = []
            for i in range(len(case.scores)):
                rows.append(np.array([v[i] for is_text, v in columns if not is_text]).tobytes())
                for text in (v[i] for is_text, v in columns if is_text):
                    data = b"" if text is None else text.encode()
                    rows.append(np.int32(-1 if text is None else len(data)).tobytes() + data)
            done = subprocess.run([program], input=b"".join(rows), capture_output=True, check=False)
            assert done.returncode == 0, f"{case.name}, c: the program fails"
            parts = len(case.part_names)
            layout = np.dtype([("score", "f8"), ("label", "i4"), ("probabilities", "f8", len(case.class_names)),
                               ("parts", "f8", parts + 1), ("reasons", "i4", 3)], align=True)
            result = np.frombuffer(done.stderr, layout)
            assert np.allclose(result["parts"][:, :-1], case.contributions, rtol=0, atol=case.tolerance)
            reasons = [[case.part_names[p] if p >= 0 else None for p in row] for row in result["reasons"]]
            case.check("c", result["score"], [case.class_names[h] for h in result["label"]],
                       result["probabilities"], reasons)
    return len(cases)


def python(cases):
    for case in cases:
        spec = importlib.util.spec_from_file_location("model", case.folder / "model.py")
        model = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(model)
        assert model.test() == 0, f"{case.name}, python: its own test fails"
        names = [name for name, _, _ in case.columns]
        results = [model.score(dict(zip(names, row))) for row in zip(*(values for _, _, values in case.columns))]
        case.check("python", [r["score"] for r in results], [r["class"] for r in results],
                   [list(r["probabilities"].values()) for r in results], [r["reasons"] for r in results])
    return len(cases)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def table_sql(case, table, number, text):
    columns = [f"{quoted(name)} {text if is_text else number}" for name, is_text, _ in case.columns]
    return f"CREATE TABLE {table} ({quoted(ID)} bigint, {', '.join(columns)})"


def table_rows(case):
    return [(i, *row) for i, row in enumerate(zip(*(values for _, _, values in case.columns)))]


def check_table(case, engine, names, rows):
    classes = len(case.class_names)
    wanted = [ID, "score", "class", *("probability_" + name for name in case.class_names), "reason_1", "reason_2", "reason_3"]
    shown = [name[:63] for name in wanted] if engine == "postgres" else wanted
    assert list(names) == shown, f"{case.name}, {engine}: columns {names}"
    rows = sorted(rows, key=lambda row: int(row[0]))
    assert [int(row[0]) for row in rows] == list(range(len(case.scores)))
    case.check(engine, [row[1] for row in rows], [row[2] for row in rows],
               [row[3:3 + classes] for row in rows], [row[3 + classes:] for row in rows])


def sqlite(cases):
    cases = few_pairs(cases)
    for case in cases:
        connection = sqlite3.connect(":memory:")
        connection.execute("ATTACH ':memory:' AS xofm")
        table = f"xofm.{quoted(TABLE)}"
        connection.execute(table_sql(case, table, "REAL", "TEXT COLLATE NOCASE"))
        marks = ", ".join("?" * (len(case.columns) + 1))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", table_rows(case))
        cursor = connection.execute((case.folder / "sqlite.sql").read_text())
        check_table(case, "sqlite", [column[0] for column in cursor.description], cursor.fetchall())
    return len(cases)


def write_csv(case, path):
    """Nothing between commas is NULL, "" an empty text."""
    def cell(value, is_text):
        if value is None:
            return ""
        return '"' + value.replace('"', '""') + '"' if is_text else repr(float(value))

    with open(path, "w", encoding="utf-8", newline="") as file:
        kinds = [is_text for _, is_text, _ in case.columns]
        for i, *row in table_rows(case):
            file.write(",".join([str(i), *map(cell, row, kinds)]) + "\n")


def duckdb(cases):
    import duckdb as engine

    cases = few_pairs(cases)
    for case in cases:
        connection = engine.connect()
        connection.execute("CREATE SCHEMA xofm")
        table = f"xofm.{quoted(TABLE)}"
        connection.execute(table_sql(case, table, "DOUBLE", "VARCHAR"))
        columns = [np.arange(len(case.scores)).tolist(), *(list(values) for _, _, values in case.columns)]
        unnested = ", ".join("unnest(CAST(? AS %s[]))" % ("VARCHAR" if kind else "DOUBLE")
                             for kind in [False, *(is_text for _, is_text, _ in case.columns)])
        connection.execute(f"INSERT INTO {table} SELECT {unnested}", columns)
        cursor = connection.execute((case.folder / "duckdb.sql").read_text())
        check_table(case, "duckdb", [column[0] for column in cursor.description], cursor.fetchall())
    return len(cases)


@contextlib.contextmanager
def postgres_server():
    """A server of our own, on a socket in a temporary folder; it refuses to run as root."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        raise EngineError("PostgreSQL is not installed: run scripts/setup exports")
    user = {}
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("postgres")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        bin_folder, data = programs[-1], f"{folder}/data"
        options = {"cwd": folder, **user}
        run([bin_folder / "initdb", "-D", data, "-U", "xofm", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"], **options)
        settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off -c jit=off"
        # Its output goes to a file: a pipe would stay open as long as the server runs.
        subprocess.run([bin_folder / "pg_ctl", "-D", data, "-w", "-l", f"{folder}/log", "-o", settings, "start"],
                       check=True, stdout=subprocess.DEVNULL, **options)
        try:
            yield [str(bin_folder / "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "xofm", "-d", "postgres"], options, folder
        finally:
            subprocess.run([bin_folder / "pg_ctl", "-D", data, "-m", "immediate", "stop"], check=True,
                           stdout=subprocess.DEVNULL, **options)


def postgres(cases):
    cases = few_pairs(cases)
    with postgres_server() as (psql, options, folder):
        for case in cases:
            write_csv(case, f"{folder}/rows.csv")
            os.chmod(f"{folder}/rows.csv", 0o644)
            table = f"xofm.{quoted(TABLE)}"
            script = f"""DROP SCHEMA IF EXISTS xofm CASCADE; CREATE SCHEMA xofm;
SET standard_conforming_strings = {'off' if case.name == 'hostile' else 'on'};
{table_sql(case, table, 'double precision', 'text')};
\\copy {table} FROM 'rows.csv' WITH (FORMAT csv)
CREATE VIEW xofm.result AS
{(case.folder / 'postgres.sql').read_text()};
COPY (SELECT * FROM xofm.result) TO STDOUT WITH (FORMAT csv, HEADER);
"""
            found = run(psql, input=script.encode(), **options)
            header, *rows = csv.reader(io.StringIO(found.decode(), newline=""))
            check_table(case, "postgres", header, rows)
    return len(cases)


def onnx(cases):
    import onnx as format_of
    import onnxruntime

    for case in cases:
        path = str(case.folder / "model.onnx")
        format_of.checker.check_model(format_of.load(path), full_check=True)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        inputs = {given.name for given in session.get_inputs()}
        cells = {name: np.array(["" if v is None else v for v in values] if is_text else values, object if is_text else float)
                 for name, is_text, values in case.columns if name in inputs}
        scores, classes, probabilities, reasons = session.run(None, cells)
        case.check("onnx", scores, classes, probabilities, reasons)
    return len(cases)


def plain(text):
    """Without the apostrophe that keeps a spreadsheet from running it."""
    return text[1:] if text[:1] == "'" and text[1:2] in tuple("=+-@") else text


def points(cases):
    """Adds up the printed scorecard, as a person would with a pocket calculator."""
    cases = [case for case in few_pairs(cases) if case.name != "indicators"]  # whose columns a person reads as one
    for case in cases:
        with open(case.folder / "points.csv", encoding="utf-8", newline="") as file:
            lines = [{key: plain(value) if "part" in key or "from" in key else value for key, value in line.items()}
                     for line in csv.DictReader(file)]
        parts = defaultdict(list)
        for line in lines:
            if line["kind"] not in ("base", "class", "even odds"):
                parts[(line["part"], line["second_part"])].append(line)
        base = float(next(line["points"] for line in lines if line["kind"] == "base"))
        assert base == 650
        levels = defaultdict(list)
        for line in lines:
            for which in ("", "second_"):
                if line[which + "kind"] in ("level", "special"):
                    levels[line[which + "part"]].append(line[which + "from"])
        total = np.full(len(case.scores), base)
        columns = {name: (is_text, np.array(values, object if is_text else float)) for name, is_text, values in case.columns}
        contributions = []
        for (first, second), own in parts.items():
            value = np.full(len(case.scores), np.nan)
            for line in own:
                holds, distance = line_holds(line, "", columns[first], levels[first])
                if second:
                    also, second_distance = line_holds(line, "second_", columns[second], levels[second])
                    holds &= also
                sum_of_line = float(line["points"]) + float(line["slope"]) * distance
                if second:
                    sum_of_line = sum_of_line + (float(line["second_slope"]) + float(line["cross_slope"]) * distance) * second_distance
                assert np.all(np.isnan(value[holds])), f"{case.name}, points: two lines hold"
                value[holds] = np.broadcast_to(sum_of_line, value.shape)[holds]
            contributions.append(value)
            total += value
        classes = [line for line in lines if line["kind"] == "class"]
        starts = np.array([float(line["from"]) for line in classes[1:]])
        odds = [line for line in lines if line["kind"] == "even odds"]
        strays = np.array([float(line["points"]) for line in odds])
        above = [1.0]
        for h, line in enumerate(odds[1:], 1):
            at = np.clip((float(line["from"]) - total) / float(line["slope"]), -1000, 1000)
            above.append(strays[h:].sum() + (1 - strays.sum()) / (1 + 2.0**at))
        above = np.array([np.broadcast_to(a, total.shape) for a in [*above, 0.0]])
        names = [" x ".join(name for name in part if name) for part in parts]
        order = np.argsort(case.sign * np.array(contributions), axis=0, kind="stable")[:3].T
        scores = total_as_score(case, total)
        case.check("points", scores, [classes[k]["part"] for k in np.searchsorted(starts, total, side="right")],
                   (above[:-1] - above[1:]).T, [[names[p] for p in row] for row in order])
    return len(cases)


def total_as_score(case, total):
    """Points rise evenly with the score: two rows say how, all others must agree."""
    low, high = np.argmin(case.scores), np.argmax(case.scores)
    factor = (total[high] - total[low]) / (case.scores[high] - case.scores[low])
    return case.scores[low] + (total - total[low]) / factor


MISSING = ("", "NA", "NaN", "?", "-999")


def line_holds(line, which, column, levels):
    """For which rows one side of a line is meant, and how far they are from where it begins.

    levels: those of the attribute, or its special values.
    """
    is_text, values = column
    kind, low, high = (line[which + key] for key in ("kind", "from", "to"))
    if is_text:
        gap = np.array([v is None or v in MISSING for v in values])
        holds = {"missing": gap, "level": ~gap & (values == low), "other": ~gap & ~np.isin(values.astype(str), levels)}
        return holds[kind], 0.0
    gap = np.isnan(values) | (values == -999)
    if kind == "missing":
        return gap, 0.0
    if kind == "special":
        return ~gap & (values == float(low)), 0.0
    holds = ~gap & (values >= float(low or "-inf")) & ~(values >= float(high or "nan"))
    holds &= ~np.isin(values, [float(value) for value in levels])
    return holds, np.where(holds & bool(low) & np.isfinite(values), values - float(low or 0), 0.0)


def spark(cases):
    from pyspark.sql import SparkSession, types

    cases = few_pairs(cases)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    for case in cases:
        fields = [types.StructField(ID, types.LongType())]
        fields += [types.StructField(name, types.StringType() if is_text else types.DoubleType()) for name, is_text, _ in case.columns]
        session.createDataFrame(table_rows(case), types.StructType(fields)).createOrReplaceTempView("rows_of_case")
        text = (case.folder / "spark.sql").read_text().replace("`xofm`.`a \"table\"`", "rows_of_case")
        frame = session.sql(text)
        check_table(case, "spark", frame.columns, [tuple(row) for row in frame.collect()])
    session.stop()
    return len(cases)


ALL = [c, python, sqlite, duckdb, postgres, spark, onnx, points]
