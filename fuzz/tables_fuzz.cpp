// Any bytes as the small tables beside the data, by the first of them: descriptions of attributes, splits, conditions
// on rows, a fold column.
#include <string_view>

#include "input_file.hpp"
#include "io/csv_filter.hpp"
#include "io/trials_csv.hpp"
#include "xofm/csv.hpp"
#include "xofm/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto path = [&] { return xofm::fuzzing::write_input(data + 1, size - 1, ".csv"); };
  try {
    switch (data[0] % 4) {
      case 0: {
        xofm::Schema schema;
        schema.attributes = {{.name = "a"}, {.name = "b"}};
        xofm::read_descriptions(path(), schema);
        break;
      }
      case 1:
        static_cast<void>(xofm::detail::read_trials(path(), 10));
        break;
      case 2:
        static_cast<void>(xofm::detail::rows_where(text, "f.csv", '\0', {{"a", "1"}}, "--where"));
        break;
      default:
        static_cast<void>(xofm::detail::read_fold_column(text, "f.csv", "fold", '\0'));
    }
  } catch (const xofm::Error&) {
    // Refused, as most inputs are.
  }
  return 0;
}
