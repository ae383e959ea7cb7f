// Replaces MatMul, SoftMax and MatMul on caches in variables by ScaledDotProductAttention:
//
//     MatMul(SoftMax(scale * MatMul(query, Transpose(key)) + mask), value)
//
// The CPU plugin keeps the cache of such an attention itself, without copies, and OpenVINO GenAI needs the
// operation for paged attention. ovc makes it, but OpenVINO does not when it reads an IR.
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/shape_tools.hpp"
#include "ir/size_origin.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"
#include "passes/scalar_pattern.hpp"
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
  ir::Value value;
  ir::Value mask;  ///< null: none
  double scale = 1;
};

bool has_rank(const ir::PartialShape& shape) {
  return shape.has_rank() && shape.rank() == kRank;
}

/// The Concat that appends the new rows to a variable, if `value` is computed from it by moving elements;
/// null otherwise.
ir::Node* cache_of(ir::Value value, int steps = kMaxSteps) {
  ir::Node& node = *value.node;
  if (node.is(ops::Concat) && node.inputs().size() == 2) {
    const ir::Node& past = *node.input(0).node;
    const ir::Node& variable = past.is(ops::Gather) ? *past.input(0).node : past;
    return variable.is(ops::ReadValue) ? &node : nullptr;
  }
  const bool moves = node.is_one_of({ops::Broadcast, ops::Reshape, ops::Transpose, ops::Unsqueeze});
  return moves && steps > 0 ? cache_of(node.input(0), steps - 1) : nullptr;
}

/// The MatMul, without transposed operands on the left, that is the only factor of `value` besides numbers.
const ir::Node* only_product(ir::Value value, double& scale) {
  const Product product = product_of(value);
  if (product.factors.size() != 1) return nullptr;
  const ir::Node& node = *product.factors.front().node;
  if (!node.is(ops::MatMul) || node.boolean("transpose_a") || !is_used_once(product.factors.front()))
    return nullptr;
  scale = product.coefficient;
  return &node;
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
  return mask.type() == scores.type && has_rank(shape) &&
         (shape[kHeads] == ir::Dimension(1) ||
          (shape[kHeads].is_static() && shape[kHeads] == scores.shape[kHeads]));
}

/// Sets query, key, mask and scale from what the SoftMax reads.
bool match_scores(ir::Builder& builder, ir::Value scores, Attention& attention) {
  const ir::Node* product = only_product(scores, attention.scale);
  const ir::Node& sum = *scores.node;
  if (product == nullptr && sum.is(ops::Add) && is_used_once(scores)) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      product = only_product(sum.input(i), attention.scale);
      attention.mask = sum.input(1 - i);
      if (product != nullptr) break;
    }
  }
  if (product == nullptr || !has_rank(product->output(0).shape)) return false;
  if (attention.mask && !fits(attention.mask, product->output(0))) return false;
  attention.query = without_numbers(product->input(0), attention.scale);
  attention.key = without_numbers(product->input(1), attention.scale);
  if (cache_of(attention.key) == nullptr) return false;
  if (product->boolean("transpose_b")) return true;
  const ir::Node& transpose = *attention.key.node;
  if (!transpose.is(ops::Transpose)) return false;
  const auto known = ir::exact_values(transpose.input(1));
  if (!known || known->size() != kRank) return false;
  std::vector<std::int64_t> order(known->begin(), known->end());
  std::swap(order[kRows], order[kColumns]);
  const bool is_identity = order == std::vector<std::int64_t>{0, 1, 2, 3};
  attention.key = is_identity ? transpose.input(0) : ir::transpose(builder, transpose.input(0), order);
  return true;
}

std::optional<Attention> match(ir::Builder& builder, const ir::Node& node) {
  const ir::Node& weights = *node.input(0).node;
  if (!weights.is(ops::SoftMax) || weights.integer("axis") != kRank - 1 || !is_used_once(node.input(0)) ||
      node.boolean("transpose_a") || node.boolean("transpose_b"))
    return std::nullopt;
  Attention attention{.query = {}, .key = {}, .value = node.input(1), .mask = {}};
  if (node.output(0).type != ir::ElementType::f32 || !has_rank(attention.value.shape()) ||
      cache_of(attention.value) == nullptr || !match_scores(builder, weights.input(0), attention))
    return std::nullopt;
  if (!has_rank(attention.query.shape()) || !has_rank(attention.key.shape())) return std::nullopt;
  return attention;
}

/// The number of keys, i64 [1]: of the cache if that is provably the same, because the plugin does not
/// compute a Reshape that repeats the keys for all heads.
ir::Value key_count(ir::Builder& builder, ir::Value key) {
  ir::Node& cache = *cache_of(key);
  const auto axis = static_cast<std::size_t>(cache.integer("axis"));
  const bool is_repeated =
      key.node->is(ops::Reshape) && ir::is_size_of(key.node->input(1), kRows, cache.value(), axis);
  return is_repeated ? ir::dimension_of(builder, cache.value(), cache.integer("axis"))
                     : ir::dimension_of(builder, key, kRows);
}

/// The mask with all rows and columns of the scores.
ir::Value full_mask(ir::Builder& builder, const Attention& attention) {
  const ir::PartialShape& shape = attention.mask.shape();
  const auto is_full = [](const ir::Dimension& size, const ir::Dimension& needed) {
    return size.is_static() && size == needed;
  };
  if (is_full(shape[kRows], attention.query.shape()[kRows]) &&
      is_full(shape[kColumns], attention.key.shape()[kRows]))
    return attention.mask;
  const ir::Value ones = builder.integers({1, 1});
  const ir::Value rows = ir::dimension_of(builder, attention.query, kRows);
  const ir::Value columns = key_count(builder, attention.key);
  const ir::Value sizes = ir::concat(builder, {ones, rows, columns});
  return builder.op(ops::Broadcast, {attention.mask, sizes}, {{"mode", std::string("bidirectional")}});
}

}  // namespace

bool fuse_cached_attention(ir::Model& model, PassContext& context) {
  if (!context.stateful) return false;
  const bool has_faults =
      context.target.has(Fault::attention_mask_sizes) || context.target.has(Fault::cached_attention_mask);
  // One for all layers that read a mask: their caches grow by the same tokens.
  std::map<std::pair<const ir::Node*, std::size_t>, ir::Value> full_masks;
  return rewrite_values(model, {ops::MatMul}, [&](ir::Builder& builder, ir::Node& node) -> ir::Value {
    const auto attention = match(builder, node);
    if (!attention) return {};
    const ir::ElementType type = node.output(0).type;
    ir::Value mask = attention->mask ? attention->mask : builder.number(0, type);
    if (attention->mask && has_faults) {
      ir::Value& full = full_masks[{mask.node, mask.index}];
      if (!full) full = full_mask(builder, *attention);
      mask = full;
    }
    return builder.op(
        ops::ScaledDotProductAttention,
        {attention->query, attention->key, attention->value, mask, builder.number(attention->scale, type)},
        {{"causal", false}});
  });
}

}  // namespace onnx2ir::passes
