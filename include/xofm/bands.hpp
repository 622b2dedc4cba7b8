// Stage 8, explain: how far to trust a curve. Training is repeated on rows drawn with replacement, on the model's own
// knots and with its own options; where the refits' purified curves differ, the data do not decide. Of a model that is
// the mean of posterior draws (gibbs), the draws take the place of refits: a credible band.
#pragma once

#include <optional>

#include "xofm/model.hpp"

namespace xofm {

struct BandOptions {
  int refit_count = 20;       // 2 .. 1000
  double lower_share = 0.05;  // of the refits that lie below the band at a knot; 0 <= lower_share < upper_share <= 1
  double upper_share = 0.95;  // of the refits that lie below its upper end
};

// `data` are the rows that the model was trained on; the seed is the model's. All curves are purified by the model's
// own training distribution, so that they have one zero. Refits run in parallel, with the same bits for any number of
// threads. None if progress asked to stop. Costs refit_count trainings, or, for draws, one.
std::optional<CurveBands> fit_bands(const Model& model, const Dataset& data, const BandOptions& options = {},
                                    const ProgressCallback& progress = {});

}  // namespace xofm
