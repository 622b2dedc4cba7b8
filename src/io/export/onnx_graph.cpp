// Field numbers are those of onnx.proto.
#include "io/export/onnx_graph.hpp"

namespace xofm::detail {

namespace {

enum AttributeType { whole_number = 2, whole_numbers = 7, texts = 8 };

Message setting(const std::string& name, std::int64_t value) {
  Message made;
  made.text(1, name).number(3, value).number(20, whole_number);
  return made;
}

Message setting(const std::string& name, const std::vector<std::int64_t>& values) {
  Message made;
  made.text(1, name);
  for (const std::int64_t value : values) made.number(8, value);
  made.number(20, whole_numbers);
  return made;
}

Message setting(const std::string& name, const std::vector<std::string>& values) {
  Message made;
  made.text(1, name);
  for (const std::string& value : values) made.text(9, value);
  made.number(20, texts);
  return made;
}

Message tensor(const std::string& name, OnnxType type, const std::vector<std::int64_t>& shape) {
  Message made;
  for (const std::int64_t size : shape) made.number(1, size);
  made.number(2, static_cast<int>(type)).text(8, name);
  return made;
}

}  // namespace

Message OnnxGraph::value_info(const std::string& name, OnnxType type, const std::vector<std::int64_t>& more) {
  Message rows;
  rows.text(2, "rows");
  Message shape;
  shape.message(1, rows);
  for (const std::int64_t size : more) {
    Message dimension;
    dimension.number(1, size);
    shape.message(1, dimension);
  }
  Message of_tensor;
  of_tensor.number(1, static_cast<int>(type)).message(2, shape);
  Message of_value;
  of_value.message(1, of_tensor);
  Message info;
  info.text(1, name).message(2, of_value);
  return info;
}

void OnnxGraph::output(const std::string& from, const std::string& name, OnnxType type,
                       std::vector<std::int64_t> more) {
  Message node;
  node.text(1, from).text(2, name).text(4, "Identity");
  graph_.message(1, node);
  graph_.message(12, value_info(name, type, more));
}

std::string OnnxGraph::constant(const std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  const std::string name = fresh();
  Message made = tensor(name, OnnxType::real, shape);
  graph_.message(5, made.text(9, little_endian(values.data(), values.size())));
  return name;
}

std::string OnnxGraph::whole_constant(const std::vector<std::int64_t>& values) {
  const std::string name = fresh();
  Message made = tensor(name, OnnxType::int64, {static_cast<std::int64_t>(values.size())});
  graph_.message(5, made.text(9, little_endian(values.data(), values.size())));
  return name;
}

std::string OnnxGraph::text_constant(const std::vector<std::string>& values) {
  const std::string name = fresh();
  Message made = tensor(name, OnnxType::string, {static_cast<std::int64_t>(values.size())});
  for (const std::string& value : values) made.text(6, value);
  graph_.message(5, made);
  return name;
}

std::string OnnxGraph::add(Message& node, const std::vector<std::string>& inputs, int output_count) {
  for (const std::string& input : inputs) node.text(1, input);
  std::string last;
  for (int i = 0; i < output_count; ++i) node.text(2, last = fresh());
  graph_.message(1, node);
  return last;
}

std::string OnnxGraph::node(const std::string& op, const std::vector<std::string>& inputs,
                            const std::vector<Setting>& settings) {
  Message made;
  made.text(4, op);
  for (const auto& [name, value] : settings) made.message(5, setting(name, value));
  return add(made, inputs, op == "TopK" ? 2 : 1);  // of the two, the indices are wanted
}

std::string OnnxGraph::concat(const std::vector<std::string>& inputs, std::int64_t axis) {
  return node("Concat", inputs, {{"axis", axis}});
}

std::string OnnxGraph::label_encoder(const std::string& input, const std::vector<std::string>& keys,
                                     const std::vector<std::int64_t>& values, std::int64_t otherwise) {
  Message made;
  made.text(4, "LabelEncoder").text(7, "ai.onnx.ml");
  made.message(5, setting("keys_strings", keys)).message(5, setting("values_int64s", values));
  made.message(5, setting("default_int64", otherwise));
  return add(made, {input}, 1);
}

std::string OnnxGraph::transpose_last(const std::string& input) {
  Message made;
  made.text(4, "Transpose").message(5, setting("perm", std::vector<std::int64_t>{0, 2, 1}));
  return add(made, {input}, 1);
}

std::string OnnxGraph::model(const std::vector<std::pair<std::string, std::string>>& notes) const {
  constexpr int ir_version = 8;
  Message graph = graph_;
  graph.text(2, "xofm");
  Message standard;
  standard.text(1, "").number(2, opset);
  Message learning;
  learning.text(1, "ai.onnx.ml").number(2, ml_opset);
  Message made;
  made.number(1, ir_version).text(2, "xofm").message(7, graph).message(8, standard).message(8, learning);
  for (const auto& [key, value] : notes) {
    Message note;
    note.text(1, key).text(2, value);
    made.message(14, note);
  }
  return made.bytes();
}

}  // namespace xofm::detail
