// The parts of a score that speak most against a high class, or for it; of many rows.
#include <algorithm>
#include <span>

#include "core/base/parallel.hpp"
#include "core/explain/effects.hpp"
#include "core/terms/term_table.hpp"
#include "xofm/explain.hpp"

namespace xofm {

namespace {

constexpr std::size_t block_rows = 1024;

// The first `count` in the order that reasons() promises.
std::vector<Reason> choose(std::vector<Reason>& parts, std::size_t count, ReasonOrder order) {
  const auto end = parts.begin() + static_cast<std::ptrdiff_t>(std::min(count, parts.size()));
  std::partial_sort(parts.begin(), end, parts.end(), [&](const Reason& a, const Reason& b) {
    if (a.value != b.value) return order == ReasonOrder::lowest ? a.value < b.value : a.value > b.value;
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
  return {parts.begin(), end};
}

std::vector<Reason> parts_of(const Model& model) {
  std::vector<Reason> parts;
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
    if (!model.terms || has_curve(*model.terms, j)) parts.push_back({j, j, 0});
  }
  for (const auto& [first, second] : detail::pairs_of(model)) parts.push_back({first, second, 0});
  return parts;
}

template <class Fill>
std::vector<std::vector<Reason>> choose_all(const Model& model, std::size_t row_count, std::size_t count,
                                            ReasonOrder order, const Fill& fill) {
  const std::vector<Reason> empty = parts_of(model);
  std::vector<std::vector<Reason>> chosen(row_count);
  const std::size_t block_count = detail::block_count_for(row_count, block_rows, 256);
  detail::parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = detail::block_range(row_count, block_count, block);
    std::vector<Reason> parts;
    for (std::size_t i = begin; i < end; ++i) {
      parts = empty;
      fill(i, std::span(parts));
      chosen[i] = choose(parts, count, order);
    }
  });
  return chosen;
}

}  // namespace

std::vector<std::vector<Reason>> reasons(const Model& model, const Dataset& rows, std::size_t count,
                                         ReasonOrder order) {
  const EncodedRows encoded = encode(model.encoder, rows);
  const std::size_t m = encoded.attribute_count;
  if (model.terms) {
    const detail::TermTable table(model.encoder, *model.terms);
    return choose_all(model, encoded.row_count, count, order, [&](std::size_t i, std::span<Reason> parts) {
      std::size_t surface = 0;
      for (Reason& part : parts) {
        part.value =
            part.first == part.second ? table.curve(encoded, i, part.first) : table.surface(encoded, i, surface++);
      }
    });
  }
  const detail::Effects effects(model);
  return choose_all(model, encoded.row_count, count, order, [&](std::size_t i, std::span<Reason> parts) {
    std::vector<detail::Effect> own;
    std::vector<std::vector<double>> deviations;
    for (std::size_t j = 0; j < m; ++j) {
      own.push_back(effects.at(j, Position{encoded.coordinates[i * m + j], encoded.fractions[i * m + j]}));
      deviations.push_back(effects.deviation(j, own.back()));
    }
    for (Reason& part : parts) {
      part.value = part.first == part.second ? effects.curve(part.first, own[part.first])
                                             : detail::dot(deviations[part.first], deviations[part.second]);
    }
  });
}

std::string reason_text(const Schema& schema, const Reason& reason) {
  const std::string& first = schema.attributes[reason.first].name;
  return reason.first == reason.second ? first : first + " x " + schema.attributes[reason.second].name;
}

}  // namespace xofm
