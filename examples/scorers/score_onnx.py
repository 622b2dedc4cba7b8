#!/usr/bin/env python3
"""Scores rows with an exported ONNX file, by onnxruntime, all at once.

xofm export model.json --to onnx -o model.onnx && score_onnx.py model.onnx rows.csv
"""

import csv
import sys

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1])
with open(sys.argv[2], encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
inputs = {}
for column in session.get_inputs():
    cells = [row[column.name] for row in rows]
    is_text = column.type == "tensor(string)"
    inputs[column.name] = np.array(
        cells if is_text else [float(cell or "nan") for cell in cells], object if is_text else float
    )
scores, classes, _, reasons = session.run(None, inputs)
writer = csv.writer(sys.stdout, lineterminator="\n")
writer.writerow(["score", "class", "reason"])
for score, label, reason in zip(scores, classes, reasons):
    writer.writerow([repr(float(score)), label, reason[0]])
