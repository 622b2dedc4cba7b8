#include "core/student/train_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "core/data/folds.hpp"
#include "core/score/score_table.hpp"
#include "core/student/purify.hpp"
#include "core/student/student.hpp"
#include "core/student/tidy.hpp"
#include "core/train/blend.hpp"
#include "core/train/directions.hpp"
#include "core/train/distribution.hpp"
#include "core/tune/select.hpp"
#include "xofm/error.hpp"
#include "xofm/validate.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t pair_counts[] = {0, 1, 2, 3, 5, 8, 12};
constexpr std::size_t grids[] = {6, 16};  // beside the usual one
constexpr double curve_shares[] = {0.7, 0.5, 0.35, 0.25, 0.15};
constexpr double pulls[] = {1.5, 30};       // beside the usual one: noisy rows want the teacher, clean ones the labels
constexpr std::size_t enough_rows = 20000;  // of very many, to tell how large a student must be
constexpr double most_excess = 0.02;        // of the loss of the best

// A trained part of a teacher.
struct Member {
  Encoder encoder;
  Parameters parameters;
  double share = 1;
};

std::vector<double> mean_scores(const std::vector<const Member*>& members, const Dataset& rows) {
  std::vector<double> sum(rows.row_count());
  double total = 0;
  for (const Member* member : members) total += member->share;
  for (const Member* member : members) {
    const std::vector<double> scores = score_rows(member->encoder, member->parameters, encode(member->encoder, rows));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += member->share / total * scores[i];
  }
  return sum;
}

TrainOptions as_blend(TrainOptions options) {
  if (!options.blend.empty()) return options;
  Recipe recipe;
  recipe.method = options.optimizer.method;
  recipe.knots = options.encoder.knots;
  recipe.segment_count = options.encoder.segment_count;
  recipe.spike_share = options.encoder.spike_share;
  recipe.auto_direction = options.auto_direction;
  recipe.factor_count = options.factor_count;
  recipe.increment_penalty = options.increment_penalty;
  recipe.sparsity_penalty = options.sparsity_penalty;
  recipe.factor_penalty = options.factor_penalty;
  recipe.pair_weighting = options.pair_weighting;
  recipe.init_stddev = options.optimizer.init_stddev;
  recipe.max_epochs = options.optimizer.max_epochs;
  options.blend = {{recipe, 1}};
  return options;
}

// A pair, and how many folds have found it by themselves.
struct PairVotes {
  Pair pair;
  std::size_t votes = 0;
};

class TermsTrainer {
 public:
  TermsTrainer(const Dataset& data, const TrainOptions& options) : data_(data), options_(options) {
    const int folds = options.assignment.fold_count;
    holds_out_ = options.bag_count == 1 && !has_quick_refits(data.row_count(), data.attribute_count());
    fold_count_ = holds_out_ ? 1 : static_cast<std::size_t>(folds);
    round_count_ = holds_out_ ? 1 : std::max<std::size_t>(static_cast<std::size_t>(options.bag_count / folds), 1);
    folds_ = stratified_folds(data.labels, data.schema.class_count(), folds, mix(options.optimizer.seed));
    for (std::size_t f = 0; f < fold_count_; ++f) {
      std::vector<std::size_t> kept;
      for (std::size_t i = 0; i < folds_.size(); ++i) {
        if (folds_[i] != static_cast<int>(f)) kept.push_back(i);
      }
      learning_.push_back(subset(data, kept));
    }
    if (holds_out_) {
      for (int& fold : folds_) fold = fold == 0 ? 0 : Stage::in_no_fold;
    }
    find_listed();
  }

  void train_teachers(const ProgressCallback& progress);
  void choose_shape();
  Model finish();

 private:
  struct Candidate {
    Shape shape;
    std::size_t term_count = 0;
    std::vector<double> unseen;
    Judgement judgement;
  };

  void find_listed();
  std::vector<const Member*> members_without(std::size_t fold) const;
  void try_shape(const Shape& shape);
  ValidationSummary validation(const Candidate& chosen) const;
  std::vector<PairVotes> vote(Distiller& distiller, std::size_t count) const;
  std::size_t best() const;
  std::size_t smallest() const;
  Stage stage() const { return {data_, options_, static_cast<int>(fold_count_), folds_}; }
  std::vector<double> from_folds(const std::function<std::vector<double>(std::size_t, const Dataset&)>& scores) const;

