// The exported C file, compiled as a user would: rows per second on one core, from numbers in memory.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "problem.hpp"
#include "xofm/export.hpp"

namespace xofm::bench {
namespace {

constexpr std::size_t row_count = 10'000;

void exported_c_rows(benchmark::State& state) {
  const Dataset rows = generate(generate_options(row_count));
  const Model model = train(rows, {.terms = {.pairs = PairChoice::count, .pair_count = 5}}).model;
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("xofm_bench_{}", std::rand());
  std::filesystem::create_directory(folder);
  save_export(model, folder / "model.c");
  const std::string library = folder / "model.so";
  const std::string compile =
      fmt::format("cc -std=c99 -O2 -shared -fPIC {}/model.c -o {} -lm", folder.string(), library);
  void* const opened = std::system(compile.c_str()) == 0 ? dlopen(library.c_str(), RTLD_NOW) : nullptr;
  std::filesystem::remove_all(folder);
  if (opened == nullptr) return state.SkipWithError("the C file was not compiled");
  using Score = void (*)(const double*, const char* const*, void*);
  const auto score = reinterpret_cast<Score>(dlsym(opened, "xofm_model_score"));
  const std::size_t width = rows.columns.size();  // numbers alone, all of them used
  std::vector<double> cells(row_count * width);
  for (std::size_t i = 0; i < row_count; ++i) {
    for (std::size_t j = 0; j < width; ++j) cells[i * width + j] = rows.columns[j][i];
  }
  std::vector<double> result(10'000);  // more than its struct can need
  for (auto _ : state) {
    for (std::size_t i = 0; i < row_count; ++i) score(cells.data() + i * width, nullptr, result.data());
    benchmark::DoNotOptimize(result.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * row_count));
  dlclose(opened);
}
BENCHMARK(exported_c_rows)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace xofm::bench
