#include "reliability.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace xofm::app {

void print_reliability(const std::vector<ReliabilityBin>& table) {
  const auto count = static_cast<double>(table.size());
  fmt::print("\nhow often 'the class is h or better' was true, by the probability given to it\n");
  fmt::print("{:<14} {:>10} {:>9} {:>9}\n", "probability", "statements", "mean", "true");
  for (std::size_t b = 0; b < table.size(); ++b) {
    const std::string range =
        fmt::format("{:.2f} to {:.2f}", static_cast<double>(b) / count, static_cast<double>(b + 1) / count);
    if (table[b].count == 0) {
      fmt::print("{:<14} {:>10} {:>9} {:>9}\n", range, 0, "-", "-");
    } else {
      fmt::print("{:<14} {:>10} {:>9.3f} {:>9.3f}\n", range, table[b].count, table[b].mean_probability,
                 table[b].observed_share);
    }
  }
}

nlohmann::ordered_json reliability_json(const std::vector<ReliabilityBin>& table) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ReliabilityBin& bin : table) {
    nlohmann::ordered_json entry = {{"count", bin.count}, {"mean_probability", nullptr}, {"observed_share", nullptr}};
    if (bin.count > 0) {
      entry["mean_probability"] = bin.mean_probability;
      entry["observed_share"] = bin.observed_share;
    }
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace xofm::app
