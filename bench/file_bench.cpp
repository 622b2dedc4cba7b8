// From file to model and back: reading CSV, predicting, and training 10^6 rows by 40 passes, reading included.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "problem.hpp"
#include "xofm/csv.hpp"

namespace xofm::bench {
namespace {

constexpr std::size_t row_count = 1'000'000;

// A file of generated rows that goes away with the program.
class RowsFile {
 public:
  RowsFile() : path_(std::filesystem::temp_directory_path() / fmt::format("xofm_bench_{}.csv", std::rand())) {
    std::ofstream file(path_);
    const Generator generator(generate_options(row_count));
    std::string text;
    for (const auto& attribute : generator.schema().attributes) text += attribute.name + ',';
    text += generator.schema().label_name + '\n';
    constexpr std::size_t chunk = 10'000;
    for (std::size_t first = 0; first < row_count; first += chunk) {
      const Dataset rows = generator.rows(first, chunk);
      for (std::size_t i = 0; i < chunk; ++i) {
        for (const auto& column : rows.columns) fmt::format_to(std::back_inserter(text), "{},", column[i]);
        text += rows.schema.class_names[static_cast<std::size_t>(rows.labels[i])] + '\n';
      }
      file << text;
      text.clear();
    }
  }
  ~RowsFile() { std::filesystem::remove(path_); }
  RowsFile(const RowsFile&) = delete;
  RowsFile& operator=(const RowsFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

const RowsFile& rows_file() {
  static const RowsFile file;
  return file;
}

void set_rates(benchmark::State& state, double bytes) {
  const auto iterations = static_cast<double>(state.iterations());
  state.counters["rows"] = benchmark::Counter(iterations * row_count, benchmark::Counter::kIsRate);
  if (bytes > 0) state.counters["bytes"] = benchmark::Counter(iterations * bytes, benchmark::Counter::kIsRate);
}

void read_csv_rows(benchmark::State& state) {
  const std::string path = rows_file().path();
  for (auto _ : state) benchmark::DoNotOptimize(read_csv(path));
  set_rates(state, static_cast<double>(std::filesystem::file_size(path)));
}
BENCHMARK(read_csv_rows)->Unit(benchmark::kMillisecond)->UseRealTime();

void predict_rows(benchmark::State& state) {
  Problem& p = problem(row_count);
  TrainOptions options = p.options;
  options.recipe().max_epochs = 10;
  const Model model = train(p.data, options).model;
  for (auto _ : state) benchmark::DoNotOptimize(model.predict(p.data));
  set_rates(state, 0);
}
BENCHMARK(predict_rows)->Unit(benchmark::kMillisecond)->UseRealTime();

void read_and_train_40_passes(benchmark::State& state) {
  const std::string path = rows_file().path();
  TrainOptions options;
  options.recipe().max_epochs = 40;
  options.optimizer.tolerance = 0;
  for (auto _ : state) benchmark::DoNotOptimize(train(read_csv(path), options));
}
BENCHMARK(read_and_train_40_passes)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
}  // namespace xofm::bench
