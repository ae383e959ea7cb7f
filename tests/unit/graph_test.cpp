#include "ir/graph.hpp"

#include <limits>
#include <set>

#include "catch.hpp"
#include "failure_code.hpp"
#include "ir/builder.hpp"
#include "ir/shape_tools.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;

TEST_CASE("the nodes of a graph and its bodies share one storage, which reuses memory") {
  std::unique_ptr<Graph> body;
  {
    Graph graph;
    Builder builder(graph);
    body = graph.make_body();
    Builder inner(*body);
    const Value x = inner.parameter(ElementType::f32, PartialShape{2});
    std::set<const Node*> places;
    for (int i = 0; i < 1000; ++i) {
      places.insert(builder.integer(i).node);
      places.insert(inner.op(ops::Abs, {x}).node);
    }
    CHECK(places.size() == 2000);
    CHECK(graph.remove_dead_nodes() == 1000);
    CHECK(graph.nodes().empty());
    CHECK(body->nodes().size() == 1001);
    std::size_t reused = 0;
    for (int i = 0; i < 1000; ++i) reused += places.count(builder.integer(i).node);
    CHECK(reused == 1000);
  }
  // The storage lives as long as one of its graphs.
  CHECK(body->remove_dead_nodes() == 1000);
  CHECK(body->parameters().front()->value().shape() == PartialShape{2});
}

TEST_CASE("a node keeps its attributes in the order of the descriptor") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{2, 3});
  CHECK(x.node->attributes().empty());
  CHECK(x.node->find_attribute("axis") == nullptr);
  const Value a = builder.op(ops::MatMul, {x, x}, {{"transpose_b", true}, {"transpose_a", false}});
  REQUIRE(a.node->attributes().size() == 2);
  CHECK(a.node->attributes()[0].name == "transpose_a");
  CHECK(a.node->boolean("transpose_b"));
}

namespace {

/// x and ReLU(x), which is used by two operations.
struct Readers {
  Graph graph;
  Builder builder{graph};
  Value x = builder.parameter(ElementType::f32, PartialShape{2});
  Value y = builder.op(ops::ReLU, {x});
  Value first = builder.op(ops::Abs, {y});
  Value second = builder.op(ops::Exp, {y});

  Readers() { y.output().names.push_back("y"); }
  bool has_moved_names(Value to) const {
    return y.output().names.empty() && to.output().names == TensorNames{"y"};
  }
};

}  // namespace

TEST_CASE("all uses of a value are replaced") {
  Readers readers;
  replace_all_uses(readers.y, readers.x);
  CHECK_FALSE(readers.y.node->has_uses());
  CHECK(readers.first.node->input(0) == readers.x);
  CHECK(readers.has_moved_names(readers.x));
}

TEST_CASE("all uses but that of the new value are replaced") {
  Readers readers;
  const Value z = readers.builder.op(ops::Negative, {readers.y});
  replace_uses_except(readers.y, z, *z.node);
  CHECK(z.node->input(0) == readers.y);
  CHECK(readers.first.node->input(0) == z);
  CHECK(readers.second.node->input(0) == z);
  CHECK(readers.has_moved_names(z));
}

TEST_CASE("some uses of a value are replaced") {
  Readers readers;
  const auto uses = readers.y.output().uses;
  replace_uses({uses.begin(), 1}, readers.y, readers.x);
  CHECK(readers.first.node->input(0) == readers.x);
  CHECK(readers.second.node->input(0) == readers.y);
  CHECK(readers.has_moved_names(readers.x));
}

TEST_CASE("a clone has the name, the attributes and the bytes of its original") {
  Readers readers;
  readers.builder.set_name("scores");
  const Value scores = readers.builder.op(ops::SoftMax, {readers.y}, {{"axis", 0}});
  readers.builder.set_name("weights");
  const Value weights = readers.builder.integers({1, 2});
  const auto body = readers.graph.make_body();
  Builder inner(*body);
  const Value z = inner.parameter(ElementType::f32, PartialShape{5});
  const Node& copy = inner.clone(*scores.node, {&z, 1});
  CHECK(copy.name == "scores");
  CHECK(copy.integer("axis") == 0);
  CHECK(copy.output(0).shape == PartialShape{5});
  const Node& constant = inner.clone(*weights.node);
  CHECK(constant.name == "weights");
  CHECK(constant.constant()->bytes().span().data() == weights.node->constant()->bytes().span().data());
}

