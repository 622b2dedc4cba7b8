// What a program outside this repository does: it sees the installed headers and library, nothing else.
#include <cstdio>
#include <string>

#include "xofm/dataset.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"

int main() {
  xofm::Dataset data;
  data.schema.class_names = {"low", "high"};
  data.columns = {{1.0, 2.0, 3.0}};
  if (data.row_count() != 3 || data.schema.class_count() != 2) return 1;

  const xofm::ThreadLimit limit(1);
  try {
    const xofm::ThreadLimit wrong(-1);
  } catch (const xofm::Error& error) {
    // An exception that crosses the library's border is still ours, with its message.
    std::puts(error.what());
    const bool told = std::string(error.what()).find("-1") != std::string::npos;
    return error.code() == xofm::ErrorCode::invalid_option && told ? 0 : 1;
  }
  return 1;
}
