// The figures of the paper, as facts to stand beside ours: Guo, Xu, Zhang, Liao and Liu, ECAI 2020 (CITATION.cff),
// Tables 3 and 4, and Table 2 of its supplement.
#pragma once

#include <optional>
#include <string>

namespace xofm::experiments {

struct PaperFigure {
  double accuracy = 0;
  double mae = 0;
};

// By the name of the method in the tables and of the data set's file; none for others.
std::optional<PaperFigure> paper_figure(const std::string& method, const std::string& set);

// The best of all methods, in each of the two by itself.
std::optional<PaperFigure> best_paper_figure(const std::string& set);

// Monotone XOFM and UTADIS on the universities, by the number of segments, 1 to 5.
enum class SupplementMethod { xofm, utadis };
PaperFigure supplement_figure(SupplementMethod method, int segment_count);

}  // namespace xofm::experiments
