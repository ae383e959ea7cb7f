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

ir::Value run_time_truth(ir::Builder& builder) {
  // A RandomUniform is never folded. The only integer in [0, 1) is 0.
  const ir::Value zeros =
      builder.op(ops::RandomUniform, {builder.integers({1}), builder.integer(0), builder.integer(1)},
                 {{"output_type", ir::ElementType::i64},
                  {"global_seed", 0},
                  {"op_seed", 0},
                  {"alignment", "tensorflow"}});
  return builder.op(ops::Equal, {ir::gather(builder, zeros, builder.integer(0)), builder.integer(0)});
}

}  // namespace onnx2ir::passes
