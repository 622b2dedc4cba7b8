#include "fit_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "core/train/directions.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "xofm/error.hpp"
#include "xofm/model_file.hpp"

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

// Every line of the table that has a place on the command line.
void add_fields(CLI::App& fit, FitArguments& a) {
  const TrainOptions defaults;
  detail::for_each_train_field([&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    using Options = typename Field::Options;
    const auto set = [&a, member = field.member, flag = flag_of(field)](typename Field::Value value) {
      a.changes.emplace_back([=](TrainOptions& o) { detail::within<Options>(o).*member = value; });
      if (std::is_same_v<Options, Recipe>) a.recipe_flags.push_back(flag);
    };
    add_field(fit, field, detail::within<Options>(defaults).*field.member, set);
  });
}

// NAME=VALUE,...: set(options, name, value) for each.
template <class Value>
CLI::Option* add_named_values(CLI::App& fit, FitArguments& a, const std::string& flag, const std::string& text,
                              void (*set)(TrainOptions&, const std::string&, Value)) {
  return fit.add_option_function<std::vector<std::string>>(
      flag,
      [&a, flag, set](const std::vector<std::string>& items) {
        for (const auto& item : items) {
          const auto [name, value] = split_assignment(item, flag);
          const auto number = parse_number<Value>(value, flag);
          a.changes.emplace_back([set, name = name, number](TrainOptions& o) { set(o, name, number); });
        }
      },
      text);
}

void add_preset(CLI::App& fit, FitArguments& a) {
  fit.add_option("--preset", a.preset,
                 "paper: equal width, Algorithm 1, support rule, no penalties; see docs/reference/options.md")
      ->check([](const std::string& name) {
        return name == "default" || name == "paper"
                   ? std::string()
                   : fmt::format("'{}' is not known; it must be default or paper", name);
      })
      ->type_name("default|paper")
      ->capture_default_str()
      ->group("Model");
}

void add_pairs(CLI::App& fit, FitArguments& a) {
  fit.add_option_function<std::string>(
         "--pairs",
         [&a](const std::string& text) {
           a.has_pairs = true;
           a.changes.emplace_back([terms = parse_pairs(text)](TrainOptions& o) {
             o.terms.pairs = terms.pairs;
             o.terms.pair_count = terms.pair_count;
             o.terms.listed = terms.listed;
           });
         },
         "Pairs of attributes with a surface of their own: as few as unseen rows allow, none, so many, or these; all: "
         "u "
         "and V of the paper")
      ->type_name("auto|none|all|N|A:B,...")
      ->default_str("auto after a search, else all")
      ->group("Model");
}

// What single attributes and classes ask for, by name.
void add_named_options(CLI::App& fit, FitArguments& a) {
  const char* const group = "Model";
  as_list(add_named_values<int>(
              fit, a, "--segment-counts", "Segments of single attributes",
              [](TrainOptions& o, const std::string& name, int count) { o.attributes.segment_counts[name] = count; }),
          "NAME=N,...")
      ->group(group);
  fit.add_option_function<std::vector<std::string>>(
         "--given-knots",
         [&a](const std::vector<std::string>& items) {
           for (const auto& item : items) {
             const auto [name, list] = split_assignment(item, "--given-knots");
             std::vector<double> knots;
             for (const auto& part : CLI::detail::split(list, ','))
               knots.push_back(parse_number<double>(part, "--given-knots"));
             a.changes.emplace_back([name = name, knots](TrainOptions& o) { o.attributes.given_knots[name] = knots; });
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
                    a.changes.emplace_back([name, direction](TrainOptions& o) {
                      if (o.attributes.directions.try_emplace(name, direction).first->second == direction) return;
                      throw Error(ErrorCode::invalid_option,
                                  fmt::format("'{}' stands in --increasing and in --decreasing; choose one", name));
                    });
                  }
                },
                fmt::format("Attributes in which the score never {}",
                            direction == Direction::increasing ? "falls" : "rises")))
        ->group(group);
  }
  as_list(add_named_values<double>(
              fit, a, "--class-weights", "How much rows count by their class; others count 1",
              [](TrainOptions& o, const std::string& name, double weight) { o.class_weights[name] = weight; }),
          "NAME=W,...")
      ->group(group);
}

