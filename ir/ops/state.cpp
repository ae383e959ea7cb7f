// Variables that keep a value from one inference to the next.
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = AttributeSpec::Kind;

/// Type and shape are declared by the variable; the input is its value before the first Assign.
void infer_read_value(Node& node) {
  Dimensions dimensions;
  for (const std::int64_t size : node.integers("variable_shape"))
    dimensions.push_back(size < 0 ? Dimension() : Dimension(size));
  PartialShape shape(std::move(dimensions));
  require(node.input(0).type() == node.type("variable_type"),
          "the initial value of a variable has another type");
  require(intersect(shape, node.input(0).shape()).has_value(),
          "the initial value of a variable has another shape");
  set_output(node, 0, node.type("variable_type"), std::move(shape));
}

void infer_assign(Node& node) {
  set_output(node, 0, node.input(0).type(), node.input(0).shape());
}

}  // namespace

std::vector<OpDescriptor> state_ops() {
  return {
      {"ReadValue",
       "opset6",
       1,
       1,
       1,
       {{"variable_id", Kind::text}, {"variable_type", Kind::type}, {"variable_shape", Kind::integers}},
       infer_read_value,
       {.is_volatile = true}},
      {"Assign",
       "opset6",
       1,
       1,
       1,
       {{"variable_id", Kind::text}},
       infer_assign,
       {.is_volatile = true, .is_kept = true}},
  };
}

}  // namespace onnx2ir::ir
