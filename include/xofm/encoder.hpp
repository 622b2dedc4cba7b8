// Stage 2, encode: where a value lies on its attribute's scale (paper, Definition 1).
//
// Every attribute owns a run of coordinates. A numeric attribute has one per segment between two knots; a categorical
// one has one per level; special values and missing ones get their own if the training rows had any. A value is one
// Position: for a numeric attribute all segments before it are filled (1), its own is filled by `fraction`, the rest
// are empty.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "xofm/dataset.hpp"

namespace xofm {

enum class KnotPlacement { equal_width, quantile };
enum class Direction { none, increasing, decreasing };

// What single attributes ask for, by name.
struct AttributeOptions {
  std::map<std::string, int> segment_counts = {};               // instead of the common one
  std::map<std::string, std::vector<double>> given_knots = {};  // the user's own knots, ascending
  std::map<std::string, Direction> directions = {};             // monotone attributes
};

struct EncoderOptions {
  KnotPlacement knots = KnotPlacement::quantile;  // equal_width is the paper's
  int segment_count = 8;                          // per numeric attribute, at most; 1 .. 10000
  // A value that at least this share of the rows have, and that stands out from those beside it, gets knots on both
  // sides on top of the others, so that the curve may jump there: zeros, codes, what filled a gap. 0: none does.
  double spike_share = 0;
  AttributeOptions attributes = {};
};

struct Position {
  std::uint32_t coordinate = 0;  // among the attribute's own coordinates
  double fraction = 0;           // of that coordinate, in [0, 1]
};

// What was unusual about a value, said beside the prediction.
enum class ValueNote : std::uint8_t { none, below_range, above_range, new_level, unexpected_missing };

struct AttributeEncoder {
  AttributeKind kind = AttributeKind::numeric;
  Direction direction = Direction::none;  // decreasing: segments are counted from the greatest value down
  std::vector<double> knots;              // numeric: ascending; a constant attribute has just one
  int level_count = 0;                    // categorical
  // Numeric: the special values that training has seen, ascending. Their coordinates follow the segments, one for each.
  std::vector<double> special = {};
  std::vector<double> absent_special = {};  // special, but training had none: taken for missing
  bool has_missing = false;                 // the training rows had missing values: the last coordinate is theirs
  Position typical;  // taken by a missing value when training had none: the median, or the most frequent level

  // Segments or levels, without the coordinates of special and missing values. A constant attribute has one, which
  // nothing fills.
  int segment_count() const;
  int coordinate_count() const { return segment_count() + static_cast<int>(special.size()) + (has_missing ? 1 : 0); }
  // Whether filling runs through the coordinates before this one (numeric segments; not levels, special, missing).
  bool is_segment(int coordinate) const { return kind == AttributeKind::numeric && coordinate < segment_count(); }

  Position locate(double value, ValueNote& note) const;
  // The same of a number that is taken as one even if it is special: a place on the curve.
  Position locate_on_curve(double value, ValueNote& note) const;
  Position locate_missing(ValueNote& note) const;
};

struct Encoder {
  std::vector<AttributeEncoder> attributes;
  std::vector<std::uint32_t> offsets;  // first coordinate of each attribute, and the total at the end

  std::size_t coordinate_count() const { return offsets.back(); }
};

// How full the coordinates of many cells are: doubles, or floats where there are so many cells that memory counts. A
// float is off by 6e-8 at most, and a score by as much of what its attributes say.
class Fractions {
 public:
  Fractions() = default;
  explicit Fractions(std::size_t count, bool is_narrow = false)
      : wide_(is_narrow ? 0 : count), narrow_(is_narrow ? count : 0) {}

  std::size_t size() const { return wide_.size() + narrow_.size(); }
  double operator[](std::size_t cell) const {
    return narrow_.empty() ? wide_[cell] : static_cast<double>(narrow_[cell]);
  }
  void set(std::size_t cell, double fraction) {
    if (narrow_.empty()) {
      wide_[cell] = fraction;
    } else {
      narrow_[cell] = static_cast<float>(fraction);
    }
  }
  // Calls f with a pointer to them, of either type.
  template <class F>
  void visit(F f) const {
    narrow_.empty() ? f(wide_.data()) : f(narrow_.data());
  }
  template <class F>
  void visit(F f) {
    narrow_.empty() ? f(wide_.data()) : f(narrow_.data());
  }
  bool operator==(const Fractions&) const = default;

 private:
  std::vector<double> wide_;
  std::vector<float> narrow_;
};

// The positions of many rows, row by row.
struct EncodedRows {
  std::size_t row_count = 0;
  std::size_t attribute_count = 0;
  std::vector<std::uint16_t> coordinates;  // [row * attribute_count + attribute], among the attribute's own
  Fractions fractions;
};

struct RowNote {
  std::size_t row;
  std::size_t attribute;
  ValueNote note;
};

// Knots, levels and missing coordinates from the training rows.
Encoder fit_encoder(const Dataset& data, const EncoderOptions& options = {});

// Sets offsets from the attributes.
void number_coordinates(Encoder& encoder);

// Positions of all rows; unusual values are appended to `notes` in row order if it is not null. Above four million
// cells fractions are floats.
EncodedRows encode(const Encoder& encoder, const Dataset& data, std::vector<RowNote>* notes = nullptr);

}  // namespace xofm
