// Workaround for group_normalization_in_body: in the body of a Loop or If, the CPU plugin has no kernel for a
// GroupNormalization of static shape. It computes one of dynamic shape by the operations that are emitted
// here.
#include "ir/shape_tools.hpp"
#include "ir/views/normalization.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

ir::Value decompose(ir::Builder& builder, ir::GroupNormalizationView normalization) {
  const ir::Value x = normalization.data();
  if (!x.shape().has_rank()) return {};
  const ir::Value groups = ir::reshape_keeping(builder, x, {0, normalization.num_groups(), -1});
  const ir::Value normalized = builder.op(
      ops::MVN, {groups, builder.integers({2})},
      {{"eps", normalization.epsilon()}, {"normalize_variance", true}, {"eps_mode", "INSIDE_SQRT"}});
  std::vector<std::int64_t> pixels = all_axes(x.shape().rank() - 1);  // of a factor [C, 1, 1]
  pixels.erase(pixels.begin());
  const ir::Value scaled =
      builder.op(ops::Multiply, {ir::reshape(builder, normalized, ir::shape_of(builder, x)),
                                 ir::unsqueeze(builder, normalization.scale(), pixels)});
  return builder.op(ops::Add, {scaled, ir::unsqueeze(builder, normalization.bias(), pixels)});
}

}  // namespace

bool decompose_group_normalizations(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::GroupNormalization}, [&](ir::Builder& builder, const ir::Node& node) {
    return &node.graph() == &model.graph ? ir::Value{} : decompose(builder, node);
  });
}

}  // namespace onnx2ir::passes
