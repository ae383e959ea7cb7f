// Workaround for empty_constant_result: an empty constant that is a model output is replaced by an operation
// that OpenVINO does not evaluate at compile time.
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Releases with the fault have no outputs of smaller types. No release converts integers to all of the
/// smaller types.
constexpr unsigned kMinBits = 8;

bool is_empty_constant(ir::Value value) {
  return value.node->constant() != nullptr && value.shape().element_count() == 0 &&
         value.type() != ir::ElementType::string && ir::info(value.type()).bits >= kMinBits;
}

/// A RandomUniform of an empty shape: it is computed at run time only.
ir::Value emit_empty_value(ir::Builder& builder, ir::Value constant) {
  const auto sizes = constant.shape().sizes();
  const ir::Value none =
      builder.op(ops::RandomUniform, {builder.integers(*sizes), builder.integer(0), builder.integer(1)},
                 {{"output_type", ir::ElementType::i64},
                  {"global_seed", 0},
                  {"op_seed", 0},
                  {"alignment", "tensorflow"}});
  const ir::Value result = ir::convert(builder, none, constant.type());
  result.node->notes.add(ir::Note::rounded);  // there are no numbers to round
  return result;
}

}  // namespace

bool compute_empty_results(ir::Model& model, PassContext&) {
  bool modified = false;
  ir::Builder builder(model.graph);
  for (ir::Node* result : model.graph.results()) {
    const ir::Value value = result->input(0);
    if (!is_empty_constant(value)) continue;
    builder.set_name(value.node->name);
    ir::replace_results(value, emit_empty_value(builder, value));
    modified = true;
  }
  return modified;
}

}  // namespace onnx2ir::passes
