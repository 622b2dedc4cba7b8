// A small method to compare with: the median class of the nearest learning rows, their number being tuned.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "baselines/method.hpp"

namespace xofm::testing {

class NearestRows : public baselines::Method {
 public:
  // `during_fit` sees every fit, in the fitting thread.
  using Watch = std::function<void(const baselines::Examples&, const baselines::Setting&, const baselines::Effort&)>;
  explicit NearestRows(std::vector<double> counts = {5, 1, 15}, Watch during_fit = {})
      : counts_(std::move(counts)), during_fit_(std::move(during_fit)) {}

  std::string name() const override { return "Nearest"; }
  std::vector<baselines::Axis> grid() const override { return {{"neighbours", counts_}}; }
  std::unique_ptr<baselines::Predictor> fit(const baselines::Examples& examples, const baselines::Setting& setting,
                                            const baselines::Effort& effort) const override {
    if (during_fit_) during_fit_(examples, setting, effort);
    return std::make_unique<Rows>(examples, static_cast<std::size_t>(setting.at(0)));
  }

 private:
  class Rows : public baselines::Predictor {
   public:
    Rows(const baselines::Examples& examples, std::size_t count) : examples_(examples), count_(count) {}
    std::vector<int> predict(const Eigen::MatrixXd& features) const override {
      std::vector<int> classes;
      for (Eigen::Index i = 0; i < features.rows(); ++i) {
        std::vector<std::pair<double, int>> rows;
        for (Eigen::Index k = 0; k < examples_.features.rows(); ++k) {
          rows.emplace_back((examples_.features.row(k) - features.row(i)).squaredNorm(),
                            examples_.labels[static_cast<std::size_t>(k)]);
        }
        std::sort(rows.begin(), rows.end());
        rows.resize(std::min(count_, rows.size()));
        std::vector<int> labels;
        for (const auto& row : rows) labels.push_back(row.second);
        std::sort(labels.begin(), labels.end());
        classes.push_back(labels[labels.size() / 2]);
      }
      return classes;
    }

   private:
    baselines::Examples examples_;
    std::size_t count_;
  };

  std::vector<double> counts_;
  Watch during_fit_;
};

}  // namespace xofm::testing
