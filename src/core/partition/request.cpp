#include "core/partition/request.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/partition/bytes.hpp"

namespace xofm::detail {

namespace {

constexpr std::array<char, 8> magic = {'x', 'o', 'f', 'm', 't', 'a', 's', 'k'};
constexpr std::uint32_t version = 1;
constexpr std::size_t most_sums = std::size_t{1} << 26;  // 512 MB

void write_encoder(ByteWriter& out, const Encoder& encoder) {
  out.put<std::uint64_t>(encoder.attributes.size());
  for (const AttributeEncoder& attribute : encoder.attributes) {
    out.put(attribute.kind);
    out.put(attribute.direction);
    out.put<std::int32_t>(attribute.level_count);
    out.put<std::int32_t>(attribute.has_missing ? 1 : 0);
    out.put_all(attribute.knots);
    out.put_all(attribute.special);
  }
}

Encoder read_encoder(ByteReader& in) {
  Encoder encoder;
  const auto count = in.get<std::uint64_t>();
  std::size_t coordinates = 0;
  for (std::uint64_t j = 0; j < count; ++j) {
    AttributeEncoder& attribute = encoder.attributes.emplace_back();
    attribute.kind = in.get<AttributeKind>();
    attribute.direction = in.get<Direction>();
    attribute.level_count = in.get<std::int32_t>();
    attribute.has_missing = in.get<std::int32_t>() != 0;
    attribute.knots = in.get_all<double>();
    attribute.special = in.get_all<double>();
    constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
    const bool is_numeric = attribute.kind == AttributeKind::numeric;
    in.need(is_numeric || attribute.kind == AttributeKind::categorical, "an attribute is of no kind");
    in.need(attribute.direction == Direction::none || attribute.direction == Direction::increasing ||
                attribute.direction == Direction::decreasing,
            "an attribute has no direction");
    const auto& knots = attribute.knots;
    in.need(std::all_of(knots.begin(), knots.end(), [](double knot) { return std::isfinite(knot); }) &&
                std::adjacent_find(knots.begin(), knots.end(), std::greater_equal<>()) == knots.end(),
            "knots do not ascend");
    in.need(is_numeric ? !knots.empty() : knots.empty() && attribute.level_count > 0,
            "an attribute has neither knots nor levels");
    in.need(attribute.level_count >= 0 && static_cast<std::size_t>(attribute.level_count) < most &&
                knots.size() < most && attribute.special.size() < most &&
                static_cast<std::size_t>(attribute.coordinate_count()) < most,
            "an attribute has too many coordinates");
    coordinates += static_cast<std::size_t>(attribute.coordinate_count());
    // Levels take no bytes here, but tables later: 2^24 coordinates are 3 GB of sums of 16 factors.
    in.need(coordinates <= (std::size_t{1} << 24), "there are too many coordinates");
  }
  in.need(!encoder.attributes.empty(), "there are no attributes");
  number_coordinates(encoder);
  return encoder;
}

void write_surface(ByteWriter& out, const Surface& surface) {
  out.put<std::uint64_t>(surface.first);
  out.put<std::uint64_t>(surface.second);
  const auto put = [&](const std::vector<std::size_t>& knots) {
    out.put_all(std::vector<std::uint64_t>(knots.begin(), knots.end()));
  };
  put(surface.first_knots);
  put(surface.second_knots);
  out.put_all(surface.values);
}

// Nodes are some of the attribute's knots, ascending, the first and the last among them.
void check_nodes(const ByteReader& in, const AttributeEncoder& attribute, const std::vector<std::size_t>& knots) {
  const bool is_numeric = attribute.kind == AttributeKind::numeric;
  in.need(is_numeric ? !knots.empty() : knots.empty(), "nodes are absent, or of levels");
  if (!is_numeric) return;
  in.need(std::adjacent_find(knots.begin(), knots.end(), std::greater_equal<>()) == knots.end() && knots.front() == 0 &&
              knots.back() + 1 == attribute.knots.size(),
          "nodes do not run from the first knot to the last");
}

Surface read_surface(ByteReader& in, const Encoder& encoder, bool has_values) {
  Surface surface;
  surface.first = in.get<std::uint64_t>();
  surface.second = in.get<std::uint64_t>();
  const auto get = [&] {
    const auto knots = in.get_all<std::uint64_t>();
    return std::vector<std::size_t>(knots.begin(), knots.end());
  };
  surface.first_knots = get();
  surface.second_knots = get();
  surface.values = in.get_all<double>();
  in.need(surface.first < surface.second && surface.second < encoder.attributes.size(), "a surface has no attributes");
  const AttributeEncoder& first = encoder.attributes[surface.first];
  const AttributeEncoder& second = encoder.attributes[surface.second];
  check_nodes(in, first, surface.first_knots);
  check_nodes(in, second, surface.second_knots);
  const std::size_t count = node_count(first, surface.first_knots) * node_count(second, surface.second_knots);
  in.need(surface.values.size() == (has_values ? count : 0), "a surface has values for other nodes");
  return surface;
}

void check(const ByteReader& in, const Request& r) {
  in.need(r.task <= Task::scores, "it asks for nothing that is known");
  in.need(r.class_count >= 2 && r.class_count <= 255, "the number of classes is impossible");
  in.need(r.margin > 0 && std::isfinite(r.margin) && r.step > 0 && std::isfinite(r.step) && std::isfinite(r.pull) &&
              std::isfinite(r.centre),
          "a number is impossible");
  const auto classes = static_cast<std::size_t>(r.class_count);
  const bool has_loss = r.task == Task::pair_loss || r.task == Task::student;
  in.need(r.between.size() == (has_loss ? classes * classes : 0), "pairs of classes have no weights");
  const std::size_t coordinates = r.encoder.coordinate_count();
  const Parameters& p = r.parameters;
  in.need(p.factor_count >= 0 && p.factor_count <= 65536, "the number of factors is impossible");
  in.need((p.increments.empty() && !has_loss) || p.increments.size() == coordinates, "increments are absent");
  in.need(p.factors.size() == p.increments.size() * static_cast<std::size_t>(p.factor_count), "factors are absent");
  const bool has_design = r.task == Task::student || r.task == Task::masses;
  in.need(r.skeleton.has_curve.size() == (has_design ? r.encoder.attributes.size() : 0), "curves are absent");
  std::size_t weight_count = 0;
  for (std::size_t j = 0; j < r.skeleton.has_curve.size(); ++j) {
    if (r.skeleton.has_curve[j] != 0) weight_count += node_count(r.encoder.attributes[j], r.skeleton.curve_knots[j]);
  }
  for (const Surface& surface : r.skeleton.surfaces) {
    weight_count += node_count(r.encoder.attributes[surface.first], surface.first_knots) *
                    node_count(r.encoder.attributes[surface.second], surface.second_knots);
    in.need(weight_count <= most_sums, "surfaces have too many values");
  }
  in.need(r.weights.size() == (r.task == Task::student ? weight_count : 0), "curves and surfaces lack values");
  in.need(r.task != Task::tally || coordinates * classes <= most_sums, "there are too many coordinates and classes");
  const bool has_terms = r.task == Task::scores;
  in.need(r.terms.curves.size() == (has_terms ? r.encoder.attributes.size() : 0), "curves are absent");
  for (std::size_t j = 0; j < r.terms.curves.size(); ++j) {
    in.need(r.terms.curves[j].size() == stop_count(r.encoder.attributes[j]), "a curve has other stops");
  }
}

}  // namespace

Bytes write_request(const Request& request) {
  ByteWriter out;
  out.put(magic);
  out.put(version);
  out.put(request.task);
  write_encoder(out, request.encoder);
  out.put(request.class_count);
  out.put(request.margin);
  out.put(request.step);
  out.put_all(request.between);
  out.put<std::int32_t>(request.parameters.factor_count);
  out.put_all(request.parameters.increments);
  out.put_all(request.parameters.factors);
  out.put(request.pull);
  out.put(request.centre);
  out.put_all(request.skeleton.has_curve);
  for (const auto& knots : request.skeleton.curve_knots) {
    out.put_all(std::vector<std::uint64_t>(knots.begin(), knots.end()));
  }
  out.put<std::uint64_t>(request.skeleton.surfaces.size());
  for (const Surface& surface : request.skeleton.surfaces) write_surface(out, surface);
  out.put_all(request.weights);
  out.put(request.terms.base);
  out.put<std::uint64_t>(request.terms.curves.size());
  for (const auto& curve : request.terms.curves) out.put_all(curve);
  out.put<std::uint64_t>(request.terms.surfaces.size());
  for (const Surface& surface : request.terms.surfaces) write_surface(out, surface);
  return out.take();
}

Request read_request(ByteView bytes) {
  ByteReader in(bytes, "request to a partition");
  in.need(in.get<std::array<char, 8>>() == magic, "it begins with other bytes");
  in.need(in.get<std::uint32_t>() == version, "it is of another version");
  Request request;
  request.task = in.get<Task>();
  request.encoder = read_encoder(in);
  request.class_count = in.get<std::int32_t>();
  request.margin = in.get<double>();
  request.step = in.get<double>();
  request.between = in.get_all<double>();
  request.parameters.factor_count = in.get<std::int32_t>();
  request.parameters.increments = in.get_all<double>();
  request.parameters.factors = in.get_all<double>();
  request.pull = in.get<double>();
  request.centre = in.get<double>();
  request.skeleton.has_curve = in.get_all<char>();
  in.need(request.skeleton.has_curve.empty() || request.skeleton.has_curve.size() == request.encoder.attributes.size(),
          "curves are absent");
  for (std::size_t j = 0; j < request.skeleton.has_curve.size(); ++j) {
    const auto knots = in.get_all<std::uint64_t>();
    request.skeleton.curve_knots.emplace_back(knots.begin(), knots.end());
    check_nodes(in, request.encoder.attributes[j], request.skeleton.curve_knots.back());
  }
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    request.skeleton.surfaces.push_back(read_surface(in, request.encoder, false));
  }
  request.weights = in.get_all<double>();
  request.terms.base = in.get<double>();
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) request.terms.curves.push_back(in.get_all<double>());
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    request.terms.surfaces.push_back(read_surface(in, request.encoder, true));
  }
  in.end();
  check(in, request);
  return request;
}

