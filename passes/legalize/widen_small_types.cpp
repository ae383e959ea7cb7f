// Computes elements of less than 8 bits and 8-bit floats in a wider type: the small types remain only between
// Converts. The runtime also computes operations in small types, and some of these access the wrong bytes
// (measured on 2026.4: Pad, Select and GatherElements of float8; moves of float4 along axes that split bytes;
// Split and Pad of 4-bit constants; tests/conformance/test_small_types.py).
#include <cstdint>
#include <utility>
#include <vector>

#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// The type to compute `type` in, which represents all its numbers; `type` itself if the runtime handles it
/// correctly.
ir::ElementType wide_type(ir::ElementType type) {
  using enum ir::ElementType;
  const unsigned bits = ir::info(type).bits;
  if (ir::is_floating(type)) return bits <= 8 ? f32 : type;
  if (!ir::is_integral(type) || bits >= 8) return type;
  return ir::is_signed_integral(type) ? i8 : u8;
}

bool is_small(ir::ElementType type) {
  return wide_type(type) != type;
}

bool may_hold_small_types(const ir::Graph& graph) {
  constexpr auto kLast = static_cast<std::uint8_t>(ir::ElementType::string);
  for (std::uint8_t number = 0; number <= kLast; ++number) {
    const auto type = static_cast<ir::ElementType>(number);
    if (graph.may_hold(type) && is_small(type)) return true;
  }
  return false;
}

ir::Value emit_convert(ir::Value value, ir::ElementType type, const PassContext& context) {
  ir::Builder builder = ir::builder_beside(*value.node);
  // A Clamp keeps OpenVINO from moving the Convert before a Transpose.
  if (type == ir::ElementType::f4e2m1 && context.has(Fault::float4_transpose))
    value = builder.op(ops::Clamp, {value}, {{"min", -6.0}, {"max", 6.0}});
  // Not ir::convert: the Convert of a constant shows that its type is taken care of.
  return builder.op(ops::Convert, {value}, {{"destination_type", type}});
}

/// The uses of `value` that need a Convert. Converts and operations of extensions may read small types.
/// `by_results`: only the uses by Results of the main graph; otherwise only the other uses.
std::vector<ir::Use> uses_to_convert(ir::Value value, const ir::Graph& main, bool by_results) {
  std::vector<ir::Use> found;
  for (const ir::Use& use : value.output().uses) {
    const bool is_result = use.node->is(ops::Result) && &use.node->graph() == &main;
    if (is_result == by_results && !use.node->is_one_of({ops::Convert, ops::ExtensionOperation}))
      found.push_back(use);
  }
  return found;
}

bool widen(ir::Value value, const ir::Graph& main, const PassContext& context) {
  const ir::ElementType type = value.type();
  if (!is_small(type)) return false;
  const ir::Node& node = *value.node;
  // For all other nodes, including Parameters of bodies, the type is inferred.
  const bool declares_own_type = node.constant() != nullptr ||
                                 node.is_one_of({ops::Convert, ops::ExtensionOperation}) ||
                                 (node.is(ops::Parameter) && &node.graph() == &main);
  const std::vector<ir::Use> uses = uses_to_convert(value, main, !declares_own_type);
  if (uses.empty()) return !declares_own_type && !node.is(ops::Result);
  const ir::Value other = emit_convert(value, declares_own_type ? wide_type(type) : type, context);
  // The model's output keeps its name.
  if (!declares_own_type) std::swap(other.node->output(0).names, value.output().names);
  ir::move_uses(uses, value, other);
  return true;
}

}  // namespace

bool widen_small_types(ir::Model& model, PassContext& context) {
  const auto widen_outputs = [&](ir::Node& node) {
    bool modified = false;
    for (std::size_t index = 0; index < node.outputs().size(); ++index)
      modified = widen(node.value(index), model.graph, context) || modified;
    return modified;
  };
  return edit_each(graphs_of(model), [&](ir::Graph* graph) {
    return may_hold_small_types(*graph) && edit_present_nodes(*graph, widen_outputs);
  });
}

}  // namespace onnx2ir::passes
