// Random number generators.
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/integer_inputs.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = AttributeSpec::Kind;

void infer_random_uniform(Node& node) {
  PartialShape shape;
  if (const auto known = known_integers(node, 0)) {
    shape = PartialShape::scalar();
    for (const ValueRange& range : *known) shape.mutable_dimensions().push_back(to_dimension(range));
  }
  set_output(node, 0, node.type("output_type"), std::move(shape));
}

void infer_multinomial(Node& node) {
  const PartialShape& shape = node.input(0).shape();
  require(!shape.has_rank() || shape.rank() == 2, "Multinomial takes a matrix of probabilities");
  Dimension samples;
  if (const auto known = exact_values(node.input(1)); known && known->size() == 1) samples = known->front();
  set_output(node, 0, node.type("convert_type"), {shape.has_rank() ? shape[0] : Dimension(), samples});
}

}  // namespace

std::vector<OpDescriptor> random_ops() {
  constexpr Traits kVolatile{.is_volatile = true};
  return {
      {"RandomUniform",
       "opset8",
       3,
       3,
       1,
       {{"output_type", Kind::type},
        {"global_seed", Kind::integer},
        {"op_seed", Kind::integer},
        {"alignment", Kind::text}},
       infer_random_uniform,
       kVolatile},
      {"Multinomial",
       "opset13",
       2,
       2,
       1,
       {{"convert_type", Kind::type},
        {"with_replacement", Kind::boolean},
        {"log_probs", Kind::boolean},
        {"global_seed", Kind::integer},
        {"op_seed", Kind::integer}},
       infer_multinomial,
       kVolatile},
  };
}

}  // namespace onnx2ir::ir
