#include "passes/support/opaque_true.hpp"

#include "ir/builder.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {

ir::Value OpaqueTrue::get() {
  if (!value_) value_ = main_ != nullptr ? made() : captured();
  return value_;
}

ir::Value OpaqueTrue::made() {
  ir::Builder builder(*main_);
  const ir::Value source = run_time_source(*main_);
  if (!source) return run_time_truth(builder);
  builder.set_name(source.node->name);
  const ir::Value truth = builder.op(ops::GreaterEqual, {zero_or_one(builder, source), builder.integer(0)});
  truth.node->notes.add(ir::Note::opaque_truth);
  return truth;
}

ir::Value OpaqueTrue::captured() {
  return ir::add_invariant(*node_, *body_, outer_->get());
}

}  // namespace onnx2ir::passes
