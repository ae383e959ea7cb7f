// Operations that work element by element, with numpy broadcasting where they take two inputs.
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = AttributeSpec::Kind;

PartialShape broadcast_inputs(const Node& node, std::size_t a, std::size_t b) {
  const auto shape = broadcast(node.input(a).shape(), node.input(b).shape());
  if (!shape) {
    invalid("shapes " + to_string(node.input(a).shape()) + " and " + to_string(node.input(b).shape()) +
            " cannot be broadcast together");
  }
  return *shape;
}

void infer_arithmetic(Node& node) {
  set_output(node, 0, same_type(node, 0, 2), broadcast_inputs(node, 0, 1));
}

}  // namespace

std::vector<OpDescriptor> elementwise_ops() {
  return {
      {"Add", "opset1", 2, 2, 1, {}, infer_arithmetic},
  };
}

}  // namespace onnx2ir::ir
