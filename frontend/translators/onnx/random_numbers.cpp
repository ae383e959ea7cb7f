#include "frontend/translators/onnx/random_numbers.hpp"

#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The number of elements of `sums` [rows, 1 or samples, n] that are at most `bounds` [rows, samples, 1]: i32
/// [rows, samples].
Value count_at_most(Builder& builder, Value sums, Value bounds) {
  const Value is_counted = builder.op(ops::LessEqual, {sums, bounds});
  return reduce(builder, ops::ReduceSum, convert(builder, is_counted, ElementType::i32), {2});
}

/// The same for `sums` [rows, 1, n], with fewer comparisons: those with the last elements of blocks, and
/// those with the elements of one block.
Value count_by_blocks(Builder& builder, Value sums, Value bounds) {
  constexpr std::int64_t kBlock = 128;
  constexpr double kAboveAll = 2;  // sums of probabilities are below
  const Value surplus = builder.op(
      ops::FloorMod, {builder.op(ops::Multiply, {dimension_of(builder, sums, 2), builder.integer(-1)}),
                      builder.integer(kBlock)});
  const Value ends = concat(builder, {builder.integers({0, 0}), surplus});
  const Value padded = pad_with(builder, sums, builder.integers({0, 0, 0}), ends, kAboveAll);
  const Value blocks = reshape(builder, padded, {0, -1, kBlock});
  const Value last = gather(builder, blocks, builder.integer(kBlock - 1), 2);
  const Value block = count_at_most(builder, unsqueeze(builder, last, {1}), bounds);
  const Value inside = gather_in_rows(builder, blocks, block, 1);
  const Value before = builder.op(ops::Multiply, {block, builder.integer(kBlock, ElementType::i32)});
  return builder.op(ops::Add, {before, count_at_most(builder, inside, bounds)});
}

/// Whether a comparison of each sample with each class takes little memory.
bool are_few(Value scores, Value samples) {
  constexpr std::int64_t kFewClasses = 256;
  const auto count = ir::exact_values(samples);
  const bool is_one_sample = count && count->size() == 1 && count->front() == 1;
  return is_one_sample || (scores.shape().has_rank() && scores.shape()[1].max <= kFewClasses);
}

}  // namespace

Value uniform(Builder& builder, Value sizes, Seeds seeds) {
  const Value low = builder.number(0, ElementType::f32);
  const Value high = builder.number(1, ElementType::f32);
  return builder.op(ops::RandomUniform, {sizes, low, high},
                    {{"output_type", ElementType::f32},
                     {"global_seed", seeds.global},
                     {"op_seed", seeds.of_op},
                     {"alignment", "tensorflow"}});
}

Value drawn_classes(Builder& builder, Value log_probabilities, Value samples, ElementType type, Seeds seeds) {
  const Value scores = convert(builder, log_probabilities, ElementType::f32);
  const Value probabilities = builder.op(ops::SoftMax, {scores}, {{"axis", 1}});
  const Value sums = unsqueeze(builder, cumulative_sum(builder, probabilities, 1), {1});
  // Because of rounding, the last sum may differ from 1. In f32, a number below 1 times the last sum is below
  // the last sum, so that no class with probability 0 is drawn.
  const Value total = reduce_over(builder, ops::ReduceMax, sums, builder.integers({2}), true);
  const Value rows = dimension_of(builder, scores, 0);
  const Value sizes = concat(builder, {rows, samples, builder.integers({1})});
  const Value drawn = builder.op(ops::Multiply, {uniform(builder, sizes, seeds), total});
  const Value found =
      are_few(scores, samples) ? count_at_most(builder, sums, drawn) : count_by_blocks(builder, sums, drawn);
  // If OpenVINO computes in bf16, a number can round to 1.
  const Value count = convert(builder, dimension_of(builder, scores, 1), ElementType::i32);
  const Value last = builder.op(ops::Subtract, {count, builder.integer(1, ElementType::i32)});
  return convert(builder, builder.op(ops::Minimum, {found, last}), type);
}

}  // namespace onnx2ir::frontend
