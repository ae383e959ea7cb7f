// Multiplies with keys and values that several heads share without repeating them:
//
//     MatMul(a, Reshape(Broadcast(Unsqueeze(b))))
//
// where a is [batch, heads, rows, size] and b is [batch, groups, size, n].
//
// Exporters repeat the keys and values of grouped-query attention for all heads of a group. Here, the rows of
// all heads of a group become rows of one product: [batch, groups, heads / groups * rows, size]. One token of
// 32 heads in 8 groups, with 512 keys, takes a quarter of the time.
//
// The Broadcast may have the number of keys of another layer: exporters count the keys of one cache and use
// that for all. If a layer has a single key instead, the Broadcast repeats it. Then the scores are broadcast
// instead of the keys, which the mask does without an operation, and the products with a repeated value are
// added: a sum of one product if the numbers of keys are equal.
//
// A ScaledDotProductAttention of such keys and values becomes MatMul, SoftMax and MatMul, as in the CPU
// plugin, which repeats the heads. It computes the operation itself only for caches in variables.
#include <cmath>
#include <cstdint>

#include "ir/size_rules.hpp"
#include "ir/views/attention.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::size_t kRank = 4;   ///< [batch, heads, rows, columns]
constexpr std::size_t kHeads = 1;  ///< axes
constexpr std::size_t kRows = 2;
constexpr std::size_t kColumns = 3;
constexpr std::size_t kRepeatedRows = 3;  ///< in [batch, groups, heads / groups, rows, columns]

/// The Reshape patterns for the rows of all heads of a group in one product, and back. A 0 keeps a size.
struct Patterns {
  ir::Value rows;  ///< the left operand for which they were made
  std::int64_t heads = 0;
  std::int64_t groups = 0;
  ir::Value grouped;    ///< [batch, groups, heads / groups * rows, columns]
  ir::Value separated;  ///< [batch, heads, rows, columns]
};

/// Keys or values that several heads share.
struct SharedHeads {
  ir::Value heads;     ///< [batch, groups, rows, size]; null: nothing is shared
  ir::Value repeated;  ///< the sizes of the Broadcast if it may repeat the batch or the rows, too
};

bool have_equal_elements(ir::Value a, std::size_t index, ir::Value b, std::size_t other_index) {
  return ir::are_equal(ir::size_in(a, index), ir::size_in(b, other_index));
}

/// The value whose heads `value`, a Broadcast, repeats along a new axis 2; null if it does something else.
SharedHeads repeated_by(ir::Value value) {
  const auto repeat = ir::match<ir::BroadcastView>(value);
  if (!repeat || repeat->mode() != "bidirectional" || !value.shape().has_rank(kRank + 1)) return {};
  const auto unsqueeze = ir::match<ir::UnsqueezeView>(repeat->data());
  const ir::Value sizes = repeat->shape();
  if (!unsqueeze || ir::exact_values(unsqueeze->axes()) != ir::Integers{2} ||
      sizes.shape().element_count() != kRank + 1)
    return {};
  const ir::Value heads = unsqueeze->data();
  if (!heads.shape().has_rank(kRank)) return {};
  if (!keeps_size(sizes, 1, heads, 1) || !keeps_size(sizes, 4, heads, 3)) return {};
  const bool repeats = !keeps_size(sizes, 0, heads, 0) || !keeps_size(sizes, kRepeatedRows, heads, kRows);
  return {heads, repeats ? sizes : ir::Value{}};
}

/// The value whose heads `value` repeats, each for the same number of consecutive heads; null if it does
/// something else.
SharedHeads shared_heads(ir::Value value) {
  const auto merge = ir::match<ir::ReshapeView>(value);
  if (!merge || !value.shape().has_rank(kRank)) return {};
  const auto [heads, sizes] = repeated_by(merge->data());
  if (!heads) return {};
  const ir::PartialShape& repeated = merge->data().shape();
  const ir::Dimension& all = value.shape()[kHeads];
  const bool merges = all.is_static() && heads.shape()[kHeads].is_static() && repeated[1].is_static() &&
                      repeated[2].is_static() && all == ir::multiply(repeated[1], repeated[2]) &&
                      all.size() > 0 && repeated[2].size() > 1 && value.shape()[kColumns].is_static() &&
                      value.shape()[kColumns] == heads.shape()[kColumns];
  // If the batch and the rows are not known, one of them is enough: the Reshape keeps the number of elements.
  const bool keeps_batch =
      sizes ? have_equal_elements(merge->shape(), 0, sizes, 0) &&
                  have_equal_elements(merge->shape(), kRows, sizes, kRepeatedRows)
            : ir::have_equal_sizes(value, 0, heads, 0) || ir::is_size_of(merge->shape(), 0, heads, 0);
  return merges && keeps_batch ? SharedHeads{heads, sizes} : SharedHeads{};
}

