#!/usr/bin/env python3
"""Every export gives the answers of the library: agreement.py FOLDER [ENGINE]..., a folder made by export_cases."""

import sys
import time
from pathlib import Path

from case import Case
import engines
from pmml import pmml
from workbook import workbook


def main():
    folder, *wanted = sys.argv[1:]
    cases = [Case(path.parent) for path in sorted(Path(folder).glob("*/case.json"))]
    assert len(cases) >= 6, f"{len(cases)} cases in {folder}"
    failures = 0
    for engine in [*engines.ALL, pmml, workbook]:
        if wanted and engine.__name__ not in wanted:
            continue
        start = time.monotonic()
        try:
            count = engine(cases)
            print(f"{engine.__name__}: {count} models agree, {time.monotonic() - start:.1f} s", flush=True)
        except (AssertionError, engines.EngineError) as error:
            failures += 1
            print(f"{engine.__name__}: {error}", flush=True)
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
