// Whether chains have mixed, and how much their draws are worth (Gelman et al., Bayesian Data Analysis, 3rd
// ed., 11.4-5).
#pragma once

#include <span>
#include <vector>

#include "xofm/model.hpp"

namespace xofm::detail {

// Of one quantity: [chain][draw], as many draws of every chain. R-hat compares the halves of all chains: sqrt(total
// variance / variance within). The effective count is draws / (1 + 2 sum of autocorrelations), summed over pairs of
// lags while the sum of a pair is positive and falls (Geyer 1992), and at most the number of draws. A quantity that
// never changes is mixed; fewer than 4 draws a chain say nothing: NaN.
SamplingRecord::Mixing mixing_of(const std::vector<std::vector<double>>& chains);

// The worst of both figures.
void worsen(SamplingRecord::Mixing& worst, const SamplingRecord::Mixing& other);

}  // namespace xofm::detail
