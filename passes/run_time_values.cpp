#include "passes/run_time_values.hpp"

#include "ir/shape_tools.hpp"

namespace onnx2ir::passes {

ir::Value opaque_copy(ir::Builder& builder, ir::Value value) {
  const bool is_boolean = value.type() == ir::ElementType::boolean;
  return builder.op(is_boolean ? ops::LogicalOr : ops::Maximum, {value, value});
}

ir::Value zero_or_one(ir::Builder& builder, ir::Value source) {
  const ir::Value elements = ir::flat(builder, source);
  const ir::Value found = builder.op(ops::NonZero, {elements}, {{"output_type", ir::ElementType::i64}});
  const ir::Value shape = ir::computed_shape_of(builder, found);
  const ir::Value count = ir::gather(builder, shape, builder.integer(1));
  return builder.op(ops::Minimum, {count, builder.integer(1)});
}

}  // namespace onnx2ir::passes
