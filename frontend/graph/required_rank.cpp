#include "frontend/graph/required_rank.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_data.hpp"
#include "ir/known_values.hpp"

namespace onnx2ir::frontend {
namespace {

using onnx::GraphProto;
using onnx::NodeProto;

/// Operators whose operands have one element each if the result has.
bool is_elementwise(std::string_view op_type) {
  constexpr std::string_view kNames[] = {"And",      "Cast", "Equal",       "Greater", "GreaterOrEqual",
                                         "Identity", "Less", "LessOrEqual", "Not",     "Or",
                                         "Xor"};
  return std::ranges::find(kNames, op_type) != std::end(kNames);
}

/// Whether input `index` of the node must have one element.
bool takes_scalar(const NodeProto& node, int index) {
  return (node.op_type() == "If" && index == 0) || (node.op_type() == "Loop" && index < 2);
}

/// Whether the graph of `scope` is the body of a Loop.
bool is_loop_body(const GraphTranslator& scope) {
  return scope.owner() != nullptr && scope.owner()->op_type() == "Loop";
}

bool must_be_scalar(const GraphTranslator& scope, const std::string& name, int depth) {
  constexpr int kDeepest = 16;
  const GraphProto& graph = *scope.proto();
  bool has_reader = false;
  for (int i = 0; i < graph.output_size(); ++i) {
    if (graph.output(i).name() != name) continue;
    if (i != 0 || !is_loop_body(scope)) return false;
    has_reader = true;
  }
  for (const NodeProto& node : graph.node()) {
    if (body_reads(node, name)) return false;
    for (int i = 0; i < node.input_size(); ++i) {
      if (node.input(i) != name) continue;
      has_reader = true;
      if (takes_scalar(node, i)) continue;
      const bool passes_on = is_elementwise(node.op_type()) && node.output_size() == 1 && depth < kDeepest;
      if (!passes_on || !must_be_scalar(scope, node.output(0), depth + 1)) return false;
    }
  }
  return has_reader;
}

/// The inputs that are lists of sizes, positions or axes.
struct ListInputs {
  std::string_view op_type;
  int first;
  int last;
};

constexpr ListInputs kLists[] = {
    {"ConstantOfShape", 0, 0}, {"Expand", 1, 1}, {"Pad", 1, 1},  {"Reshape", 1, 1},
    {"Resize", 1, 3},          {"Slice", 1, 4},  {"Tile", 1, 1}, {"Upsample", 1, 1},
};

/// Operators whose operands are broadcast to the result.
bool broadcasts(std::string_view op_type) {
  constexpr std::string_view kNames[] = {"Add",       "And",         "BitwiseAnd",
                                         "BitwiseOr", "BitwiseXor",  "Div",
                                         "Equal",     "Greater",     "GreaterOrEqual",
                                         "Less",      "LessOrEqual", "Max",
                                         "Mean",      "Min",         "Mod",
                                         "Mul",       "Or",          "Pow",
                                         "Sub",       "Sum",         "Where",
                                         "Xor"};
  return std::ranges::find(kNames, op_type) != std::end(kNames);
}

/// Operators of one input whose elements they compute one by one.
bool maps_elements(std::string_view op_type) {
  constexpr std::string_view kNames[] = {"Abs",   "Cast",       "Ceil",     "Cos",       "Erf",     "Exp",
                                         "Floor", "Gelu",       "Identity", "LeakyRelu", "Log",     "Neg",
                                         "Not",   "Reciprocal", "Relu",     "Round",     "Sigmoid", "Sign",
                                         "Sin",   "Softplus",   "Sqrt",     "Tanh"};
  return std::ranges::find(kNames, op_type) != std::end(kNames);
}

/// Looks for uses whose result depends on leading dimensions of size 1.
class LeadingUnits {
 public:
  LeadingUnits(GraphTranslator& scope, std::int64_t units) : scope_(scope), units_(units) {}

  bool are_ignored(const std::string& name, std::int64_t rank, int depth) {
    constexpr int kDeepest = 32;
    const GraphProto& graph = *scope_.proto();
    if (depth > kDeepest || scope_.is_output(name)) return false;
    for (const NodeProto& node : graph.node()) {
      if (body_reads(node, name)) return false;
      for (int i = 0; i < node.input_size(); ++i) {
        if (node.input(i) == name && !is_ignored_by(node, i, rank, depth)) return false;
      }
    }
    return true;
  }

 private:
  const NodeProto* producer(const std::string& name) const {
    for (const NodeProto& node : scope_.proto()->node()) {
      if (std::ranges::find(node.output(), name) != node.output().end()) return &node;
    }
    return nullptr;
  }

  ir::Value translated(const std::string& name) {
    return scope_.knows(name) ? as_tensor(scope_.find(name).operand) : ir::Value{};
  }

