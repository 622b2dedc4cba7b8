// The table of options: every field of training and of the search by name, with its bounds, its help and its place on
// the command line. Command line, checks, model files, documents and report are made from it, so that a new option is
// two edits: the field with its default in xofm/options.hpp, and its line here.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "xofm/names.hpp"
#include "xofm/options.hpp"

namespace xofm::detail {

// What a number may be; neither infinite nor NaN in any case. Choices have no bounds.
struct Bounds {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  bool is_open = false;  // `least` itself is not allowed

  template <class Value>
  constexpr bool contain(Value value) const {
    if constexpr (std::is_enum_v<Value>) return true;
    const auto number = static_cast<double>(value);
    return (is_open ? number > least : number >= least) && number <= most;
  }
};

inline constexpr Bounds any = {};
inline constexpr Bounds positive = {.least = 0, .is_open = true};
constexpr Bounds at_least(double least) { return {.least = least}; }
constexpr Bounds from_to(double least, double most) { return {.least = least, .most = most}; }

// "0 to 1000", "0 or more", "at least 2", "a positive number"; empty: no bounds.
std::string text_of(const Bounds& bounds);

// A number, or the name of a choice.
template <class Value>
std::string value_text(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return name_of(value);
  } else {
    return fmt::format("{}", value);
  }
}

// Where an option stands in help and documents.
namespace group {
inline constexpr std::string_view model = "Model";
inline constexpr std::string_view classes = "Classes";
inline constexpr std::string_view training = "Training";
inline constexpr std::string_view search = "Search";
}  // namespace group

template <class OptionsType, class ValueType>
struct Field {
  using Options = OptionsType;
  using Value = ValueType;
  using List = std::vector<Value> SearchSpace::*;

  std::string_view name;  // in C++, in files and in messages; on the command line with '-' for '_'
  Value Options::*member;
  std::string_view group;
  Bounds bounds;
  std::string_view help;
  std::string_view flag = {};  // on the command line, where it is not the name
  bool has_flag = true;        // false: no option of its own on the command line
  List list = nullptr;         // of the search space; an option that is given fixes it
  bool is_drawn = false;       // a search draws the value from the list; else it has rules of its own for it

  constexpr Field as_flag(std::string_view other) const {
    Field changed = *this;
    changed.flag = other;
    return changed;
  }
  constexpr Field without_flag() const {
    Field changed = *this;
    changed.has_flag = false;
    return changed;
  }
  constexpr Field drawn_from(List values) const {
    Field changed = in_list(values);
    changed.is_drawn = true;
    return changed;
  }
  constexpr Field in_list(List values) const {
    Field changed = *this;
    changed.list = values;
    return changed;
  }
};

template <class Options, class Value>
constexpr Field<Options, Value> field(std::string_view name, Value Options::*member, std::string_view group,
                                      Bounds bounds, std::string_view help) {
  return {name, member, group, bounds, help};
}

