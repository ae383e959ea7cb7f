// Normalisations: over axes, channels, groups or a neighbourhood.
#include "ir/views/normalization.hpp"

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/integer_inputs.hpp"

namespace onnx2ir::ir {
namespace {

void infer_softmax(Node& node) {
  require(is_floating(node.input(0).type()), "the input must be floating-point");
  const PartialShape& shape = node.input(0).shape();
  if (shape.has_rank()) normalize_axis(node.integer("axis"), shape.rank());
  infer_as_data(node);
}

void infer_mvn(Node& node) {
  const MVNView mvn = node;
  const PartialShape& shape = mvn.data().shape();
  if (shape.has_rank()) known_axes(mvn.axes(), shape.rank());  // fails if one is out of range
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
      shape[1] = common_dimension(shape[1], parameter[0],
                                  "the parameters of BatchNormInference do not fit the channels");
    }
  }
  set_output(node, 0, type, std::move(shape));
}

}  // namespace

std::vector<OpFunction> normalization_functions() {
  return {
      {ops::SoftMax, infer_softmax},
      {ops::LogSoftmax, infer_softmax},
      {ops::BatchNormInference, infer_batch_norm},
      {ops::MVN, infer_mvn},
  };
}

}  // namespace onnx2ir::ir
