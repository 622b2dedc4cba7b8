#include "core/train/resample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.hpp"
#include "core/base/progress.hpp"
#include "core/base/random.hpp"
#include "core/encode/encode_range.hpp"
#include "core/train/directions.hpp"

namespace xofm::detail {

std::shared_ptr<const Encoding> encode_for(const Dataset& rows, const Dataset& knots_from, const TrainOptions& options,
                                           const Recipe& recipe) {
  auto encoding = std::make_shared<Encoding>();
  encoding->encoder = std::make_shared<const Encoder>(
      fit_encoder(knots_from, encoder_options(recipe, directed_attributes(knots_from, options))));
  encoding->rows = encode(*encoding->encoder, rows);
  return encoding;
}

Encodings::Encodings(const Folds& folds, const TrainOptions& options, bool has_common_knots,
                     const std::vector<Recipe>& recipes) {
  std::vector<std::pair<Recipe, std::size_t>> tasks;  // and the fold
  for (const Recipe& recipe : recipes) {
    auto& of_folds = made_[key_of(recipe)];
    if (!of_folds.empty()) continue;
    of_folds.resize(folds.count());
    for (std::size_t f = 0; f < (has_common_knots ? 1 : folds.count()); ++f) tasks.emplace_back(recipe, f);
  }
  parallel_for(tasks.size(), [&](std::size_t t) {
    const auto& [recipe, fold] = tasks[t];
    const Dataset& knots_from = has_common_knots ? folds.data() : folds.learning(fold);
    made_.at(key_of(recipe))[fold] = encode_for(folds.data(), knots_from, options, recipe);
  });
  if (!has_common_knots) return;
  for (auto& [key, of_folds] : made_) std::fill(of_folds.begin() + 1, of_folds.end(), of_folds.front());
}

double weighted_mean(std::span<const double> values, std::span<const double> weights) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    sum += weight * values[i];
    total += weight;
  }
  return sum / total;
}

Member make_member(const Encoding& encoding, Learned learned, double weight, std::span<const double> row_weights) {
  const double centre = weighted_mean(score_rows(*encoding.encoder, learned, encoding.rows), row_weights);
  return {encoding.encoder, std::make_shared<const Learned>(std::move(learned)), weight, centre};
}

std::vector<double> mean_scores(const Members& members, const Dataset& rows) {
  std::vector<double> sum(rows.row_count());
  double total = 0;
  for (const Member& member : members) total += member.weight;
  const std::size_t step = chunk_rows(rows);
  for (std::size_t begin = 0; begin < sum.size(); begin += step) {
    const Range range{begin, std::min(begin + step, sum.size())};
    const Encoder* encoder = nullptr;
    EncodedRows encoded;
    for (const Member& member : members) {
      if (member.encoder.get() != encoder) {
        encoder = member.encoder.get();
        encoded = encode_rows(*encoder, rows, range);
      }
      const std::vector<double> scores = score_rows(*encoder, *member.learned, encoded);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        sum[begin + i] += member.weight / total * (scores[i] - member.centre);
      }
    }
  }
  return sum;
}

Members fit_parts(const Dataset& data, const TrainOptions& options, std::uint64_t seed,
                  const ProgressCallback& progress, std::span<const std::shared_ptr<const Encoder>> encoders) {
  Members members(options.parts.size());
  ParallelProgress parallel(members.size(), progress);
  parallel_for(members.size(), [&](std::size_t p) {
    const Recipe& part = options.parts[p];
    std::shared_ptr<const Encoding> encoding;
    if (encoders.empty()) {
      encoding = encode_for(data, data, options, part);
    } else {
      encoding = std::make_shared<const Encoding>(Encoding{encoders[p], encode(*encoders[p], data)});
    }
    const LearningRows rows{*encoding->encoder, encoding->rows, data.labels, data.schema.class_count(), data.weights};
    members[p] =
        make_member(*encoding, learn(rows, options, part, mix(seed + p), parallel.of(p)), part.weight, data.weights);
    parallel.finish(p);
  });
  return members;
}

std::vector<Members> fit_folds(const Folds& folds, const TrainOptions& options, int round_count, bool has_common_knots,
                               const ProgressCallback& progress) {
  const Dataset& data = folds.data();
  const std::size_t part_count = options.parts.size();
  const Encodings encodings(folds, options, has_common_knots, options.parts);
  const std::size_t per_fold = part_count * static_cast<std::size_t>(round_count);
  std::vector<Member> all(folds.count() * per_fold);
  ParallelProgress parallel(all.size(), progress);
  parallel_for(all.size(), [&](std::size_t task) {
    const std::size_t fold = task / per_fold;
    const std::size_t p = task % part_count;
    const Encoding& encoding = *encodings.of(options.parts[p])[fold];
    const LearningRows rows{*encoding.encoder, encoding.rows, data.labels, data.schema.class_count(),
                            folds.weights(fold)};
    const std::uint64_t seed = mix(options.optimizer.seed + task);
    all[task] = make_member(encoding, learn(rows, options, options.parts[p], seed, parallel.of(task)),
                            options.parts[p].weight, folds.weights(fold));
    parallel.finish(task);
  });
  const auto cut_off = [](const Member& member) { return member.learned->reason == StopReason::interrupted; };
  std::vector<Members> by_fold(folds.count());
  for (std::size_t f = 0; f < by_fold.size(); ++f) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(f * per_fold);
    by_fold[f].assign(begin, begin + static_cast<std::ptrdiff_t>(per_fold));
    const bool has_whole = !std::all_of(by_fold[f].begin(), by_fold[f].end(), cut_off);
    if (parallel.stopped() && has_whole) std::erase_if(by_fold[f], cut_off);
  }
  return by_fold;
}

std::vector<double> unseen_scores(const Folds& folds, const std::vector<Members>& by_fold) {
  std::vector<double> unseen(folds.data().row_count(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t f = 0; f < folds.count(); ++f) {
    const std::vector<double> own = mean_scores(by_fold[f], subset(folds.data(), folds.rows(f)));
    for (std::size_t i = 0; i < own.size(); ++i) unseen[folds.rows(f)[i]] = own[i];
  }
  return unseen;
}

Members Teachers::all() const {
  if (!whole.empty()) return whole;
  Members members;
  for (const Members& of_fold : by_fold) members.insert(members.end(), of_fold.begin(), of_fold.end());
  return members;
}

std::vector<double> Teachers::for_all_rows(std::vector<double> values, std::size_t row_count) const {
  if (rows.empty()) return values;
  std::vector<double> all(row_count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows.size(); ++i) all[rows[i]] = values[i];
  return all;
}

bool has_quick_refits(std::size_t row_count, std::size_t attribute_count) {
  return static_cast<double>(row_count) * (static_cast<double>(attribute_count) + 10) <= 1e5;
}

}  // namespace xofm::detail