// What is drawn stands in the order in which a search tries it: first what matters most where there is no budget for
// all.
inline constexpr auto recipe_fields = std::tuple{
    field("method", &Recipe::method, group::training, any,
          "lbfgs; boost: a sum of small trees, for sharp edges; the paper's sgd over pairs; gibbs: the mean of "
          "posterior draws, without penalties to choose")
        .in_list(&SearchSpace::methods),
    field("segment_count", &Recipe::segment_count, group::model, from_to(1, 10000),
          "Segments per numeric attribute, at most: more follow more detail and need more rows")
        .drawn_from(&SearchSpace::segment_counts),
    field("sparsity_penalty", &Recipe::sparsity_penalty, group::model, at_least(0),
          "Levels all but few segments, of the curves and of the interactions; lbfgs only")
        .drawn_from(&SearchSpace::sparsity_penalties),
    field("spike_share", &Recipe::spike_share, group::model, from_to(0, 1),
          "Give values that this share of the rows have their own point beside the curve; 0: none")
        .drawn_from(&SearchSpace::spike_shares),
    field("factor_count", &Recipe::factor_count, group::model, from_to(0, 1000),
          "Length of the latent factors: richness of the interactions; 0: none")
        .drawn_from(&SearchSpace::factor_counts),
    field("knots", &Recipe::knots, group::model, any,
          "Where segments end: quantile has about as many rows in each, equal_width is the paper's")
        .drawn_from(&SearchSpace::knots),
    field("increment_penalty", &Recipe::increment_penalty, group::model, at_least(0), "Flattens the curves")
        .drawn_from(&SearchSpace::increment_penalties),
    field("factor_penalty", &Recipe::factor_penalty, group::model, at_least(0), "Weakens the interactions")
        .drawn_from(&SearchSpace::factor_penalties),
    field("pair_weighting", &Recipe::pair_weighting, group::model, any,
          "How much a pair of rows counts: all alike, by the distance of their classes, balanced over pairs of "
          "classes, or adjacent classes only")
        .drawn_from(&SearchSpace::pair_weightings),
    field("init_stddev", &Recipe::init_stddev, group::training, at_least(0), "Spread of the factors at the start")
        .drawn_from(&SearchSpace::init_stddevs),
    field("max_epochs", &Recipe::max_epochs, group::training, at_least(1),
          "Passes over all ordered pairs, at most; boost: trees; gibbs: sweeps, of which the second half is kept")
        .in_list(&SearchSpace::max_epochs),
    field("weight", &Recipe::weight, group::model, at_least(0), "Of the recipe's scores in the average of the parts")
        .without_flag()};

// --pairs sets the first two; their names are in it too.
inline constexpr auto term_fields = std::tuple{
    field("pairs", &TermOptions::pairs, group::model, any, "How pairs of attributes are chosen").without_flag(),
    field("pair_count", &TermOptions::pair_count, group::model, at_least(0), "How many pairs").without_flag(),
    field("most_terms", &TermOptions::most_terms, group::model, at_least(0),
          "Curves and pairs together, at most; 0: no limit")
        .as_flag("terms-at-most"),
    field("teacher_pull", &TermOptions::teacher_pull, group::model, at_least(0),
          "How closely curves and pairs follow the average they are taken from; 0: fitted to the labels alone")};

inline constexpr auto train_fields = std::tuple{
    field("auto_direction", &TrainOptions::auto_direction, group::model, from_to(0, 1),
          "Make attributes monotone that correlate with the class at least so strongly (Kendall's tau-b); 0: none"),
    field("margin", &TrainOptions::margin, group::model, positive,
          "By which a better class should score higher; sets the scale of the score"),
    field("smoothness_penalty", &TrainOptions::smoothness_penalty, group::model, at_least(0),
          "Smooths curves and interactions, so that many segments cost nothing; lbfgs only"),
    field("pair_penalty", &TrainOptions::pair_penalty, group::model, at_least(0),
          "Removes whole attributes from the interactions; lbfgs only"),
    field("loss_form", &TrainOptions::loss_form, group::training, any, "How the sum over pairs is taken"),
    field("bag_count", &TrainOptions::bag_count, group::training, from_to(1, 1000),
          "Fits that leave out a fold each, averaged into one model")};

inline constexpr auto optimizer_fields =
    std::tuple{field("tolerance", &OptimizerOptions::tolerance, group::training, at_least(0),
                     "Converged when 10 epochs gain less than this share of the objective; 0: never"),
               field("restart_count", &OptimizerOptions::restart_count, group::training, at_least(1),
                     "Random starts; the lowest objective wins"),
               field("seed", &OptimizerOptions::seed, group::training, any,
                     "Of the random starts, the order of pairs and the splits"),
               field("step", &OptimizerOptions::step, group::training, any,
                     "sgd: constant, the paper's; adagrad and adam scale the step of each parameter"),
               field("learning_rate", &OptimizerOptions::learning_rate, group::training, positive, "sgd: step size"),
               field("learning_rate_decay", &OptimizerOptions::learning_rate_decay, group::training, at_least(0),
                     "sgd: the step at epoch t is divided by 1 + decay * t"),
               field("chain_count", &OptimizerOptions::chain_count, group::training, from_to(1, 100),
                     "gibbs: chains from different starts; where they agree they have mixed")};

