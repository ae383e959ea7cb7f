#include "frontend/translators/onnx/control_flow.hpp"

#include <algorithm>

namespace onnx2ir::frontend {

Value as_scalar(NodeContext& node, Builder& builder, Value value, ElementType type, std::string_view what) {
  const PartialShape& shape = value.shape();
  const bool may_have_one =
      !shape.has_rank() ||
      std::all_of(shape.begin(), shape.end(), [](const auto& dimension) { return dimension.admits(1); });
  if (!may_have_one) node.fail(std::string(what) + " must have one element, it is " + describe(value));
  if (!shape.is_scalar()) {
    const auto values = ir::exact_values(value);
    if (values && values->size() == 1) return builder.integer(values->front(), type);
    value = builder.op("Reshape", {value, builder.integers({})}, {{"special_zero", false}});
  }
  if (value.type() == type) return value;
  if (const auto values = ir::exact_values(value)) return builder.integer(values->front(), type);
  return builder.op("Convert", {value}, {{"destination_type", type}});
}

void connect_captures(ir::Node& node, const std::vector<Capture>& captures,
                      std::vector<ir::Invariant>& invariants) {
  for (const Capture& capture : captures) {
    if (!capture.parameter->has_uses()) {
      capture.parameter->graph().remove(*capture.parameter);
      continue;
    }
    node.add_input(capture.outer);
    invariants.push_back({static_cast<std::uint32_t>(node.inputs().size() - 1), capture.parameter});
  }
}

std::string describe(Value value) {
  return std::string(ir::info(value.type()).name) + ir::to_string(value.shape());
}

}  // namespace onnx2ir::frontend
