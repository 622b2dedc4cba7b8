// SVR: epsilon-support vector regression (Smola and Schoelkopf 2004) with the kernel exp(-gamma |x - x'|^2), on the
// class numbers 0 .. H-1 as if they were measured; a prediction is rounded and clipped. Solved by libsvm (Chang and Lin
// 2011).
//
// libsvm cannot be interrupted: time is asked for once, before the fit. What bounds the time of a fit is the largest
// cost of the grid.
#pragma once

#include <memory>

#include "baselines/method.hpp"

namespace xofm::baselines {

struct SvrOptions {
  double gamma = 1;
  double cost = 1;
  double epsilon = 0.1;
  // libsvm spends most of its time on the kernel of one pair after the other. Up to this many rows it is computed for
  // all pairs first, which takes 16 bytes a pair.
  Eigen::Index most_rows_with_known_kernel = 4000;
};

std::unique_ptr<Predictor> fit_svr(const Examples& examples, const SvrOptions& options);

}  // namespace xofm::baselines
