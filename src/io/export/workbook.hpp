// A workbook as spreadsheets read it (Office Open XML): sheets of texts, numbers and formulas.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/export/xml.hpp"

namespace xofm::detail {

enum class CellStyle { plain, heading, number_input, text_input, rounded, percent, date, date_input };

// Columns and rows count from 1.
std::string cell_name(int column, std::size_t row);                                                   // B7
std::string cell_range(int column, std::size_t from, std::size_t to, const std::string& sheet = "");  // sheet!$B$2:$B$7

class Sheet {
 public:
  explicit Sheet(std::string name) : name_(std::move(name)) {}

  // A text stays a text, whatever it begins with.
  void text(int column, std::size_t row, const std::string& text, CellStyle style = CellStyle::plain);
  void number(int column, std::size_t row, double value, CellStyle style = CellStyle::plain);
  // Without a value: the spreadsheet calculates when it opens the file.
  void formula(int column, std::size_t row, const std::string& formula, CellStyle style = CellStyle::plain);
  void empty(int column, std::size_t row, CellStyle style);
  // Proposes the values of a range where a cell is filled in; others may be typed.
  void propose(int column, std::size_t row, const std::string& range);
  void width(int column, double characters, bool is_hidden = false);

  const std::string& name() const { return name_; }
  std::string xml() const;

 private:
  Xml& cell(int column, std::size_t row, CellStyle style);

  std::string name_;
  std::map<std::size_t, std::map<int, Xml>> rows_;
  std::vector<Xml> columns_;
  std::vector<Xml> proposals_;
};

// The file's content. The first sheet is the one that is shown.
std::string workbook(const std::vector<const Sheet*>& sheets);

}  // namespace xofm::detail
