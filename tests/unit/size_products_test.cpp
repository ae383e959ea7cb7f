// Dynamic sizes that are products of other sizes and a constant.
#include "catch.hpp"
#include "ir/graph.hpp"
#include "ir/shape_tools.hpp"
#include "ir/size_rules.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;

namespace {

struct Fixture {
  Graph graph;
  Builder builder{graph};
  const Value data = builder.parameter(ElementType::f32, PartialShape{-1, -1, 32});

  Value size(Value value, std::int64_t axis) {
    return gather(builder, compute_shape_of(builder, value), builder.integers({axis}));
  }
  Value joined(std::initializer_list<Value> parts) { return concat(builder, parts); }
  Value reshaped(Value value, Value pattern, bool special_zero = false) {
    return builder.op(ops::Reshape, {value, pattern}, {{"special_zero", special_zero}});
  }
  std::optional<std::int64_t> remaining(Value value, Value pattern, bool special_zero) {
    const Size size = remaining_size(value, pattern, special_zero);
    return size == nullptr ? std::nullopt : size->constant();
  }
  Value times(Value value, std::int64_t factor) {
    return builder.op(ops::Multiply, {value, builder.integers({factor})});
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "the size that a Reshape infers is a product") {
  const Value rows = reshaped(data, joined({builder.integers({-1}), size(data, 1), builder.integers({8})}));
  CHECK(is_size_of(times(size(data, 0), 4), 0, rows, 0));
  CHECK_FALSE(is_size_of(times(size(data, 0), 2), 0, rows, 0));
  CHECK_FALSE(is_size_of(times(size(data, 1), 4), 0, rows, 0));
  const Value back = reshaped(rows, joined({builder.integers({-1}), size(data, 1), builder.integers({32})}));
  CHECK(is_size_of(size(data, 0), 0, back, 0));
}

TEST_CASE_METHOD(Fixture, "operands of equal size give this size") {
  const Value rows = reshaped(data, joined({builder.integers({-1}), size(data, 1), builder.integers({32})}));
  const Value other = builder.parameter(ElementType::f32, PartialShape{-1, -1, 32});
  CHECK(is_size_of(size(data, 0), 0, builder.op(ops::Add, {rows, data}), 0));
  CHECK_FALSE(is_size_of(size(data, 0), 0, builder.op(ops::Add, {other, data}), 0));
}

TEST_CASE_METHOD(Fixture, "sizes pass through operations on other axes") {
  const Value list = builder.integers({1});
  const Value slice = builder.op(ops::Slice, {data, list, builder.integers({5}), list, list});
  CHECK(is_size_of(size(data, 0), 0, slice, 0));
  CHECK_FALSE(is_size_of(size(data, 1), 0, slice, 1));
  const Value twice = concat(builder, {data, data}, 1);
  CHECK(is_size_of(size(data, 0), 0, twice, 0));
  CHECK_FALSE(is_size_of(size(data, 1), 0, twice, 1));
  const Value sum = builder.op(ops::ReduceSum, {data, builder.integers({-2})}, {{"keep_dims", true}});
  CHECK(is_size_of(size(data, 0), 0, sum, 0));
  const Value unsqueezed = unsqueeze(builder, data, {0, -2});
  CHECK(is_size_of(size(data, 0), 0, unsqueezed, 1));
  CHECK(is_size_of(size(data, 1), 0, unsqueezed, 2));
  const Value tile = builder.op(ops::Tile, {data, joined({builder.integers({3}), size(data, 0), list})});
  CHECK(is_size_of(times(size(data, 0), 3), 0, tile, 0));
  CHECK_FALSE(is_size_of(size(data, 1), 0, tile, 1));
  const Value indices = builder.parameter(ElementType::i64, PartialShape{-1, -1});
  const Value taken = gather(builder, data, indices, 1);
  CHECK(is_size_of(size(data, 0), 0, taken, 0));
  CHECK(is_size_of(size(indices, 0), 0, taken, 1));
  CHECK(is_size_of(size(indices, 1), 0, taken, 2));
}

TEST_CASE_METHOD(Fixture, "sizes of a MatMul come from both operands") {
  const Value other = builder.parameter(ElementType::f32, PartialShape{-1, 32, -1});
  const auto product = [&](Value a, Value b) {
    return builder.op(ops::MatMul, {a, b}, {{"transpose_a", false}, {"transpose_b", false}});
  };
  CHECK(is_size_of(size(data, 1), 0, product(data, other), 1));
  CHECK(is_size_of(size(other, 2), 0, product(data, other), 2));
  CHECK_FALSE(is_size_of(size(data, 0), 0, product(data, other), 0));
  const Value turned = transpose(builder, data, {0, 2, 1});
  CHECK(is_size_of(size(data, 0), 0, product(data, turned), 0));
}

TEST_CASE_METHOD(Fixture, "a mask can widen the result of an attention") {
  const Value mask = builder.parameter(ElementType::f32, PartialShape{-1, -1, -1});
  const auto attention = [&](const std::vector<Value>& inputs, bool causal) {
    return builder.op(ops::ScaledDotProductAttention, inputs, {{"causal", causal}});
  };
  CHECK(is_size_of(size(data, 0), 0, attention({data, data, data}, false), 0));
  CHECK(is_size_of(size(data, 1), 0, attention({data, data, data, mask}, true), 1));
  CHECK_FALSE(is_size_of(size(data, 0), 0, attention({data, data, data, mask}, false), 0));
  CHECK_FALSE(is_size_of(size(data, 1), 0, attention({data, data, data, mask}, false), 1));
}

TEST_CASE_METHOD(Fixture, "a Reshape may leave a static size for a -1") {
  const Value heads = builder.integers({-1, 8});
  const Value pattern = joined({size(data, 0), size(data, 1), heads});
  CHECK(remaining(data, pattern, false) == 4);
  CHECK(remaining(data, pattern, true) == 4);
  CHECK(remaining(data, joined({size(data, 0), heads}), false) == std::nullopt);
  CHECK(remaining(data, joined({size(data, 0), size(data, 0), heads}), false) == std::nullopt);
  CHECK(remaining(data, joined({size(data, 0), size(data, 1), builder.integers({-1, 5})}), false) ==
        std::nullopt);
  // If a size is 0, it copies the other dimension of the data.
  const Value swapped = joined({size(data, 1), size(data, 0), heads});
  CHECK(remaining(data, swapped, false) == 4);
  CHECK(remaining(data, swapped, true) == std::nullopt);
}

TEST_CASE_METHOD(Fixture, "a cache has the size of its past and of the rows that are appended") {
  const Value past = builder.parameter(ElementType::f32, PartialShape{-1, -1, 32});
  const Value cache = concat(builder, {past, data}, 1);
  const Value rows = builder.op(ops::Add, {size(data, 1), size(past, 1)});
  CHECK(is_size_of(rows, 0, cache, 1));
  CHECK_FALSE(is_size_of(size(past, 1), 0, cache, 1));
  CHECK_FALSE(is_size_of(builder.op(ops::Add, {rows, size(past, 1)}), 0, cache, 1));
  // The batch of the past is that of the rows, because they are joined.
  CHECK(is_size_of(size(data, 0), 0, cache, 0));
  CHECK(is_size_of(size(past, 0), 0, cache, 0));
  const Value heads = reshaped(cache, joined({size(past, 0), rows, builder.integers({-1, 8})}));
  CHECK(remaining(cache, heads.node->input(1), false) == 4);
  CHECK_FALSE(is_size_of(times(rows, 4), 0, reshaped(cache, builder.integers({-1, 8})), 0));
  const Value repeated = concat(builder, {cache, cache}, 1);
  CHECK(is_size_of(times(rows, 2), 0, repeated, 1));
}

TEST_CASE_METHOD(Fixture, "a Range from p to p + n has n elements") {
  const Value past = builder.parameter(ElementType::f32, PartialShape{-1});
  const auto scalar = [&](Value list) { return squeeze(builder, list, {0}); };
  const Value start = scalar(size(past, 0));
  const Value count = scalar(size(data, 1));
  const auto range = [&](Value from, Value to, std::int64_t step) {
    return builder.op(ops::Range, {from, to, builder.integer(step)}, {{"output_type", ElementType::i64}});
  };
  const Value end = builder.op(ops::Add, {start, count});
  CHECK(is_size_of(size(data, 1), 0, range(start, end, 1), 0));
  CHECK_FALSE(is_size_of(size(data, 1), 0, range(start, end, 2), 0));
  CHECK_FALSE(is_size_of(size(data, 1), 0, range(count, builder.op(ops::Add, {start, start}), 1), 0));
  const Value unknown = builder.parameter(ElementType::i64, PartialShape{});
  CHECK_FALSE(is_size_of(unknown, 0, range(start, builder.op(ops::Add, {start, unknown}), 1), 0));
}

TEST_CASE_METHOD(Fixture, "a Select with a known condition has the elements that it chooses") {
  const Value flags =
      builder.constant(ElementType::boolean, std::vector<std::int64_t>{2},
                       encode_integers(std::vector<std::int64_t>{1, 0}, ElementType::boolean));
  const Value chosen =
      builder.op(ops::Select, {flags, joined({size(data, 0), size(data, 1)}), builder.integers({5})});
  CHECK(is_size_of(chosen, 0, data, 0));
  CHECK_FALSE(is_size_of(chosen, 1, data, 1));
}

TEST_CASE_METHOD(Fixture, "parts of a tensor keep the sizes of the other axes") {
  const Value parts =
      builder.node(ops::VariadicSplit, {data, builder.integer(2), builder.integers({8, 24})}, {}, 2).value(1);
  CHECK(is_size_of(size(data, 1), 0, parts, 1));
  const Value rows =
      builder.node(ops::VariadicSplit, {data, builder.integer(1), builder.integers({8, -1})}, {}, 2).value(1);
  CHECK_FALSE(is_size_of(size(data, 1), 0, rows, 1));
}
