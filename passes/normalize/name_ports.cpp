// Gives each input and output of the model its ONNX name, and no other one. OpenVINO's get_any_name() is the
// first name of a port in alphabetical order: the name of an inner tensor would precede that of the model, if
// passes or OpenVINO have joined both. Ports that separate_outputs cannot separate have the names of both.
#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/views/elementwise.hpp"
#include "passes/analysis/port_sources.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The names of each value that is an input or an output. The result does not depend on their order.
using Ports = std::unordered_map<ir::Value, std::vector<std::string>, HashOfValue>;

bool set_names(ir::Value value, const std::vector<std::string>& names) {
  ir::TensorNames& present = value.output().names;
  if (std::ranges::equal(present, names)) return false;
  present.clear();
  for (const std::string& name : names) present.push_back(name);
  return true;
}

bool is_with_constant(const ir::Node& node, std::size_t i) {
  return node.is_one_of(kSumsAndFactors) && ir::is_computed_from_constants(node.input(i));
}

/// The operand of `node` that OpenVINO may use instead of its result, and whose names it then joins with
/// those of the result: if a constant is 0 or 1, if the sizes or types are the same, or if a factor is moved
/// into the weights of a product. Null for other operations.
ir::Value replacement_of(const ir::Node& node) {
  constexpr ir::OperationSet kOfOne = {ops::Convert, ops::Broadcast, ops::Tile,
                                       ops::Pad,     ops::Slice,     ops::Negative};
  if (node.op().traits.rearranges || node.is_one_of(kOfOne)) return node.input(0);
  if (is_with_constant(node, 1)) return node.input(0);
  if (const auto select = ir::match<ir::SelectView>(node)) {
    const auto choices = ir::exact_values(select->condition());
    if (!choices || choices->empty()) return {};
    return choices->front() != 0 ? select->then_value() : select->else_value();
  }
  const bool is_commutative = node.is(ops::Add) || node.is(ops::Multiply);
  return is_commutative && is_with_constant(node, 0) ? node.input(1) : ir::Value{};
}

bool unname(ir::Value value) {
  ir::TensorNames& names = value.output().names;
  const bool has_names = !names.empty();
  names.clear();
  return has_names;
}

/// Removes the names of inner tensors that OpenVINO may use instead of `output`. `scratch` of a node: 1 if
/// that is done for its operands.
bool unname_replacements(ir::Value output, const Ports& ports) {
  bool modified = false;
  for (ir::Node* node = output.node; std::exchange(node->scratch, 1) == 0;) {
    const ir::Value value = replacement_of(*node);
    if (!value || ports.contains(value)) break;
    modified = unname(value) || modified;
    node = value.node;
  }
  return modified;
}

/// Removes the names of inner tensors instead of which OpenVINO may use `input`.
bool unname_replaced(ir::Value input, const Ports& ports) {
  bool modified = false;
  std::vector<ir::Value> open = {input};
  while (!open.empty()) {
    const ir::Value value = open.back();
    open.pop_back();
    for (const ir::Use& use : value.output().uses) {
      if (use.node->outputs().size() != 1 || replacement_of(*use.node) != value) continue;
      const ir::Value next = use.node->value();
      if (ports.contains(next)) continue;
      modified = unname(next) || modified;
      open.push_back(next);
    }
  }
  return modified;
}

}  // namespace

bool name_ports(ir::Model& model, PassContext&) {
  Ports ports;
  for (ir::Node* parameter : model.graph.parameters()) ports[parameter->value()] = {parameter->name};
  for (const ir::Node* result : model.graph.results()) {
    std::vector<std::string>& names = ports[result->input(0)];
    // An input that is an output has the name already.
    if (std::ranges::find(names, result->name) == names.end()) names.push_back(result->name);
  }
  for (const auto& node : model.graph.nodes()) node->scratch = 0;
  bool modified = false;
  for (const auto& [value, names] : ports) {
    modified = set_names(value, names) || modified;
    modified = unname_replacements(value, ports) || modified;
    if (value.node->is(ops::Parameter)) modified = unname_replaced(value, ports) || modified;
  }
  return modified;
}

}  // namespace onnx2ir::passes
