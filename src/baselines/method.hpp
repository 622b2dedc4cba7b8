// The rivals of the paper's tables behind one interface: fit, predict, and the grid that a method is tuned over.
// Beside the core, not in it: the library needs nothing from here.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace xofm::baselines {

// Labelled rows as numbers (features.hpp). Labels are 0 .. class_count - 1; a class may be without rows.
struct Examples {
  Eigen::MatrixXd features;  // one row per object, one standardised column per feature
  std::vector<int> labels;
  int class_count = 0;
  std::vector<int> directions = {};  // per feature 1 (more is better), -1 (less is better), 0 (not known); empty: all 0
};

// An option that tuning decides, with the values it may take.
struct Axis {
  std::string name;
  std::vector<double> values;
};
// One value per axis, in the order of the axes.
using Setting = std::vector<double>;

// What one fit may use.
struct Effort {
  std::uint64_t seed = 1;
  // Asked about once a pass over the rows; true: end with the best so far. Empty: never.
  std::function<bool()> out_of_time = {};

  bool is_over() const { return out_of_time && out_of_time(); }
};

class Predictor {
 public:
  virtual ~Predictor() = default;
  // A class 0 .. class_count - 1 for every row.
  virtual std::vector<int> predict(const Eigen::MatrixXd& features) const = 0;
};

class Method {
 public:
  virtual ~Method() = default;
  virtual std::string name() const = 0;
  virtual std::vector<Axis> grid() const = 0;
  // At least one row. The same seed gives the same predictor, unless time ran out.
  virtual std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                         const Effort& effort = {}) const = 0;
};

// One file each, with its source in the literature.
std::unique_ptr<Method> make_pom();
std::unique_ptr<Method> make_lit();
std::unique_ptr<Method> make_lat();
std::unique_ptr<Method> make_kdlor();
std::unique_ptr<Method> make_svr();
std::unique_ptr<Method> make_nnor();
std::unique_ptr<Method> make_elmor();
std::unique_ptr<Method> make_cnnor();
std::unique_ptr<Method> make_ofmhs();
std::unique_ptr<Method> make_utadis();

}  // namespace xofm::baselines
