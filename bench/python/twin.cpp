// What python_cost.py measures the Python package against: the same calls in C++, on the same rows, by the same clock.
//
//     xofm_twin fit rows.bin ROWS ATTRIBUTES CLASSES          prints core seconds and epochs
//     xofm_twin predict rows.bin ROWS ATTRIBUTES model.json   prints core seconds, with everything that a model says
//
// The file has the labels as int32, then the rows as doubles, row by row.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "xofm/model_file.hpp"
#include "xofm/train.hpp"

namespace {

using namespace xofm;

double core_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Dataset read_rows(const char* path, std::size_t row_count, std::size_t attribute_count, int class_count) {
  Dataset data;
  data.schema.label_name = "class";
  for (int h = 0; h < class_count; ++h) data.schema.class_names.push_back(std::to_string(h));
  for (std::size_t j = 0; j < attribute_count; ++j) data.schema.attributes.push_back({.name = "x" + std::to_string(j)});
  data.labels.resize(row_count);
  data.columns.assign(attribute_count, Column(row_count));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(data.labels.data()), static_cast<std::streamsize>(row_count * sizeof(int)));
  std::vector<double> row(attribute_count);
  for (std::size_t i = 0; i < row_count; ++i) {
    file.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(attribute_count * sizeof(double)));
    for (std::size_t j = 0; j < attribute_count; ++j) data.columns[j][i] = row[j];
  }
  if (!file) {
    std::fprintf(stderr, "xofm_twin: %s is too short\n", path);
    std::exit(2);
  }
  return data;
}

// As xofm_predict does when every field is asked for.
void predict(const Model& model, const Dataset& rows) {
  const Predictions predictions = model.predict(rows);
  const auto classes = static_cast<std::size_t>(predictions.class_count);
  std::vector<ClassInterval> covering(predictions.row_count());
  for (std::size_t i = 0; i < covering.size(); ++i) {
    covering[i] = covering_interval(model.assignment, {&predictions.probabilities[i * classes], classes}, 0.9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: xofm_twin fit|predict rows.bin ROWS ATTRIBUTES CLASSES|model.json\n");
    return 2;
  }
  const auto row_count = static_cast<std::size_t>(std::atoll(argv[3]));
  const auto attribute_count = static_cast<std::size_t>(std::atoll(argv[4]));
  if (argv[1] == std::string("fit")) {
    const Dataset data = read_rows(argv[2], row_count, attribute_count, std::atoi(argv[5]));
    const double start = core_seconds();
    const Fit fit = train(data);
    std::printf("%.4f %d\n", core_seconds() - start, fit.model.summary.epochs);
    return 0;
  }
  const Model model = load_model(argv[5]);
  Dataset rows = read_rows(argv[2], row_count, attribute_count, model.schema.class_count());
  const double start = core_seconds();
  predict(model, rows);
  std::printf("%.4f\n", core_seconds() - start);
  return 0;
}