  const Dataset& data_;
  const TrainOptions& options_;
  bool holds_out_ = false;
  std::size_t fold_count_ = 0;
  std::size_t round_count_ = 1;
  std::vector<int> folds_;
  std::vector<Dataset> learning_;             // per fold
  std::vector<std::vector<Member>> members_;  // per fold; held out: then one more, of all rows
  std::optional<std::vector<Pair>> listed_;
  std::vector<std::unique_ptr<Distiller>> distillers_;  // per fold
  std::vector<Candidate> candidates_;
  int epochs_ = 0;
  StopReason reason_ = StopReason::converged;
};

void TermsTrainer::find_listed() {
  if (options_.terms.pairs != PairChoice::listed) return;
  listed_.emplace();
  const auto& attributes = data_.schema.attributes;
  const auto number = [&](const std::string& name) {
    const auto at = std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.name == name; });
    if (at != attributes.end()) return static_cast<std::size_t>(at - attributes.begin());
    throw Error(ErrorCode::invalid_option, fmt::format("a pair names '{}'; there is no such attribute", name));
  };
  for (const auto& [a, b] : options_.terms.listed) {
    const Pair pair = std::minmax(number(a), number(b));
    if (pair.first == pair.second) {
      throw Error(ErrorCode::invalid_option, fmt::format("a pair names '{}' twice; a pair is of two attributes", a));
    }
    if (std::find(listed_->begin(), listed_->end(), pair) == listed_->end()) listed_->push_back(pair);
  }
}

// If progress asks to stop, as far as they have come.
void TermsTrainer::train_teachers(const ProgressCallback& progress) {
  std::vector<Blend> blends;
  for (const Dataset& rows : learning_) blends.push_back(plan_blend(rows, as_blend(options_)));
  if (holds_out_) blends.push_back(plan_blend(data_, as_blend(options_)));
  const std::size_t part_count = blends.front().parts.size();
  const std::size_t per_fold = part_count * round_count_;
  std::vector<Learned> all(blends.size() * per_fold);
  learn_repeatedly(static_cast<int>(all.size()), progress, [&](std::size_t task, const ProgressCallback& report) {
    const std::size_t fold = task / per_fold;
    const Blend::Part& part = blends[fold].parts[task % part_count];
    const Dataset& rows = fold < fold_count_ ? learning_[fold] : data_;
    TrainOptions own = part.options;
    own.bag_count = 1;
    own.optimizer.seed = mix(own.optimizer.seed + task);
    const EncodedRows encoded = encode(part.encoder, rows);
    all[task] = learn({part.encoder, encoded, rows.labels, rows.schema.class_count(), rows.weights}, own, report);
    return all[task];
  });
  members_.resize(blends.size());
  for (std::size_t task = 0; task < all.size(); ++task) {
    const Blend::Part& part = blends[task / per_fold].parts[task % part_count];
    members_[task / per_fold].push_back({part.encoder, std::move(all[task].parameters), part.share});
    epochs_ = std::max(epochs_, all[task].epochs);
    reason_ = std::max(reason_, all[task].reason);
  }
}

std::vector<const Member*> TermsTrainer::members_without(std::size_t fold) const {
  std::vector<const Member*> members;
  for (const Member& member : members_[fold]) members.push_back(&member);
  return members;
}

// Each fold's rows by what was made without them; the others NaN.
std::vector<double> TermsTrainer::from_folds(
    const std::function<std::vector<double>(std::size_t, const Dataset&)>& scores) const {
  std::vector<double> unseen(data_.row_count(), std::nan(""));
  parallel_for(fold_count_, [&](std::size_t f) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < folds_.size(); ++i) {
      if (folds_[i] == static_cast<int>(f)) rows.push_back(i);
    }
    const std::vector<double> own = scores(f, subset(data_, rows));
    for (std::size_t i = 0; i < rows.size(); ++i) unseen[rows[i]] = own[i];
  });
  return unseen;
}

