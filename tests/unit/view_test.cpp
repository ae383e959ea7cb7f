#include "ir/view.hpp"

#include "catch.hpp"
#include "ir/builder.hpp"
#include "ir/views/attention.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/pattern.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;

TEST_CASE("a view has the operands and attributes of its node") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{1, 2, 3, 4});
  const Value mask = builder.number(0, ElementType::f32);
  const Value value = builder.op(ops::ScaledDotProductAttention, {x, x, x, mask}, {{"causal", true}});
  const ScaledDotProductAttentionView attention = *value.node;
  CHECK(attention.query() == x);
  CHECK(attention.mask() == mask);
  CHECK(!attention.scale());
  CHECK(attention.causal());
  CHECK(&attention.node() == value.node);
}

TEST_CASE("an attribute that a node lacks has no value") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::i64, PartialShape{2});
  CHECK(!DivideView(*builder.op(ops::Divide, {x, x}).node).m_pythondiv());
  CHECK(DivideView(*builder.op(ops::Divide, {x, x}, {{"m_pythondiv", false}}).node).m_pythondiv() == false);
}

TEST_CASE("the last operand of a view can be several") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{2});
  const Value y = builder.op(ops::ReLU, {x});
  const ConcatView concat = *builder.op(ops::Concat, {x, y, x}, {{"axis", -1}}).node;
  CHECK(concat.parts().size() == 3);
  CHECK(concat.parts()[1] == y);
  CHECK(concat.axis() == -1);
}

TEST_CASE("a view of another operation is an internal error, and match has no value") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{2});
  const Value sum = builder.op(ops::Add, {x, x});
  CHECK_THROWS_AS(MultiplyView(*sum.node), onnx2ir::base::InternalError);
  CHECK(!match<MultiplyView>(sum));
  CHECK(!match<MultiplyView>(Value{}));
  CHECK(match<AddView>(sum)->b() == x);
  CHECK(match<AddView>(*sum.node)->a() == x);
}

TEST_CASE("a group is a view of several operations") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{2, 3});
  const Value axes = builder.integers({1});
  for (const Op operation : {ops::ReduceSum, ops::ReduceMax, ops::ReduceL2}) {
    const ReductionView reduction = *builder.op(operation, {x, axes}, {{"keep_dims", true}}).node;
    CHECK(reduction.data() == x);
    CHECK(reduction.axes() == axes);
    CHECK(reduction.keep_dims());
  }
  CHECK(!match<ReductionView>(builder.op(ops::Unsqueeze, {x, axes})));
}

namespace {

using namespace onnx2ir::passes;

struct Operands {
  Graph graph;
  Builder builder{graph};
  Value x = builder.parameter(ElementType::f32, PartialShape{2});
  Value y = builder.parameter(ElementType::f32, PartialShape{2});
};

}  // namespace

TEST_CASE("a pattern sets the values that it names") {
  Operands at;
  const Value negative = at.builder.op(ops::Negative, {at.x});
  const Value sum = at.builder.op(ops::Add, {negative, at.y});
  Value inner;
  Value first;
  CHECK(onnx2ir::passes::matches(sum, op(ops::Add, any(first, op(ops::Negative, any(inner))), same(at.y))));
  CHECK(first == negative);
  CHECK(inner == at.x);
  CHECK(!onnx2ir::passes::matches(sum, op(ops::Add, any(), same(at.x))));
  CHECK(!onnx2ir::passes::matches(sum, op(ops::Multiply, any(), any())));
}

TEST_CASE("a part of a pattern can be the value of an earlier part") {
  Operands at;
  Value base;
  const auto square = op(ops::Multiply, any(base), same(base));
  CHECK(onnx2ir::passes::matches(at.builder.op(ops::Multiply, {at.x, at.x}), square));
  CHECK(!onnx2ir::passes::matches(at.builder.op(ops::Multiply, {at.x, at.y}), square));
}

TEST_CASE("the operands of a commutative pattern match in either order") {
  Operands at;
  const Value two = at.builder.number(2, ElementType::f32);
  Value other;
  const auto doubled = commutative(ops::Multiply, any(other), number(2));
  CHECK(onnx2ir::passes::matches(at.builder.op(ops::Multiply, {at.x, two}), doubled));
  CHECK(other == at.x);
  CHECK(onnx2ir::passes::matches(at.builder.op(ops::Multiply, {two, at.y}), doubled));
  CHECK(other == at.y);
  CHECK(!onnx2ir::passes::matches(at.builder.op(ops::Multiply, {at.x, at.y}), doubled));
}

TEST_CASE("a pattern with more operands than the node does not match") {
  Operands at;
  CHECK(!onnx2ir::passes::matches(at.builder.op(ops::Negative, {at.x}), op(ops::Negative, any(), any())));
}
