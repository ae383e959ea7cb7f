// Variables that keep a value from one inference to the next.
#include "ir/views/state.hpp"

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

/// Type and shape are declared by the variable; the input is its value before the first Assign.
void infer_read_value(Node& node) {
  const ReadValueView read_value = node;
  const auto sizes = read_value.variable_shape();
  PartialShape shape(Dimensions(sizes.begin(), sizes.end()));
  require(read_value.initial().type() == read_value.variable_type(),
          "the initial value of a variable has another type");
  require(intersect(shape, read_value.initial().shape()).has_value(),
          "the initial value of a variable has another shape");
  set_output(node, 0, read_value.variable_type(), std::move(shape));
}

}  // namespace

std::vector<OpFunction> state_functions() {
  return {
      {ops::ReadValue, infer_read_value},
      {ops::Assign, infer_as_data},
  };
}

}  // namespace onnx2ir::ir
