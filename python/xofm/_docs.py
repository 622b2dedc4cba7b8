"""Help of the options from the library's own table, so that it is written once."""

from __future__ import annotations

import textwrap
from typing import TypeVar

from ._library import option_table

Class = TypeVar("Class", bound=type)


def option_text() -> str:
    """The options as a section of a docstring, in the order of the table; `seed` is `random_state`."""
    lines = []
    for entry in option_table():
        if entry["name"] == "seed":
            continue
        kind = "{" + ", ".join(entry["choices"]) + "}" if "choices" in entry else entry["type"]
        allowed = f", {entry['allowed']}" if "allowed" in entry else ""
        default = (
            f"{entry['default']}; None: by the search, if there is one" if "is_searched" in entry else entry["default"]
        )
        lines.append(f"{entry['name']} : {kind}{allowed}, default {default}")
        lines += textwrap.wrap(entry["help"] + ".", 100, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def with_options(cls: Class) -> Class:
    """Puts the options into the docstring of a class."""
    if cls.__doc__:
        cls.__doc__ = cls.__doc__.replace("{options}", textwrap.indent(option_text(), "    ").lstrip())
    return cls
