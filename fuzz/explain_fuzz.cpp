// Any bytes as rows to be explained by a small model, one with curves and pairs or one with u and V by the first of
// them: an Error, or explanations that add up to the score and changes that lead to the class they promise, also when
// they are rounded.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "io/csv_read.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/model_file.hpp"

namespace {

void need(bool condition) {
  if (!condition) std::abort();
}

void check_sum(const xofm::LocalExplanation& local) {
  double sum = local.base + local.other_pairs;
  double size = 1;
  for (const double value : local.attributes) {
    sum += value;
    size += std::abs(value);
  }
  for (const auto& pair : local.pairs) {
    sum += pair.value;
    size += std::abs(pair.value);
  }
  need(std::abs(sum - local.score) <= 1e-9 * size);
}

// The class of the row after the changes is the one that was promised.
void check_change(const xofm::Model& model, xofm::Dataset row, const std::optional<xofm::Counterfactual>& change) {
  if (!change) return;
  for (const bool is_rounded : {false, true}) {
    const xofm::Counterfactual made = is_rounded ? xofm::round_outwards(model, row, 0, *change) : *change;
    xofm::Dataset changed = row;
    for (const auto& value : made.changes) changed.columns[value.attribute][0] = value.to;
    need(model.predict(changed).classes[0] == made.label);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array models = {xofm::load_model(XOFM_FUZZ_MODELS "/bands.json"),
                                    xofm::load_model(XOFM_FUZZ_MODELS "/factors.json")};
  constexpr std::size_t most_rows = 3;
  if (size == 0) return 0;
  const xofm::Model& model = models[data[0] % models.size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const xofm::Dataset rows = xofm::detail::read_text_by_schema(text, "f.csv", model.schema, {}, 64);
    for (std::size_t i = 0; i < std::min(rows.row_count(), most_rows); ++i) {
      const std::size_t own[] = {i};
      const xofm::Dataset row = xofm::subset(rows, own);
      check_sum(xofm::explain(model, row, 0, {.nearest_count = 3}));
      const xofm::NextClasses next = xofm::next_classes(model, row, 0, {});
      for (const auto* const found : {&next.to_better, &next.to_worse}) {
        check_change(model, row, found->one);
        check_change(model, row, found->two);
      }
    }
  } catch (const xofm::Error&) {
    // Refused, as most inputs are.
  }
  return 0;
}
