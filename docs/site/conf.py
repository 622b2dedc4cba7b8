"""Sphinx builds the site: it is well kept, its search and its pages work from disk, and it reads docstrings and Markdown alike.

`make docs` calls it. Pages are plain Markdown, so that they read well without the site too. What only the site has is made as a
page is read: the table of contents below, and in place of <!-- made by make docs: NAME --> the pages of `made_pages`.
"""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "scripts"), str(ROOT / "python")]

import made_pages  # noqa: E402

project = "xofm"
author = copyright = "the xofm contributors"
release = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE).group(1)
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax", "sphinx_copybutton"]

CONTENTS = {
    "Quick start": ["start/command-line", "start/python", "start/cpp"],
    "Guide by task": [
        "guide/your-data", "guide/credit-grades", "guide/disease-stages", "guide/monotone", "guide/weights",
        "guide/missing-values", "guide/intervals", "guide/decisions", "guide/recourse", "guide/validation",
        "guide/deployment", "guide/exports",
    ],
    "Understand": ["guide/explanations", "guide/report", "guide/python", "guide/compare-methods", "gallery", "method", "paper"],
    "Reference": [
        "reference/command-line", "reference/options", "reference/python", "reference/cpp", "reference/c",
        "reference/data", "reference/model-file", "reference/edits", "reference/reliability", "reference/glossary",
    ],
    "For developers": ["notes/index"],
}

root_doc = "index"
source_suffix = {".md": "markdown"}
exclude_patterns = ["site"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
# A title that a program prints may be deeper than the one before it by two.
suppress_warnings = ["myst.header"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_use_rtype = False
napoleon_google_docstring = False

html_theme = "furo"
html_title = "xofm"
html_logo = None
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # it would have to be fetched, which a page on disk may not
html_static_path = ["static", str(ROOT / "build/docs/npm/node_modules/mathjax/es5/tex-svg.js")]
html_css_files = ["xofm.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#22577a", "color-brand-content": "#22577a"},
    "dark_css_variables": {"color-brand-primary": "#7fb7d9", "color-brand-content": "#7fb7d9"},
    "navigation_with_keys": True,
}
mathjax_path = "tex-svg.js"
mathjax3_config = {"options": {"enableMenu": False}}
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"
copybutton_only_copy_prompt_lines = True


def contents():
    """The tables of contents, one per part of the site."""
    return "".join(
        f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
        for caption, pages in CONTENTS.items()
    )


def on_read(app, name, source):
    if name == root_doc:
        source[0] += contents()
    if name == "notes/index":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"

    def made(match):
        text, files = made_pages.MAKERS[match.group(1)]()
        for file in files:
            app.env.note_dependency(str(file))
        return text

    def outside(match):
        text, target = match.groups()
        path = (Path(app.srcdir) / name).parent / target
        return match.group(0) if path.resolve().is_relative_to(app.srcdir) else f"{{download}}`{text} <{target}>`"

    source[0] = re.sub(r"<!-- made by make docs: (\w+) -->", made, source[0])
    # Other documents of the project are no pages of the site: the reader gets their text.
    source[0] = re.sub(r"\[([^\]\n]+)\]\((\.\./[^)#\s]+\.md)\)", outside, source[0])


def setup(app):
    app.connect("source-read", on_read)
