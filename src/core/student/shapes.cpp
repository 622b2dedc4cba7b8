#include "core/student/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "core/terms/term_table.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t pair_counts[] = {0, 1, 2, 3, 5, 8, 12};
constexpr std::size_t grids[] = {6, 16};  // beside the usual one
constexpr double curve_shares[] = {1, 0.7, 0.5, 0.35, 0.25, 0.15};
constexpr double pulls[] = {1.5, 30};  // beside the usual one: noisy rows want the teacher, clean ones the labels
constexpr double smoothnesses[] = {10};
constexpr std::size_t enough_rows = 20000;  // of very many, to tell how large a student must be
// Mixed rows fill up to this; the model's own student has more. On the two smallest of the paper's sets 2,000 choose as
// well as 5,000, in two thirds of the time; 1,000 do not.
constexpr std::size_t few_mixed_rows = 2000;
constexpr double most_excess = 0.02;   // of the loss of the best
constexpr double expected_tries = 25;  // for the progress

std::optional<std::vector<Pair>> find_listed(const Schema& schema, const TermOptions& terms) {
  if (terms.pairs != PairChoice::listed) return std::nullopt;
  const auto& attributes = schema.attributes;
  const auto number_of = [&](const std::string& name) {
    const auto at = std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.name == name; });
    if (at != attributes.end()) return static_cast<std::size_t>(at - attributes.begin());
    throw Error(ErrorCode::invalid_option, fmt::format("a pair names '{}'; there is no such attribute", name));
  };
  std::vector<Pair> pairs;
  for (const auto& [a, b] : terms.listed) {
    const Pair pair = std::minmax(number_of(a), number_of(b));
    if (pair.first == pair.second) {
      throw Error(ErrorCode::invalid_option, fmt::format("a pair names '{}' twice; a pair is of two attributes", a));
    }
    if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace

ShapeSearch::ShapeSearch(const Teachers& teachers, const TrainOptions& options)
    : teachers_(teachers),
      folds_(*teachers.folds),
      options_(options),
      listed_(find_listed(teachers.folds->data().schema, options.terms)) {}

bool ShapeSearch::go_on() {
  const std::lock_guard lock(mutex_);
  const double share = std::min(static_cast<double>(candidates_.size()) / expected_tries, 1.0);
  stopped_ = stopped_ || (progress_ && !progress_({.share = share, .phase = "choose", .count = candidates_.size()}));
  return !stopped_ || candidates_.empty();  // there must be one
}

void ShapeSearch::make_distillers() {
  StudentSettings settings{.enough_rows = few_mixed_rows};
  settings.project.go_on = [this] { return go_on(); };
  distillers_.resize(folds_.count());
  samples_.resize(folds_.count());
  parallel_for(folds_.count(), [&](std::size_t f) {
    const Dataset* learning = &folds_.learning(f);
    if (learning->row_count() > enough_rows) {
      std::vector<std::size_t> kept;
      for (std::size_t i = 0; i < enough_rows; ++i) kept.push_back(i * learning->row_count() / enough_rows);
      samples_[f] = subset(*learning, kept);
      learning = &samples_[f];
    }
    const Teacher teacher = [&](const Dataset& rows) { return mean_scores(teachers_.by_fold[f], rows); };
    distillers_[f] =
        std::make_unique<Distiller>(*learning, teacher, options_, mix(options_.optimizer.seed + f), listed_, settings);
  });
}

// Unless it is known, or makes no sense: more terms than allowed, or more pairs than so many attributes have.
void ShapeSearch::try_shape(Shape shape) {
  const std::size_t m = folds_.data().attribute_count();
  const auto most_terms = static_cast<std::size_t>(options_.terms.most_terms);
  if (!listed_) shape.pair_count = std::min(shape.pair_count, m * (m - 1) / 2);
  shape.curve_count = std::min(shape.curve_count, m);
  if (most_terms > 0) {
    const std::size_t left = most_terms - std::min(shape.pair_count, most_terms);
    shape.curve_count = std::min(shape.curve_count, std::max<std::size_t>(left, 1));
  }
  const bool has_pairs = listed_ || shape.pair_count <= shape.curve_count * (shape.curve_count - 1) / 2;
  const bool is_known = std::any_of(candidates_.begin(), candidates_.end(),
                                    [&](const Candidate& candidate) { return candidate.shape == shape; });
  if (!candidates_.empty() && (stopped_ || is_known || !has_pairs)) return;
  Candidate candidate;
  candidate.shape = shape;
  candidate.unseen.assign(folds_.data().row_count(), std::nan(""));
  std::vector<std::size_t> term_counts(folds_.count());
  parallel_for(folds_.count(), [&](std::size_t f) {
    const Student student = distillers_[f]->fit(shape);
    term_counts[f] = term_count(student.terms);
    const Dataset rows = subset(folds_.data(), folds_.rows(f));
    const std::vector<double> scores = score_rows(student.encoder, student.terms, encode(student.encoder, rows));
    for (std::size_t i = 0; i < scores.size(); ++i) candidate.unseen[folds_.rows(f)[i]] = scores[i];
  });
  candidate.term_count = *std::max_element(term_counts.begin(), term_counts.end());
  candidate.judgement = judge(candidate.unseen, folds_.data(), options_.assignment);
  if (stopped_ && !candidates_.empty()) return;  // it may have been cut off
  candidates_.push_back(std::move(candidate));
}

std::vector<Judgement> ShapeSearch::judgements(std::optional<std::size_t> without) const {
  std::vector<Judgement> all;
  for (const Candidate& candidate : candidates_) {
    Judgement& judgement = all.emplace_back(candidate.judgement);
    if (!without) continue;
    for (const std::size_t i : folds_.rows(*without)) judgement.row_weights[i] = 0;
    judgement.loss = weighted_mean(judgement.row_losses, judgement.row_weights);
  }
  return all;
}

std::size_t ShapeSearch::best(const std::vector<Judgement>& judgements) {
  const auto is_less = [](const Judgement& a, const Judgement& b) { return a.loss < b.loss; };
  return static_cast<std::size_t>(std::min_element(judgements.begin(), judgements.end(), is_less) - judgements.begin());
}

std::size_t ShapeSearch::smallest(const std::vector<Judgement>& judgements) const {
  const std::size_t least = best(judgements);
  const auto size = [&](std::size_t c) {
    const auto& [shape, term_count, unseen, judgement] = candidates_[c];
    return std::tuple(term_count, shape.pair_count, shape.grid, -shape.smoothness, judgements[c].loss);
  };
  std::size_t chosen = least;
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const auto [mean, error] = excess(judgements[c], judgements[least]);
    if (mean > error || mean > most_excess * judgements[least].loss) continue;
    if (size(c) < size(chosen)) chosen = c;
  }
  return chosen;
}

