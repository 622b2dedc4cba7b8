// A partition of rows, a request and a result of its first round, all of them good, then changed: the input says which
// byte of which becomes what, and where they end. Checksums are made right again, or nothing would get behind them.
#include <array>
#include <cmath>
#include <cstring>

#include "core/partition/bytes.hpp"
#include "core/partition/request.hpp"
#include "decisions.hpp"
#include "xofm/encoder.hpp"
#include "xofm/error.hpp"
#include "xofm/partition.hpp"
#include "xofm/threads.hpp"

namespace {

using namespace xofm;

Dataset some_rows() {
  Dataset data;
  data.schema.class_names = {"a", "b", "c"};
  data.schema.attributes = {{.name = "x"}, {.name = "y", .special = {-1}}, {.name = "k"}};
  data.schema.attributes[2].kind = AttributeKind::categorical;
  data.schema.attributes[2].levels = {"u", "v"};
  for (int i = 0; i < 12; ++i) data.labels.push_back(i % 3);
  data.columns.resize(3);
  for (int i = 0; i < 12; ++i) {
    data.columns[0].push_back(i * 0.5);
    data.columns[1].push_back(i % 4 == 0 ? -1.0 : i % 5 == 0 ? std::nan("") : i);
    data.columns[2].push_back(i % 2);
    data.weights.push_back(1 + i % 2);
  }
  return data;
}

struct Good {
  Bytes partition;
  std::array<Bytes, 5> requests;
  std::array<Bytes, 5> results;  // of the first round
};

Good make_good() {
  const Dataset data = some_rows();
  const Encoder encoder = fit_encoder(data, {.segment_count = 3});
  Good good{make_partition(encoder, data), {}, {}};
  for (std::uint32_t task = 0; task < good.requests.size(); ++task) {
    detail::Request request{.task = static_cast<detail::Task>(task), .encoder = encoder, .class_count = 3, .step = 0.1};
    const bool has_loss = request.task == detail::Task::pair_loss || request.task == detail::Task::student;
    if (has_loss) {
      request.between.assign(9, 0.1);
      request.parameters = {std::vector<double>(encoder.coordinate_count(), 0.3), 2,
                            std::vector<double>(2 * encoder.coordinate_count(), 0.2)};
    }
    if (request.task == detail::Task::student || request.task == detail::Task::masses) {
      request.skeleton.encoder = encoder;
      request.skeleton.has_curve = {1, 1, 0};
      const std::size_t last = encoder.attributes[0].knots.size() - 1;
      request.skeleton.curve_knots = {{0, last}, {0, encoder.attributes[1].knots.size() - 1}, {}};
      request.skeleton.surfaces = {{0, 2, {0, last}, {}}};
      const detail::Design design(request.skeleton, EncodedRows{});
      if (request.task == detail::Task::student) request.weights.assign(design.weight_count(), 0.5);
    }
    if (request.task == detail::Task::scores) {
      for (const auto& attribute : encoder.attributes) request.terms.curves.emplace_back(stop_count(attribute), 0.5);
    }
    good.requests[task] = write_request(request);
    good.results[task] = run_partition(good.partition, good.requests[task]);
  }
  return good;
}

void change(fuzzing::Decisions& decisions, Bytes& bytes) {
  for (std::size_t left = decisions.below(6); left > 0 && !bytes.empty(); --left) {
    const std::size_t at = decisions.value<std::uint16_t>() % bytes.size();
    const std::size_t size = std::min<std::size_t>(1 + decisions.below(8), bytes.size() - at);
    const auto value = decisions.value<std::uint64_t>();
    std::memcpy(bytes.data() + at, &value, size);
  }
  if (decisions.is_rare()) bytes.resize(decisions.value<std::uint16_t>() % (bytes.size() + 9));
}

// As in partition_rows.cpp: size at 16, attributes at 40, checksum of the head at 72, of the body at 64.
void seal(Bytes& partition) {
  constexpr std::size_t header = 80;
  if (partition.size() < header) return;
  const std::uint64_t size = partition.size();
  std::memcpy(partition.data() + 16, &size, sizeof size);
  std::uint32_t attributes = 0;
  std::memcpy(&attributes, partition.data() + 40, sizeof attributes);
  const std::size_t body = header + 8 * std::size_t{attributes};
  if (body > partition.size()) return;
  const std::uint64_t sum = detail::checksum(ByteView(partition).subspan(body));
  std::memcpy(partition.data() + 64, &sum, sizeof sum);
  const std::uint64_t nothing = 0;
  std::memcpy(partition.data() + 72, &nothing, sizeof nothing);
  const std::uint64_t head = detail::checksum(ByteView(partition).first(body));
  std::memcpy(partition.data() + 72, &head, sizeof head);
}

template <class Call>
void attempt(Call call) {
  try {
    call();
  } catch (const Error&) {
    // Refused, as most inputs are.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ThreadLimit alone(1);
  static const Good good = make_good();
  fuzzing::Decisions decisions(data, size);
  const std::size_t task = decisions.below(good.requests.size());
  Bytes partition = good.partition;
  Bytes request = good.requests[task];
  Bytes carry = good.results[task];
  change(decisions, partition);
  change(decisions, request);
  change(decisions, carry);
  if (!decisions.is_rare()) seal(partition);
  attempt([&] { check_partition(partition); });
  attempt([&] { round_count(request); });
  attempt([&] { run_partition(partition, request); });
  attempt([&] { run_partition(partition, request, carry); });
  attempt([&] { merge_results(carry, good.results[task]); });
  return 0;
}