// "income=-1", "-9", "age=999": what has no name belongs to the one before it.
std::map<std::string, std::vector<double>> special_values(const std::vector<std::string>& words) {
  std::map<std::string, std::vector<double>> values;
  std::string name;
  for (const std::string& word : words) {
    std::string number = word;
    if (word.find('=') != std::string::npos) std::tie(name, number) = split_assignment(word, "--special");
    if (name.empty()) {
      throw CLI::ValidationError(fmt::format("--special is '{}'; it must be NAME=V1,V2,...", word));
    }
    values[name].push_back(parse_number<double>(number, "--special"));
  }
  return values;
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
  fit.add_flag("--keep-indicators", csv.keep_indicators,
               "Keep columns of 0 and 1 apart, even where each row has exactly one 1 among them")
      ->group(group);
  add_list(fit, "--classes", csv.classes, "Order of the classes, lowest first; needed for text labels")->group(group);
  add_number(fit, "--bins", csv.bins, "The label is a measurement: make so many ordered classes at its quantiles")
      ->default_str("")
      ->group(group);
  as_list(fit.add_option("--bins-at", csv.bins_at, "The same with classes that begin at these values"), "V,...")
      ->check(number_problem<double>)
      ->group(group);
  as_list(fit.add_option("--missing", csv.missing, "Cells that mean 'no value'; empty ones always do"), "TEXT,...")
      ->default_str("NA,NaN,?")
      ->group(group);
  as_list(
      fit.add_option_function<std::vector<std::string>>(
          "--special", [&csv](const std::vector<std::string>& words) { csv.special = special_values(words); },
          "Values of single attributes that stand for something else, each with a value of its own beside the curve"),
      "NAME=V1,V2,...")
      ->group(group);
  add_list(fit, "--cyclic", csv.cyclic, "Columns of dates to take as month, weekday and hour, not as days")
      ->group(group);
  fit.add_option("--id", csv.id, "Column that names the rows; it takes no part in training")
      ->type_name("NAME")
      ->group(group);
  fit.add_flag("--keep-useless", csv.keep_useless, "Keep constant columns and identifiers as attributes")->group(group);
  add_dialect(fit, arguments.dialect, group);
}

void add_training_options(CLI::App& fit, FitArguments& arguments) {
  add_preset(fit, arguments);
  add_pairs(fit, arguments);
  add_fields(fit, arguments);
  add_named_options(fit, arguments);
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
  for (const char* const option : {"--knots", "--segment-count", "--segment-counts", "--spike-share", "--given-knots",
                                   "--increasing", "--decreasing", "--use", "--ignore", "--numeric", "--categorical",
                                   "--classes", "--bins", "--bins-at", "--missing", "--special", "--cyclic", "--id"}) {
    if (fit.count(option) > 0) {
      throw CLI::ValidationError(option, "the model given by --warm-start decides this; leave one of the two out");
    }
  }
}

std::string remarks_text(const Dataset& data) {
  std::string text;
  for (const std::string& remark : data.remarks) text += fmt::format("{}.\n", printable(remark));
  return text;
}

CsvOptions csv_options(const FitArguments& arguments) {
  CsvOptions csv = arguments.dialect.in(arguments.csv);
  if (std::find(csv.missing.begin(), csv.missing.end(), "") == csv.missing.end()) csv.missing.emplace_back("");
  // Columns that are spoken of by name stay what they are.
  TrainOptions spoken_of;
  for (const auto& apply : arguments.changes) apply(spoken_of);
  csv.apart = detail::named_attributes(spoken_of);
  return csv;
}

TrainOptions train_options(const FitArguments& arguments) {
  TrainOptions options = arguments.preset == "paper" ? paper_preset() : TrainOptions{};
  if (!arguments.options_of.empty()) options = load_model(arguments.options_of).options;
  if (options.parts.size() > 1 && !arguments.recipe_flags.empty()) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("--options-of: the model of '{}' is the average of {} recipes, each with its own value of "
                            "{}; leave that option out",
                            arguments.options_of, options.parts.size(), arguments.recipe_flags.front()));
  }
  for (const auto& apply : arguments.changes) apply(options);
  TermOptions& terms = options.terms;
  if (terms.most_terms > 0 && terms.pairs == PairChoice::all) {
    if (arguments.has_pairs) {
      throw Error(ErrorCode::invalid_option,
                  "--terms-at-most counts curves and chosen pairs, --pairs all has every pair; leave one of them out");
    }
    terms.pairs = PairChoice::automatic;
  }
  detail::check(options);
  return options;
}

}  // namespace xofm::app
