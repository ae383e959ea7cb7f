// Workaround for empty_constant_result: an empty constant that is a model output is replaced by an operation
// that OpenVINO does not evaluate at compile time.
#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"

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
  const ir::Value sizes = builder.integers(*constant.shape().sizes());
  const ir::Value low = builder.integer(0);
  const ir::Value none = draw_numbers(builder, sizes, low, builder.integer(1));
  const ir::Value result = ir::convert(builder, none, constant.type());
  result.node->notes.add(ir::Note::rounded);  // there are no numbers to round
  return result;
}

}  // namespace

bool compute_empty_results(ir::Model& model, PassContext&) {
  return edit_each(model.graph.results(), [](const ir::Node* result) {
    const ir::Value value = result->input(0);
    if (!is_empty_constant(value)) return false;
    ir::Builder builder = ir::builder_beside(*value.node);
    ir::replace_results(value, emit_empty_value(builder, value));
    return true;
  });
}

}  // namespace onnx2ir::passes
