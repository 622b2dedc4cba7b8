// Everything at once. The headers by stage: dataset, csv, generate; encoder; parameters; loss; optimize; model, train;
// assign; explain, bands; metrics, validate, path; model_file; report.
#pragma once

#include "xofm/assign.hpp"
#include "xofm/bands.hpp"
#include "xofm/csv.hpp"
#include "xofm/dataset.hpp"
#include "xofm/encoder.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/loss.hpp"
#include "xofm/metrics.hpp"
#include "xofm/model.hpp"
#include "xofm/model_file.hpp"
#include "xofm/names.hpp"
#include "xofm/optimize.hpp"
#include "xofm/parameters.hpp"
#include "xofm/path.hpp"
#include "xofm/report.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"
#include "xofm/validate.hpp"
