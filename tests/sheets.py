"""Spreadsheets made by hand, as small as programs read them: `.xlsx` and `.ods`."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Rows = Sequence[Sequence[str | float | bool | None]]

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def write_sheet(path: Path, rows: Rows, **others: Rows) -> Path:
    """Write a spreadsheet by the path's ending, with the sheet `Table` and further ones after it."""
    sheets = {"Table": rows, **others}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (xlsx(sheets) if path.suffix == ".xlsx" else ods(sheets)).items():
            archive.writestr(name, content)
    return path


def xlsx(sheets: Mapping[str, Rows]) -> dict[str, str]:
    numbers = range(1, len(sheets) + 1)
    listed = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(sheets, 1))
    related = "".join(
        f'<Relationship Id="rId{n}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kind}.worksheet+xml"/>' for n in numbers
    )
    return {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kind}.sheet.main+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{related}</Relationships>',
    } | {f"xl/worksheets/sheet{n}.xml": xlsx_sheet(rows) for n, rows in enumerate(sheets.values(), 1)}


def xlsx_sheet(rows: Rows) -> str:
    body = ""
    for row, values in enumerate(rows, 1):
        cells = "".join(xlsx_cell(value, f"{chr(65 + place)}{row}") for place, value in enumerate(values))
        body += f'<row r="{row}">{cells}</row>'
    return f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>'


def xlsx_cell(value: str | float | bool | None, at: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f'<c r="{at}"><v>{value}</v></c>'


def ods(sheets: Mapping[str, Rows]) -> dict[str, str]:
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    tables = "".join(
        f'<table:table table:name="{name}">'
        + "".join(f"<table:table-row>{''.join(map(ods_cell, cells))}</table:table-row>" for cells in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    names = " ".join(f'xmlns:{name}="{OFFICE}:{name}:1.0"' for name in ("office", "table", "text"))
    return {
        "mimetype": kind,
        "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{OFFICE}:manifest:1.0"><manifest:file-entry '
        f'manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
        "content.xml": f"<office:document-content {names}><office:body><office:spreadsheet>{tables}"
        "</office:spreadsheet></office:body></office:document-content>",
    }


def ods_cell(value: str | float | bool | None) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        return f'<table:table-cell office:value-type="boolean" office:boolean-value="{str(value).lower()}"/>'
    if isinstance(value, str):
        return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
    return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
