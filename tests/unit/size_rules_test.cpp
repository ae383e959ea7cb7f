// Dynamic sizes that are always equal, and elements of lists of sizes.
#include "ir/size_rules.hpp"

#include "catch.hpp"
#include "ir/control_flow.hpp"
#include "ir/graph.hpp"
#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;

namespace {

struct Fixture {
  Graph graph;
  Builder builder{graph};
  const Value data = builder.parameter(ElementType::f32, PartialShape{-1, -1, 32});

  Value projected(Value from) {
    const Value weights = builder.parameter(ElementType::f32, PartialShape{32, 16});
    const Value bias = builder.parameter(ElementType::f32, PartialShape{16});
    const Value product =
        builder.op(ops::MatMul, {from, weights}, {{"transpose_a", false}, {"transpose_b", false}});
    return builder.op(ops::Add, {product, bias});
  }
  Value size(Value value, std::int64_t axis) {
    return gather(builder, compute_shape_of(builder, value), builder.integer(axis));
  }
  Value listed(Value scalar) { return unsqueeze(builder, scalar, {0}); }
  /// [batch, length, 16] -> [batch, length, heads, rest] -> [batch, heads, length, rest] -> [?, length,
  /// rest].
  Value in_heads(Value states, std::int64_t heads) {
    const Value split =
        concat(builder, {listed(size(states, 0)), listed(size(states, 1)), builder.integers({heads, -1})});
    const Value parts = reshape_keeping(builder, states, split);
    const Value turned = transpose(builder, parts, {0, 2, 1, 3});
    const Value joined =
        concat(builder, {builder.integers({-1}), listed(size(parts, 1)), listed(size(parts, -1))});
    return reshape_keeping(builder, turned, joined);
  }
  std::optional<bool> compared(Op op, Value a, Value b) { return decided(builder.op(op, {a, b})); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "sizes of what is computed from one tensor are equal") {
  const Value query = projected(data);
  const Value key = projected(data);
  CHECK(compared(ops::Equal, size(query, 1), size(key, 1)) == true);
  CHECK(compared(ops::NotEqual, size(query, 1), size(key, -2)) == false);
  CHECK(compared(ops::Less, size(query, 0), size(data, 0)) == false);
  CHECK(compared(ops::GreaterEqual, size(query, 0), size(data, 0)) == true);
  const Value different =
      builder.op(ops::LogicalNot, {builder.op(ops::Equal, {size(query, 1), size(key, 1)})});
  CHECK(decided(different) == false);
}

TEST_CASE_METHOD(Fixture, "sizes pass through Reshape and Transpose") {
  const Value query = in_heads(projected(data), 4);
  const Value key = in_heads(projected(data), 4);
  CHECK(compared(ops::Equal, size(query, -2), size(key, -2)) == true);
  CHECK(compared(ops::Equal, size(query, -2), size(data, 1)) == std::nullopt);
}

TEST_CASE_METHOD(Fixture, "a size of zero may mean another in a Reshape") {
  // Without elements, the first has four rows and the second has two.
  const Value query = in_heads(projected(data), 4);
  const Value key = in_heads(projected(data), 2);
  CHECK(compared(ops::Equal, size(query, -2), size(key, -2)) == std::nullopt);
}

TEST_CASE_METHOD(Fixture, "sizes of other origin may differ") {
  const Value other = builder.parameter(ElementType::f32, PartialShape{-1, -1, 32});
  CHECK(compared(ops::Equal, size(data, 1), size(other, 1)) == std::nullopt);
  CHECK(compared(ops::Equal, size(data, 0), size(data, 1)) == std::nullopt);
  const Value sum = builder.op(ops::Add, {data, other});
  CHECK(compared(ops::Equal, size(sum, 1), size(data, 1)) == std::nullopt);
}

TEST_CASE_METHOD(Fixture, "an element of a list is the size of an axis") {
  const Value shape = compute_shape_of(builder, data);
  const auto slice = [&](std::int64_t from, std::int64_t to) {
    const auto list = [&](std::int64_t value) { return builder.integers({value}); };
    return builder.op(ops::Slice, {shape, list(from), list(to), list(1), list(0)});
  };
  const Value sizes = concat(builder, {slice(0, 1), builder.integers({7}), slice(-2, 3)});
  CHECK(is_size_of(sizes, 0, data, 0));
  CHECK_FALSE(is_size_of(sizes, 1, data, 1));
  CHECK(is_size_of(sizes, 2, data, 1));
  CHECK_FALSE(is_size_of(sizes, 2, data, 0));
  CHECK(is_size_of(sizes, 2, projected(data), 1));
}

TEST_CASE_METHOD(Fixture, "a size of unknown origin is its own origin") {
  const Value pattern = builder.parameter(ElementType::i64, PartialShape{2});
  const Value image = reshape_keeping(builder, data, pattern);
  CHECK(is_size_of(compute_shape_of(builder, image), 1, image, 1));
  CHECK_FALSE(is_size_of(pattern, 1, image, 1));
}

TEST_CASE_METHOD(Fixture, "what a Reshape to the same sizes leaves of equal shapes is equal") {
  const auto split = [&](std::int64_t size) {
    const Value sizes = concat(
        builder, {listed(this->size(data, 0)), listed(this->size(data, 1)), builder.integers({-1, size})});
    return [this, sizes](Value value) {
      const Value parts = reshape(builder, value, sizes);
      return transpose(builder, parts, {0, 2, 1, 3});
    };
  };
  const auto in_heads_of_8 = split(8);
  const Value query = in_heads_of_8(projected(data));
  CHECK(have_equal_sizes(query, 1, in_heads_of_8(projected(data)), 1));
  CHECK(have_equal_sizes(query, 2, in_heads_of_8(projected(data)), 2));
  CHECK_FALSE(have_equal_sizes(query, 1, in_heads_of_8(data), 1));
  const auto in_heads_of_4 = split(4);
  CHECK_FALSE(have_equal_sizes(query, 1, in_heads_of_4(projected(data)), 1));
  const Value other = builder.parameter(ElementType::f32, PartialShape{-1, -1, 32});
  CHECK_FALSE(have_equal_sizes(query, 1, in_heads_of_8(projected(other)), 1));
}

TEST_CASE_METHOD(Fixture, "an element is known although others of the list are not") {
  const Value sizes =
      concat(builder, {builder.integers({7, 8}), listed(this->size(data, 1)), listed(this->size(data, 2))});
  CHECK(known_element(sizes, 0) == 7);
  CHECK(known_element(sizes, 1) == 8);
  CHECK(known_element(sizes, 2) == std::nullopt);
  CHECK(known_element(sizes, 3) == 32);
  CHECK(known_element(builder.parameter(ElementType::i64, PartialShape{2}), 1) == std::nullopt);
  const Value condition = builder.parameter(ElementType::boolean, PartialShape::scalar());
  const Value repeats =
      builder.op(ops::Select, {condition, builder.integers({1, 3}), builder.integers({0, 3})});
  CHECK(known_element(repeats, 0) == std::nullopt);
  CHECK(known_element(repeats, 1) == 3);
}

TEST_CASE_METHOD(Fixture, "sizes keep their symbols when a node is inferred again") {
  const Value found = builder.op(ops::NonZero, {data}, {{"output_type", ElementType::i64}});
  const Size before = size_along(found, 1);
  infer(*found.node);
  CHECK(are_equal(before, size_along(found, 1)));
  const Value other = builder.op(ops::NonZero, {data}, {{"output_type", ElementType::i64}});
  CHECK_FALSE(are_equal(before, size_along(other, 1)));
}

TEST_CASE_METHOD(Fixture, "integers that are no sizes may overflow") {
  const Value number = builder.parameter(ElementType::i64, PartialShape::scalar());
  const Value next = builder.op(ops::Add, {number, builder.integer(1)});
  CHECK(compared(ops::Equal, number, next) == false);
  CHECK(compared(ops::Less, number, next) == std::nullopt);
  const Value length = size(data, 1);
  CHECK(compared(ops::Less, length, builder.op(ops::Add, {length, builder.integer(1)})) == true);
}

TEST_CASE_METHOD(Fixture, "logical operations on comparisons of sizes are decided") {
  const Value other = builder.parameter(ElementType::f32, PartialShape{-1, -1, 32});
  const Value is_equal = builder.op(ops::Equal, {size(data, 1), size(projected(data), 1)});
  const Value may_be_equal = builder.op(ops::Equal, {size(data, 1), size(other, 1)});
  CHECK(decided(builder.op(ops::LogicalOr, {is_equal, may_be_equal})) == true);
  CHECK(decided(builder.op(ops::LogicalAnd, {is_equal, may_be_equal})) == std::nullopt);
  CHECK(decided(builder.op(ops::Equal, {may_be_equal, may_be_equal})) == true);
}

TEST_CASE_METHOD(Fixture, "an If without elements may be decided for all other runs") {
  const Value flat = reshape_keeping(builder, data, builder.integers({-1, 32}));
  const Value sizes = concat(builder, {listed(size(data, 0)), listed(size(data, 1)), builder.integers({32})});
  const Value back = reshape_keeping(builder, flat, sizes);
  const Value condition = builder.op(ops::Equal, {size(back, 1), size(data, 1)});
  CHECK(decided(condition) == std::nullopt);
  CHECK(decided(condition, Runs::without_zero_sizes) == true);
  CHECK(compared(ops::Equal, size(back, 0), size(data, 0)) == true);
}

TEST_CASE_METHOD(Fixture, "a state has the sizes of its initial value only if no iteration changes them") {
  const auto loop = [&](bool grows) {
    auto inside = builder.graph().make_body();
    Builder body(*inside);
    const Value state = body.parameter(data.type(), data.shape());
    CHECK_FALSE(are_equal(size_along(state, 0), size_along(data, 0)));
    const Value next = grows ? concat(body, {state, state}, 1) : body.op(ops::Add, {state, state});
    const LoopView made = add_loop(builder, builder.integer(3), builder.boolean(true), std::move(inside));
    made.body().condition = &body.result(body.boolean(true));
    const Value result = made.add_output(made.add_state(data, *state.node, body.result(next)));
    infer(made.node());
    return result;
  };
  CHECK(have_equal_sizes(loop(false), 1, data, 1));
  CHECK(have_equal_sizes(loop(true), 0, data, 0));
  CHECK_FALSE(have_equal_sizes(loop(true), 1, data, 1));
}

TEST_CASE_METHOD(Fixture, "a captured value has the sizes of the outer value") {
  auto inside = builder.graph().make_body();
  Builder body(*inside);
  const Value inner = body.captured(data);
  CHECK(are_equal(size_along(inner, 1), size_along(data, 1)));
  const Value sizes = compute_shape_of(builder, data);
  CHECK(are_equal(size_in(body.captured(sizes), 1), size_along(data, 1)));
}
