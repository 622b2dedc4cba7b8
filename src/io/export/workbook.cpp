#include "io/export/workbook.hpp"

#include <fmt/format.h>

#include <cctype>

#include "io/export/zip.hpp"

namespace xofm::detail {

namespace {

constexpr const char* main_namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
constexpr const char* relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
constexpr const char* package = "http://schemas.openxmlformats.org/package/2006/";

// In the order of CellStyle: the second font is bold, the third fill marks cells to be filled in; 49 is text, 2 two
// decimals, 10 a share in per cent, 14 a date.
constexpr const char* styles = R"(<?xml version="1.0" encoding="UTF-8"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>
<fill><patternFill patternType="solid"><fgColor rgb="FFFFF2CC"/></patternFill></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="8">
<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>
<xf numFmtId="0" fontId="0" fillId="2" borderId="0" xfId="0" applyFill="1"/>
<xf numFmtId="49" fontId="0" fillId="2" borderId="0" xfId="0" applyFill="1" applyNumberFormat="1"/>
<xf numFmtId="2" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="10" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="14" fontId="0" fillId="2" borderId="0" xfId="0" applyFill="1" applyNumberFormat="1"/>
</cellXfs>
</styleSheet>
)";

// _x000A_ would be read as a line end: what looks like one gets its own "_" written so.
std::string cell_text(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_hex = [&](std::size_t k) { return std::isxdigit(static_cast<unsigned char>(text[i + k])) != 0; };
    const bool is_escape = text[i] == '_' && i + 6 < text.size() && text[i + 1] == 'x' && text[i + 6] == '_' &&
                           is_hex(2) && is_hex(3) && is_hex(4) && is_hex(5);
    escaped += is_escape ? "_x005F_" : text.substr(i, 1);
  }
  return escaped;
}

std::string column_name(int column) {
  std::string name;
  for (; column > 0; column = (column - 1) / 26) name.insert(name.begin(), static_cast<char>('A' + (column - 1) % 26));
  return name;
}

Xml relation(std::size_t id, const std::string& type, const std::string& target) {
  return {.name = "Relationship",
          .attributes = {
              {"Id", fmt::format("rId{}", id)}, {"Type", fmt::format("{}/{}", relations, type)}, {"Target", target}}};
}

}  // namespace

std::string cell_name(int column, std::size_t row) { return fmt::format("{}{}", column_name(column), row); }

std::string cell_range(int column, std::size_t from, std::size_t to, const std::string& sheet) {
  const std::string letters = column_name(column);
  return fmt::format("{}{}${}${}:${}${}", sheet, sheet.empty() ? "" : "!", letters, from, letters, to);
}

Xml& Sheet::cell(int column, std::size_t row, CellStyle style) {
  Xml& made = rows_[row][column];
  made = {.name = "c",
          .attributes = {{"r", cell_name(column, row)}, {"s", fmt::format("{}", static_cast<int>(style))}}};
  return made;
}

void Sheet::text(int column, std::size_t row, const std::string& text, CellStyle style) {
  Xml& made = cell(column, row, style);
  made.attributes.emplace_back("t", "inlineStr");
  Xml inside{.name = "t", .attributes = {{"xml:space", "preserve"}}, .text = cell_text(text)};
  made.children = {{.name = "is", .children = {std::move(inside)}}};
}

void Sheet::number(int column, std::size_t row, double value, CellStyle style) {
  cell(column, row, style).children = {{.name = "v", .text = fmt::format("{}", value)}};
}

void Sheet::formula(int column, std::size_t row, const std::string& formula, CellStyle style) {
  cell(column, row, style).children = {{.name = "f", .text = formula}};
}

void Sheet::empty(int column, std::size_t row, CellStyle style) { cell(column, row, style); }