void TermsTrainer::try_shape(const Shape& shape) {
  Candidate candidate;
  candidate.shape = shape;
  std::vector<std::size_t> term_counts(fold_count_);
  candidate.unseen = from_folds([&](std::size_t f, const Dataset& rows) {
    const Student student = distillers_[f]->fit(shape);
    for (const auto& curve : student.terms.curves) {
      term_counts[f] += std::any_of(curve.begin(), curve.end(), [](double v) { return v != 0; }) ? 1 : 0;
    }
    term_counts[f] += student.terms.surfaces.size();
    return score_rows(student.encoder, student.terms, encode(student.encoder, rows));
  });
  candidate.term_count = *std::max_element(term_counts.begin(), term_counts.end());
  candidate.judgement = judge(stage(), options_.assignment.aim, candidate.unseen);
  candidates_.push_back(std::move(candidate));
}

std::size_t TermsTrainer::best() const {
  std::size_t best = 0;
  for (std::size_t c = 1; c < candidates_.size(); ++c) {
    if (candidates_[c].judgement.loss < candidates_[best].judgement.loss) best = c;
  }
  return best;
}

// Of those that lose at most a standard error and 2 % against the best, row by row.
std::size_t TermsTrainer::smallest() const {
  const Judgement& least = candidates_[best()].judgement;
  std::size_t chosen = best();
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const Candidate& candidate = candidates_[c];
    const auto [mean, error] = excess(candidate.judgement.row_losses, least.row_losses);
    if (mean > error || mean > most_excess * least.loss) continue;
    const auto size = [](const Candidate& x) {
      return std::tuple(x.term_count, x.shape.pair_count, x.shape.grid, x.judgement.loss);
    };
    if (size(candidate) < size(candidates_[chosen])) chosen = c;
  }
  return chosen;
}

void TermsTrainer::choose_shape() {
  distillers_.resize(fold_count_);
  for (Dataset& rows : learning_) {
    if (rows.row_count() <= enough_rows) continue;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < enough_rows; ++i) kept.push_back(i * rows.row_count() / enough_rows);
    rows = subset(rows, kept);
  }
  parallel_for(fold_count_, [&](std::size_t f) {
    const Teacher teacher = [&](const Dataset& rows) { return mean_scores(members_without(f), rows); };
    distillers_[f] =
        std::make_unique<Distiller>(learning_[f], teacher, options_, mix(options_.optimizer.seed + f), listed_);
  });
  const TermOptions& terms = options_.terms;
  const std::size_t m = data_.attribute_count();
  const auto most_terms = terms.most_terms > 0 ? static_cast<std::size_t>(terms.most_terms) : SIZE_MAX;
  std::vector<std::size_t> counts(std::begin(pair_counts), std::end(pair_counts));
  if (terms.pairs == PairChoice::count) counts = {static_cast<std::size_t>(terms.pair_count)};
  if (listed_) counts = {listed_->size()};
  for (const std::size_t count : counts) {
    const bool fits = 2 * count <= most_terms;  // a surface, and at least a curve for each
    if ((count > m * (m - 1) / 2 || !fits) && !candidates_.empty()) continue;
    try_shape({.pair_count = count,
               .curve_count = most_terms == SIZE_MAX ? SIZE_MAX : most_terms - std::min(count, most_terms - 1)});
  }
  const Shape usual = candidates_[best()].shape;
  for (const std::size_t grid : grids) {
    Shape shape = usual;
    shape.grid = grid;
    if (usual.pair_count > 0) try_shape(shape);
  }
  const Shape chosen = candidates_[smallest()].shape;
  for (const double share : curve_shares) {
    Shape shape = chosen;
    shape.curve_count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(m)));
    if (shape.curve_count >= std::min(chosen.curve_count, m)) continue;
    try_shape(shape);
    if (candidates_[candidates_.size() - 2].term_count == candidates_.back().term_count) {
      candidates_.pop_back();  // its pairs need all that are left
      break;
    }
  }
  const Shape smallest_so_far = candidates_[smallest()].shape;
  for (const double pull : pulls) {
    Shape shape = smallest_so_far;
    shape.pull = pull;
    try_shape(shape);
  }
}

