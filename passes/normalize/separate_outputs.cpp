// Gives an output of the model a value of its own if an input, or another output, has the same one: otherwise
// both ports would have the names of both (name_ports). A Reshape to the same shape separates them: OpenVINO
// removes it, but keeps its names. A Convert to the same type would cause another fault: see
// Fault::input_converted_to_output.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passes/analysis/port_sources.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {

bool separate_outputs(ir::Model& model, PassContext&) {
  // Only used for look-ups, so that its order does not matter.
  std::unordered_map<ir::Value, std::vector<std::string_view>, HashOfValue> names_of;
  for (ir::Node* parameter : model.graph.parameters()) names_of[parameter->value()] = {parameter->name};
  return edit_each(model.graph.results(), [&](ir::Node* result) {
    const ir::Value value = result->input(0);
    auto& shared = names_of[value];
    if (std::ranges::find(shared, result->name) != shared.end()) return false;  // an input that is an output
    const ir::ElementType type = value.type();
    const bool can_be_separated = type != ir::ElementType::string && type != ir::ElementType::dynamic &&
                                  ir::info(type).bits >= 8;  // releases do not convert all smaller types
    if (shared.empty() || !can_be_separated) {
      shared.push_back(result->name);
      return false;
    }
    ir::Builder builder = ir::builder_beside(*value.node);
    result->set_input(0, ir::reshape_to_itself(builder, value));
    return true;
  });
}

}  // namespace onnx2ir::passes
