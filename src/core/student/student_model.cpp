#include "core/student/student_model.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/progress.hpp"
#include "core/base/random.hpp"
#include "core/encode/encode_range.hpp"
#include "core/evaluate/fold_validation.hpp"
#include "core/student/shapes.hpp"
#include "core/terms/purify.hpp"
#include "core/terms/tidy.hpp"
#include "core/train/directions.hpp"
#include "core/train/finish.hpp"

namespace xofm::detail {

namespace {

// Of all rows, in the shape that was chosen; what is printed is the model, so values are rounded here.
Student student_of(const Dataset& data, const ShapeSearch& shapes, Distiller& distiller,
                   const std::vector<PairVotes>& pairs) {
  if (!shapes.listed()) {
    std::vector<Pair> taken;
    for (const PairVotes& entry : pairs) taken.push_back(entry.pair);
    distiller.take_pairs(std::move(taken));
  }
  Shape shape = shapes.chosen().shape;
  shape.pair_count = pairs.size();
  Student student = distiller.fit(shape);
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for_each_chunk(student.encoder, data, [&](const EncodedRows& rows, Range /*range*/) {
    const std::vector<double> scores = score_rows(student.encoder, student.terms, rows);
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    low = std::min(low, *least);
    high = std::max(high, *most);
  });
  round_values(student.encoder, high - low, student.terms);
  for_each_chunk(student.encoder, data, [&](const EncodedRows& rows, Range range) {
    const std::span<const double> weights(data.weights);
    add_row_weights(student.encoder, rows, weights.empty() ? weights : weights.subspan(range.begin, range.size()),
                    student.terms);
  });
  return student;
}

// Of so many rows that the teacher says the same of all of them as of some: curves of 40 segments and a few surfaces
// have a thousand values or two. Each class keeps its share.
Dataset enough_rows(const Dataset& data, std::uint64_t seed) {
  constexpr double enough = 100'000;
  const double share = enough / static_cast<double>(data.row_count());
  return share < 1 ? subset(data, split_rows(data, {.test_share = share, .seed = seed}).holdout) : Dataset();
}

}  // namespace

Model make_student(const Dataset& data, const TrainOptions& options, const Teachers& teachers,
                   const ProgressCallback& progress) {
  constexpr double choosing_share = 0.8;
  constexpr int few_passes = 30;  // once asked to stop
  ShapeSearch shapes(teachers, options);
  shapes.run(part_of(progress, 0, choosing_share));
  const Members members = teachers.all();
  StudentSettings settings;
  if (shapes.stopped()) settings.project.max_passes = few_passes;
  std::vector<PairVotes> pairs;
  Student student;
  {
    const Dataset sample = enough_rows(data, options.optimizer.seed);
    const Dataset& learning = sample.columns.empty() ? data : sample;
    Distiller distiller(
        learning, [&](const Dataset& rows) { return mean_scores(members, rows); }, options,
        mix(options.optimizer.seed + teachers.folds->count()), student_encoder(data, options, settings),
        shapes.listed(), settings);
    pairs = shapes.vote(distiller);
    student = student_of(data, shapes, distiller, pairs);
  }  // of large data the distiller is large too, and it has done its work

  Model model;
  model.schema = data.schema;
  model.options = options;
  model.options.attributes = directed_attributes(data, options);
  model.certificate = certify(student.encoder, student.terms);
  model.encoder = std::move(student.encoder);
  model.terms = std::move(student.terms);
  const std::vector<double> unseen = shapes.unseen();
  model.validation = validate_folds(*teachers.folds, unseen, options.margin, options.assignment);
  model.record.terms = shapes.record();
  for (const PairVotes& entry : pairs) model.record.terms->votes.push_back(entry.votes);
  model.record.interrupted = teachers.interrupted || (progress && !progress({.share = 1}));
  finish_model(model, data, teachers.for_all_rows(unseen, data.row_count()), members);
  return model;
}

std::optional<Terms> refit_terms(const Model& model, const Dataset& rows, const Dataset& sample, std::uint64_t seed,
                                 const ProgressCallback& progress) {
  const Members members = fit_parts(sample, model.options, seed, progress);
  for (const Member& member : members) {
    if (member.learned->reason == StopReason::interrupted) return std::nullopt;
  }
  Skeleton skeleton{model.encoder, {}, model.terms->surfaces};
  for (std::size_t j = 0; j < model.terms->curves.size(); ++j) {
    skeleton.has_curve.push_back(has_curve(*model.terms, j) ? 1 : 0);
  }
  Distiller distiller(
      sample, [&](const Dataset& asked) { return mean_scores(members, asked); }, model.options, seed, model.encoder);
  Terms terms = distiller.fit_values(skeleton, Shape{});
  purify(model.encoder, encode(model.encoder, rows), rows.weights, terms);
  return terms;
}

}  // namespace xofm::detail