// The pairs that all rows or some fold would take, those of most folds first. A pair that only one of several folds has
// found is not taken: other rows would have given another.
std::vector<PairVotes> TermsTrainer::vote(Distiller& distiller, std::size_t count) const {
  const auto first_of = [&](Distiller& of) {
    std::vector<Pair> pairs = of.pairs(count);
    pairs.resize(std::min(pairs.size(), count));
    return pairs;
  };
  std::vector<PairVotes> found;
  const auto entry_of = [&](const Pair& pair) {
    const auto same = [&](const PairVotes& entry) { return entry.pair == pair; };
    const auto at = std::find_if(found.begin(), found.end(), same);
    return at != found.end() ? at : found.insert(found.end(), {pair, 0});
  };
  for (const Pair& pair : first_of(distiller)) entry_of(pair);
  for (const auto& of_fold : distillers_) {
    for (const Pair& pair : first_of(*of_fold)) ++entry_of(pair)->votes;
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.votes > b.votes; });
  if (!listed_ && options_.terms.pairs == PairChoice::automatic && fold_count_ > 1) {
    std::erase_if(found, [](const PairVotes& entry) { return entry.votes < 2; });
  }
  if (found.size() > count) found.resize(count);
  return found;
}

// Each fold's rows by classes and probabilities from the rows of the other folds.
ValidationSummary TermsTrainer::validation(const Candidate& chosen) const {
  const int class_count = data_.schema.class_count();
  std::vector<TrialResult> trials;
  ValidationSummary summary;
  summary.confusion.assign(static_cast<std::size_t>(class_count),
                           std::vector<std::size_t>(static_cast<std::size_t>(class_count)));
  for (std::size_t f = 0; f < fold_count_; ++f) {
    std::vector<double> scores;
    std::vector<double> weights;
    std::vector<int> labels;
    TrialResult& trial = trials.emplace_back();
    for (std::size_t i = 0; i < folds_.size(); ++i) {
      if (std::isnan(chosen.unseen[i])) continue;
      const bool is_own = folds_[i] == static_cast<int>(f);
      if (is_own) {
        trial.predictions.scores.push_back(chosen.unseen[i]);
        trial.labels.push_back(data_.labels[i]);
        if (!holds_out_) continue;
      }
      scores.push_back(chosen.unseen[i]);
      labels.push_back(data_.labels[i]);
      if (!data_.weights.empty()) weights.push_back(data_.weights[i]);
    }
    const Assignment assignment =
        fit_assignment(scores, scores, labels, weights, class_count, options_.margin, options_.assignment);
    const Assigner assigner(assignment);
    const auto classes = static_cast<std::size_t>(class_count);
    std::vector<double> support(classes);
    trial.predictions.probabilities.resize(trial.labels.size() * classes);
    for (std::size_t i = 0; i < trial.labels.size(); ++i) {
      const std::span<double> probabilities(&trial.predictions.probabilities[i * classes], classes);
      const int label = assigner.assign(trial.predictions.scores[i], support, probabilities).label;
      trial.predictions.classes.push_back(label);
    }
    trial.metrics = evaluate(class_count, trial.labels, trial.predictions.classes, trial.predictions.scores,
                             trial.predictions.probabilities);
    for (std::size_t a = 0; a < classes; ++a) {
      for (std::size_t b = 0; b < classes; ++b) summary.confusion[a][b] += trial.metrics.confusion[a][b];
    }
  }
  summary.trial_count = trials.size();
  summary.metrics = summarize(trials);
  return summary;
}

