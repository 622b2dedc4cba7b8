#!/usr/bin/env python3
"""Makes allocations, writes and the program itself fail, again and again.

Whatever fails, the program ends by itself with a status of its own and one line, an output is the old one or the new
one, and nothing is left beside it. Usage: faults.py PROGRAM SHIM [--allocations N] [--kills N] [--seed N]
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("shim")
parser.add_argument("--allocations", type=int, default=200, help="failing allocations to try for each command")
parser.add_argument("--kills", type=int, default=200)
parser.add_argument("--seed", type=int, default=1)
arguments = parser.parse_args()
program = os.path.abspath(arguments.program)
shim = os.path.abspath(arguments.shim)
draw = random.Random(arguments.seed)
failures = []


def run(words, **environment):
    env = dict(os.environ, **{name: str(value) for name, value in environment.items()})
    return subprocess.run([program, *words], env=env, capture_output=True, text=True, errors="replace", timeout=120)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def complain(what):
    failures.append(what)
    print(f"FAILED: {what}", flush=True)


def commands():
    """Those with -o or --page write `out`; the others only print."""
    return {
        "fit": ["fit", "--no-tune", "train.csv", "-o", "out", "-q", "--threads", "1", "--max-epochs", "3"],
        "predict": ["predict", "model.json", "train.csv", "-o", "out", "--threads", "1"],
        "explain": ["explain", "model.json", "train.csv", "--row", "2", "-o", "out", "--threads", "1"],
        "report": ["report", "model.json", "-o", "out", "-q", "--threads", "1"],
        "export": ["export", "model.json", "--to", "python", "-o", "out", "-q", "--threads", "1"],
        "monitor": ["monitor", "model.json", "train.csv", "--page", "out", "-q", "--threads", "1"],
        "check": ["check", "train.csv", "--json", "--threads", "1"],
        "compare": ["compare", "model.json", "model.json", "--data", "train.csv", "--threads", "1"],
    }


def check(name, result, expected, hint):
    """After a fault: exit status, one line, output old or new, no other file."""
    if result.returncode < 0:
        complain(f"{name}, {hint}: ended by signal {-result.returncode}: {result.stderr.strip()[:200]}")
    elif result.returncode not in (0, 1, 5):
        complain(f"{name}, {hint}: status {result.returncode}: {result.stderr.strip()[:200]}")
    elif result.returncode != 0 and (result.stderr.count("\n") != 1 or not result.stderr.startswith("xofm: ")):
        complain(f"{name}, {hint}: not one line: {result.stderr[:200]!r}")
    content = read("out")
    if content != (expected if result.returncode == 0 else b"old") and not (
        # The folder could not be brought to the disk after the output was in place.
        result.returncode == 5 and content == expected
    ):
        complain(f"{name}, {hint}: status {result.returncode}, but the output has {len(content)} bytes")
    left = [entry for entry in os.listdir(".") if entry.endswith(".tmp")]
    if left:
        complain(f"{name}, {hint}: left {left}")
        for entry in left:
            os.remove(entry)


def fail_each(name, words, variable, which, most):
    write("out", b"old")
    counts = run(words, LD_PRELOAD=shim, XOFM_FAULT_COUNT="counts")
    if counts.returncode != 0:
        return complain(f"{name}: {counts.stderr.strip()}")
    total = int(read("counts").split()[which])
    expected = read("out")
    numbers = range(1, total + 1) if total <= most else sorted({1 + i * (total - 1) // (most - 1) for i in range(most)})
    for number in numbers:
        write("out", b"old")
        result = run(words, LD_PRELOAD=shim, **{variable: number})
        check(name, result, expected, f"{variable}={number}")
    print(f"{name}: {len(numbers)} of {total} with {variable}", flush=True)


def kill_at_random(name, words, count):
    write("out", b"old")
    start = time.monotonic()
    if run(words).returncode != 0:
        return complain(f"{name} does not run")
    duration = time.monotonic() - start
    expected = read("out")
    killed = 0
    for _ in range(count):
        write("out", b"old")
        process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Half of them in the last tenth, where the output is written.
        share = draw.random() if draw.random() < 0.5 else 0.9 + 0.2 * draw.random()
        time.sleep(duration * share)
        process.send_signal(draw.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]))
        process.wait()
        killed += process.returncode != 0
        if read("out") not in (b"old", expected) and name != "fit":  # fit saves the best model so far
            complain(f"{name}, killed: the output is neither old nor new")
        if name == "fit" and read("out") != b"old" and run(["show", "out"]).returncode != 0:
            complain(f"{name}, killed: the model is damaged")
        left = [entry for entry in os.listdir(".") if entry.endswith(".tmp")]
        # Between its two names, an output over an old file has a temporary one; the next output sweeps it.
        for entry in left:
            os.utime(entry, (0, 0))
        if left:
            run(words)
            if [entry for entry in os.listdir(".") if entry.endswith(".tmp")]:
                complain(f"{name}, killed: {left} are not swept")
    print(f"{name}: {killed} of {count} runs killed", flush=True)


def write_at_once(words, count):
    processes = [subprocess.Popen([program, *words], stderr=subprocess.DEVNULL) for _ in range(count)]
    expected = None
    for process in processes:
        if process.wait() != 0:
            complain(f"one of {count} writers ended with {process.returncode}")
    expected = run([*words[:-2], "-o", "-"]).stdout.encode() if words[0] == "predict" else None
    if expected is not None and read("out") != expected:
        complain("many writers left a mixture")
    print(f"{count} writers at once", flush=True)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    assert run(["generate", "--rows", "400", "--attributes", "5", "--classes", "3", "-o", "train.csv"]).returncode == 0
    assert run(["fit", "--no-tune", "train.csv", "-o", "model.json", "-q"]).returncode == 0
    for name, words in commands().items():
        fail_each(name, words, "XOFM_FAIL_ALLOCATION", 0, arguments.allocations)
        fail_each(name, words, "XOFM_FAIL_WRITE", 1, arguments.allocations)
    for name in ("fit", "predict"):
        kill_at_random(name, commands()[name], arguments.kills // 2)
    write_at_once(["predict", "model.json", "train.csv", "-o", "out"], 16)
    os.chdir("/")
print(f"{len(failures)} failures" if failures else "all well")
sys.exit(1 if failures else 0)
