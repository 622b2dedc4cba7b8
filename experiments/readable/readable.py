#!/usr/bin/env python3
"""How much of a default model a person has to read: readable.py XOFM FOLDER OUTPUT [SET ...]

Of every CSV file in the folder (class in the last column) four fifths of the rows train a model with the program's
defaults; 40 of the others are explained. The table has, per set: parts with weight; parts that carry 90 % of the sum of
absolute contributions (median over the rows); the share of the 8 largest; knots of a curve (median and most); size of
the model file without reference scores and record, of the record, and of the page. As a control the last columns
have the error of the same curves and pairs with values fitted to the labels alone, not to what the average of all
recipes says. Results go to OUTPUT/readable.csv; sets that are there already are not run again.
"""
import csv
import json
import pathlib
import random
import statistics
import subprocess
import sys

FIELDS = ["set", "rows", "attributes", "curves", "pairs", "parts", "parts_90", "share_8", "knots_median", "knots_most",
          "model_bytes", "record_bytes", "page_bytes", "mae", "control_mae"]


def run(*arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def split(source, folder):
    lines = source.read_text().splitlines()
    numbers = list(range(1, len(lines)))
    random.Random(1).shuffle(numbers)
    held_out = set(numbers[: len(numbers) // 5])
    parts = {"learn.csv": lambda i: i not in held_out, "test.csv": lambda i: i in held_out}
    for name, keeps in parts.items():
        kept = [lines[0]] + [lines[i] for i in range(1, len(lines)) if keeps(i)]
        (folder / name).write_text("\n".join(kept) + "\n")
    return len(lines) - 1, len(held_out)


def contributions(program, model, rows, count):
    chosen = ",".join(str(1 + i * count // min(40, count)) for i in range(min(40, count)))
    text = run(program, "explain", model, rows, "--row", chosen, "--format", "json")
    for row in json.loads(text)["rows"]:
        yield sorted((abs(part["contribution"]) for part in row["attributes"] + row["pairs"]), reverse=True)


def size(value):
    return len(json.dumps(value, separators=(",", ":")))


def error(program, model, rows):
    return json.loads(run(program, "evaluate", model, rows, "--json"))["mae"]


def measure(program, source, folder):
    folder.mkdir(parents=True, exist_ok=True)
    rows, held_out = split(source, folder)
    model = folder / "model.json"
    run(program, "fit", folder / "learn.csv", "-q", "-o", model)
    run(program, "report", model, "--data", folder / "test.csv", "-o", folder / "page.html")
    document = json.loads(model.read_text())
    needed, shares, parts = [], [], 0
    for sizes in contributions(program, model, folder / "test.csv", held_out):
        total, so_far, count = sum(sizes), 0.0, 0
        while so_far < 0.9 * total:
            so_far += sizes[count]
            count += 1
        needed.append(count)
        shares.append(sum(sizes[:8]) / total if total > 0 else 1)
        parts = max(parts, sum(1 for s in sizes if s > 0))
    record = {key: document.pop(key) for key in ("record", "validation") if key in document}
    document.pop("reference")
    pairs = len(document.get("pairs", []))
    control = folder / "control.json"
    run(program, "fit", folder / "learn.csv", "-q", "--teacher-pull", 0, "-o", control)
    knots = [len(a["knots"]) for a in document["attributes"] if "knots" in a and any(a.get("values", [1]))] or [0]
    return dict(zip(FIELDS, [
        source.stem, rows, len(document["attributes"]), sum(1 for a in document["attributes"] if any(a["values"])),
        pairs, parts, statistics.median(needed), round(statistics.mean(shares), 3), statistics.median(knots), max(knots),
        size(document), size(record), (folder / "page.html").stat().st_size,
        round(error(program, model, folder / "test.csv"), 4), round(error(program, control, folder / "test.csv"), 4)]))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, source, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    output.mkdir(parents=True, exist_ok=True)
    table = output / "readable.csv"
    done = list(csv.DictReader(table.open())) if table.exists() else []
    with table.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not done:
            writer.writeheader()
        for path in sorted(source.glob("*.csv")):
            if any(row["set"] == path.stem for row in done) or (sys.argv[4:] and path.stem not in sys.argv[4:]):
                continue
            row = measure(program, path, output / path.stem)
            writer.writerow(row)
            file.flush()
            print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)


main()
