// From labelled rows in a CSV file to a saved model and predictions for rows kept out.
//   quickstart cars.csv condition
#include <cstdio>
#include <string>

#include "xofm/csv.hpp"
#include "xofm/error.hpp"
#include "xofm/metrics.hpp"
#include "xofm/model_file.hpp"
#include "xofm/train.hpp"

int main(int argc, char** argv) try {
  if (argc != 3) throw xofm::Error(xofm::ErrorCode::invalid_option, "usage: quickstart FILE LABEL");
  const auto data = xofm::read_csv(argv[1], {.label = argv[2]});
  const auto [learning, holdout] = xofm::split(data, {.test_share = 0.2, .seed = 7});

  const auto fit = xofm::train(learning, {.parts = {{.segment_count = 6}}, .margin = 0.5});
  xofm::save_model(fit.model, "model.json");

  const auto model = xofm::load_model("model.json");
  const auto predicted = model.predict(holdout);
  const auto& classes = model.schema.class_names;
  const auto [lowest, highest] = predicted.intervals[0];
  std::printf("first row kept out: class %s, the data allow %s to %s\n", classes[predicted.classes[0]].c_str(),
              classes[lowest].c_str(), classes[highest].c_str());

  const auto quality = xofm::evaluate(model.schema.class_count(), holdout.labels, predicted.classes, predicted.scores,
                                      predicted.probabilities);
  std::printf("%zu rows kept out: accuracy %.3f, MAE %.3f\n", quality.row_count, quality.accuracy, quality.mae);
} catch (const xofm::Error& error) {
  std::fprintf(stderr, "quickstart: %s\n", error.what());
  return 1;
}
