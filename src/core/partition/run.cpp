// What a partition answers. Rows are decoded tile by tile into the layout that the tables of core/score and
// core/student know, so the arithmetic is that of training in memory.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <variant>

#include "core/partition/bytes.hpp"
#include "core/partition/partition_rows.hpp"
#include "core/partition/request.hpp"
#include "core/partition/score_bins.hpp"
#include "core/score/score_table.hpp"

namespace xofm {

namespace detail {

namespace {

constexpr std::size_t tile_rows = 512;
constexpr std::array<char, 8> magic = {'x', 'o', 'f', 'm', 's', 'u', 'm', 's'};
enum class Kind : std::uint32_t { bins, numbers };

Bytes pack(const ScoreBins& bins) {
  ByteWriter out;
  out.put(magic);
  out.put(Kind::bins);
  write_bins(out, bins);
  return out.take();
}

Bytes pack(const std::vector<double>& numbers) {
  ByteWriter out;
  out.put(magic);
  out.put(Kind::numbers);
  out.put_all(numbers);
  return out.take();
}

std::variant<ScoreBins, std::vector<double>> unpack(ByteView bytes) {
  ByteReader in(bytes, "result of a partition");
  in.need(in.get<std::array<char, 8>>() == magic, "it begins with other bytes");
  const auto kind = in.get<Kind>();
  in.need(kind == Kind::bins || kind == Kind::numbers, "it is of no kind");
  std::variant<ScoreBins, std::vector<double>> result;
  if (kind == Kind::bins) {
    result = read_bins(in);
  } else {
    result = in.get_all<double>();
  }
  in.end();
  return result;
}

ScoreBins bins_in(ByteView bytes) {
  auto result = unpack(bytes);
  if (auto* bins = std::get_if<ScoreBins>(&result)) return std::move(*bins);
  throw Error(ErrorCode::invalid_data, "the result of the first round is no histogram of scores");
}

// Some decoded rows.
struct Tile {
  EncodedRows rows;
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
};

// Scores by u and V, and their gradient.
class FactorModel {
 public:
  explicit FactorModel(const Request& request) : table_(request.encoder, request.parameters.factor_count) {
    table_.load(request.parameters.increments, request.parameters.factors);
  }
  std::size_t sum_count() const { return table_.sum_count(); }
  void score(const EncodedRows& rows, std::span<double> scores) const {
    table_.score(rows, {0, rows.row_count}, scores);
  }
  void add_gradient(const EncodedRows& rows, std::span<const double> row_weights, std::span<double> sums) const {
    table_.add_gradient(rows, {0, rows.row_count}, row_weights, sums);
  }
  std::vector<double> gradient(std::span<const double> sums, const Request& request) const {
    const std::size_t count = request.parameters.increments.size();
    std::vector<double> gradient(count + request.parameters.factors.size());
    const std::span<double> all(gradient);
    table_.spread(sums, all.first(count), all.subspan(count));
    return gradient;
  }

 private:
  ScoreTable table_;
};

// Scores by the values of curves and surfaces, and their gradient.
class DesignModel {
 public:
  explicit DesignModel(const Request& request)
      : request_(&request), weight_count_(Design(request.skeleton, EncodedRows{}).weight_count()) {}
  std::size_t sum_count() const { return weight_count_; }
  void score(const EncodedRows& rows, std::span<double> scores) const {
    Design(request_->skeleton, rows).apply(request_->weights, scores);
  }
  void add_gradient(const EncodedRows& rows, std::span<const double> row_weights, std::span<double> sums) const {
    std::vector<double> own(weight_count_);
    Design(request_->skeleton, rows).transpose(row_weights, own);
    for (std::size_t n = 0; n < own.size(); ++n) sums[n] += own[n];
  }
  static std::vector<double> gradient(std::span<const double> sums, const Request& /*request*/) {
    return {sums.begin(), sums.end()};
  }

 private:
  const Request* request_;
  std::size_t weight_count_;
};

class TermModel {
 public:
  explicit TermModel(const Request& request) : table_(request.encoder, request.terms) {}
  void score(const EncodedRows& rows, std::span<double> scores) const {
    table_.score(rows, {0, rows.row_count}, scores);
  }

