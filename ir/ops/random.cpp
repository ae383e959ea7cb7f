// Random number generators.
#include "ir/views/random.hpp"

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/integer_inputs.hpp"

namespace onnx2ir::ir {
namespace {

void infer_random_uniform(Node& node) {
  PartialShape shape;
  if (const auto known = known_integers(node, 0)) shape = PartialShape(to_dimensions(*known));
  const RandomUniformView random = node;
  require(random.low().type() == random.output_type() && random.high().type() == random.output_type(),
          "the bounds of RandomUniform must have the type of the numbers");
  set_output(node, 0, random.output_type(), std::move(shape));
}

void infer_multinomial(Node& node) {
  const MultinomialView multinomial = node;
  const PartialShape& shape = multinomial.probabilities().shape();
  const Dimension samples = known_scalar(multinomial.samples()).value_or(-1);
  set_output(node, 0, multinomial.convert_type(), {dimension_along(shape, 0), samples});
}

}  // namespace

std::vector<OpFunction> random_functions() {
  return {
      {ops::RandomUniform, infer_random_uniform},
      {ops::Multinomial, infer_multinomial},
  };
}

}  // namespace onnx2ir::ir
