// Replaces MatMul, SoftMax and MatMul on caches in variables by ScaledDotProductAttention:
//
//     MatMul(SoftMax(scale * MatMul(query, Transpose(key)) + mask), value)
//
// PyTorch replaces weights that are NaN, in rows that the mask hides with -infinity, by 0.
//
// The CPU plugin keeps the cache of such an attention itself, without copies, and OpenVINO GenAI needs the
// operation for paged attention. ovc makes it, but OpenVINO does not when it reads an IR.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/views/elementwise.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/normalization.hpp"
#include "ir/views/reshaping.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::size_t kRank = 4;   ///< [batch, heads, rows, size]
constexpr std::size_t kHeads = 1;  ///< axes
constexpr std::size_t kRows = 2;
constexpr std::size_t kColumns = 3;
constexpr int kMaxSteps = 8;  ///< from a key or value up to its variable

struct Attention {
  ir::Value query;
  ir::Value key;
  std::vector<std::int64_t> key_order;  ///< of the axes of `key` in the attention; empty: as they are
  ir::Value value;
  ir::Value mask;  ///< null: none
  double scale = 1;
  bool hides_rows = false;  ///< the result of a row without visible keys is 0
};

/// The Concat that appends the new rows to a variable, if `value` is computed from it by moving elements;
/// null otherwise.
ir::Node* cache_of(ir::Value value, int steps = kMaxSteps) {
  ir::Node& node = *value.node;
  if (const auto concat = ir::match<ir::ConcatView>(node); concat && concat->parts().size() == 2) {
    const ir::Value past = concat->parts()[0];
    const bool is_read =
        matches(past, op(ops::ReadValue)) || matches(past, op(ops::Gather, op(ops::ReadValue)));
    return is_read ? &node : nullptr;
  }
  const bool moves = node.is_one_of({ops::Broadcast, ops::Reshape, ops::Transpose, ops::Unsqueeze});
  return moves && steps > 0 ? cache_of(node.input(0), steps - 1) : nullptr;
}

/// The MatMul, without transposed operands on the left, that is the only factor of `value` besides numbers.
const ir::Node* only_product(ir::Value value, double& scale) {
  const Product product = product_of(value);
  if (product.factors.size() != 1) return nullptr;
  const auto found = ir::match<ir::MatMulView>(product.factors.front());
  if (!found || found->transpose_a() || !is_used_once(product.factors.front())) return nullptr;
  scale = product.coefficient;
  return &found->node();
}

/// The factor of `value` besides numbers, which are multiplied to `scale`.
ir::Value without_numbers(ir::Value value, double& scale) {
  const Product product = product_of(value);
  if (product.factors.size() != 1 || product.factors.front().shape() != value.shape()) return value;
  scale *= product.coefficient;
  return product.factors.front();
}

/// Whether the mask has the type of the scores, and one head or as many as they.
bool fits(const ir::Value& mask, const ir::Output& scores) {
  const ir::PartialShape& shape = mask.shape();
  return mask.type() == scores.type && shape.has_rank(kRank) &&
         (shape[kHeads] == ir::Dimension(1) ||
          (shape[kHeads].is_static() && shape[kHeads] == scores.shape[kHeads]));
}

/// Sets the key whose last two axes `keys` exchanges. Returns whether it does so.
bool match_key(ir::Value keys, Attention& attention) {
  const auto transpose = ir::match<ir::TransposeView>(keys);
  if (!transpose) return false;
  const auto known = ir::exact_order(*transpose);
  if (!known || known->size() != kRank) return false;
  std::vector<std::int64_t> order(known->begin(), known->end());
  std::swap(order[kRows], order[kColumns]);
  attention.key = transpose->data();
  if (!std::ranges::is_sorted(order)) attention.key_order = std::move(order);
  return true;
}

/// Sets query, key, mask and scale from what the SoftMax reads.
bool match_scores(ir::Value scores, Attention& attention) {
  const ir::Node* product = only_product(scores, attention.scale);
  const ir::Node& sum = *scores.node;
  if (product == nullptr && sum.is(ops::Add) && is_used_once(scores)) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      product = only_product(sum.input(i), attention.scale);
      attention.mask = sum.input(1 - i);
      if (product != nullptr) break;
    }
  }
  if (product == nullptr || !product->output(0).shape.has_rank(kRank)) return false;
  if (attention.mask && !fits(attention.mask, product->output(0))) return false;
  const ir::MatMulView scored = *product;
  attention.query = without_numbers(scored.a(), attention.scale);
  attention.key = without_numbers(scored.b(), attention.scale);
  if (cache_of(attention.key) == nullptr) return false;
  if (scored.transpose_b()) return true;
  return match_key(attention.key, attention);
}

/// The SoftMax before the product with the values; null if `weights` come from another operation.
/// `hides_rows`: with NaN replaced by 0.
const ir::Node* softmax_of(ir::Value weights, bool& hides_rows) {
  if (!is_used_once(weights)) return nullptr;
  if (weights.node->is(ops::SoftMax)) return weights.node;
  ir::Value checked;
  ir::Value result;
  const auto is_nan = op(ops::IsNaN, any(checked));
  hides_rows = matches(weights, op(ops::Select, is_nan, number(0), any(result, op(ops::SoftMax)))) &&
               checked == result && result.output().uses.size() == 2;
  return hides_rows ? result.node : nullptr;
}