 private:
  TermTable table_;
};

// Calls visit(block, range of rows, tile) for all rows; blocks are fixed and run in parallel, tiles of a block in
// order.
template <class Visit>
void for_each_tile(const PartitionRows& rows, std::size_t block_count, Visit visit) {
  parallel_for(block_count, [&](std::size_t block) {
    const Range own = block_range(rows.row_count(), block_count, block);
    Tile tile;
    for (std::size_t begin = own.begin; begin < own.end; begin += tile_rows) {
      const Range range{begin, std::min(begin + tile_rows, own.end)};
      rows.decode(range, tile.rows);
      rows.labels(range, tile.labels);
      rows.weights(range, tile.weights);
      visit(block, range, tile);
    }
  });
}

std::size_t block_count_of(const PartitionRows& rows) { return block_count_for(rows.row_count(), 8192, 16); }

template <class Model>
ScoreBins bins_of(const PartitionRows& rows, const Model& model, const Request& request, bool with_rows) {
  std::vector<double> scores(rows.row_count());
  for_each_tile(rows, block_count_of(rows), [&](std::size_t /*block*/, Range range, const Tile& tile) {
    model.score(tile.rows, std::span(scores).subspan(range.begin, range.size()));
  });
  const Range all{0, scores.size()};
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  rows.labels(all, labels);
  rows.weights(all, weights);
  return bin_scores(scores, labels, weights, static_cast<std::uint32_t>(request.class_count), request.step,
                    with_rows ? std::optional(rows.info().first_row) : std::nullopt);
}

// Sums of the blocks, in order.
std::vector<double> total_of(std::vector<std::vector<double>> blocks) {
  for (std::size_t block = 1; block < blocks.size(); ++block) {
    for (std::size_t n = 0; n < blocks[0].size(); ++n) blocks[0][n] += blocks[block][n];
  }
  return std::move(blocks[0]);
}

// Value and gradient; `bins` are of all rows.
template <class Model>
std::vector<double> loss_of(const PartitionRows& rows, const Model& model, const Request& request,
                            const ScoreBins& bins, const PairSums* pairs, const FactorModel* teacher) {
  const std::size_t block_count = block_count_of(rows);
  std::vector<std::vector<double>> sums(block_count, std::vector<double>(model.sum_count()));
  std::vector<std::vector<double>> values(block_count, std::vector<double>(1));
  if (bins.is_finite) {
    for_each_tile(rows, block_count, [&](std::size_t block, Range range, const Tile& tile) {
      std::vector<double> scores(range.size());
      std::vector<double> said(range.size());
      std::vector<double> slopes(range.size());
      model.score(tile.rows, scores);
      if (teacher != nullptr) teacher->score(tile.rows, said);
      double value = 0;
      for (std::size_t i = 0; i < range.size(); ++i) {
        const auto [loss, slope] = pairs->of(scores[i], tile.labels[i]);
        const double miss = teacher != nullptr ? scores[i] - (said[i] - request.centre) : 0.0;
        value += tile.weights[i] * (loss + request.pull * miss * miss);
        slopes[i] = tile.weights[i] * (slope + 2 * request.pull * miss);
      }
      values[block][0] += value;
      model.add_gradient(tile.rows, slopes, sums[block]);
    });
  }
  std::vector<double> result = total_of(std::move(values));
  if (!bins.is_finite) result[0] = std::numeric_limits<double>::infinity();
  const std::vector<double> gradient = model.gradient(total_of(std::move(sums)), request);
  result.insert(result.end(), gradient.begin(), gradient.end());
  return result;
}

std::vector<double> masses_of(const PartitionRows& rows, const Request& request) {
  const DesignModel model(request);
  const std::size_t block_count = block_count_of(rows);
  std::vector<std::vector<double>> sums(block_count, std::vector<double>(model.sum_count()));
  for_each_tile(rows, block_count, [&](std::size_t block, Range /*range*/, const Tile& tile) {
    model.add_gradient(tile.rows, tile.weights, sums[block]);
  });
  return total_of(std::move(sums));
}

std::vector<double> tally_of(const PartitionRows& rows, const Request& request) {
  const auto classes = static_cast<std::size_t>(request.class_count);
  const std::size_t coordinates = request.encoder.coordinate_count();
  const std::size_t histogram = 1 + 2 * classes;
  const std::size_t fractions = histogram + coordinates * classes;
  const std::size_t block_count = block_count_of(rows);
  std::vector<std::vector<double>> sums(block_count, std::vector<double>(fractions + coordinates));
  for_each_tile(rows, block_count, [&](std::size_t block, Range range, const Tile& tile) {
    std::vector<double>& own = sums[block];
    const std::size_t m = tile.rows.attribute_count;
    for (std::size_t i = 0; i < range.size(); ++i) {
      const double w = tile.weights[i];
      const std::size_t label = tile.labels[i];
      if (!(w > 0)) continue;
      own[0] += 1;
      own[1 + label] += w;
      own[1 + classes + label] += 1;
      for (std::size_t j = 0; j < m; ++j) {
        const std::size_t n = request.encoder.offsets[j] + tile.rows.coordinates[i * m + j];
        own[histogram + n * classes + label] += w;
        own[fractions + n] += w * tile.rows.fractions[i * m + j];
      }
    }
  });
  return total_of(std::move(sums));
}

// A request, and what the first round has found, made ready for any number of partitions.
class Runner {
 public:
  Runner(ByteView request, ByteView carry) : request_(read_request(request)) {
    request_.skeleton.encoder = request_.encoder;
    if (!carry.empty() && request_.task != Task::pair_loss && request_.task != Task::student) {
      throw Error(ErrorCode::invalid_data, "a request of one round is given the result of a round before");
    }
    if (request_.task == Task::pair_loss) factors_.emplace(request_);
    if (request_.task == Task::student) {
      factors_.emplace(request_);
      design_.emplace(request_);
    }
    if (carry.empty()) return;
    bins_ = bins_in(carry);
    if (static_cast<std::int32_t>(bins_->classes) != request_.class_count) {
      throw Error(ErrorCode::invalid_data, "the result of the first round has another number of classes");
    }
    if (bins_->is_finite) pairs_.emplace(*bins_, request_.between, request_.margin);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  Bytes run(ByteView partition) const {
    const PartitionRows rows(partition);
    rows.need(request_.encoder, request_.class_count);
    const PairSums* const pairs = pairs_ ? &*pairs_ : nullptr;
    switch (request_.task) {
      case Task::tally:
        return pack(tally_of(rows, request_));
      case Task::masses:
        return pack(masses_of(rows, request_));
      case Task::scores:
        return pack(bins_of(rows, TermModel(request_), request_, true));
      case Task::pair_loss:
        if (!bins_) return pack(bins_of(rows, *factors_, request_, false));
        return pack(loss_of(rows, *factors_, request_, *bins_, pairs, nullptr));
      case Task::student:
        if (!bins_) return pack(bins_of(rows, *design_, request_, false));
        return pack(loss_of(rows, *design_, request_, *bins_, pairs, &*factors_));
    }
    return {};
  }

 private:
  Request request_;
  std::optional<FactorModel> factors_;
  std::optional<DesignModel> design_;
  std::optional<ScoreBins> bins_;
  std::optional<PairSums> pairs_;
};

}  // namespace

std::vector<double> read_numbers(ByteView result, std::size_t count) {
  auto found = unpack(result);
  auto* const numbers = std::get_if<std::vector<double>>(&found);
  if (numbers == nullptr || numbers->size() != count) {
    throw Error(ErrorCode::invalid_data, "the partitions have answered another request");
  }
  return std::move(*numbers);
}

ScoreBins read_score_bins(ByteView result) { return bins_in(result); }

}  // namespace detail

int round_count(ByteView request) {
  const detail::Task task = detail::read_request(request).task;
  return task == detail::Task::pair_loss || task == detail::Task::student ? 2 : 1;
}

Bytes run_partition(ByteView partition, ByteView request, ByteView carry) {
  return detail::Runner(request, carry).run(partition);
}

Bytes merge_results(ByteView a, ByteView b) {
  auto left = detail::unpack(a);
  auto right = detail::unpack(b);
  if (left.index() != right.index())
    throw Error(ErrorCode::invalid_data, "results of different requests cannot be added");
  if (auto* bins = std::get_if<detail::ScoreBins>(&left)) {
    detail::add_bins(*bins, std::get<detail::ScoreBins>(std::move(right)));
    return detail::pack(*bins);
  }
  auto& numbers = std::get<std::vector<double>>(left);
  const auto& others = std::get<std::vector<double>>(right);
  if (numbers.size() != others.size()) {
    throw Error(ErrorCode::invalid_data, "results of different requests cannot be added");
  }
  for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] += others[n];
  return detail::pack(numbers);
}

void TreeSum::add(Bytes result) {
  nodes_.push_back({0, std::move(result)});
  while (nodes_.size() > 1 && nodes_[nodes_.size() - 2].height == nodes_.back().height) {
    Node last = std::move(nodes_.back());
    nodes_.pop_back();
    nodes_.back().sum = merge_results(nodes_.back().sum, last.sum);
    ++nodes_.back().height;
  }
}

Bytes TreeSum::take() {
  if (nodes_.empty()) return {};
  Bytes sum = std::move(nodes_.back().sum);
  for (nodes_.pop_back(); !nodes_.empty(); nodes_.pop_back()) sum = merge_results(nodes_.back().sum, sum);
  return sum;
}

PartSums sums_of(PartVisits partitions) {
  return [partitions = std::move(partitions)](ByteView request) {
    Bytes carry;
    const int rounds = round_count(request);
    for (int round = 0; round < rounds; ++round) {
      const detail::Runner runner(request, carry);
      TreeSum sum;
      partitions([&](ByteView partition) { sum.add(runner.run(partition)); });
      carry = sum.take();
    }
    return carry;
  };
}

}  // namespace xofm