struct SharedOperand : SharedHeads {
  bool is_transposed = false;  ///< its last two axes change places before the product
};

SharedOperand shared_operand(ir::MatMulView product) {
  const bool transposes = product.transpose_b();
  const ir::Value right = product.b();
  const auto transpose = ir::match<ir::TransposeView>(right);
  if (!transpose) return {shared_heads(right), transposes};
  if (ir::exact_order(*transpose) != ir::Integers{0, 1, 3, 2}) return {};
  return {shared_heads(transpose->data()), !transposes};
}

Patterns emit_patterns(ir::Builder& builder, ir::Value rows, std::int64_t heads, std::int64_t groups) {
  const ir::Value count = ir::dimension_of(builder, rows, kRows);
  const ir::Value all = builder.op(ops::Multiply, {count, builder.integers({heads / groups})});
  const ir::Value kept = builder.integers({0});
  return {.rows = rows,
          .heads = heads,
          .groups = groups,
          .grouped = ir::concat(builder, {builder.integers({0, groups}), all, kept}),
          .separated = ir::concat(builder, {builder.integers({0, heads}), count, kept})};
}

/// Whether the patterns of the product before fit another one: scores and attention weights of all layers
/// have the same rows.
bool fit(const Patterns& last, ir::Value rows, std::int64_t heads, std::int64_t groups) {
  return last.rows && &last.rows.node->graph() == &rows.node->graph() && last.heads == heads &&
         last.groups == groups && ir::have_equal_sizes(last.rows, kRows, rows, kRows, 1);
}

/// Whether `mask` has the number of columns to which the keys are repeated.
bool has_columns(ir::Value mask, ir::Value sizes) {
  return mask && mask.shape().has_rank() && mask.shape().rank() > 0 &&
         keeps_size(sizes, kRepeatedRows, mask, mask.shape().rank() - 1);
}

/// The other operand of the only reader, if that broadcasts both; otherwise null.
ir::Value broadcast_with(const ir::Node& scores) {
  if (!is_used_once(scores)) return {};
  const ir::Use& use = scores.output(0).uses.front();
  const bool has_two = use.node->op().traits.broadcasts && use.node->inputs().size() == 2;
  return has_two ? use.node->input(1 - use.index) : ir::Value{};
}

/// The product of `left` with shared values whose rows may be fewer than its columns, because they were
/// repeated: a row of `left` becomes one for each repetition, and the products of these are added.
ir::Value multiply_repeated_rows(ir::Builder& builder, ir::Value left, const SharedOperand& right) {
  const auto at_least_one = [&](ir::Value size) {
    return builder.op(ops::Maximum, {size, builder.integers({1})});
  };
  const ir::Value rows = ir::dimension_of(builder, right.heads, kRows);
  const ir::Value all_rows = ir::gather(builder, right.repeated, builder.integers({kRepeatedRows}));
  // Not 0, so that the remaining size -1 is known of an empty product, too.
  const ir::Value repeats =
      builder.op(ops::Divide, {at_least_one(all_rows), at_least_one(rows)}, {{"m_pythondiv", true}});
  const ir::PartialShape& shape = right.heads.shape();
  const ir::Value divided = ir::concat(builder, {builder.integers({0, shape[kHeads].size(), -1}), rows});
  const ir::Value product =
      builder.op(ops::MatMul, {ir::reshape_keeping(builder, left, divided), right.heads},
                 {{"transpose_a", false}, {"transpose_b", false}});
  const ir::Value summands = ir::concat(builder, {builder.integers({0, left.shape()[kHeads].size(), -1}),
                                                  repeats, builder.integers({shape[kColumns].size()})});
  return ir::reduce(builder, ops::ReduceSum, ir::reshape_keeping(builder, product, summands), {kRows + 1});
}

