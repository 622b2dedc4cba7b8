// Any bytes as a model file: an Error, or a model that predicts, shows its curves and is written as it was read.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/model_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const xofm::Model model = xofm::model_from_json(text);
    xofm::Dataset rows;
    rows.schema = model.schema;
    rows.columns.assign(model.schema.attributes.size(), {0.0, 1.0, -1.0, 1e300, __builtin_nan("")});
    static_cast<void>(model.predict(rows));
    for (std::size_t j = 0; j < rows.columns.size(); ++j) static_cast<void>(xofm::purified_curve(model, j));
    const std::string written = xofm::model_to_json(model);
    if (xofm::model_to_json(xofm::model_from_json(written)) != written) std::abort();
  } catch (const xofm::Error&) {
    // Refused, as most inputs are.
  }
  return 0;
}
