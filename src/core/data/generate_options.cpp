#include "core/data/generate_options.hpp"

#include <array>
#include <cmath>
#include <numeric>

namespace xofm {

using detail::require;

namespace {

std::size_t index(int number) { return static_cast<std::size_t>(number); }

void fill_curves(GenerateOptions& options) {
  constexpr std::array turn = {Curve::linear,  Curve::step,       Curve::hump,   Curve::flat,
                               Curve::falling, Curve::saturating, Curve::valley, Curve::wave};
  if (options.curves.empty()) {
    const int numeric_count = options.attribute_count - options.categorical_count;
    for (int j = 0; j < options.attribute_count; ++j) {
      options.curves.push_back(j < numeric_count ? turn[index(j) % turn.size()] : Curve::linear);
    }
  }
  require(options.curves.size() == index(options.attribute_count),
          "curves has {} entries; it must have one per attribute ({}) or none", options.curves.size(),
          options.attribute_count);
  if (options.weights.empty()) options.weights.assign(options.curves.size(), 1.0);
  require(options.weights.size() == options.curves.size(),
          "weights has {} entries; it must have one per attribute ({}) or none", options.weights.size(),
          options.curves.size());
  for (std::size_t j = 0; j < options.weights.size(); ++j) {
    require(std::isfinite(options.weights[j]), "weight {} of attribute x{} is not allowed; it must be finite",
            options.weights[j], j + 1);
  }
}

void fill_products(GenerateOptions& options) {
  const int numeric_count = options.attribute_count - options.categorical_count;
  if (!options.products) {
    options.products.emplace();
    for (const Product& product : {Product{0, 1, 1.0}, Product{2, 4, -0.5}, Product{5, 6, 0.5}}) {
      if (product.second < numeric_count) options.products->push_back(product);
    }
  }
  for (const Product& product : *options.products) {
    for (const int attribute : {product.first, product.second}) {
      require(attribute >= 0 && attribute < numeric_count, "product {} names x{}; the numeric attributes are x1 to x{}",
              text_of(product), attribute + 1, numeric_count);
    }
    require(product.first != product.second, "product {} names one attribute twice; they must differ",
            text_of(product));
    require(std::isfinite(product.strength), "product {} has strength {}; it must be finite", text_of(product),
            product.strength);
  }
}

void fill_shares(GenerateOptions& options) {
  auto& shares = options.class_shares;
  if (shares.empty()) shares.assign(index(options.class_count), 1.0);
  require(shares.size() == index(options.class_count),
          "class_shares has {} entries; it must have one per class ({}) or none", shares.size(), options.class_count);
  for (std::size_t h = 0; h < shares.size(); ++h) {
    require(shares[h] > 0 && std::isfinite(shares[h]), "class share {} of class {} is not allowed; it must be positive",
            shares[h], h + 1);
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  require(std::isfinite(sum), "class_shares sum to {}; the sum must be finite", sum);
  for (double& share : shares) share /= sum;
}

}  // namespace

GenerateOptions detail::completed(GenerateOptions options) {
  require(options.row_count >= 1 && options.row_count < detail::row_limit,
          "row_count is {}; it must be at least 1 and below 2^63", options.row_count);
  require(options.attribute_count >= 1, "attribute_count is {}; it must be at least 1", options.attribute_count);
  require(options.class_count >= 2, "class_count is {}; it must be at least 2", options.class_count);
  require(options.categorical_count >= 0 && options.categorical_count <= options.attribute_count,
          "categorical_count is {}; it must lie in 0..{} (attribute_count)", options.categorical_count,
          options.attribute_count);
  require(options.noise >= 0 && std::isfinite(options.noise), "noise is {}; it must be 0 or more, and finite",
          options.noise);
  require(options.missing_share >= 0 && options.missing_share < 1, "missing_share is {}; it must lie in [0, 1)",
          options.missing_share);
  fill_curves(options);
  fill_products(options);
  fill_shares(options);
  return options;
}

}  // namespace xofm