/// The product of `left` with the shared heads, [batch, heads, rows, n]. `last`: the patterns of the product
/// before, which are used again if they fit. `mask`: scores are broadcast with it; may be null.
ir::Value multiply_groups(ir::Builder& builder, ir::Value left, const SharedOperand& right, ir::Value mask,
                          Patterns& last) {
  if (right.repeated && !right.is_transposed) return multiply_repeated_rows(builder, left, right);
  const std::int64_t heads = left.shape()[kHeads].size();
  const std::int64_t groups = right.heads.shape()[kHeads].size();
  if (!fit(last, left, heads, groups)) last = emit_patterns(builder, left, heads, groups);
  const ir::Value rows = ir::reshape_keeping(builder, left, last.grouped);
  const ir::Value product = builder.op(ops::MatMul, {rows, right.heads},
                                       {{"transpose_a", false}, {"transpose_b", right.is_transposed}});
  const ir::Value scores = ir::reshape_keeping(builder, product, last.separated);
  if (!right.repeated || has_columns(mask, right.repeated)) return scores;
  const ir::Value columns = ir::gather(builder, right.repeated, builder.integers({kRepeatedRows}));
  return builder.op(ops::Broadcast, {scores, columns}, {{"mode", "bidirectional"}});
}

/// `left` with all heads of the result of its product. Their number may not be known: those of a query of one
/// head are broadcast. Null if it has others, or if the ranks differ.
ir::Value with_all_heads(ir::Builder& builder, ir::Value left, const ir::Output& result) {
  if (!left.shape().has_rank(kRank) || !result.shape.has_rank(kRank)) return {};
  const ir::Dimension& heads = left.shape()[kHeads];
  const ir::Dimension& needed = result.shape[kHeads];
  if (heads.is_static() || needed.is_dynamic())
    return heads.is_static() && heads == needed ? left : ir::Value{};
  return builder.op(ops::Broadcast, {left, builder.integers({needed.size(), 1, 1})},
                    {{"mode", "bidirectional"}});
}

/// Whether the product with `left` repeats the batch of the shared heads as the Broadcast did.
bool repeats_batch(ir::Value left, const SharedHeads& right) {
  return !right.repeated || keeps_size(right.repeated, 0, left, 0);
}

ir::Value group_product(ir::Builder& builder, ir::MatMulView product, Patterns& last) {
  if (product.transpose_a()) return {};
  const SharedOperand right = shared_operand(product);
  if (!right.heads || !repeats_batch(product.a(), right)) return {};
  const ir::Value left = with_all_heads(builder, product.a(), product.output(0));
  return left ? multiply_groups(builder, left, right, broadcast_with(product.node()), last) : ir::Value{};
}

/// The factor of the scores; null if it is not known.
ir::Value emit_scale(ir::Builder& builder, ir::ScaledDotProductAttentionView attention) {
  if (attention.scale()) return attention.scale();
  const ir::Dimension& size = attention.query().shape()[kRank - 1];
  if (size.is_dynamic() || size.size() == 0) return {};
  return builder.number(1 / std::sqrt(static_cast<double>(size.size())), attention.output(0).type);
}

ir::Value group_attention(ir::Builder& builder, ir::ScaledDotProductAttentionView attention, Patterns& last) {
  const ir::ElementType type = attention.output(0).type;
  const ir::Value mask = attention.mask();
  if (attention.causal() || (mask && mask.type() != type)) return {};
  const SharedOperand keys{shared_heads(attention.key()), true};
  const SharedOperand values{shared_heads(attention.value()), false};
  if (!keys.heads || !values.heads || !repeats_batch(attention.query(), keys) ||
      !repeats_batch(attention.query(), values))
    return {};
  const ir::Value query = with_all_heads(builder, attention.query(), attention.output(0));
  if (!query) return {};
  const ir::Value scale = emit_scale(builder, attention);
  if (!scale) return {};
  ir::Value scores = multiply_groups(builder, builder.op(ops::Multiply, {query, scale}), keys, mask, last);
  if (mask) scores = builder.op(ops::Add, {scores, mask});
  const ir::Value weights = builder.op(ops::SoftMax, {scores}, {{"axis", std::int64_t{kRank - 1}}});
  return multiply_groups(builder, weights, values, {}, last);
}

}  // namespace

bool group_attention_heads(ir::Model& model, PassContext&) {
  Patterns last;
  return rewrite_values(model, {ops::MatMul, ops::ScaledDotProductAttention},
                        [&](ir::Builder& builder, const ir::Node& node) -> ir::Value {
                          if (node.is(ops::MatMul)) return group_product(builder, node, last);
                          const bool has_variables = node.graph().may_hold({ops::ReadValue});
                          return has_variables ? ir::Value{} : group_attention(builder, node, last);
                        });
}

}  // namespace onnx2ir::passes
