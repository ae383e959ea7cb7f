#include "passes/support/opaque_true.hpp"

#include <algorithm>

#include "ir/builder.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {

ir::Value OpaqueTrue::get() {
  if (!value_) value_ = main_ != nullptr ? made() : captured();
  return value_;
}

ir::Value OpaqueTrue::made() {
  const auto& inputs = main_->parameters();
  const auto source = std::ranges::find_if(
      inputs, [](const ir::Node* input) { return input->output(0).type != ir::ElementType::string; });
  ir::Builder builder(*main_);
  if (source == inputs.end()) return run_time_truth(builder);
  builder.set_name((*source)->name);
  const ir::Value truth =
      builder.op(ops::GreaterEqual, {zero_or_one(builder, (*source)->value()), builder.integer(0)});
  truth.node->notes.add(ir::Note::opaque_truth);
  return truth;
}

ir::Value OpaqueTrue::captured() {
  return ir::add_invariant(*node_, *body_, outer_->get());
}

}  // namespace onnx2ir::passes