inline constexpr auto assignment_fields = std::tuple{
    field("rule", &AssignmentOptions::rule, group::classes, any, "How a score becomes a class"),
    field("aim", &AssignmentOptions::aim, group::classes, any,
          "What the class is chosen for and the search makes small: the mean distance in classes (mae), or the share "
          "of errors"),
    field("reference_scores", &AssignmentOptions::reference_scores, group::classes, any,
          "Scores that new rows are compared with"),
    field("fold_count", &AssignmentOptions::fold_count, group::classes, from_to(2, 100),
          "Folds of the rows, each left out by some fits: for the search, and for scores of unseen rows"),
    field("reference_limit", &AssignmentOptions::reference_limit, group::classes, at_least(2),
          "Reference scores kept per class when there are more")};

// The command line has --aim and --fold-count for both, and --budget for passes and time.
inline constexpr auto search_fields =
    std::tuple{field("aim", &SearchOptions::aim, group::search, any, "What the search makes small").without_flag(),
               field("fold_count", &SearchOptions::fold_count, group::search, from_to(2, 100),
                     "Folds of the search; each row is judged by fits that have not seen its fold")
                   .without_flag(),
               field("most_parts", &SearchOptions::most_parts, group::search, from_to(1, 1000),
                     "Recipes that the model is the average of, at most"),
               field("pass_budget", &SearchOptions::pass_budget, group::search, at_least(0),
                     "Training passes over all rows; 0: by the size of the data")
                   .without_flag(),
               field("time_limit", &SearchOptions::time_limit, group::search, at_least(0),
                     "Seconds, after which the best so far is taken; 0: none")
                   .without_flag()};

// The fields of one of the structs above.
template <class Options>
constexpr const auto& fields_of() {
  if constexpr (std::is_same_v<Options, Recipe>) {
    return recipe_fields;
  } else if constexpr (std::is_same_v<Options, TermOptions>) {
    return term_fields;
  } else if constexpr (std::is_same_v<Options, TrainOptions>) {
    return train_fields;
  } else if constexpr (std::is_same_v<Options, OptimizerOptions>) {
    return optimizer_fields;
  } else if constexpr (std::is_same_v<Options, AssignmentOptions>) {
    return assignment_fields;
  } else {
    static_assert(std::is_same_v<Options, SearchOptions>);
    return search_fields;
  }
}

// Calls visit(field) for each field of one struct.
template <class Options, class Visit>
void for_each_field(Visit visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, fields_of<Options>());
}

// Calls visit(field) for all that training may be told.
template <class Visit>
void for_each_train_field(Visit visit) {
  for_each_field<Recipe>(visit);
  for_each_field<TermOptions>(visit);
  for_each_field<TrainOptions>(visit);
  for_each_field<AssignmentOptions>(visit);
  for_each_field<OptimizerOptions>(visit);
}

// The struct within training options (const or not) that has these fields; of recipes the first.
template <class Options, class Train>
auto& within(Train& options) {
  if constexpr (std::is_same_v<Options, Recipe>) {
    return options.recipe();
  } else if constexpr (std::is_same_v<Options, TermOptions>) {
    return options.terms;
  } else if constexpr (std::is_same_v<Options, OptimizerOptions>) {
    return options.optimizer;
  } else if constexpr (std::is_same_v<Options, AssignmentOptions>) {
    return options.assignment;
  } else {
    static_assert(std::is_same_v<Options, TrainOptions>);
    return options;
  }
}

// Calls visit(list, member), both pointers to members (of SearchSpace and of Recipe), for what a search draws. Methods
// and epochs are not among them: it has rules of its own for those.
template <class Visit>
void for_each_varied(Visit visit) {
  for_each_field<Recipe>([&](const auto& field) {
    if (field.is_drawn) visit(field.list, field.member);
  });
}

// Throw Error{invalid_option} "name is value; it must be bounds". What fields ask of each other is checked where they
// are used.
void check(const Recipe& recipe);
void check(
    const TrainOptions& options);  // all parts too; there must be one, and the weights must add up to a positive number
void check(const SearchOptions& options);  // the space too: no list may be empty, epochs must ascend

}  // namespace xofm::detail
