#include "core/explain/effects.hpp"

#include "core/terms/term_table.hpp"

namespace xofm::detail {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double product = 0;
  for (std::size_t f = 0; f < a.size(); ++f) product += a[f] * b[f];
  return product;
}

void add(std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t f = 0; f < a.size(); ++f) a[f] += b[f];
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result = a;
  for (std::size_t f = 0; f < a.size(); ++f) result[f] -= b[f];
  return result;
}

std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const Model& model) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (model.terms) {
    for (const Surface& surface : model.terms->surfaces) pairs.emplace_back(surface.first, surface.second);
    return pairs;
  }
  for (std::size_t a = 0; a < model.schema.attributes.size(); ++a) {
    for (std::size_t b = a + 1; b < model.schema.attributes.size(); ++b) pairs.emplace_back(a, b);
  }
  return pairs;
}

namespace {

void add_times(Effect& to, double share, const Effect& effect) {
  to.raw += share * effect.raw;
  to.own += share * effect.own;
  for (std::size_t f = 0; f < to.sum.size(); ++f) to.sum[f] += share * effect.sum[f];
}

}  // namespace

Effects::Effects(const Model& model, Purity purity) : model_(&model) {
  length_ = static_cast<std::size_t>(model.parameters.factor_count);
  if (model.terms) {
    length_ = 0;
    for (const Surface& surface : model.terms->surfaces) {
      length_ += node_count(model.encoder.attributes[surface.first], surface.first_knots);
    }
    add_terms();
  } else {
    add_parameters();
  }
  add_means(purity);
}

void Effects::add_parameters() {
  const Encoder& encoder = model_->encoder;
  const Effect nothing{0, 0, std::vector<double>(length_)};
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    Effect before = nothing;
    for (int c = 0; c < encoder.attributes[j].coordinate_count(); ++c) {
      const std::size_t n = encoder.offsets[j] + static_cast<std::size_t>(c);
      const double u = model_->parameters.increments[n];
      const double* const v = model_->parameters.factors.data() + n * length_;
      const bool is_segment = encoder.attributes[j].is_segment(c);
      before_.push_back(is_segment ? before : nothing);
      Effect step{u, u, std::vector<double>(v, v + length_)};
      step.own += dot(step.sum, before_.back().sum);
      if (is_segment) add_times(before, 1, step);
      step_.push_back(std::move(step));
    }
  }
}

// Of each stop of the attribute's curve: what curve and surfaces say there.
std::vector<Effect> Effects::stop_effects(std::size_t attribute) const {
  const AttributeEncoder& encoder = model_->encoder.attributes[attribute];
  std::vector<Effect> effects;
  for (const double value : model_->terms->curves[attribute]) {
    effects.push_back({0, value, std::vector<double>(length_)});
  }
  std::size_t offset = 0;
  for (const Surface& surface : model_->terms->surfaces) {
    const std::size_t first = node_count(model_->encoder.attributes[surface.first], surface.first_knots);
    const std::size_t second = node_count(model_->encoder.attributes[surface.second], surface.second_knots);
    const bool is_first = surface.first == attribute;
    if (is_first || surface.second == attribute) {
      const auto places = places_on_axis(encoder, is_first ? surface.first_knots : surface.second_knots);
      for (std::size_t stop = 0; stop < effects.size(); ++stop) {
        const AxisPosition at = axis_position(places[stop], is_first ? first : second);
        double* const sum = effects[stop].sum.data() + offset;
        if (is_first) {
          sum[at.node] += 1 - at.fraction;
          sum[at.next] += at.fraction;
          continue;
        }
        for (std::size_t node = 0; node < first; ++node) {
          const double* const values = surface.values.data() + node * second;
          sum[node] = values[at.node] + at.fraction * (values[at.next] - values[at.node]);
        }
      }
    }
    offset += first;
  }
  return effects;
}

void Effects::add_terms() {
  const Encoder& encoder = model_->encoder;
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    const std::vector<Effect> stops = stop_effects(j);
    for (int c = 0; c < encoder.attributes[j].coordinate_count(); ++c) {
      const auto coordinate = static_cast<std::uint32_t>(c);
      const Effect& empty = stops[stop_position(encoder.attributes[j], {coordinate, 0}).low];
      Effect step = stops[stop_position(encoder.attributes[j], {coordinate, 1}).high];
      add_times(step, -1, empty);
      before_.push_back(empty);
      step_.push_back(std::move(step));
    }
  }
}

void Effects::add_means(Purity purity) {
  const Encoder& encoder = model_->encoder;
  const Effect nothing{0, 0, std::vector<double>(length_)};
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    Effect mean = nothing;
    if (!model_->terms || purity == Purity::independent) {
      // The first coordinate empty, then what is filled of each.
      const Effect& empty = before_[encoder.offsets[j]];
      mean = empty;
      for (std::size_t n = encoder.offsets[j]; n < encoder.offsets[j + 1]; ++n) {
        const double share = model_->distribution.mean_encoding[n];
        const bool is_segment = encoder.attributes[j].is_segment(static_cast<int>(n - encoder.offsets[j]));
        add_times(mean, share, step_[n]);
        if (is_segment) continue;
        add_times(mean, share, before_[n]);
        add_times(mean, -share, empty);
      }
    }
    means_.push_back(std::move(mean));
  }
  // All before it and all after it: subtracting from one total would lose digits.
  others_.assign(means_.size(), nothing.sum);
  std::vector<double> before = nothing.sum;
  std::vector<double> after = nothing.sum;
  for (std::size_t j = 0; j < means_.size(); ++j) {
    const std::size_t last = means_.size() - 1 - j;
    add(others_[j], before);
    add(others_[last], after);
    add(before, means_[j].sum);
    add(after, means_[last].sum);
  }
}

Effect Effects::at(std::size_t attribute, Position position) const {
  const std::size_t n = model_->encoder.offsets[attribute] + position.coordinate;
  Effect effect = before_[n];
  add_times(effect, position.fraction, step_[n]);
  return effect;
}

Effect Effects::at(std::size_t attribute, double value) const {
  ValueNote note{};
  return at(attribute, model_->encoder.attributes[attribute].locate(value, note));
}

std::vector<Effect> Effects::stops(std::size_t attribute) const {
  const AttributeEncoder& encoder = model_->encoder.attributes[attribute];
  std::vector<Effect> effects;
  ValueNote note{};
  for (const double knot : encoder.knots) effects.push_back(at(attribute, encoder.locate_on_curve(knot, note)));
  for (int level = 0; level < encoder.level_count; ++level) effects.push_back(at(attribute, double(level)));
  for (int c = encoder.segment_count(); c < encoder.coordinate_count(); ++c) {
    effects.push_back(at(attribute, Position{static_cast<std::uint32_t>(c), 1.0}));  // special values, missing
  }
  return effects;
}

std::vector<double> Effects::deviation(std::size_t attribute, const Effect& effect) const {
  return difference(effect.sum, means_[attribute].sum);
}

double Effects::curve(std::size_t attribute, const Effect& effect) const {
  return effect.own - means_[attribute].own + dot(deviation(attribute, effect), others_[attribute]);
}

// Sum of the means of own_j, and <E S_j, E S_j'> over the pairs.
double Effects::base() const {
  double base = model_->terms ? model_->terms->base : 0.0;
  std::vector<double> sum(length_);
  for (const Effect& mean : means_) {
    base += mean.own + dot(mean.sum, sum);
    add(sum, mean.sum);
  }
  return base;
}

}  // namespace xofm::detail