std::optional<Attention> match(ir::MatMulView product) {
  Attention attention{.query = {}, .key = {}, .key_order = {}, .value = product.b(), .mask = {}};
  const ir::Node* softmax = softmax_of(product.a(), attention.hides_rows);
  if (softmax == nullptr || ir::SoftMaxView(*softmax).axis() != kRank - 1 || product.transpose_a() ||
      product.transpose_b())
    return std::nullopt;
  if (product.output(0).type != ir::ElementType::f32 || !attention.value.shape().has_rank(kRank) ||
      cache_of(attention.value) == nullptr || !match_scores(ir::SoftMaxView(*softmax).data(), attention))
    return std::nullopt;
  if (!attention.query.shape().has_rank(kRank) || !attention.key.shape().has_rank(kRank)) return std::nullopt;
  return attention;
}

/// The number of rows of a cache with the new ones. Computed from its parts: the plugin makes one operation
/// of the cache and its attention, whose mask must not be computed from the whole cache.
ir::Value count_keys(ir::Builder& builder, ir::ConcatView cache) {
  const auto parts = cache.parts();
  const auto axis = static_cast<std::int64_t>(joined_axis(cache));
  const auto rows = [&](std::size_t part) { return ir::dimension_of(builder, parts[part], axis); };
  return builder.op(ops::Add, {rows(0), rows(1)});
}

/// `mask` with all rows and columns of the scores.
ir::Value expand_mask(ir::Builder& builder, const Attention& attention, ir::Value mask) {
  const ir::PartialShape& shape = mask.shape();
  const auto is_full = [](const ir::Dimension& size, const ir::Dimension& needed) {
    return size.is_static() && size == needed;
  };
  if (is_full(shape[kRows], attention.query.shape()[kRows]) &&
      is_full(shape[kColumns], attention.key.shape()[kRows]))
    return mask;
  const ir::Value ones = builder.integers({1, 1});
  const ir::Value rows = ir::dimension_of(builder, attention.query, kRows);
  const ir::Value sizes = ir::concat(builder, {ones, rows, count_keys(builder, *cache_of(attention.key))});
  return builder.op(ops::Broadcast, {mask, sizes}, {{"mode", "bidirectional"}});
}

bool is_finite(ir::Value mask) {
  const auto select = ir::match<ir::SelectView>(mask);
  if (!select) return false;
  const auto seen = ir::exact_number(select->then_value());
  const auto hidden = ir::exact_number(select->else_value());
  return seen && hidden && std::isfinite(*seen) && std::isfinite(*hidden);
}

/// What all layers that read a mask share; null until it is needed.
struct SharedMask {
  ir::Value bias;          ///< the caches of all layers grow by the same tokens, so one fits them all
  ir::Value visible_rows;  ///< boolean [batch, heads, rows, 1]: rows with visible keys
};

/// The mask for the attention. -infinity becomes a finite number, because releases differ in rows without
/// visible keys: their results are 0 or NaN.
ir::Value emit_bias(ir::Builder& builder, const Attention& attention, bool needs_all_places) {
  ir::Value mask = attention.mask;
  // The CPU plugin does not take a scalar for the mask.
  if (!mask)
    mask = builder.numbers(std::vector<double>{0}, std::vector<std::int64_t>{1, 1, 1, 1},
                           attention.query.type());
  else if (!is_finite(mask))
    mask =
        builder.op(ops::Maximum, {mask, builder.number(std::numeric_limits<float>::lowest(), mask.type())});
  return needs_all_places ? expand_mask(builder, attention, mask) : mask;
}

ir::Value emit_attention(ir::Builder& builder, const Attention& attention, SharedMask& mask,
                         bool needs_all_places) {
  const ir::ElementType type = attention.query.type();
  if (!mask.bias) mask.bias = emit_bias(builder, attention, needs_all_places);
  const ir::Value result = builder.op(
      ops::ScaledDotProductAttention,
      {attention.query, attention.key, attention.value, mask.bias, builder.number(attention.scale, type)},
      {{"causal", false}});
  if (!attention.hides_rows || !attention.mask || is_finite(attention.mask)) return result;
  if (!mask.visible_rows) {
    const ir::Value hidden = builder.number_like(-std::numeric_limits<double>::infinity(), attention.mask);
    const ir::Value is_visible = builder.op(ops::NotEqual, {attention.mask, hidden});
    mask.visible_rows = ir::reduce_keep_dims(builder, ops::ReduceLogicalOr, is_visible, {kColumns});
  }
  return builder.op(ops::Select, {mask.visible_rows, result, builder.number(0, type)});
}

}  // namespace

bool fuse_cached_attention(ir::Model& model, PassContext& context) {
  if (!context.options->stateful) return false;
  const bool needs_all_places =
      context.has(Fault::attention_mask_sizes) || context.has(Fault::cached_attention_mask);
  std::map<std::pair<const ir::Node*, std::size_t>, SharedMask> masks;
  return rewrite_values(model, {ops::MatMul}, [&](ir::Builder& builder, const ir::Node& node) -> ir::Value {
    auto attention = match(node);
    if (!attention) return {};
    if (!attention->key_order.empty())
      attention->key = ir::transpose(builder, attention->key, attention->key_order);
    SharedMask none;
    SharedMask& mask = attention->mask ? masks[{attention->mask.node, attention->mask.index}] : none;
    return emit_attention(builder, *attention, mask, needs_all_places);
  });
}

}  // namespace onnx2ir::passes