  /// The rank of `name`, which may be computed by a later node.
  std::optional<std::int64_t> rank_of(const std::string& name, int depth) {
    constexpr int kDeepest = 8;
    if (const ir::Value value = translated(name)) {
      if (!value.shape().has_rank()) return std::nullopt;
      return static_cast<std::int64_t>(value.shape().rank());
    }
    if (const auto declared = scope_.declared_rank(name)) return declared;
    const NodeProto* const node = producer(name);
    if (node == nullptr || depth > kDeepest || !node->domain().empty()) return std::nullopt;
    if (node->op_type() == "Constant") return constant_rank(*node);
    if (node->input_size() == 0) return std::nullopt;
    if (maps_elements(node->op_type()) || node->op_type() == "Transpose" || node->op_type() == "Softmax")
      return rank_of(node->input(0), depth + 1);
    if (!broadcasts(node->op_type())) return std::nullopt;
    return highest_rank(*node, name, depth + 1);
  }

  static std::optional<std::int64_t> constant_rank(const NodeProto& node) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_t()) return attribute.t().dims_size();
      if (attribute.name() == "value_ints" || attribute.name() == "value_floats") return 1;
      if (attribute.name() == "value_int" || attribute.name() == "value_float") return 0;
    }
    return std::nullopt;
  }

  /// The highest rank among the inputs other than `excluded`; no value if one is not known.
  std::optional<std::int64_t> highest_rank(const NodeProto& node, std::string_view excluded, int depth) {
    std::int64_t highest = 0;
    for (const std::string& input : node.input()) {
      if (input == excluded) continue;
      const auto rank = rank_of(input, depth);
      if (!rank) return std::nullopt;
      highest = std::max(highest, *rank);
    }
    return highest;
  }

  /// Whether `name`, the shape of a Reshape, is constant and copies no size of the data.
  bool copies_no_size(const std::string& name) {
    if (const ir::Value value = translated(name)) {
      const auto sizes = ir::exact_values(value);
      return sizes && std::ranges::find(*sizes, 0) == sizes->end();
    }
    const NodeProto* const node = producer(name);
    if (node == nullptr || node->op_type() != "Constant" || node->attribute_size() != 1) return false;
    const onnx::AttributeProto& attribute = node->attribute(0);
    if (attribute.has_t()) {
      const TensorResult tensor = read_tensor(attribute.t(), scope_.attempt().input->model->weights());
      if (!tensor || tensor->type != ir::ElementType::i64) return false;
      const auto numbers = ir::decode_numbers(tensor->type, tensor->data.bytes(),
                                              tensor->data.bytes().size() / sizeof(std::int64_t));
      return numbers && std::ranges::find(*numbers, 0) == numbers->end();
    }
    const auto& sizes = attribute.ints();
    return attribute.name() == "value_ints" && std::ranges::find(sizes, 0) == sizes.end();
  }

  bool is_ignored_by(const NodeProto& node, int index, std::int64_t rank, int depth) {
    if (!node.domain().empty() || node.output_size() != 1) return false;
    const auto pass_on = [&] { return are_ignored(node.output(0), rank, depth + 1); };
    if (maps_elements(node.op_type())) return pass_on();
    const bool is_product = node.op_type() == "MatMul";
    if (is_product || broadcasts(node.op_type())) {
      constexpr std::int64_t kMatrix = 2;
      const auto others = highest_rank(node, node.input(index), 0);
      if (!others || (is_product && (rank - units_ < kMatrix || *others < kMatrix))) return false;
      if (*others >= rank) return true;
      return *others <= rank - units_ && pass_on();
    }
    if (node.op_type() == "Reshape" && index == 0 && node.input_size() == 2)
      return copies_no_size(node.input(1));
    return node.op_type() == "Size";
  }

  GraphTranslator& scope_;
  std::int64_t units_;
};

}  // namespace

bool ignores_leading_units(GraphTranslator& scope, const std::string& name, std::int64_t rank,
                           std::int64_t units) {
  return scope.proto() != nullptr && !name.empty() && LeadingUnits(scope, units).are_ignored(name, rank, 0);
}

bool must_be_scalar(const GraphTranslator& scope, const std::string& name) {
  return scope.proto() != nullptr && !name.empty() && must_be_scalar(scope, name, 0);
}

bool must_be_list(const GraphTranslator& scope, const std::string& name) {
  if (scope.proto() == nullptr || name.empty()) return false;
  return std::ranges::any_of(scope.proto()->node(), [&](const NodeProto& node) {
    return std::ranges::any_of(kLists, [&](const ListInputs& row) {
      if (row.op_type != node.op_type() || !node.domain().empty()) return false;
      for (int i = row.first; i <= row.last && i < node.input_size(); ++i) {
        if (node.input(i) == name) return true;
      }
      return false;
    });
  });
}

}  // namespace onnx2ir::frontend
