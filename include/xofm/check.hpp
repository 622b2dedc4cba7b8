// Rows, looked at before training: what is missing, what may be a code, what contradicts itself, and what knows too
// much.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "xofm/dataset.hpp"

namespace xofm {

// How well one attribute tells the class by itself: most frequent class by its ranges or levels, each half of the rows
// judged by the other.
struct AloneAccuracy {
  std::size_t attribute = 0;
  double accuracy = 0;
  double base = 0;  // share of the most frequent class

  // Of the errors of always naming the most frequent class, the share that is gone; 1: it decides the class.
  double skill() const { return base < 1 ? (accuracy - base) / (1 - base) : 0; }
};

struct CheckOptions {
  double leak_skill = 0.9;       // from here on an attribute alone is suspected of knowing the class
  std::size_t leak_rows = 50;    // with fewer rows nothing is suspected
  double outlier_spans = 5;      // distance from the middle half, in its widths, beyond which a number lies far off
  double special_share = 0.005;  // of the rows that must have a value for it to be taken for a code; and at least 3
};

// A number that many rows have and that lies apart from the others.
struct SpecialCandidate {
  double value = 0;
  std::size_t count = 0;
  std::string why;  // "the only negative value"
};

struct AttributeCheck {
  std::string why;  // it is a number, a category, a date: "all 690 values are numbers"
  std::size_t missing_count = 0;
  std::size_t distinct_count = 0;  // levels, or different numbers (of the first 200,000 rows)
  // Of numbers that are not special.
  double least = 0;
  double median = 0;
  double greatest = 0;
  std::size_t outlier_count = 0;
  std::vector<SpecialCandidate> candidates;
};

struct RepeatCheck {
  std::size_t duplicate_count = 0;      // rows that are a second copy of one before them, class included
  std::size_t contradictory_count = 0;  // rows that have the attributes of another one, but not its class
  double best_accuracy = 1;             // that any model of these attributes can have on these rows
  double best_mae = 0;
};

struct DataCheck {
  std::size_t row_count = 0;
  std::vector<AttributeCheck> attributes;
  std::vector<std::size_t> class_counts;
  RepeatCheck repeats;
  std::vector<AloneAccuracy> alone;  // by attribute
  std::vector<AloneAccuracy> leaks;  // those that are suspected, the strongest first
};

DataCheck check_data(const Dataset& data, const CheckOptions& options = {});

// What somebody should look at, one sentence each without its full stop; the gravest first.
std::vector<std::string> findings(const Dataset& data, const DataCheck& check);

// Only the leaks: what fit warns of.
std::vector<AloneAccuracy> find_leaks(const Dataset& data, const CheckOptions& options = {});

// "status alone gives the class of 98.7 % of the rows, the most frequent class of 41.0 %: was it known before the class
// was? --ignore status leaves it out"
std::string leak_text(const Schema& schema, const AloneAccuracy& leak);

}  // namespace xofm
