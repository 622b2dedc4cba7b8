#include "baselines/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "baselines/xofm_contender.hpp"
#include "xofm/error.hpp"

namespace xofm::baselines {

namespace {

std::vector<std::shared_ptr<const Method>> methods() {
  std::vector<std::shared_ptr<const Method>> all;
  for (const auto make : {make_lit, make_lat, make_kdlor, make_pom, make_svr, make_nnor, make_elmor, make_cnnor,
                          make_ofmhs, make_utadis}) {
    all.push_back(make());
  }
  return all;
}

bool is_same_name(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::vector<Contender> contenders() {
  std::vector<Contender> all;
  for (const auto& method : methods()) all.push_back(tuned(method));
  all.push_back(xofm_paper_contender());
  all.push_back(xofm_contender());
  return all;
}

std::vector<Contender> select(std::vector<Contender> all, std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (std::any_of(all.begin(), all.end(), [&](const Contender& c) { return is_same_name(c.name, name); })) continue;
    std::vector<std::string> known;
    for (const Contender& contender : all) known.push_back(contender.name);
    throw Error(ErrorCode::invalid_option,
                fmt::format("there is no method '{}'; the methods are {}", name, fmt::join(known, ", ")));
  }
  if (names.empty()) return all;
  std::erase_if(all, [&](const Contender& contender) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return is_same_name(contender.name, name); });
  });
  return all;
}

std::shared_ptr<const Method> find_method(const std::string& name) {
  for (auto& method : methods()) {
    if (is_same_name(method->name(), name)) return method;
  }
  return nullptr;
}

}  // namespace xofm::baselines
