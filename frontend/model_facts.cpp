#include "frontend/model_facts.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/name_table.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/tensor_types.hpp"
#include "ir/statistics/statistics.hpp"

namespace onnx2ir::frontend {
namespace {

using ir::saturated_product;
using ir::saturated_sum;

using Operators = ir::OperatorCounts;

/// Adds `counts`, `times.count` times; `times.in_bodies` of these are in bodies.
void add(Operators& to, const Operators& counts, const OperatorCount& times) {
  for (const auto& [type, row] : counts) {
    OperatorCount& sum = to[type];
    sum.count = saturated_sum(sum.count, saturated_product(row.count, times.count));
    const std::uint64_t outside = row.count - row.in_bodies;
    sum.in_bodies = saturated_sum(sum.in_bodies, saturated_product(row.in_bodies, times.count));
    sum.in_bodies = saturated_sum(sum.in_bodies, saturated_product(outside, times.in_bodies));
  }
}

class OperatorCounter {
 public:
  explicit OperatorCounter(const LoadedModel& model) : model_(&model) {}

  GraphCounts count() {
    Scope main;
    add_graph(model_->proto().graph(), main, false);
    return tensors_.counts_with(expanded(main));
  }

 private:
  /// The nodes of the main graph or of a function, without those of the functions that they call.
  struct Scope {
    Operators operators;
    base::NameTable<OperatorCount*> standard;  ///< those of `operators` in the domain of ONNX
    std::map<const onnx::FunctionProto*, OperatorCount> calls;
  };

  /// The operators of a scope with those of the called functions. Functions do not call themselves: the
  /// reader has checked this.
  Operators expanded(const Scope& scope) {
    Operators all = scope.operators;
    for (const auto& [function, calls] : scope.calls) add(all, operators_of(*function), calls);
    return all;
  }

  const Operators& operators_of(const onnx::FunctionProto& function) {
    if (const auto known = functions_.find(&function); known != functions_.end()) return known->second;
    Scope scope;
    add_nodes(function.node(), scope, false);
    Operators all = expanded(scope);
    return functions_.emplace(&function, std::move(all)).first->second;
  }

  void add_graph(const onnx::GraphProto& graph, Scope& scope, bool is_body) {
    add_nodes(graph.node(), scope, is_body);
    for_each_initializer(graph, [&](const auto& tensor) { add_tensor(values_of(tensor)); });
  }

  static OperatorCount& count_of(const onnx::NodeProto& node, Scope& scope) {
    if (!node.domain().empty()) return scope.operators[operator_name(node)];
    OperatorCount*& count = scope.standard.find_or_add(node.op_type(), nullptr);
    if (count == nullptr) count = &scope.operators[node.op_type()];
    return *count;
  }

  template <typename Nodes>
  void add_nodes(const Nodes& nodes, Scope& scope, bool is_body) {
    for (const onnx::NodeProto& node : nodes) {
      const onnx::FunctionProto* const function = model_->find_function(node);
      OperatorCount& row = function == nullptr ? count_of(node, scope) : scope.calls[function];
      ++row.count;
      if (is_body) ++row.in_bodies;
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_t()) add_tensor(attribute.t());
        for (const auto& tensor : attribute.tensors()) add_tensor(tensor);
        for_each_body(attribute, [&](const onnx::GraphProto& body) { add_graph(body, scope, true); });
      }
    }
  }

  void add_tensor(const onnx::TensorProto& tensor) {
    std::uint64_t elements = 1;
    for (const std::int64_t size : tensor.dims())
      elements = saturated_product(elements, static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0)));
    const TensorTypeInfo* const type = find_tensor_type(tensor.data_type());
    const ir::ElementType* const ir_type = type != nullptr && type->ir_type ? &*type->ir_type : nullptr;
    const std::uint64_t bits = type == nullptr ? 0 : type->bits;
    const std::uint64_t bytes = saturated_sum(saturated_product(elements, bits), 7) / 8;
    tensors_.add(ir_type != nullptr ? ir::info(*ir_type).name : tensor_type_name(tensor.data_type()),
                 elements, bytes, ir_type != nullptr && ir::holds_parameters(*ir_type));
  }

  const LoadedModel* model_;
  std::unordered_map<const onnx::FunctionProto*, Operators> functions_;
  ir::ConstantCounter tensors_;
};

void add_names(const onnx::GraphProto& graph, std::unordered_map<std::string, std::string>& operators) {
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.output().empty()) continue;
    operators.emplace(node.name().empty() ? node.output(0) : node.name(), node.op_type());
    for_each_body(node, [&](const onnx::GraphProto& body) { add_names(body, operators); });
  }
}

}  // namespace

GraphCounts counts_of(const LoadedModel& model) {
  return OperatorCounter(model).count();
}

DimensionNames dimension_names(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values) {
  DimensionNames names;
  for (const onnx::ValueInfoProto& value : values) {
    std::vector<std::string> of_value;
    for (const auto& dimension : value.type().tensor_type().shape().dim())
      of_value.push_back(dimension.dim_param());
    const bool has_name =
        std::ranges::any_of(of_value, [](const std::string& name) { return !name.empty(); });
    if (has_name) names.emplace(value.name(), std::move(of_value));
  }
  return names;
}

std::unordered_map<std::string, std::string> operators_by_name(const LoadedModel& model) {
  std::unordered_map<std::string, std::string> operators;
  add_names(model.proto().graph(), operators);
  return operators;
}

}  // namespace onnx2ir::frontend
