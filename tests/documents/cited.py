#!/usr/bin/env python3
"""What documents and comments cite exists: files, links with their anchors, make targets, tests by name.

Usage: cited.py ROOT
"""
import os
import re
import sys

ROOTS = "apps|bench|cmake|docs|examples|experiments|fuzz|include|python|scripts|src|tests"
PATH = re.compile(rf"(?<![\w/.${{}}<-])((?:{ROOTS})/[A-Za-z0-9_./*-]*[A-Za-z0-9_*]|(?:[\w.-]+/)+[\w-]+\.md)")
STAGE = re.compile(r"(?<![\w/])(core/[a-z_/]+\.[ch]pp)")
LINK = re.compile(r"\]\(([^)#\s:]*)(?:#([^)\s]*))?\)")
TARGET = re.compile(r"(?<=`)make ([a-z][a-z-]*)|^ {4}make ([a-z][a-z-]*)", re.MULTILINE)
TEST = re.compile(r"`([A-Z]\w+)\.(\w+|\*)`")
ENDINGS = (".md", ".cpp", ".hpp", ".h", ".py", ".ts", ".mjs", ".R", ".txt", ".cmake", ".yml", ".toml", "Makefile")
# Files that a build or an installation makes, and folders of packages.
MADE = re.compile(r"^(cmake/xofm|experiments/accuracy/results.csv)|node_modules|package-lock")


def texts(root):
    for folder, names, files in os.walk(root):
        names[:] = [n for n in names if n not in ("build", ".git", "node_modules", "corpus", "__pycache__")]
        for file in sorted(files):
            path = os.path.join(folder, file)
            if file.endswith(ENDINGS) or os.path.basename(folder) == "scripts":
                with open(path, encoding="utf-8", errors="replace") as opened:
                    yield os.path.relpath(path, root), opened.read()


def exists(root, path, beside):
    """Whether a path means something from the root, a source folder or the folder of the text."""
    for base in ("", "src", "include", "tests", beside):
        full = os.path.join(root, base, path.rstrip("."))
        if os.path.exists(full):
            return True
        if "*" in path and os.path.isdir(os.path.dirname(full)):
            return True
    return False


def anchors(text):
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def problems(root):
    everything = dict(texts(root))
    targets = set(re.findall(r"^([a-z][a-z -]*):", everything["Makefile"], re.MULTILINE))
    targets = {word for names in targets for word in names.split()}
    sources = "\n".join(text for name, text in everything.items() if name.startswith("tests/"))
    tests = set(re.findall(r"TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", sources))
    suites = {suite for suite, _ in tests}
    for name, text in everything.items():
        if name.startswith("tests/documents/"):
            continue
        beside = os.path.dirname(name)
        for line_number, line in enumerate(text.split("\n"), 1):
            where = f"{name}, line {line_number}"
            is_test_data = name.startswith("tests/") and '"' in line and not line.lstrip().startswith("#include")
            for path in PATH.findall(line) + STAGE.findall(line):
                if not MADE.search(path) and not is_test_data and not exists(root, path, beside):
                    yield f"{where}: there is no {path}"
        if not name.endswith(".md"):
            continue
        for path, anchor in LINK.findall(text):
            target = os.path.normpath(os.path.join(beside, path)) if path else name
            if not os.path.exists(os.path.join(root, target)):
                yield f"{name}: a link goes to {target}, which does not exist"
            elif anchor and target.endswith(".md") and anchor not in anchors(everything[target]):
                yield f"{name}: a link goes to {target}#{anchor}, and there is no such heading"
        for words in TARGET.findall(text):
            target = words[0] or words[1]
            if target not in targets:
                yield f"{name}: the Makefile has no target '{target}'"
        for suite, test in TEST.findall(text):
            if test == "*" and suite in suites or (suite, test) in tests:
                continue
            if name == "docs/reference/reliability.md" and not test.isupper() and test not in ("md", "cpp", "hpp"):
                yield f"{name}: there is no test {suite}.{test}"


def main():
    found = list(problems(sys.argv[1]))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