TEST_CASE("an absent value has no output") {
  CHECK_THROWS_AS(Value().output(), onnx2ir::base::InternalError);
}

TEST_CASE("known values are integers, numbers or intervals") {
  Graph graph;
  Builder builder(graph);
  const Value data = builder.parameter(ElementType::f32, PartialShape{Dimension(1, 4), 7});
  const Value shape = builder.op(ops::ShapeOf, {data}, {{"output_type", ElementType::i64}});
  CHECK(known_values(shape) == KnownValues{{1, 4}, ValueRange::exactly(7)});
  CHECK_FALSE(exact_values(shape));
  CHECK_FALSE(known_values(data));
  const Value list = builder.integers({2, 3});
  CHECK(exact_values(list) == Integers{2, 3});
  CHECK(exact_numbers(list) == Numbers{2, 3});
  CHECK_FALSE(known_scalar(list));
  CHECK(known_scalar(builder.boolean(true)) == 1);
  CHECK(known_scalar(builder.integer(std::numeric_limits<std::int64_t>::max(), ElementType::u64)) ==
        std::numeric_limits<std::int64_t>::max());
  const std::vector<std::byte> ones(sizeof(std::uint64_t), std::byte{0xFF});
  CHECK_FALSE(known_scalar(builder.constant(ElementType::u64, {}, ConstantData(ones))));
  const Value half = builder.number(0.5, ElementType::f16);
  CHECK(exact_number(half) == 0.5);
  CHECK(exact_numbers(half) == Numbers{0.5});
  CHECK_FALSE(exact_values(half));
  CHECK_FALSE(known_scalar(half));
  CHECK_FALSE(exact_number(list));
}

TEST_CASE("static shapes and sizes are constants") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{2, 3});
  const Value y = builder.parameter(ElementType::f32, PartialShape{Dimension(), 3});
  CHECK(exact_values(shape_of(builder, x)) == Integers{2, 3});
  CHECK(shape_of(builder, x).node->is(ops::Const));
  CHECK(compute_shape_of(builder, x).node->is(ops::ShapeOf));
  CHECK(shape_of(builder, y).node->is(ops::ShapeOf));
  CHECK(known_scalar(size_of(builder, y, 1)) == 3);
  CHECK(size_of(builder, y, 1).shape() == PartialShape::scalar());
  CHECK(size_of(builder, y, 0).node->is(ops::Gather));
  CHECK(size_of(builder, y, 0).shape() == PartialShape::scalar());
  CHECK(exact_values(dimension_of(builder, y, 1)) == Integers{3});
  CHECK(dimension_of(builder, y, 0).shape() == PartialShape{1});
}

TEST_CASE("values are reshaped, joined and sliced") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{2, 3});
  CHECK(reshape(builder, x, std::vector<std::int64_t>{2, 3}) == x);
  CHECK(reshape(builder, x, std::vector<std::int64_t>{3, 2}).shape() == PartialShape{3, 2});
  CHECK(flatten(builder, x).shape() == PartialShape{6});
  CHECK(squeeze(builder, x, {}) == x);
  CHECK(unsqueeze(builder, x, {0}).shape() == PartialShape{1, 2, 3});
  CHECK(squeeze(builder, unsqueeze(builder, x, {0}), {0}).shape() == PartialShape{2, 3});
  CHECK(transpose(builder, x, {1, 0}).shape() == PartialShape{3, 2});
  CHECK(broadcast_to(builder, x, builder.integers({4, 2, 3})).shape() == PartialShape{4, 2, 3});
  CHECK(concat(builder, {x}) == x);
  CHECK(concat(builder, {x, x}, 1).shape() == PartialShape{2, 6});
  CHECK(gather(builder, x, builder.integers({0}), 1).shape() == PartialShape{2, 1});
  const Value one = builder.integers({1});
  CHECK(slice(builder, x, one, builder.integers({3}), 1).shape() == PartialShape{2, 2});
}
