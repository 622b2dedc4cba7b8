#include "core/partition/partition_rows.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/encode/encode_range.hpp"
#include "core/partition/bytes.hpp"

namespace xofm {

namespace detail {

namespace {

constexpr std::array<char, 8> magic = {'x', 'o', 'f', 'm', 'p', 'a', 'r', 't'};
constexpr std::uint32_t version = 1;
constexpr std::uint32_t byte_order = 0x01020304;
constexpr double fraction_scale = 65535;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint64_t size;  // of all bytes
  std::uint64_t row_count;
  std::uint64_t first_row;
  std::uint32_t attribute_count;
  std::uint32_t class_count;
  std::uint32_t has_weights;
  std::uint32_t unused;
  std::uint64_t layout;         // of the encoder
  std::uint64_t body_checksum;  // of labels, weights and cells
  std::uint64_t head_checksum;  // of all before the body, itself taken as 0
};
static_assert(sizeof(Header) == 80);

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorCode::invalid_data, "a partition of rows " + problem);
}

bool has_segments(const AttributeEncoder& attribute) {
  return attribute.kind == AttributeKind::numeric && attribute.knots.size() > 1;
}

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

std::uint64_t layout_digest(const Encoder& encoder) {
  std::uint64_t hash = mix(encoder.attributes.size());
  const auto add = [&](std::uint64_t bits) { hash = mix(hash ^ bits); };
  const auto add_all = [&](const std::vector<double>& values) {
    add(values.size());
    for (const double value : values) add(std::bit_cast<std::uint64_t>(value));
  };
  for (const AttributeEncoder& attribute : encoder.attributes) {
    add(static_cast<std::uint64_t>(attribute.kind));
    add(static_cast<std::uint64_t>(attribute.direction));
    add(static_cast<std::uint64_t>(attribute.level_count));
    add(attribute.has_missing ? 1 : 0);
    add_all(attribute.knots);
    add_all(attribute.special);
  }
  return hash;
}

Bytes write_partition(const Encoder& encoder, const Dataset& rows, std::uint64_t first_row) {
  check_layout(encoder, rows);
  const std::size_t n = rows.row_count();
  const std::size_t m = encoder.attributes.size();
  if (rows.labels.size() != n) refuse("needs a label for each row");
  Header header{.magic = magic,
                .version = version,
                .byte_order = byte_order,
                .size = 0,
                .row_count = n,
                .first_row = first_row,
                .attribute_count = static_cast<std::uint32_t>(m),
                .class_count = static_cast<std::uint32_t>(rows.schema.class_count()),
                .has_weights = rows.weights.empty() ? 0U : 1U,
                .unused = 0,
                .layout = layout_digest(encoder),
                .body_checksum = 0,
                .head_checksum = 0};
  std::vector<PartitionRows::Attribute> attributes;
  const std::size_t body = sizeof header + m * sizeof(PartitionRows::Attribute);
  std::size_t size = body + n * (rows.weights.empty() ? 1 : 9);
  std::vector<std::size_t> columns;
  for (const AttributeEncoder& attribute : encoder.attributes) {
    const auto count = static_cast<std::uint32_t>(attribute.coordinate_count());
    const bool is_narrow = count < std::numeric_limits<std::uint8_t>::max();
    attributes.push_back({count, static_cast<std::uint8_t>(is_narrow ? 1 : 2),
                          static_cast<std::uint8_t>(has_segments(attribute) ? 1 : 0), 0});
    columns.push_back(size);
    size += n * (attributes.back().width + 2U * attributes.back().has_fractions);
  }
  header.size = size;
  Bytes bytes(size);
  std::byte* const data = bytes.data();
  for (std::size_t i = 0; i < n; ++i) store(data + body + i, static_cast<std::uint8_t>(rows.labels[i]));
  if (header.has_weights != 0) std::memcpy(data + body + n, rows.weights.data(), n * sizeof(double));
  const std::size_t block_count = encoding_blocks(n);
  parallel_for(block_count, [&](std::size_t block) {
    const Range range = block_range(n, block_count, block);
    EncodedRows encoded = make_rows(encoder, range.size());
    encode_range(encoder, rows, range, encoded, 0, nullptr);
    for (std::size_t j = 0; j < m; ++j) {
      const auto& [count, width, has_fractions, unused] = attributes[j];
      for (std::size_t i = 0; i < range.size(); ++i) {
        const double fraction = encoded.fractions[i * m + j];
        const bool is_empty = has_fractions == 0 && fraction == 0;
        const auto coordinate = static_cast<std::uint16_t>(is_empty ? count : encoded.coordinates[i * m + j]);
        std::byte* const at = data + columns[j] + (range.begin + i) * width;
        if (width == 1) {
          store(at, static_cast<std::uint8_t>(coordinate));
        } else {
          store(at, coordinate);
        }
        if (has_fractions == 0) continue;
        store(data + columns[j] + n * width + (range.begin + i) * 2,
              static_cast<std::uint16_t>(std::lround(fraction * fraction_scale)));
      }
    }
  });
  std::memcpy(data + sizeof header, attributes.data(), attributes.size() * sizeof(PartitionRows::Attribute));
  header.body_checksum = checksum(ByteView(bytes).subspan(body));
  std::memcpy(data, &header, sizeof header);
  header.head_checksum = checksum(ByteView(bytes).first(body));
  std::memcpy(data, &header, sizeof header);
  return bytes;
}

