#include "passes/opaque_true.hpp"

#include <algorithm>

#include "ir/builder.hpp"
#include "passes/run_time_values.hpp"

namespace onnx2ir::passes {

ir::Value OpaqueTrue::get() {
  if (!value_) value_ = main_ != nullptr ? made() : captured();
  return value_;
}

ir::Value OpaqueTrue::made() {
  const auto& inputs = main_->parameters();
  const auto source = std::ranges::find_if(
      inputs, [](const ir::Node* input) { return input->output(0).type != ir::ElementType::string; });
  if (source == inputs.end()) return {};
  ir::Builder builder(*main_);
  builder.set_name((*source)->name);
  const ir::Value truth =
      builder.op(ops::GreaterEqual, {zero_or_one(builder, (*source)->value()), builder.integer(0)});
  truth.node->is_legalized = true;
  return truth;
}

ir::Value OpaqueTrue::captured() {
  const ir::Value outside = outer_->get();
  return outside ? ir::add_invariant(*node_, *body_, outside) : ir::Value{};
}

}  // namespace onnx2ir::passes