double Tally::total() const { return std::accumulate(class_weights.begin(), class_weights.end(), 0.0); }

Tally read_tally(ByteView result, const Encoder& encoder, int class_count) {
  const auto classes = static_cast<std::size_t>(class_count);
  const std::size_t coordinates = encoder.coordinate_count();
  const std::vector<double> sums = read_numbers(result, 1 + 2 * classes + coordinates * (classes + 1));
  Tally tally;
  auto at = sums.begin();
  const auto take = [&](std::size_t count) {
    at += static_cast<std::ptrdiff_t>(count);
    return std::vector<double>(at - static_cast<std::ptrdiff_t>(count), at);
  };
  tally.row_count = take(1).front();
  tally.class_weights = take(classes);
  tally.class_counts = take(classes);
  for (std::size_t n = 0; n < coordinates; ++n) tally.class_histogram.push_back(take(classes));
  tally.mean_encoding = take(coordinates);
  // So far each coordinate has its own fractions; the rows in later segments fill it too.
  const double total = tally.total();
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    double after = 0;
    for (int c = encoder.attributes[j].coordinate_count() - 1; c >= 0; --c) {
      if (!encoder.attributes[j].is_segment(c)) continue;
      const std::size_t n = encoder.offsets[j] + static_cast<std::size_t>(c);
      tally.mean_encoding[n] += after;
      for (const double w : tally.class_histogram[n]) after += w;
    }
  }
  for (double& mean : tally.mean_encoding) mean /= total;
  return tally;
}

}  // namespace xofm::detail
