"""Pages of the reference that are made from what they describe: the program's own help, and the public headers."""

import os
import re
from pathlib import Path

import cli_help

ROOT = Path(__file__).resolve().parents[2]
# The stages in the order of the data, then what stands beside them; headers that are not named come last.
HEADERS = """xofm csv dataset generate encoder options fit train model terms assign explain bands compare metrics validate path
model_file export report loss optimize parameters names error threads""".split()


def cell(text):
    """Text for a cell of a table: no markup, no new cell."""
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", text)


def option_rows(options):
    lines = ["| option | what it does |", "|---|---|"]
    for option in options:
        value = option.value
        default = re.search(r"=(.*?)( \.\.\.)?$", value)
        if default:
            value = value[: default.start()]
        value = re.sub(r"\s*\.\.\.$", "", value)
        name = ", ".join(option.names) + (f" {value}" if value else "")
        text = cell(option.text)
        if default and default.group(1):
            text = f"{text.rstrip('.')}. Default: {cell(default.group(1))}"
        lines.append(f"| `{name.replace('|', chr(92) + '|')}` | {text} |")
    return lines


def command_section(title, command):
    lines = [f"## {title}", "", *(cell(line) for line in command.summary), ""]
    if command.usage:
        lines += ["```text", command.usage, "```", ""]
    if command.positionals:
        lines += option_rows(command.positionals) + [""]
    for heading, options in command.groups:
        lines += [f"**{heading}**", "", *option_rows(options), ""]
    if command.footer:
        lines += ["```text", *command.footer, "```", ""]
    return lines


def commands():
    """Every command with its options, from what --help prints."""
    program = Path(os.environ["XOFM_PROGRAM"])
    top = cli_help.read(str(program))
    lines = command_section("Every command", top)
    for name, command in top.commands.items():
        lines += command_section(f"xofm {name}", command)
    return "\n".join(lines), [program]


def comment_text(lines):
    return "\n".join(re.sub(r"^ ?(//|/?\*+/?) ?", "", line) for line in lines)


def header_parts(text):
    """The opening comment of a C++ header, and its declarations."""
    lines = text.splitlines()
    end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    body = "\n".join(lines[end:])
    declarations = "\n\n".join(re.findall(r"namespace xofm \{\n(.*?)\n\}  // namespace xofm", body, re.DOTALL))
    return comment_text(lines[:end]), declarations.strip("\n")


def declared(declarations):
    """Names of the types and functions that a header declares, in its order."""
    found = []
    for line in declarations.splitlines():
        match = re.match(r"(?:struct|class|enum class) (\w+)(?! *;)", line) or re.match(r"(?!using|template|//)\w[\w:<>&*,\[\] ]* (\w+)\(", line)
        if match and match.group(1) not in found:
            found.append(match.group(1))
    return found


def headers():
    """The public C++ headers as they are, under a table of what they declare."""
    files = sorted((ROOT / "include/xofm").glob("*.hpp"), key=lambda path: (HEADERS.index(path.stem) if path.stem in HEADERS
                                                                             else len(HEADERS), path.stem))
    table = ["| header | declares |", "|---|---|"]
    sections = []
    for path in files:
        opening, declarations = header_parts(path.read_text(encoding="utf-8"))
        names = ", ".join(f"`{name}`" for name in declared(declarations))
        anchor = path.name.replace(".", "")
        table.append(f"| [{path.stem}](#{anchor}) | {names or 'all the others'} |")
        sections += ["", f"## {path.name}", "", opening, ""]
        if declarations:
            sections += ["```cpp", declarations, "```"]
    return "\n".join(table + sections), files


def c_header():
    """The C interface: its opening comment, then the header by its own headings."""
    path = ROOT / "include/xofm/c_api.h"
    text = path.read_text(encoding="utf-8")
    opening, rest = re.match(r"/\* (.*?) \*/\n(.*)", text, re.DOTALL).groups()
    opening = "\n".join(re.sub(r"^ \* ?", "", line) for line in opening.splitlines())
    body = rest[rest.index("/* Changes when"):rest.rindex("#ifdef __cplusplus")]
    lines = [opening, ""]
    pieces = re.split(r"^/\* ([A-Z][\w ,]+)\.( [^*]*)? ?\*/\n(?=\n)", body, flags=re.MULTILINE)
    lines += ["## Version and status", "", "```c", pieces[0].strip("\n"), "```", ""]
    for title, more, code in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
        lines += [f"## {title}", "", (more or "").strip(), "", "```c", code.strip("\n"), "```", ""]
    return "\n".join(lines), [path]


MAKERS = {"commands": commands, "headers": headers, "c_header": c_header}