Model TermsTrainer::finish() {
  Candidate& chosen = candidates_[smallest()];
  std::vector<const Member*> members;
  for (std::size_t f = holds_out_ ? fold_count_ : 0; f < members_.size(); ++f) {
    for (const Member& member : members_[f]) members.push_back(&member);
  }
  Distiller distiller(
      data_, [&](const Dataset& rows) { return mean_scores(members, rows); }, options_,
      mix(options_.optimizer.seed + fold_count_), listed_);
  const std::vector<PairVotes> pairs = vote(distiller, chosen.shape.pair_count);
  if (!listed_) {
    std::vector<Pair> taken;
    for (const PairVotes& entry : pairs) taken.push_back(entry.pair);
    distiller.take_pairs(std::move(taken));
  }
  Shape shape = chosen.shape;
  shape.pair_count = pairs.size();
  Student student = distiller.fit(shape);
  const EncodedRows rows = encode(student.encoder, data_);
  const std::vector<double> raw = score_rows(student.encoder, student.terms, rows);
  const auto [low, high] = std::minmax_element(raw.begin(), raw.end());
  round_values(student.encoder, *high - *low, student.terms);
  count_rows(student.encoder, rows, data_.weights, student.terms);

  Model model;
  model.schema = data_.schema;
  model.options = options_;
  model.options.encoder = directed_encoder(data_, options_);
  TermsRecord& record = model.terms_record.emplace();
  record.fold_count = fold_count_;
  record.loss = chosen.judgement.loss;
  record.teacher_loss = judge(stage(), options_.assignment.aim, from_folds([&](std::size_t f, const Dataset& own) {
                                std::vector<double> scores = mean_scores(members_without(f), own);
                                const std::vector<double> learned = mean_scores(members_without(f), learning_[f]);
                                double mean = 0;
                                for (const double score : learned) mean += score / static_cast<double>(learned.size());
                                for (double& score : scores) score -= mean;
                                return scores;
                              }))
                            .loss;
  for (const Candidate& candidate : candidates_) {
    record.tried.push_back({candidate.shape.pair_count, candidate.term_count - candidate.shape.pair_count,
                            candidate.shape.grid, candidate.judgement.loss});
  }
  for (const PairVotes& entry : pairs) record.votes.push_back(entry.votes);
  model.validation = validation(chosen);
  const std::vector<double> training = score_rows(student.encoder, student.terms, rows);
  model.assignment = fit_assignment(training, chosen.unseen, data_.labels, data_.weights, data_.schema.class_count(),
                                    options_.margin, options_.assignment);
  std::vector<double> derivative(data_.row_count());
  const PairLoss loss(data_.labels, data_.schema.class_count(), data_.weights, options_.margin,
                      options_.pair_weighting);
  model.summary.loss = loss(training, derivative, LossForm::sweep);
  model.summary.objective = model.summary.loss;
  model.summary.epochs = epochs_;
  model.summary.stop_reason = reason_;
  model.distribution = describe(data_, student.encoder, rows);
  model.certificate = certify(student.encoder, student.terms);
  model.encoder = std::move(student.encoder);
  model.terms = std::move(student.terms);
  return model;
}

}  // namespace

std::optional<Terms> refit_terms(const Model& model, const Dataset& rows, const Dataset& sample, std::uint64_t seed,
                                 const ProgressCallback& progress) {
  const Blend blend = plan_blend(sample, as_blend(model.options));
  std::vector<Member> trained;
  for (const Blend::Part& part : blend.parts) {
    TrainOptions own = part.options;
    own.optimizer.seed = mix(own.optimizer.seed + seed);
    const EncodedRows encoded = encode(part.encoder, sample);
    Learned learned =
        learn({part.encoder, encoded, sample.labels, sample.schema.class_count(), sample.weights}, own, progress);
    if (learned.reason == StopReason::interrupted) return std::nullopt;
    trained.push_back({part.encoder, std::move(learned.parameters), part.share});
  }
  std::vector<const Member*> members;
  for (const Member& member : trained) members.push_back(&member);
  Skeleton skeleton{model.encoder, {}, model.terms->surfaces};
  for (const auto& curve : model.terms->curves) {
    skeleton.has_curve.push_back(std::any_of(curve.begin(), curve.end(), [](double v) { return v != 0; }) ? 1 : 0);
  }
  const Distiller distiller(
      sample, [&](const Dataset& asked) { return mean_scores(members, asked); }, model.options, seed, model.encoder);
  Terms terms = distiller.fit_values(skeleton, Shape{}.pull);
  purify(model.encoder, encode(model.encoder, rows), rows.weights, terms);
  return terms;
}

Fit train_terms(const Dataset& data, const TrainOptions& options, const ProgressCallback& progress) {
  TermsTrainer trainer(data, options);
  trainer.train_teachers(progress);
  trainer.choose_shape();
  return {trainer.finish()};
}

}  // namespace xofm::detail
