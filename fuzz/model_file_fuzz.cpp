// Any bytes as a model file: an Error, or a model that predicts numbers, shows its curves, explains a row and is
// written as it was read.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "sealed_text.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/model_file.hpp"

namespace {

void need(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const xofm::Model model = xofm::model_from_json(xofm::fuzzing::sealed({reinterpret_cast<const char*>(data), size}));
    const std::string written = xofm::model_to_json(model);
    need(xofm::model_to_json(xofm::model_from_json(written)) == written);
    xofm::Dataset rows;
    rows.schema = model.schema;
    rows.columns.assign(model.schema.attributes.size(), {0.0, 1.0, -1.0, 1e300, std::nan("")});
    const xofm::Predictions predictions = model.predict(rows);
    for (const double score : predictions.scores) need(std::isfinite(score));
    for (const double probability : predictions.probabilities) need(probability >= 0 && probability <= 1 + 1e-9);
    for (const double support : predictions.support) need(support >= 0 && support <= 1);
    static_cast<void>(xofm::attribute_curves(model));
    static_cast<void>(xofm::pair_strengths(model, 5));
    static_cast<void>(xofm::explain(model, rows, 1, {.most_pairs = 5}));
  } catch (const xofm::Error&) {
    // Refused, as most inputs are.
  }
  return 0;
}
