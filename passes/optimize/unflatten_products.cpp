// Removes the Reshapes around a product with a matrix of weights if they only merge the leading axes of a
// tensor into rows, and split them again: MatMul takes tensors of any rank. PyTorch exports linear layers in
// this way. With dynamic sizes, each Reshape takes the CPU plugin about a microsecond, and another one to
// join the sizes.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Operations on rows, from the last one back to the first one; each has the previous one as an operand.
struct Chain {
  struct Step {
    const ir::Node* node;
    std::size_t operand;
  };
  std::vector<Step> steps;
  ir::Value rows;  ///< what the first one reads
};

/// Whether an operand of an elementwise operation is the same for all rows.
bool is_same_for_rows(const ir::PartialShape& shape) {
  return shape.has_rank() && (shape.rank() < 2 || (shape.rank() == 2 && shape[0] == ir::Dimension(1)));
}

/// The operand whose rows `node` processes independently; no value if `node` mixes rows.
std::optional<std::size_t> operand_of_rows(const ir::Node& node) {
  if (const auto product = ir::match<ir::MatMulView>(node)) {
    const bool multiplies_rows = !product->transpose_a() && product->b().shape().has_rank(2);
    return multiplies_rows ? std::optional<std::size_t>(0) : std::nullopt;
  }
  const ir::Traits& traits = node.op().traits;
  if (traits.broadcasts && node.inputs().size() == 2) {
    if (is_same_for_rows(node.input(1).shape())) return 0;
    return is_same_for_rows(node.input(0).shape()) ? std::optional<std::size_t>(1) : std::nullopt;
  }
  const bool is_function =
      traits.keeps_shape && node.inputs().size() == 1 && node.find_attribute("axis") == nullptr;
  return is_function ? std::optional<std::size_t>(0) : std::nullopt;
}

/// The operations between two Reshapes that give `value`; no value if they are not of the right kind.
std::optional<Chain> chain_of(ir::Value value) {
  constexpr std::size_t kMaxSteps = 16;
  Chain chain;
  bool multiplies = false;
  while (!value.node->is(ops::Reshape)) {
    if (chain.steps.size() == kMaxSteps || !value.shape().has_rank(2) || !is_used_once(value))
      return std::nullopt;
    const auto operand = operand_of_rows(*value.node);
    if (!operand) return std::nullopt;
    multiplies = multiplies || value.node->is(ops::MatMul);
    chain.steps.push_back({value.node, *operand});
    value = value.node->input(*operand);
  }
  chain.rows = value;
  return multiplies && value.shape().has_rank(2) ? std::optional(chain) : std::nullopt;
}

/// Whether each row of `rows`, a Reshape, has the elements of `data` along the axes from `first` on.
bool are_rows_of(ir::Value rows, ir::Value data, std::size_t first) {
  std::int64_t count = 1;
  for (std::size_t i = first; i < data.shape().rank(); ++i) {
    if (data.shape()[i].is_dynamic() || __builtin_mul_overflow(count, data.shape()[i].size(), &count))
      return false;
  }
  return count > 0 && rows.shape()[1] == ir::Dimension(count);
}

/// `data` with one axis of `size` elements in place of those from `first` on.
ir::Value merge_axes(ir::Builder& builder, ir::Value data, std::size_t first, std::int64_t size) {
  if (first + 1 == data.shape().rank()) return data;
  std::vector<std::int64_t> sizes(first, 0);
  sizes.push_back(size);
  return ir::reshape_keeping(builder, data, sizes);
}

/// `data` with the sizes of `split`, a Reshape, but rows of `size` elements; null if that needs new
/// operations on sizes.
ir::Value split_before(ir::Builder& builder, ir::Value data, ir::ReshapeView split, std::int64_t size) {
  const auto known = ir::known_values(split.shape());
  if (!known || std::ranges::count(*known, ir::ValueRange::exactly(0)) != 0) return {};
  if (known->back() == ir::ValueRange::exactly(size)) return ir::reshape(builder, data, split.shape());
  const auto pattern = ir::match<ir::ConcatView>(split.shape());
  if (!pattern) return {};
  const ir::Value last = pattern->parts().back();
  if (last.node->constant() == nullptr || last.shape().element_count() != 1) return {};
  std::vector<ir::Value> sizes(pattern->parts().begin(), pattern->parts().end() - 1);
  sizes.push_back(builder.integers({size}, last.type()));
  return ir::reshape(builder, data, ir::concat(builder, sizes));
}

/// The tensor whose rows the first operation of `chain` reads, with the leading axes of `split`; null if it
/// cannot be made by one Reshape at most.
ir::Value restore_leading_axes(ir::Builder& builder, const Chain& chain, ir::Node& split) {
  const ir::Value data = chain.rows.node->input(0);
  const std::size_t leading = split.output(0).shape.rank() - 1;
  const ir::Dimension size = chain.rows.shape()[1];
  const bool is_flattened = data.shape().has_rank() && data.shape().rank() > leading &&
                            are_rows_of(chain.rows, data, leading) &&
                            ir::have_equal_sizes(split.value(), 0, data, 0, leading);
  if (is_flattened) return merge_axes(builder, data, leading, size.size());
  return size.is_static() ? split_before(builder, data, split, size.size()) : ir::Value{};
}

ir::Value unflatten(ir::Builder& builder, ir::Node& split) {
  const ir::PartialShape& shape = split.output(0).shape;
  const ir::Value flat = ir::ReshapeView(split).data();
  if (!shape.has_rank() || shape.rank() < 3 || !flat.shape().has_rank(2)) return {};
  const auto chain = chain_of(flat);
  if (!chain || !ir::have_equal_sizes(split.value(), shape.rank() - 1, flat, 1, 1)) return {};
  ir::Value value = restore_leading_axes(builder, *chain, split);
  if (!value) return {};
  for (std::size_t i = chain->steps.size(); i-- > 0;) {
    const auto& [node, operand] = chain->steps[i];
    value = ir::clone_with_input(builder, *node, operand, value);
  }
  return value;
}

}  // namespace

bool unflatten_products(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Reshape}, unflatten);
}

}  // namespace onnx2ir::passes
