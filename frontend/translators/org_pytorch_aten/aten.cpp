// Operators that PyTorch's exporter writes with the option ONNX_ATEN_FALLBACK.
#include <array>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr std::string_view kAten = "org.pytorch.aten";

/// adaptive_avg_pool2d: image, sizes of the result.
Values adaptive_avg_pool(NodeContext& node) {
  const Value image = node.input(0);
  const Value sizes = convert_to_list(node, node.input(1));
  const std::int64_t rank = node.rank(image);
  const auto count = sizes.shape().element_count();
  if (!count) node.fail("the number of sizes of the result is dynamic");
  // An image without a batch axis, [C, H, W].
  if (rank == *count + 1) {
    const Value pooled = node.op(ops::AdaptiveAvgPool, {unsqueeze(node, image, {0}), sizes});
    return {squeeze(node, pooled, {0})};
  }
  return {node.op(ops::AdaptiveAvgPool, {image, sizes})};
}

/// How the rows of a bag become one.
ir::Op bag_reduction(NodeContext& node) {
  constexpr std::array<ir::Op, 3> kReductions = {ops::ReduceSum, ops::ReduceMean, ops::ReduceMax};
  const std::int64_t mode = node.integer_attribute("mode", 0);
  if (mode < 0 || mode > 2) node.fail("attribute 'mode' must be 0 (sum), 1 (mean) or 2 (max)");
  return kReductions[static_cast<std::size_t>(mode)];
}

/// Bags of one size: indices [B, L].
Value gather_packed_bags(NodeContext& node, Value table, Value indices, Value factors) {
  Value rows = gather(node, table, indices);
  if (factors) rows = node.op(ops::Multiply, {rows, unsqueeze(node, factors, {2})});
  return reduce(node, bag_reduction(node), rows, {1});
}

/// Bags that begin at offsets into a list of indices. An empty bag gives zeros.
Value gather_listed_bags(NodeContext& node, Value table, Value indices, Value offsets, Value factors) {
  const ir::Op reduction = bag_reduction(node);
  if (reduction == ops::ReduceMax) node.fail("the maximum over bags of different sizes cannot be expressed");
  indices = convert(node, indices, ElementType::i32);
  offsets = convert(node, offsets, ElementType::i32);
  if (node.flag_attribute("include_last_offset")) offsets = slice(node, offsets, 0, -1, 0);
  if (factors) {
    // The operation has factors only together with an index for empty bags.
    const Value rows = gather(node, table, indices);
    table = node.op(ops::Multiply, {rows, unsqueeze(node, factors, {1})});
    const Value count = dimension_of(node, indices, 0);
    indices = convert(node, emit_range(node, count), ElementType::i32);
  }
  const Value sums = node.op(ops::EmbeddingBagOffsetsSum, {table, indices, offsets});
  if (reduction == ops::ReduceSum) return sums;
  const Value end = convert(node, dimension_of(node, indices, 0), ElementType::i32);
  const Value next = concat(node, {slice(node, offsets, 1, kFarEnd, 0), end});
  const Value sizes = node.op(ops::Subtract, {next, offsets});
  const Value at_least_one = node.op(ops::Maximum, {sizes, node.integer(1, ElementType::i32)});
  return divide(node, sums, unsqueeze(node, convert(node, at_least_one, table.type()), {1}));
}

/// embedding_bag: the table is the input `weight`. Further outputs are for training.
Operands embedding_bag(NodeContext& node) {
  struct Input {
    enum : std::size_t { weight, indices, offsets, per_sample_weights };
  };
  const Value table = node.input(Input::weight);
  const Value indices = node.input(Input::indices);
  const Value factors = node.optional_input(Input::per_sample_weights);
  if (node.integer_attribute("padding_idx", -1) >= 0)
    node.fail("attribute 'padding_idx' cannot be expressed");
  if (factors && bag_reduction(node) != ops::ReduceSum)
    node.fail("only sums can have factors (per_sample_weights)");
  const std::int64_t rank = node.rank(indices);
  if (rank == 2) return {gather_packed_bags(node, table, indices, factors), {}, {}, {}};
  if (rank != 1) node.fail("the indices must have rank 1 or 2");
  if (!node.has_input(Input::offsets)) node.fail("a list of indices needs offsets, input 2");
  return {gather_listed_bags(node, table, indices, node.input(Input::offsets), factors), {}, {}, {}};
}

/// ATen: the attribute 'operator' names the operator.
Operands aten(NodeContext& node) {
  const std::string name = node.text_attribute("operator");
  if (name == "embedding_bag") return embedding_bag(node);
  if (name == "adaptive_avg_pool2d" || name == "_adaptive_avg_pool2d") {
    const Values pooled = adaptive_avg_pool(node);
    return {pooled.begin(), pooled.end()};
  }
  node.fail("PyTorch's operator '" + name + "' is not supported",
            "export the model without the option ONNX_ATEN_FALLBACK");
}

}  // namespace

std::vector<TranslatorRow> aten_translators() {
  constexpr std::string_view kTraining = "scale_grad_by_freq sparse overload_name";
  return {
      {"ATen", 1, aten, "other operators than embedding_bag and adaptive_avg_pool2d", kTraining},
      {"ATen", 1, aten, "other operators than embedding_bag and adaptive_avg_pool2d", kTraining, kAten},
      {"adaptive_avg_pool2d", 1, adaptive_avg_pool, {}, {}, kAten},
      {"embedding_bag", 1, embedding_bag, "padding_idx; max with offsets", kTraining, kAten},
  };
}

}  // namespace onnx2ir::frontend
