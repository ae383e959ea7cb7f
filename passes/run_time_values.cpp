#include "passes/run_time_values.hpp"

namespace onnx2ir::passes {

ir::Value lasting_copy(ir::Builder& builder, ir::Value value) {
  const bool is_boolean = value.type() == ir::ElementType::boolean;
  return builder.op(is_boolean ? ops::LogicalOr : ops::Maximum, {value, value});
}

ir::Value zero_or_one(ir::Builder& builder, ir::Value source) {
  const ir::Value flat =
      builder.op(ops::Reshape, {source, builder.integers({-1})}, {{"special_zero", false}});
  const ir::Value found = builder.op(ops::NonZero, {flat}, {{"output_type", ir::ElementType::i64}});
  const ir::Value shape = builder.op(ops::ShapeOf, {found}, {{"output_type", ir::ElementType::i64}});
  const ir::Value count =
      builder.op(ops::Gather, {shape, builder.integer(1), builder.integer(0)}, {{"batch_dims", 0}});
  return builder.op(ops::Minimum, {count, builder.integer(1)});
}

}  // namespace onnx2ir::passes
