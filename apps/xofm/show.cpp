// xofm show: a model at a glance.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "commands.hpp"
#include "options.hpp"
#include "search_text.hpp"
#include "terminal.hpp"
#include "wording.hpp"
#include "xofm/edit_file.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/model_file.hpp"
#include "xofm/names.hpp"

namespace xofm::app {

namespace {

struct ShowArguments {
  std::string model;
  int top = 10;
};

constexpr std::size_t name_width = 20;
constexpr std::size_t curve_width = 24;

void print_classes(const Model& model) {
  const auto& weights = model.summary.class_weights;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  fmt::print("Classes of '{}', lowest first; {} rows\n", printable(model.schema.label_name), model.summary.row_count);
  for (std::size_t h = 0; h < weights.size(); ++h) {
    const auto& points = model.assignment.reference.classes[h];
    const std::string scores =
        points.empty() ? "no rows" : fmt::format("scores {:.2f} to {:.2f}", points.front().score, points.back().score);
    fmt::print("  {} {:>8.6g} {:>4.0f} %  {}\n", fit_width(model.schema.class_names[h], name_width), weights[h],
               100 * weights[h] / total, scores);
  }
  fmt::print("{}", absent_text(model));
}

std::string level_text(const Attribute& attribute, const AttributeCurve& curve, std::size_t level) {
  return fmt::format("{} {:+.2f}", printable(attribute.levels[level]), curve.values[level]);
}

void print_attribute(const Model& model, std::size_t j, const AttributeCurve& curve) {
  const Attribute& attribute = model.schema.attributes[j];
  const AttributeEncoder& encoder = model.encoder.attributes[j];
  fmt::print("  {} {:6.3f}  ", fit_width(attribute.name, name_width), curve.range());
  if (attribute.kind == AttributeKind::numeric) {
    const std::string monotone =
        encoder.direction == Direction::none
            ? ""
            : fmt::format("  {}, {}", name_of(encoder.direction),
                          model.certificate.attributes[j].holds ? "certified" : "not certified");
    fmt::print("{:>9.5g} {} {:<9.5g}{}", encoder.knots.front(), sparkline(curve.values, curve_width),
               encoder.knots.back(), monotone);
  } else {
    const auto [least, greatest] = std::minmax_element(curve.values.begin(), curve.values.end());
    fmt::print("{} … {}", level_text(attribute, curve, static_cast<std::size_t>(least - curve.values.begin())),
               level_text(attribute, curve, static_cast<std::size_t>(greatest - curve.values.begin())));
    fmt::print(" ({})", counted(attribute.levels.size(), "level"));
  }
  const std::vector<double>& special = encoder.special;
  for (std::size_t k = 0; k < special.size(); ++k) fmt::print("  {} {:+.2f}", special[k], curve.special[k]);
  if (curve.missing) fmt::print("  missing {:+.2f}", *curve.missing);
  fmt::print("\n");
  const std::string about = description_text(attribute);
  if (!about.empty()) fmt::print("    {}\n", about);
}

void print_attributes(const Model& model, std::size_t top) {
  const std::vector<AttributeCurve> curves = attribute_curves(model).purified;
  std::vector<std::size_t> order;
  std::string unused;
  for (std::size_t j = 0; j < curves.size(); ++j) {
    if (is_used(model, j)) {
      order.push_back(j);
    } else {
      unused += (unused.empty() ? "" : ", ") + printable(model.schema.attributes[j].name);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return curves[a].range() > curves[b].range(); });
  const std::size_t shown = std::min(top, order.size());
  fmt::print(
      "\nAttributes by importance: range of the score, then the curve from the least to the greatest value;\n  numbers "
      "with a sign are against the training mean\n");
  for (std::size_t i = 0; i < shown; ++i) print_attribute(model, order[i], curves[order[i]]);
  if (shown < order.size()) fmt::print("  … and {} more (--top)\n", order.size() - shown);
  if (!unused.empty()) fmt::print("  Not used: {}\n", unused);
}

void print_pairs(const Model& model, std::size_t top) {
  if (model.terms ? model.terms->surfaces.empty() : model.parameters.factor_count == 0) {
    fmt::print("\nNo pair adds anything of its own\n");
    return;
  }
  const std::vector<PairStrength> pairs = pair_strengths(model, model.terms ? all_pairs : top);
  const std::size_t shown = pairs.size();
  if (shown > 0) fmt::print("\nStrongest pairs: range of what the two do together beyond their curves\n");
  for (std::size_t i = 0; i < shown; ++i) {
    fmt::print("  {} x {} {:6.3f}\n", fit_width(model.schema.attributes[pairs[i].first].name, name_width),
               fit_width(model.schema.attributes[pairs[i].second].name, name_width), pairs[i].range);
  }
}

void print_options(const Model& model) {
  const TrainOptions& options = model.options;
  const std::vector<Recipe>& parts = options.parts;
  if (parts.size() > 1) {
    fmt::print("\n{} {} recipes\n", model.terms ? "Taken from the average of" : "The average of", parts.size());
    double sum = 0;
    for (const Recipe& part : parts) sum += part.weight;
    for (const Recipe& part : parts) fmt::print("  {:3.0f} % {}\n", 100 * part.weight / sum, recipe_text(part));
    fmt::print("Options: ");
  } else {
    fmt::print("\nOptions: {},\n  ", recipe_text(options.recipe()));
  }
  fmt::print("margin {}, seed {}, {}rule {}, aim {}\n", options.margin, options.optimizer.seed,
             options.bag_count > 1 ? fmt::format("{} fits of each recipe, ", options.bag_count) : "",
             name_of(model.assignment.options.rule), name_of(model.assignment.options.aim));
  const double loss = model.summary.loss;
  const double objective = model.summary.objective;
  fmt::print("Training: {}, {}, data {:016x}\n", counted(static_cast<std::size_t>(model.summary.epochs), "epoch"),
             name_of(model.summary.stop_reason), model.summary.data_fingerprint);
  fmt::print("Pair loss of this model on its training rows {:.6g}{}\n", loss,
             objective == loss ? "" : fmt::format(", with penalties {:.6g}", objective));
  if (model.record.interrupted) fmt::print("Interrupted: this was the best model when training was asked to stop\n");
  if (model.holdout) {
    fmt::print("Kept out: {}, accuracy {:.3f}, MAE {:.3f}, quadratic weighted kappa {:.3f}\n",
               counted(model.holdout->row_count, "row"), model.holdout->accuracy, model.holdout->mae,
               model.holdout->qwk);
  }
  if (model.bands) fmt::print("Bands of the curves: from {} refits; see xofm explain\n", model.bands->refit_count);
  if (model.path) fmt::print("Path over penalties: {}\n", counted(model.path->points.size(), "model"));
}

int run_show(const ShowArguments& arguments) {
  if (!(arguments.top >= 1)) {
    throw Error(ErrorCode::invalid_option, fmt::format("--top is {}; it must be at least 1", arguments.top));
  }
  const Model model = load_model(arguments.model);
  const auto top = static_cast<std::size_t>(arguments.top);
  print_classes(model);
  print_attributes(model, top);
  print_pairs(model, (top + 1) / 2);
  print_options(model);
  if (const std::size_t seals = seal_count(arguments.model); seals > 0) {
    fmt::print("Changed by hand since it was fitted, and sealed {} time{}\n", seals, seals == 1 ? "" : "s");
  }
  if (const std::size_t edits = edit_count(arguments.model); edits > 0) {
    fmt::print("Edited {} time{} since it was fitted; xofm audit says by whom and why\n", edits, edits == 1 ? "" : "s");
  }
  return exit_ok;
}

}  // namespace

void add_show(CLI::App& app, const Common& /*common*/, Run& run) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* const show = app.add_subcommand("show", "Show what a model has learned");
  show->footer(R"(Examples:
  xofm show model.json
  xofm show model.json --top 30)");
  show->add_option("model", arguments->model, "Model made by fit")->required()->type_name("MODEL");
  add_number(*show, "--top", arguments->top, "Attributes to list, and half as many pairs");
  show->callback([arguments, &run] { run = [arguments] { return run_show(*arguments); }; });
}

}  // namespace xofm::app
