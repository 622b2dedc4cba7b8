#include "core/explain/effects.hpp"

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

namespace {

void add_times(Effect& to, double share, const Effect& effect) {
  to.raw += share * effect.raw;
  to.own += share * effect.own;
  for (std::size_t f = 0; f < to.sum.size(); ++f) to.sum[f] += share * effect.sum[f];
}

}  // namespace

Effects::Effects(const Model& model) : model_(&model) {
  const Encoder& encoder = model.encoder;
  const auto k = static_cast<std::size_t>(model.parameters.factor_count);
  const Effect nothing{0, 0, std::vector<double>(k)};
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    Effect before = nothing;
    Effect mean = nothing;
    for (int c = 0; c < encoder.attributes[j].coordinate_count(); ++c) {
      const std::size_t n = encoder.offsets[j] + static_cast<std::size_t>(c);
      const double u = model.parameters.increments[n];
      const double* const v = model.parameters.factors.data() + n * k;
      const bool is_segment = encoder.attributes[j].is_segment(c);
      before_.push_back(is_segment ? before : nothing);
      Effect step{u, u, std::vector<double>(v, v + k)};
      step.own += dot(step.sum, before_.back().sum);
      if (is_segment) add_times(before, 1, step);
      add_times(mean, model.distribution.mean_encoding[n], step);
      step_.push_back(std::move(step));
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
  for (const double knot : encoder.knots) effects.push_back(at(attribute, knot));
  for (int level = 0; level < encoder.level_count; ++level) effects.push_back(at(attribute, double(level)));
  if (encoder.has_missing) {
    effects.push_back(at(attribute, Position{static_cast<std::uint32_t>(encoder.segment_count()), 1.0}));
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
  double base = 0;
  std::vector<double> sum(static_cast<std::size_t>(model_->parameters.factor_count));
  for (const Effect& mean : means_) {
    base += mean.own + dot(mean.sum, sum);
    add(sum, mean.sum);
  }
  return base;
}

}  // namespace xofm::detail
