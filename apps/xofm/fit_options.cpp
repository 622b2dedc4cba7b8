#include "fit_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "options.hpp"
#include "xofm/error.hpp"
#include "xofm/model_file.hpp"
#include "xofm/train.hpp"

namespace xofm::app {

namespace {

template <class Number>
Number parse_number(const std::string& text, const std::string& where) {
  const std::string problem = number_problem<Number>(text);
  if (!problem.empty()) throw CLI::ValidationError(where, problem);
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

TermOptions parse_pairs(const std::string& text) {
  TermOptions terms;
  if (text == "all") return terms;
  if (text == "auto") {
    terms.pairs = PairChoice::automatic;
    return terms;
  }
  terms.pairs = PairChoice::count;
  if (text == "none") return terms;
  if (text.find(':') == std::string::npos) {
    terms.pair_count = parse_number<int>(text, "--pairs");
    return terms;
  }
  terms.pairs = PairChoice::listed;
  for (const auto& item : CLI::detail::split(text, ',')) {
    const std::size_t at = item.find(':');
    if (at == std::string::npos || at == 0 || at + 1 == item.size()) {
      throw CLI::ValidationError("--pairs", fmt::format("'{}' is not a pair; write two attributes as A:B", item));
    }
    terms.listed.emplace_back(item.substr(0, at), item.substr(at + 1));
  }
  return terms;
}

template <class Value>
std::function<void(Value)> change(FitArguments& arguments, std::function<void(TrainOptions&, Value)> set) {
  return [&arguments, set](Value value) {
    arguments.changes.push_back([set, value](TrainOptions& options) { set(options, value); });
  };
}

}  // namespace

void add_data_options(CLI::App& fit, FitArguments& arguments) {
  const char* const group = "Data";
  auto& csv = arguments.csv;
  fit.add_option("--label", csv.label, "Column with the class")->default_str("the last one")->group(group);
  fit.add_option("--weight", csv.weight, "Column with sample weights")->group(group);
  add_list(fit, "--use", csv.use, "Attributes to use (default: all)")->group(group);
  add_list(fit, "--ignore", csv.ignore, "Columns to leave out")->group(group);
  add_list(fit, "--numeric", csv.numeric, "Attributes that must be numbers")->group(group);
  add_list(fit, "--categorical", csv.categorical, "Attributes to take as categories")->group(group);
  add_list(fit, "--classes", csv.classes, "Order of the classes, lowest first; needed for text labels")->group(group);
  as_list(fit.add_option("--missing", csv.missing, "Cells that mean 'no value'; empty ones always do"), "TEXT,...")
      ->default_str("NA,NaN,?")
      ->group(group);
  add_separator(fit, csv.separator)->group(group);
}

void add_model_options(CLI::App& fit, FitArguments& a) {
  const TrainOptions defaults;
  const char* const group = "Model";
  fit.add_option("--preset", a.preset,
                 "paper: equal width, Algorithm 1, support rule, no penalties; see docs/options.md")
      ->check([](const std::string& name) {
        return name == "default" || name == "paper"
                   ? std::string()
                   : fmt::format("'{}' is not known; it must be default or paper", name);
      })
      ->type_name("default|paper")
      ->capture_default_str()
      ->group(group);
  fit.add_option_function<std::string>(
         "--pairs",
         [&a](const std::string& text) {
           const TermOptions terms = parse_pairs(text);
           a.changes.push_back([terms](TrainOptions& o) {
             const int most = o.terms.most_terms;
             o.terms = terms;
             o.terms.most_terms = most;
           });
         },
         "Pairs of attributes that have a part of their own: as few as unseen rows allow, none, so many, or these; "
         "all: "
         "u and V of the paper")
      ->type_name("auto|none|all|N|A:B,...")
      ->default_str("auto after a search, else all")
      ->group(group);
  add_value<int>(fit, "--terms-at-most", defaults.terms.most_terms, "Curves and pairs together, at most; 0: no limit",
                 change<int>(a, [](auto& o, auto v) { o.terms.most_terms = v; }))
      ->group(group);
  add_choice<KnotPlacement>(fit, "--knots", defaults.encoder.knots, "Where segments end",
                            change<KnotPlacement>(a, [](auto& o, auto v) { o.encoder.knots = v; }))
      ->group(group);
  add_value<int>(fit, "--segment-count", defaults.encoder.segment_count, "Segments per numeric attribute, at most",
                 change<int>(a, [](auto& o, auto v) { o.encoder.segment_count = v; }))
      ->group(group);
  as_list(
      fit.add_option_function<std::vector<std::string>>(
          "--segment-counts",
          [&a](const std::vector<std::string>& items) {
            for (const auto& item : items) {
              const auto [name, count] = split_assignment(item, "--segment-counts");
              const int number = parse_number<int>(count, "--segment-counts");
              a.changes.push_back([name = name, number](TrainOptions& o) { o.encoder.segment_counts[name] = number; });
            }
          },
          "Segments of single attributes"),
      "NAME=N,...")
      ->group(group);
  add_value<double>(fit, "--spike-share", defaults.encoder.spike_share,
                    "Values that so large a share of the rows have may stand out of the curve; 0: none",
                    change<double>(a, [](auto& o, auto v) { o.encoder.spike_share = v; }))
      ->group(group);
  fit.add_option_function<std::vector<std::string>>(
         "--given-knots",
         [&a](const std::vector<std::string>& items) {
           for (const auto& item : items) {
             const auto [name, list] = split_assignment(item, "--given-knots");
             std::vector<double> knots;
             for (const auto& part : CLI::detail::split(list, ','))
               knots.push_back(parse_number<double>(part, "--given-knots"));
             a.changes.push_back([name = name, knots](TrainOptions& o) { o.encoder.given_knots[name] = knots; });
           }
         },
         "Your own knots for an attribute; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=K0,K1,...")
      ->group(group);
  for (const Direction direction : {Direction::increasing, Direction::decreasing}) {
    as_list(fit.add_option_function<std::vector<std::string>>(
                "--" + name_of(direction),
                [&a, direction](const std::vector<std::string>& names) {
                  for (const auto& name : names) {
                    a.changes.push_back([name, direction](TrainOptions& o) {
                      if (o.encoder.directions.try_emplace(name, direction).first->second == direction) return;
                      throw Error(ErrorCode::invalid_option,
                                  fmt::format("'{}' stands in --increasing and in --decreasing; choose one", name));
                    });
                  }
                },
                fmt::format("Attributes in which the score never {}",
                            direction == Direction::increasing ? "falls" : "rises")))
        ->group(group);
  }
  add_value<double>(fit, "--auto-direction", defaults.auto_direction,
                    "Attributes that correlate with the class at least so strongly become monotone; 0: none",
                    change<double>(a, [](auto& o, auto v) { o.auto_direction = v; }))
      ->group(group);
  add_value<int>(fit, "--factor-count", defaults.factor_count, "Length of the latent factors; 0: no interactions",
                 change<int>(a, [](auto& o, auto v) { o.factor_count = v; }))
      ->group(group);
  add_value<double>(fit, "--margin", defaults.margin, "By which a better class should score higher",
                    change<double>(a, [](auto& o, auto v) { o.margin = v; }))
      ->group(group);
  add_choice<PairWeighting>(fit, "--pair-weighting", defaults.pair_weighting, "How much a pair counts by its classes",
                            change<PairWeighting>(a, [](auto& o, auto v) { o.pair_weighting = v; }))
      ->group(group);
  as_list(fit.add_option_function<std::vector<std::string>>(
              "--class-weights",
              [&a](const std::vector<std::string>& items) {
                for (const auto& item : items) {
                  const auto [name, weight] = split_assignment(item, "--class-weights");
                  const auto number = parse_number<double>(weight, "--class-weights");
                  a.changes.push_back([name = name, number](TrainOptions& o) { o.class_weights[name] = number; });
                }
              },
              "How much rows count by their class; others count 1"),
          "NAME=W,...")
      ->group(group);
  add_value<double>(fit, "--increment-penalty", defaults.increment_penalty, "Flattens the curves",
                    change<double>(a, [](auto& o, auto v) { o.increment_penalty = v; }))
      ->group(group);
  add_value<double>(fit, "--factor-penalty", defaults.factor_penalty, "Weakens the interactions",
                    change<double>(a, [](auto& o, auto v) { o.factor_penalty = v; }))
      ->group(group);
  add_value<double>(fit, "--smoothness-penalty", defaults.smoothness_penalty, "Smooths the curves across many segments",
                    change<double>(a, [](auto& o, auto v) { o.smoothness_penalty = v; }))
      ->group(group);
  add_value<double>(fit, "--pair-penalty", defaults.pair_penalty, "Removes whole attributes from the interactions",
                    change<double>(a, [](auto& o, auto v) { o.pair_penalty = v; }))
      ->group(group);
  add_value<double>(fit, "--sparsity-penalty", defaults.sparsity_penalty,
                    "Levels all but few segments, of the curves and of the interactions",
                    change<double>(a, [](auto& o, auto v) { o.sparsity_penalty = v; }))
      ->group(group);
  add_choice<AssignmentRule>(fit, "--rule", defaults.assignment.rule, "How a score becomes a class",
                             change<AssignmentRule>(a, [](auto& o, auto v) { o.assignment.rule = v; }))
      ->group(group);
  add_choice<Aim>(fit, "--aim", defaults.assignment.aim, "What the class is chosen for",
                  change<Aim>(a, [](auto& o, auto v) { o.assignment.aim = v; }))
      ->group(group);
  add_choice<ReferenceScores>(fit, "--reference-scores", defaults.assignment.reference_scores,
                              "Scores that new rows are compared with",
                              change<ReferenceScores>(a, [](auto& o, auto v) { o.assignment.reference_scores = v; }))
      ->group(group);
  add_value<int>(fit, "--fold-count", defaults.assignment.fold_count, "Refits for out-of-sample scores of a single fit",
                 change<int>(a, [](auto& o, auto v) { o.assignment.fold_count = v; }))
      ->group(group);
  add_value<int>(fit, "--reference-limit", defaults.assignment.reference_limit,
                 "Reference scores kept per class when there are more",
                 change<int>(a, [](auto& o, auto v) { o.assignment.reference_limit = v; }))
      ->group(group);
}

void add_training_options(CLI::App& fit, FitArguments& a) {
  const TrainOptions all_defaults;
  const OptimizerOptions& defaults = all_defaults.optimizer;
  const char* const group = "Training";
  add_choice<Optimizer>(fit, "--method", defaults.method,
                        "lbfgs; boost: a sum of small trees, for sharp edges; or the paper's sgd over pairs",
                        change<Optimizer>(a, [](auto& o, auto v) { o.optimizer.method = v; }))
      ->group(group);
  add_value<int>(fit, "--max-epochs", defaults.max_epochs, "Passes over all ordered pairs, at most; boost: trees",
                 change<int>(a, [](auto& o, auto v) { o.optimizer.max_epochs = v; }))
      ->group(group);
  add_value<double>(fit, "--tolerance", defaults.tolerance, "Converged when 10 epochs gain less than this share",
                    change<double>(a, [](auto& o, auto v) { o.optimizer.tolerance = v; }))
      ->group(group);
  add_value<int>(fit, "--bag-count", all_defaults.bag_count,
                 "Refits that leave out a fold each, averaged into one model",
                 change<int>(a, [](auto& o, auto v) { o.bag_count = v; }))
      ->group(group);
  add_value<int>(fit, "--restart-count", defaults.restart_count, "Random starts; the lowest objective wins",
                 change<int>(a, [](auto& o, auto v) { o.optimizer.restart_count = v; }))
      ->group(group);
  add_value<std::uint64_t>(fit, "--seed", defaults.seed, "Of the random starts, the order of pairs and the splits",
                           change<std::uint64_t>(a, [](auto& o, auto v) { o.optimizer.seed = v; }))
      ->group(group);
  add_value<double>(fit, "--init-stddev", defaults.init_stddev, "Spread of the factors at the start",
                    change<double>(a, [](auto& o, auto v) { o.optimizer.init_stddev = v; }))
      ->group(group);
  add_value<double>(fit, "--learning-rate", defaults.learning_rate, "sgd: step size",
                    change<double>(a, [](auto& o, auto v) { o.optimizer.learning_rate = v; }))
      ->group(group);
  add_value<double>(fit, "--learning-rate-decay", defaults.learning_rate_decay,
                    "sgd: the step at epoch t is divided by 1 + decay * t",
                    change<double>(a, [](auto& o, auto v) { o.optimizer.learning_rate_decay = v; }))
      ->group(group);
  add_choice<LossForm>(fit, "--loss-form", all_defaults.loss_form, "How the sum over pairs is taken",
                       change<LossForm>(a, [](auto& o, auto v) { o.loss_form = v; }))
      ->group(group);
}

void add_options_of(CLI::App& fit, FitArguments& arguments) {
  fit.add_option("--options-of", arguments.options_of, "Train with the options of this model, without a search")
      ->type_name("MODEL")
      ->excludes("--preset")
      ->group("Model");
}

void add_single_fit_options(CLI::App& fit, FitArguments& arguments) {
  add_number(fit, "--holdout", arguments.holdout,
             "Share of rows kept out of training, on which the model is then judged")
      ->group("Data");
  fit.add_option("--warm-start", arguments.warm_start,
                 "Model to start from; its attributes, classes and knots are kept")
      ->type_name("MODEL")
      ->group("Training");
}

void add_explanation_options(CLI::App& fit, FitArguments& arguments) {
  const char* const group = "Explanation";
  fit.add_option("--descriptions", arguments.descriptions,
                 "CSV file with the columns attribute, description and, if wanted, unit; shown beside the names")
      ->type_name("FILE")
      ->group(group);
  add_number(fit, "--bands", arguments.bands, "Refits on resampled rows that give every curve a band; 0: no bands")
      ->group(group);
}

void check_bands(const FitArguments& arguments) {
  if (arguments.bands == 0 || (arguments.bands >= 2 && arguments.bands <= 1000)) return;
  throw Error(ErrorCode::invalid_option,
              fmt::format("--bands is {}; it must be 2 to 1000, or 0 for no bands", arguments.bands));
}

void describe_attributes(Schema& schema, const FitArguments& arguments) {
  if (arguments.descriptions.empty()) return;
  if (arguments.descriptions == "-" && arguments.data == "-") {
    throw Error(ErrorCode::invalid_option,
                "the data and --descriptions cannot both be read from standard input; give one as a file");
  }
  read_descriptions(arguments.descriptions, schema);
}

void check_warm_start(const CLI::App& fit, const FitArguments& arguments) {
  if (arguments.warm_start.empty()) return;
  for (const char* const option :
       {"--knots", "--segment-count", "--segment-counts", "--spike-share", "--given-knots", "--increasing",
        "--decreasing", "--use", "--ignore", "--numeric", "--categorical", "--classes", "--missing"}) {
    if (fit.count(option) > 0) {
      throw CLI::ValidationError(option, "the model given by --warm-start decides this; leave one of the two out");
    }
  }
}

CsvOptions csv_options(const FitArguments& arguments) {
  CsvOptions csv = arguments.csv;
  if (std::find(csv.missing.begin(), csv.missing.end(), "") == csv.missing.end()) csv.missing.push_back("");
  return csv;
}

TrainOptions train_options(const FitArguments& arguments) {
  TrainOptions options = arguments.preset == "paper" ? paper_preset() : TrainOptions{};
  if (!arguments.options_of.empty()) options = load_model(arguments.options_of).options;
  // The fields that a recipe would hide.
  const auto hidden = [](const TrainOptions& o) {
    return std::tuple(o.optimizer.method, o.encoder.knots, o.encoder.segment_count, o.encoder.spike_share,
                      o.auto_direction, o.factor_count, o.increment_penalty, o.sparsity_penalty, o.factor_penalty,
                      o.pair_weighting, o.optimizer.init_stddev, o.optimizer.max_epochs);
  };
  const auto before = hidden(options);
  for (const auto& apply : arguments.changes) apply(options);
  if (!options.blend.empty() && hidden(options) != before) {
    throw Error(
        ErrorCode::invalid_option,
        fmt::format(
            "--options-of: the model of '{}' is an average of {} recipes, each with method, knots, segments, factors, "
            "penalties, pair weighting, start and epochs of its own; leave those options out",
            arguments.options_of, options.blend.size()));
  }
  return options;
}

}  // namespace xofm::app