PartitionRows::PartitionRows(ByteView bytes) : bytes_(bytes) {
  if (bytes.size() < sizeof(Header)) refuse("is cut off");
  auto header = load<Header>(bytes.data());
  if (header.magic != magic) refuse("begins with other bytes; it is none, or damaged");
  if (header.byte_order != byte_order) refuse("was made on a machine with another order of bytes; make it again here");
  if (header.version != version) {
    refuse(fmt::format("has the layout {}; this version of xofm knows {}: make it again", header.version, version));
  }
  if (header.size != bytes.size()) refuse(fmt::format("has {} bytes instead of {}", bytes.size(), header.size));
  const std::size_t m = header.attribute_count;
  if (m > (bytes.size() - sizeof header) / sizeof(Attribute)) refuse("is cut off");
  body_ = sizeof header + m * sizeof(Attribute);
  Bytes head(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(body_));
  const std::uint64_t claimed = std::exchange(header.head_checksum, 0);
  std::memcpy(head.data(), &header, sizeof header);
  if (claimed != checksum(head)) refuse("is damaged: its header has changed");
  if (header.class_count < 2 || header.class_count > std::numeric_limits<std::uint8_t>::max()) {
    refuse(fmt::format("has {} classes; 2 to 255 are possible", header.class_count));
  }
  info_ = {header.row_count, header.first_row, header.attribute_count, header.class_count, header.has_weights != 0};
  layout_ = header.layout;
  body_checksum_ = header.body_checksum;
  // Sizes are compared without overflow: a row has a byte at least.
  if (info_.row_count > bytes.size()) refuse("is cut off");
  const std::size_t n = row_count();
  labels_ = body_;
  weights_ = labels_ + n;
  std::size_t size = weights_ + (info_.has_weights ? n * sizeof(double) : 0);
  for (std::size_t j = 0; j < m; ++j) {
    const auto attribute = load<Attribute>(bytes.data() + sizeof header + j * sizeof(Attribute));
    if ((attribute.width != 1 && attribute.width != 2) || attribute.has_fractions > 1 ||
        attribute.coordinate_count == 0 || attribute.coordinate_count > std::numeric_limits<std::uint16_t>::max()) {
      refuse(fmt::format("is damaged: attribute {} is impossible", j + 1));
    }
    attributes_.push_back(attribute);
    columns_.push_back(size);
    size += n * (attribute.width + 2U * attribute.has_fractions);
    if (size > bytes.size()) refuse("is cut off");
  }
  if (size != bytes.size()) refuse("is longer than its rows");
}

