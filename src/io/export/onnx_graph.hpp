// An ONNX graph that grows node by node; every tensor has a name that no input or output has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/export/protobuf.hpp"

namespace xofm::detail {

enum class OnnxType { int64 = 7, string = 8, real = 11 };

class OnnxGraph {
 public:
  explicit OnnxGraph(std::string prefix) : prefix_(std::move(prefix)) {}

  void input(const std::string& name, OnnxType type) { graph_.message(11, value_info(name, type, {})); }
  // The tensor as an output: one value per row, or so many.
  void output(const std::string& tensor, const std::string& name, OnnxType type, std::vector<std::int64_t> more = {});

  std::string constant(const std::vector<double>& values, const std::vector<std::int64_t>& shape);
  std::string whole_constant(const std::vector<std::int64_t>& values);
  std::string text_constant(const std::vector<std::string>& values);

  struct Setting {
    std::string name;
    std::int64_t value;
  };
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<Setting>& settings = {});
  std::string concat(const std::vector<std::string>& inputs, std::int64_t axis);
  // Of texts: the number of its key, or another.
  std::string label_encoder(const std::string& input, const std::vector<std::string>& keys,
                            const std::vector<std::int64_t>& values, std::int64_t otherwise);
  std::string transpose_last(const std::string& input);

  // The whole model; `notes` are pairs of a key and a text.
  std::string model(const std::vector<std::pair<std::string, std::string>>& notes) const;

  static constexpr int opset = 17;
  static constexpr int ml_opset = 3;

 private:
  std::string fresh() { return prefix_ + std::to_string(count_++); }
  std::string add(Message& node, const std::vector<std::string>& inputs, int output_count);
  static Message value_info(const std::string& name, OnnxType type, const std::vector<std::int64_t>& more);

  std::string prefix_;
  std::size_t count_ = 0;
  Message graph_;
};

}  // namespace xofm::detail
