// The fields of a model in PMML: what is given, and what is derived from it before the score.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "io/export/export_model.hpp"
#include "io/export/xml.hpp"

namespace xofm::detail {

// Expressions, as short as they can be written here.
using PmmlElements = std::vector<Xml>;
std::string pmml_number(double value);
Xml pmml_constant(double value);
Xml pmml_text(const std::string& text);
Xml pmml_field(const std::string& name);
Xml pmml_call(const std::string& function, PmmlElements arguments);

class PmmlFields {
 public:
  explicit PmmlFields(const ExportModel& made);

  // Where an attribute's values and levels are found; of numbers also limited to the training range.
  const std::string& name(std::size_t j) const { return names_[j]; }
  const std::string& within(std::size_t j) const { return within_[j]; }
  const std::set<std::string>& all() const { return all_; }

  Xml dictionary() const;
  Xml mining_schema() const;
  PmmlElements derived() const;

 private:
  std::string unused(std::string name);
  Xml within_training(std::size_t j) const;
  Xml indicator_level(std::size_t j) const;

  const ExportModel& made_;
  std::set<std::string> all_;
  std::vector<std::string> names_;
  std::vector<std::string> within_;
};

}  // namespace xofm::detail
