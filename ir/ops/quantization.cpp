// FakeQuantize: rounds values to levels between bounds.
#include "ir/views/quantization.hpp"

#include <string>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

/// As in OpenVINO's inference, the output has the shape of the data, also if a bound has more elements.
void infer_fake_quantize(Node& node) {
  const FakeQuantizeView quantization = node;
  const ElementType type = same_type(node, 0, 5);
  require(is_floating(type), "the data and the bounds must be floating-point");
  require(quantization.levels() >= 2, "'levels' must be at least 2");
  const std::string broadcasting(quantization.auto_broadcast().value_or("numpy"));
  if (broadcasting != "numpy" && broadcasting != "none")
    invalid("'auto_broadcast' is '" + broadcasting + "', not 'numpy' or 'none'");
  const PartialShape& data = quantization.data().shape();
  for (std::size_t i = 1; i < 5; ++i) {
    const PartialShape& bound = node.input(i).shape();
    const auto merged = broadcasting == "none" ? intersect(data, bound) : broadcast(data, bound);
    if (!merged)
      invalid("a bound of shape " + to_string(bound) + " does not fit data of shape " + to_string(data));
  }
  set_output(node, 0, type, data);
}

}  // namespace

std::vector<OpFunction> quantization_functions() {
  return {
      {ops::FakeQuantize, infer_fake_quantize},
  };
}

}  // namespace onnx2ir::ir
