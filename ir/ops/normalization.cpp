// Normalisations: over axes, channels, groups or a neighbourhood.
#include "ir/inference.hpp"
#include "ir/known_values.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = AttributeSpec::Kind;

void infer_as_data(Node& node) {
  set_output(node, 0, node.input(0).type(), node.input(0).shape());
}

void infer_softmax(Node& node) {
  require(is_floating(node.input(0).type()), "the input must be floating-point");
  const PartialShape& shape = node.input(0).shape();
  if (shape.has_rank()) normalize_axis(node.integer("axis"), shape.rank());
  infer_as_data(node);
}

void infer_mvn(Node& node) {
  const PartialShape& shape = node.input(0).shape();
  if (const auto axes = exact_values(node.input(1)); axes && shape.has_rank()) {
    for (const std::int64_t axis : *axes) normalize_axis(axis, shape.rank());
  }
  infer_as_data(node);
}

/// If the number of channels in the data is dynamic, it is inferred from the channel parameters.
void infer_batch_norm(Node& node) {
  const ElementType type = same_type(node, 0, 5);
  PartialShape shape = node.input(0).shape();
  if (shape.has_rank()) {
    require(shape.rank() >= 2, "BatchNormInference takes data of at least two dimensions");
    for (std::size_t i = 1; i < 5; ++i) {
      const PartialShape& parameter = node.input(i).shape();
      if (!parameter.has_rank()) continue;
      require(parameter.rank() == 1, "the parameters of BatchNormInference are vectors");
      const auto channels = intersect(shape[1], parameter[0]);
      require(channels.has_value(), "the parameters of BatchNormInference do not fit the channels");
      shape[1] = *channels;
    }
  }
  set_output(node, 0, type, std::move(shape));
}

}  // namespace

std::vector<OpDescriptor> normalization_ops() {
  constexpr Traits kKeepsShape{.keeps_shape = true};
  return {
      {"SoftMax", "opset8", 1, 1, 1, {{"axis", Kind::integer}}, infer_softmax, kKeepsShape},
      {"LogSoftmax", "opset5", 1, 1, 1, {{"axis", Kind::integer}}, infer_softmax, kKeepsShape},
      {"BatchNormInference", "opset5", 5, 5, 1, {{"epsilon", Kind::real}}, infer_batch_norm},
      {"MVN",
       "opset6",
       2,
       2,
       1,
       {{"eps", Kind::real}, {"normalize_variance", Kind::boolean}, {"eps_mode", Kind::text}},
       infer_mvn,
       kKeepsShape},
      {"GroupNormalization",
       "opset12",
       3,
       3,
       1,
       {{"num_groups", Kind::integer}, {"epsilon", Kind::real}},
       infer_as_data,
       kKeepsShape},
      {"LRN",
       "opset1",
       2,
       2,
       1,
       {{"alpha", Kind::real}, {"beta", Kind::real}, {"bias", Kind::real}, {"size", Kind::integer}},
       infer_as_data,
       kKeepsShape},
      {"NormalizeL2",
       "opset1",
       2,
       2,
       1,
       {{"eps", Kind::real}, {"eps_mode", Kind::text}},
       infer_as_data,
       kKeepsShape},
  };
}

}  // namespace onnx2ir::ir
