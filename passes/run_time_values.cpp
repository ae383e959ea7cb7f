#include "passes/run_time_values.hpp"

namespace onnx2ir::passes {

ir::Value zero_or_one(ir::Builder& builder, ir::Value source) {
  const ir::Value flat = builder.op("Reshape", {source, builder.integers({-1})}, {{"special_zero", false}});
  const ir::Value found = builder.op("NonZero", {flat}, {{"output_type", ir::ElementType::i64}});
  const ir::Value shape = builder.op("ShapeOf", {found}, {{"output_type", ir::ElementType::i64}});
  const ir::Value count =
      builder.op("Gather", {shape, builder.integer(1), builder.integer(0)}, {{"batch_dims", 0}});
  return builder.op("Minimum", {count, builder.integer(1)});
}

}  // namespace onnx2ir::passes
