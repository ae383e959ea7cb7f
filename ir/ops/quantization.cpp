// FakeQuantize: rounds values to levels between bounds.
#include <algorithm>
#include <string>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = AttributeSpec::Kind;
using Presence = AttributeSpec::Presence;

/// Inputs: data, lower and upper bound of the input, lower and upper bound of the output. As in OpenVINO's
/// inference, the output has the shape of the data, also if a bound has more elements along an axis.
void infer_fake_quantize(Node& node) {
  const ElementType type = same_type(node, 0, 5);
  require(is_floating(type), "the data and the bounds must be floating-point");
  require(node.integer("levels") >= 2, "'levels' must be at least 2");
  const AttributeValue* const mode = node.find_attribute("auto_broadcast");
  const std::string broadcasting = mode == nullptr ? "numpy" : std::get<std::string>(*mode);
  if (broadcasting != "numpy" && broadcasting != "none")
    invalid("'auto_broadcast' is '" + broadcasting + "', not 'numpy' or 'none'");
  const PartialShape& data = node.input(0).shape();
  for (std::size_t i = 1; i < 5; ++i) {
    const PartialShape& bound = node.input(i).shape();
    const auto merged = broadcasting == "none" ? intersect(data, bound) : broadcast(data, bound);
    if (!merged)
      invalid("a bound of shape " + to_string(bound) + " does not fit data of shape " + to_string(data));
  }
  set_output(node, 0, type, data);
}

}  // namespace

std::vector<OpDescriptor> quantization_ops() {
  return {
      {"FakeQuantize",
       "opset1",
       5,
       5,
       1,
       {{"levels", Kind::integer}, {"auto_broadcast", Kind::text, Presence::optional}},
       infer_fake_quantize,
       {.keeps_shape = true}},
  };
}

}  // namespace onnx2ir::ir
