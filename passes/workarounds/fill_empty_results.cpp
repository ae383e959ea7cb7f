// Workarounds for empty_product and empty_concat_part: products and concatenations of operands that are known
// to be empty become a Broadcast of 0 to their shape.

#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Zeros, or no elements, of the type of `node` and of a shape whose dynamic sizes `size_along(axis)`
/// computes, as vectors of one element.
template <typename Sizes>
ir::Value fill_like(ir::Builder& builder, const ir::Node& node, Sizes size_along) {
  const ir::PartialShape& shape = node.output(0).shape;
  const ir::ElementType type = node.output(0).type;
  if (shape.is_static() && shape.has(0))
    return ir::emit_empty_constant(builder, type, shape.sizes()->unchecked());
  if (const auto sizes = shape.sizes()) return ir::fill(builder, 0, type, builder.integers(*sizes));
  std::vector<ir::Value> sizes;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const ir::Value size =
        shape[axis].is_static() ? builder.integers({shape[axis].size()}) : size_along(axis);
    sizes.push_back(size);
  }
  return ir::fill(builder, 0, type, ir::concat(builder, sizes));
}

/// Whether a size of `operand`, counted from its last axis, is 1.
bool is_one(ir::Value operand, std::size_t from_end) {
  const ir::PartialShape& shape = operand.shape();
  return shape.rank() < from_end || shape[shape.rank() - from_end] == ir::Dimension(1);
}

/// Whether the size of a product along `axis` is static, or one operand alone gives it.
bool has_known_source(ir::MatMulView product, std::size_t axis) {
  const ir::Value left = product.a();
  const ir::Value right = product.b();
  if (product.output(0).shape[axis].is_static()) return true;
  if (left.shape().rank() == 1 || right.shape().rank() == 1) return false;
  const std::size_t from_end = product.output(0).shape.rank() - axis;
  return from_end <= 2 || is_one(left, from_end) || is_one(right, from_end);
}

/// The size of a product along `axis`. For an axis of both operands, the one whose size is not 1 gives it.
ir::Value compute_product_size(ir::Builder& builder, ir::MatMulView product, std::size_t axis) {
  const ir::Value left = product.a();
  const ir::Value right = product.b();
  const std::size_t rank = product.output(0).shape.rank();
  const auto emit_size = [&](ir::Value operand, std::size_t from_end) {
    return ir::dimension_of(builder, operand, static_cast<std::int64_t>(operand.shape().rank() - from_end));
  };
  if (axis + 2 == rank) return emit_size(left, product.transpose_a() ? 1 : 2);
  if (axis + 1 == rank) return emit_size(right, product.transpose_b() ? 2 : 1);
  const std::size_t from_end = rank - axis;
  return emit_size(is_one(right, from_end) ? left : right, from_end);
}

bool is_empty_product(ir::MatMulView product) {
  const ir::PartialShape& left = product.a().shape();
  const ir::PartialShape& right = product.b().shape();
  if (!left.has_rank() || !right.has_rank() || (!left.has(0) && !right.has(0))) return false;
  for (std::size_t axis = 0; axis < product.output(0).shape.rank(); ++axis) {
    if (!has_known_source(product, axis)) return false;
  }
  return true;
}

ir::Value fill_product(ir::Builder& builder, const ir::Node& product) {
  return fill_like(builder, product,
                   [&](std::size_t axis) { return compute_product_size(builder, product, axis); });
}

/// The sizes of parts without elements along the axis of the Concat count, but OpenVINO removes such parts.
bool is_empty_concat(const ir::Node& concat) {
  const ir::PartialShape& shape = concat.output(0).shape;
  const auto has_rank = [](ir::Value part) { return part.shape().has_rank(); };
  return std::ranges::all_of(concat.inputs(), has_rank) && shape.has(0) && !shape.is_static() &&
         concat.output(0).type != ir::ElementType::string && shape[joined_axis(concat)] != ir::Dimension(0);
}

ir::Value fill_concat(ir::Builder& builder, ir::ConcatView concat) {
  const std::size_t joined = joined_axis(concat);
  return fill_like(builder, concat, [&](std::size_t axis) {
    ir::Value sum;
    for (const ir::Value part : concat.parts()) {
      const ir::Value size = ir::dimension_of(builder, part, static_cast<std::int64_t>(axis));
      if (axis != joined) return size;
      sum = sum ? builder.op(ops::Add, {sum, size}) : size;
    }
    return sum;
  });
}

}  // namespace

Workaround fill_empty_results() {
  return {.stage = Stage::operations,
          .summary = "Replaces products and Concats of operands that are known to be empty by a Broadcast",
          .rows = {row<is_empty_concat, fill_concat>(Fault::empty_concat_part, {ops::Concat}),
                   row<is_empty_product, fill_product>(Fault::empty_product, {ops::MatMul})}};
}

}  // namespace onnx2ir::passes