void Sheet::propose(int column, std::size_t row, const std::string& range) {
  proposals_.push_back({.name = "dataValidation",
                        .attributes = {{"type", "list"}, {"allowBlank", "1"}, {"sqref", cell_name(column, row)}},
                        .children = {{.name = "formula1", .text = range}}});
}

void Sheet::width(int column, double characters, bool is_hidden) {
  const std::string number = fmt::format("{}", column);
  columns_.push_back({.name = "col",
                      .attributes = {{"min", number},
                                     {"max", number},
                                     {"width", fmt::format("{}", characters)},
                                     {"customWidth", "1"},
                                     {"hidden", is_hidden ? "1" : "0"}}});
}

std::string Sheet::xml() const {
  Xml sheet{.name = "worksheet", .attributes = {{"xmlns", main_namespace}}};
  if (!columns_.empty()) sheet.children.push_back({.name = "cols", .children = columns_});
  Xml data{.name = "sheetData"};
  for (const auto& [number, cells] : rows_) {
    Xml row{.name = "row", .attributes = {{"r", fmt::format("{}", number)}}};
    for (const auto& [column, cell] : cells) row.children.push_back(cell);
    data.children.push_back(std::move(row));
  }
  sheet.children.push_back(std::move(data));
  if (!proposals_.empty()) {
    sheet.children.push_back({.name = "dataValidations",
                              .attributes = {{"count", fmt::format("{}", proposals_.size())}},
                              .children = proposals_});
  }
  return xml_document(sheet);
}

std::string workbook(const std::vector<const Sheet*>& sheets) {
  Xml list{.name = "sheets"};
  Xml parts{.name = "Relationships", .attributes = {{"xmlns", fmt::format("{}relationships", package)}}};
  Xml types{.name = "Types", .attributes = {{"xmlns", fmt::format("{}content-types", package)}}};
  const auto add_type = [&](const std::string& path, const std::string& kind) {
    const std::string type = "application/vnd.openxmlformats-officedocument.spreadsheetml." + kind + "+xml";
    types.children.push_back({.name = "Override", .attributes = {{"PartName", "/" + path}, {"ContentType", type}}});
  };
  types.children.push_back(
      {.name = "Default",
       .attributes = {{"Extension", "rels"},
                      {"ContentType", "application/vnd.openxmlformats-package.relationships+xml"}}});
  add_type("xl/workbook.xml", "sheet.main");
  add_type("xl/styles.xml", "styles");
  std::vector<std::pair<std::string, std::string>> files;
  for (std::size_t i = 0; i < sheets.size(); ++i) {
    const std::string file = fmt::format("worksheets/sheet{}.xml", i + 1);
    const std::string id = fmt::format("rId{}", i + 1);
    list.children.push_back(
        {.name = "sheet",
         .attributes = {{"name", sheets[i]->name()}, {"sheetId", fmt::format("{}", i + 1)}, {"r:id", id}}});
    parts.children.push_back(relation(i + 1, "worksheet", file));
    add_type("xl/" + file, "worksheet");
    files.emplace_back("xl/" + file, sheets[i]->xml());
  }
  parts.children.push_back(relation(sheets.size() + 1, "styles", "styles.xml"));
  const Xml root{.name = "Relationships",
                 .attributes = {{"xmlns", fmt::format("{}relationships", package)}},
                 .children = {relation(1, "officeDocument", "xl/workbook.xml")}};
  const Xml book{.name = "workbook",
                 .attributes = {{"xmlns", main_namespace}, {"xmlns:r", relations}},
                 .children = {std::move(list), {.name = "calcPr", .attributes = {{"fullCalcOnLoad", "1"}}}}};
  files.insert(files.begin(), {{"[Content_Types].xml", xml_document(types)},
                               {"_rels/.rels", xml_document(root)},
                               {"xl/workbook.xml", xml_document(book)},
                               {"xl/_rels/workbook.xml.rels", xml_document(parts)},
                               {"xl/styles.xml", styles}});
  return zip_archive(files);
}

}  // namespace xofm::detail
