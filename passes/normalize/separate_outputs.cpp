// Gives an output of the model a value of its own if an input, or another output, has the same one: otherwise
// both ports would have the names of both (name_ports). OpenVINO removes the operation that separates them,
// but keeps its names. That is a Convert if the shape is static. If it is dynamic, the CPU plugin writes
// beyond the output's memory when it has removed a Convert between an input and an output: a Reshape is
// right.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/builder.hpp"
#include "ir/shape_tools.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

constexpr unsigned kMinBits = 8;  ///< releases do not convert all smaller types

bool can_be_separated(ir::ElementType type) {
  return type != ir::ElementType::string && type != ir::ElementType::dynamic &&
         ir::info(type).bits >= kMinBits;
}

ir::Value separated(ir::Builder& builder, ir::Value value) {
  const ir::PartialShape& shape = value.shape();
  if (shape.is_static()) return builder.op(ops::Convert, {value}, {{"destination_type", value.type()}});
  const ir::Value sizes = shape.has_rank() ? builder.integers(std::vector<std::int64_t>(shape.rank(), 0))
                                           : ir::computed_shape_of(builder, value);
  return builder.op(ops::Reshape, {value, sizes}, {{"special_zero", shape.has_rank()}});
}

void separate(ir::Node& result) {
  const ir::Value value = result.input(0);
  ir::Builder builder = ir::builder_beside(*value.node);
  result.set_input(0, separated(builder, value));
}

}  // namespace

bool separate_outputs(ir::Model& model, PassContext&) {
  // Only used for look-ups, so that its order does not matter.
  std::map<std::pair<const ir::Node*, std::uint32_t>, std::vector<std::string_view>> names_of;
  const auto names = [&](ir::Value value) -> auto& {
    return names_of[{value.node, value.index}];
  };
  for (const ir::Node* parameter : model.graph.parameters())
    names_of[{parameter, 0}].push_back(parameter->name);
  bool modified = false;
  for (ir::Node* result : model.graph.results()) {
    const ir::Value value = result->input(0);
    auto& shared = names(value);
    if (std::ranges::find(shared, result->name) != shared.end()) continue;  // an input that is an output
    if (shared.empty() || !can_be_separated(value.type())) {
      shared.push_back(result->name);
      continue;
    }
    separate(*result);
    modified = true;
  }
  return modified;
}

}  // namespace onnx2ir::passes
