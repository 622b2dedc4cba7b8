#!/usr/bin/env python3
"""Lines of README.md and of the pages in docs/ have fewer than 120 characters. Tables, pictures and what a program
prints are as they are; so are the laboratory notes.

Usage: lines.py ROOT
"""
import sys
from pathlib import Path

MOST = 119


def long_lines(text):
    """Numbers of the lines that are too long and could be broken."""
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fence = "" if fence else line[3:] or "text"
        is_printed = fence in ("console", "text") and not line.startswith("$ ") or line.startswith("    ")
        is_whole = line.lstrip().startswith(("|", "<!--", "!["))
        if len(line) > MOST and not is_printed and not is_whole:
            yield number


def main():
    root = Path(sys.argv[1])
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    found = [f"{page.relative_to(root)}, line {number}: more than {MOST} characters"
             for page in pages if "notes" not in page.parts for number in long_lines(page.read_text(encoding="utf-8"))]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
