#include "frontend/cache_branch.hpp"

#include <algorithm>
#include <optional>

#include "ir/cache_names.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The axis of the length of a cache, the only dynamic one besides the batch; no value if it is not known.
std::optional<std::int64_t> length_axis(const ir::PartialShape& shape) {
  if (!shape.has_rank()) return std::nullopt;
  const std::size_t batch = ir::batch_axis_of_cache(shape);
  std::optional<std::int64_t> found;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (axis == batch || shape[axis].is_static()) continue;
    if (found) return std::nullopt;
    found = static_cast<std::int64_t>(axis);
  }
  return found;
}

bool is_cache(const onnx::GraphProto& proto, const ir::Node& parameter) {
  return std::ranges::any_of(proto.output(), [&](const onnx::ValueInfoProto& output) {
    return ir::are_ends_of_a_cache(parameter.name, output.name());
  });
}

}  // namespace

bool chooses_cache_branch(const onnx::ValueInfoProto& input, const GraphTranslator& translator) {
  return translator.attempt().input->options->stateful && input.name() == "use_cache_branch" &&
         input.type().tensor_type().elem_type() == onnx::TensorProto::BOOL;
}

Value cache_branch_choice(const onnx::GraphProto& proto, const onnx::ValueInfoProto& input,
                          GraphTranslator& translator) {
  Builder builder(translator.graph());
  for (ir::Node* parameter : translator.graph().parameters()) {
    if (!is_cache(proto, *parameter)) continue;
    const auto axis = length_axis(parameter->output(0).shape);
    if (!axis) continue;
    builder.set_name(input.name());
    const Value length = ir::dimension_of(builder, parameter->value(), *axis);
    const Value has_past = builder.op(ops::Greater, {length, builder.integer(0)});
    const bool is_scalar =
        input.type().tensor_type().has_shape() && input.type().tensor_type().shape().dim().empty();
    return is_scalar ? ir::squeeze(builder, has_past, {0}) : has_past;
  }
  return {};
}

}  // namespace onnx2ir::frontend
