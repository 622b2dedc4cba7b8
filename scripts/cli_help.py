"""Reads a CLI11 program's own --help, so that manual page and shell completion cannot drift from it.

Standard library only, and of that only what Debian's python3-minimal has.
"""

import os
import re
import subprocess
from collections import namedtuple

# names: all spellings, e.g. ["-o", "--output"]; value: what follows, e.g. "FILE", empty for a flag;
# choices: the values allowed, if the help lists them; required: must be given.
Option = namedtuple("Option", "names value choices required text")
# groups: [(heading, [Option])]; positionals: [Option]; commands: {name: Command};
# footer: the lines after the options.
Command = namedtuple("Command", "name summary usage positionals groups commands footer")


def read(program):
    """The program and its subcommands, from what they print."""
    top = _parse(os.path.basename(program), _help(program, []))
    for name in list(top.commands):
        top.commands[name] = _parse(name, _help(program, [name]), inherited_footer=top.footer)
    return top


def options(command):
    return [option for _, group in command.groups for option in group]


def _help(program, arguments):
    environment = dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="80")
    run = subprocess.run([program, *arguments, "--help"], stdout=subprocess.PIPE, env=environment, check=True)
    return run.stdout.decode("utf-8").splitlines()


def _parse(name, lines, inherited_footer=None):
    usage_at = next((i for i, line in enumerate(lines) if line.startswith("Usage:")), len(lines))
    summary = [line.strip() for line in lines[:usage_at]]
    usage = lines[usage_at][len("Usage:"):].strip() if usage_at < len(lines) else ""
    column = _description_column(lines)

    positionals, groups, commands = [], [], {}
    at = usage_at + 1
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        heading = re.fullmatch(r"(\S.*):", lines[at])
        end = at + 1
        while end < len(lines) and lines[end].startswith("  "):
            end += 1
        rows = _rows(lines[at + 1:end], column) if heading else []
        title = heading.group(1) if heading else ""
        if title == "Positionals":
            positionals = [_option(left, text) for left, text in rows]
        elif title == "Subcommands":
            commands = {left.split()[0]: None for left, _ in rows}
        elif rows and all(left.startswith("-") for left, _ in rows):
            groups.append((title, [_option(left, text) for left, text in rows]))
        else:
            break  # the footer
        at = end
    footer = lines[at:]
    if any(line.startswith("[Option Group") for line in footer):
        raise ValueError("%s: use ->group(name) of an option; add_option_group() prints what is not read here" % name)
    while footer and not footer[-1].strip():
        footer.pop()
    # CLI11 hands the program's footer down to subcommands that have none.
    return Command(name, summary, usage, positionals, groups, commands, [] if footer == inherited_footer else footer)


def _description_column(lines):
    for line in lines:
        found = re.match(r"  -h,--help +(?=\S)", line)
        if found:
            return found.end()
    return 30  # CLI11's default


def _rows(lines, column):
    """[(left, text)] of a table: text starts at `column`, or on the next line where left is too wide."""
    rows = []
    for i, line in enumerate(lines):
        if line[:column].strip() == "":
            if rows:
                rows[-1][1].append(line.strip())
            continue
        wraps = i + 1 < len(lines) and lines[i + 1][:column].strip() == ""
        gap = len(line[:column]) - len(line[:column].rstrip())
        if len(line) > column and (gap > 1 or (gap == 1 and not wraps)):
            rows.append((line[:column].strip(), [line[column:].strip()]))
        else:
            rows.append((line.strip(), []))
    return [(left, " ".join(text)) for left, text in rows]


def _option(left, text):
    spelling, _, value = left.partition(" ")
    names = [re.sub(r"\{.*?\}$", "", name) for name in re.split(r",(?=-)", spelling)]
    required = bool(re.search(r"(^| )REQUIRED\b", value))
    value = re.sub(r"(^| )REQUIRED\b", "", value).strip()
    if "--config" in names and not value:
        value = "FILE"  # CLI11 2.1 shows no type for the option it makes itself
    braces = re.search(r"\{([^{}]*)\}", value)
    choices = [choice.split("->")[0] for choice in braces.group(1).split(",")] if braces else []
    return Option(names, value, choices, required, text)


def takes_value(option):
    """Needs, excludes and environment notes may follow a flag; they are no value."""
    return bool(re.sub(r"\(Env:.*?\)|(Needs|Excludes): .*", "", option.value).strip())


def takes_number(option):
    return bool(re.match(r"(INT|UINT|FLOAT|NUMBER)\b", option.value))