std::vector<double> ShapeSearch::unseen() const {
  std::vector<double> unseen = chosen().unseen;
  for (std::size_t f = 0; f < folds_.count() && folds_.count() > 1; ++f) {
    const Candidate& own = candidates_[smallest(judgements(f))];
    for (const std::size_t i : folds_.rows(f)) unseen[i] = own.unseen[i];
  }
  return unseen;
}

template <class Value>
void ShapeSearch::try_each(Shape shape, Value Shape::*member, std::span<const Value> values) {
  for (const Value& value : values) {
    shape.*member = value;
    try_shape(shape);
  }
}

void ShapeSearch::run(const ProgressCallback& progress) {
  progress_ = progress;
  make_distillers();
  const TermOptions& terms = options_.terms;
  std::vector<std::size_t> counts(std::begin(pair_counts), std::end(pair_counts));
  if (terms.pairs == PairChoice::count) counts = {static_cast<std::size_t>(terms.pair_count)};
  if (listed_) counts = {listed_->size()};
  // There is no time to choose: a small one.
  if (progress_ && !progress_({.phase = "choose"})) {
    stopped_ = true;
    try_shape({.pair_count = std::clamp<std::size_t>(3, counts.front(), counts.back())});
    return;
  }
  std::vector<std::size_t> curve_counts;
  for (const double share : curve_shares) {
    curve_counts.push_back(
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(folds_.data().attribute_count()))));
  }
  // Attributes first: those that do not matter cost more than pairs gain, and make pairs of noise.
  try_each<std::size_t>({.pair_count = counts.front()}, &Shape::curve_count, curve_counts);
  const Shape few = smallest_shape();
  const Shape many = best_shape();
  try_each<std::size_t>(few, &Shape::pair_count, counts);
  try_each<std::size_t>(many, &Shape::pair_count, counts);
  const Shape with_pairs = best_shape();
  if (with_pairs.pair_count > 0) try_each<std::size_t>(with_pairs, &Shape::grid, grids);
  try_each<std::size_t>(best_shape(), &Shape::curve_count, curve_counts);
  try_each<double>(smallest_shape(), &Shape::pull, pulls);
  try_each<double>(smallest_shape(), &Shape::smoothness, smoothnesses);
}

std::vector<PairVotes> ShapeSearch::vote(Distiller& distiller) const {
  const std::size_t curve_count = chosen().shape.curve_count;
  const std::size_t count = chosen().shape.pair_count;
  const std::vector<char> kept = distiller.kept(curve_count);
  const auto first_of = [&](Distiller& of) { return of.pairs(curve_count, count); };
  std::vector<PairVotes> found;
  const auto entry_of = [&](const Pair& pair) {
    const auto same = [&](const PairVotes& entry) { return entry.pair == pair; };
    const auto at = std::find_if(found.begin(), found.end(), same);
    return at != found.end() ? at : found.insert(found.end(), {pair, 0});
  };
  for (const Pair& pair : first_of(distiller)) entry_of(pair);
  for (const auto& of_fold : distillers_) {
    for (const Pair& pair : first_of(*of_fold)) {
      const bool is_possible = listed_ || (kept[pair.first] != 0 && kept[pair.second] != 0);
      if (is_possible) ++entry_of(pair)->votes;
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.votes > b.votes; });
  if (!listed_ && options_.terms.pairs == PairChoice::automatic && folds_.count() > 1) {
    std::erase_if(found, [&](const PairVotes& entry) { return 2 * entry.votes <= folds_.count(); });
  }
  if (found.size() > count) found.resize(count);
  return found;
}

TermsRecord ShapeSearch::record() const {
  TermsRecord record;
  record.fold_count = folds_.count();
  record.loss = chosen().judgement.loss;  // as the teacher, whose recipes were chosen by the same rows
  record.teacher_loss = judge(unseen_scores(folds_, teachers_.by_fold), folds_.data(), options_.assignment).loss;
  for (const Candidate& candidate : candidates_) {
    const std::size_t pair_count = std::min(candidate.shape.pair_count, candidate.term_count);
    record.tried.push_back(
        {pair_count, candidate.term_count - pair_count, candidate.shape.grid, candidate.judgement.loss});
  }
  return record;
}

}  // namespace xofm::detail