void PartitionRows::need(const Encoder& encoder, int class_count) const {
  if (layout_ != layout_digest(encoder) || attributes_.size() != encoder.attributes.size()) {
    refuse("was encoded on other knots or levels than the request asks for");
  }
  if (static_cast<int>(info_.class_count) != class_count) {
    refuse(fmt::format("has {} classes, the request {}", info_.class_count, class_count));
  }
  // The digest is no proof: sizes are what keeps a lookup inside its table.
  for (std::size_t j = 0; j < attributes_.size(); ++j) {
    const AttributeEncoder& attribute = encoder.attributes[j];
    if (attributes_[j].coordinate_count != static_cast<std::uint32_t>(attribute.coordinate_count()) ||
        (attributes_[j].has_fractions != 0) != has_segments(attribute)) {
      refuse(fmt::format("is damaged: attribute {} has {} coordinates", j + 1, attributes_[j].coordinate_count));
    }
  }
}

void PartitionRows::check_body() const {
  if (checksum(bytes_.subspan(body_)) != body_checksum_) refuse("is damaged: its rows have changed");
}

template <class Coordinate>
void PartitionRows::decode_column(std::size_t j, Range range, EncodedRows& rows) const {
  const std::size_t m = attributes_.size();
  const std::uint32_t count = attributes_[j].coordinate_count;
  const bool has_fractions = attributes_[j].has_fractions != 0;
  const std::byte* at = bytes_.data() + columns_[j] + range.begin * sizeof(Coordinate);
  const std::byte* part = bytes_.data() + columns_[j] + row_count() * sizeof(Coordinate) + range.begin * 2;
  std::uint32_t greatest = 0;
  for (std::size_t i = 0; i < range.size(); ++i, at += sizeof(Coordinate)) {
    const std::uint32_t coordinate = load<Coordinate>(at);
    greatest = std::max(greatest, coordinate);
    const bool is_empty = coordinate == count;
    rows.coordinates[i * m + j] = static_cast<std::uint16_t>(is_empty ? 0 : coordinate);
    double fraction = is_empty ? 0 : 1;
    if (has_fractions) fraction = load<std::uint16_t>(part + 2 * i) * (1 / fraction_scale);
    rows.fractions.set(i * m + j, fraction);
  }
  // A numeric attribute has nothing that could be empty.
  if (greatest > count || (has_fractions && greatest == count)) {
    refuse(fmt::format("is damaged: a cell of attribute {} is at coordinate {} of {}", j + 1, greatest, count));
  }
}

void PartitionRows::decode(Range range, EncodedRows& rows) const {
  const std::size_t m = attributes_.size();
  rows.row_count = range.size();
  rows.attribute_count = m;
  rows.coordinates.resize(range.size() * m);
  if (rows.fractions.size() != range.size() * m) rows.fractions = Fractions(range.size() * m);
  for (std::size_t j = 0; j < m; ++j) {
    attributes_[j].width == 1 ? decode_column<std::uint8_t>(j, range, rows)
                              : decode_column<std::uint16_t>(j, range, rows);
  }
}

void PartitionRows::labels(Range range, std::vector<std::uint8_t>& labels) const {
  labels.resize(range.size());
  if (!labels.empty()) std::memcpy(labels.data(), bytes_.data() + labels_ + range.begin, range.size());
  for (const std::uint8_t label : labels) {
    if (label >= info_.class_count) refuse(fmt::format("is damaged: a row has class {}", label));
  }
}

void PartitionRows::weights(Range range, std::vector<double>& weights) const {
  weights.assign(range.size(), 1.0);
  if (!info_.has_weights || weights.empty()) return;
  std::memcpy(weights.data(), bytes_.data() + weights_ + range.begin * sizeof(double), range.size() * sizeof(double));
  for (const double weight : weights) {
    if (!(weight >= 0 && std::isfinite(weight))) refuse(fmt::format("is damaged: a row weighs {}", weight));
  }
}

}  // namespace detail

Bytes make_partition(const Encoder& encoder, const Dataset& rows, std::uint64_t first_row) {
  return detail::write_partition(encoder, rows, first_row);
}

PartitionInfo check_partition(ByteView partition) {
  const detail::PartitionRows rows(partition);
  rows.check_body();
  constexpr std::size_t tile = 4096;
  EncodedRows decoded;
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  for (std::size_t begin = 0; begin < rows.row_count(); begin += tile) {
    const detail::Range range{begin, std::min(begin + tile, rows.row_count())};
    rows.decode(range, decoded);
    rows.labels(range, labels);
    rows.weights(range, weights);
  }
  return rows.info();
}

}  // namespace xofm
