"""The workbook, recalculated by LibreOffice: a copy of its sheet for each row of a sample, with the row typed in."""

import re
import tempfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np

from engines import few_pairs, run

SAMPLE = 40
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
DAYS_BEFORE_1970 = 25569  # from where spreadsheets count
WRONG = 12345.0  # what all formulas had come to before: whoever does not calculate says so


def sampled(case):
    """Rows that can be typed: a spreadsheet knows no infinity, and no number beyond 1e308."""
    numbers = np.array([values for _, is_text, values in case.columns if not is_text])
    typed = np.flatnonzero(~np.any(np.abs(np.nan_to_num(numbers, nan=0)) > 1e300, axis=0))
    return typed[np.linspace(0, len(typed) - 1, SAMPLE).astype(int)]


def typed_in(sheet, cells):
    """The sheet with these cells in column B, from its first marked one."""
    values = iter(cells)

    def fill(match):
        value = next(values)
        if value is None or value != value:
            return match[0]
        if isinstance(value, str):
            text = escape(value, {"\n": "&#10;"})
            return f'<c{match[1]} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
        return f"<c{match[1]}><v>{value!r}</v></c>"

    sheet, count = re.subn(r'<c( r="B\d+" s="[237]")/>', fill, sheet)
    assert count == len(cells)
    sheet, count = re.subn(r"</f>\s*</c>", f"</f><v>{WRONG}</v></c>", sheet)
    assert count > 5
    return sheet


def write_copies(case, rows, path):
    with zipfile.ZipFile(case.folder / "card.xlsx") as book:
        files = {name: book.read(name).decode() for name in book.namelist()}
    sheet = files["xl/worksheets/sheet1.xml"]
    texts = {cell.get("r"): cell.findtext(f"{MAIN}is/{MAIN}t") for cell in ElementTree.fromstring(sheet).iter(MAIN + "c")}
    by_name = {name: [value + DAYS_BEFORE_1970 for value in values] if name in case.dates else values
               for name, _, values in case.columns}
    columns = [by_name[text] for cell, text in texts.items() if re.fullmatch(r"A([4-9]|\d\d+)", cell)]
    for k, i in enumerate(rows):
        name = f"worksheets/row{k}.xml"
        files[f"xl/{name}"] = typed_in(sheet, [values[i] for values in columns])
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
        for file, end, entry in [
            ("[Content_Types].xml", "</Types>", f'<Override PartName="/xl/{name}" ContentType="{kind}"/>'),
            ("xl/_rels/workbook.xml.rels", "</Relationships>", f'<Relationship Id="row{k}" Type="http://schemas.openxmlformats'
             f'.org/officeDocument/2006/relationships/worksheet" Target="{name}"/>'),
            ("xl/workbook.xml", "</sheets>", f'<sheet name="row{k}" sheetId="{k + 10}" r:id="row{k}"/>'),
        ]:
            files[file] = files[file].replace(end, entry + end)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in files.items():
            book.writestr(name, content)


def calculated(path):
    """What LibreOffice has made of each copy: {label: value}, by the columns of results and parts."""
    with zipfile.ZipFile(path) as book:
        shared = [re.sub(r"_x000[aA]_", "\n", "".join(item.itertext()))
                  for item in ElementTree.fromstring(book.read("xl/sharedStrings.xml"))]
        for k in range(SAMPLE):
            cells = {}
            for cell in ElementTree.fromstring(book.read(f"xl/worksheets/sheet{k + 4}.xml")).iter(MAIN + "c"):
                value = cell.find(MAIN + "v")
                if value is None:
                    continue
                kind = cell.get("t", "n")
                cells[cell.get("r")] = (shared[int(value.text)] if kind == "s" else float(value.text) if kind == "n"
                                        else re.sub(r"_x000[aA]_", "\n", value.text or ""))
            yield cells


# Otherwise LibreOffice believes the values that it finds.
ALWAYS_CALCULATES = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


def workbook(cases):
    cases = few_pairs(cases)
    samples = [sampled(case) for case in cases]
    with tempfile.TemporaryDirectory() as folder:
        for case, rows in zip(cases, samples):
            write_copies(case, rows, f"{folder}/{case.name}.xlsx")
        settings = Path(folder) / "profile/user/registrymodifications.xcu"
        settings.parent.mkdir(parents=True)
        settings.write_text(ALWAYS_CALCULATES)
        run(["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML",
             "--outdir", f"{folder}/out", *(f"{folder}/{case.name}.xlsx" for case in cases)])
        for case, rows in zip(cases, samples):
            found = list(calculated(Path(folder) / f"out/{case.name}.xlsx"))
            count = len(case.class_names)
            assert all([cells[f"E{11 + h}"] for h in range(count)] == case.class_names for cells in found)
            case.check("workbook", [cells["F5"] for cells in found], [cells["F6"] for cells in found],
                       [[cells[f"F{11 + h}"] for h in range(count)] for cells in found],
                       [[cells[f"F{7 + r}"] for r in range(3)] for cells in found], rows)
    return len(cases)
