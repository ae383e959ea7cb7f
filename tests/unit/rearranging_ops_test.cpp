// Known values of small integer tensors, which must not be known in more cases than in OpenVINO.
#include "catch.hpp"
#include "failure_code.hpp"
#include "ir/graph.hpp"
#include "ir/shape_tools.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;

namespace {

struct Fixture {
  Graph graph;
  Builder builder{graph};

  Value shape_of(PartialShape shape) {
    const Value input = builder.parameter(ElementType::f32, std::move(shape));
    return compute_shape_of(builder, input);
  }
  Value pick(Value from, std::int64_t index) { return gather(builder, from, builder.integers({index})); }
  PartialShape reshaped(Value pattern) {
    const Value data = builder.parameter(ElementType::f32, PartialShape{-1, -1});
    return reshape(builder, data, pattern).shape();
  }
  void rejects(Op operation, std::initializer_list<Value> inputs, AttributeList attributes) {
    CHECK(onnx2ir::code_of([&] { return builder.op(operation, inputs, attributes); }) ==
          onnx2ir::DiagnosticCode::invalid_node);
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "dimensions travel through Gather and Concat into shapes") {
  const Value list = concat(builder, {pick(shape_of({2, -1, 5}), 2), builder.integers({7})});
  CHECK(reshaped(list) == PartialShape{5, 7});
}

TEST_CASE_METHOD(Fixture, "an unknown dimension has bounds, the others stay known") {
  const Value list = concat(builder, {pick(shape_of({2, -1, 5}), 1), builder.integers({7})});
  CHECK(reshaped(list) == PartialShape{-1, 7});
}

TEST_CASE_METHOD(Fixture, "one element from elsewhere makes the whole list unknown") {
  const Value other = builder.parameter(ElementType::i64, PartialShape{1});
  const Value list = concat(builder, {other, builder.integers({7})});
  CHECK_FALSE(known_values(list));
  CHECK(reshaped(list) == PartialShape{-1, -1});
}

TEST_CASE_METHOD(Fixture, "Broadcast reads the parts of a Concat alone") {
  const Value other = builder.parameter(ElementType::i64, PartialShape{1});
  const Value list = concat(builder, {builder.integers({7}), other});
  const Value data = builder.parameter(ElementType::f32, PartialShape{-1, 1});
  CHECK(broadcast_to(builder, data, list).shape() == PartialShape{7, -1});
}

TEST_CASE_METHOD(Fixture, "Broadcast reads no Concat of longer parts, and no intervals") {
  const Value other = builder.parameter(ElementType::i64, PartialShape{1});
  const Value data = builder.parameter(ElementType::f32, PartialShape{1});
  const auto shape_of_result = [&](std::initializer_list<Value> parts) {
    const Value list = builder.op(ops::Concat, parts, {{"axis", std::int64_t{0}}});
    return builder.op(ops::Broadcast, {data, list}, {{"mode", "bidirectional"}}).shape();
  };
  CHECK(shape_of_result({other, builder.integers({2, 3})}) == PartialShape{-1, -1, -1});
  CHECK(shape_of_result({pick(shape_of({2, -1, 5}), 2), other}) == PartialShape{5, -1});
  CHECK(shape_of_result({pick(shape_of({2, {1, 4}, 5}), 1), other}) == PartialShape{-1, -1});
}

TEST_CASE_METHOD(Fixture, "ReverseSequence has as many sequences as there are lengths") {
  const Value lengths = builder.parameter(ElementType::i64, PartialShape{5});
  const auto reversed = [&](const PartialShape& shape) {
    return builder
        .op(ops::ReverseSequence, {builder.parameter(ElementType::f32, shape), lengths},
            {{"batch_axis", 1}, {"seq_axis", 0}})
        .shape();
  };
  CHECK(reversed(PartialShape{-1, -1}) == PartialShape{-1, 5});
  CHECK(onnx2ir::code_of([&] { reversed(PartialShape{-1, 4}); }) == onnx2ir::DiagnosticCode::invalid_node);
}

TEST_CASE_METHOD(Fixture, "Broadcast in one direction does not change the target") {
  const auto rejects = [&](const Value& data, const Value& target) {
    CHECK(onnx2ir::code_of([&] { return broadcast_to(builder, data, target); }) ==
          onnx2ir::DiagnosticCode::invalid_node);
  };
  rejects(builder.integers({7, 8}), builder.integers({}));
  rejects(builder.parameter(ElementType::f32, PartialShape{2, 3}), builder.integers({3}));
  rejects(builder.parameter(ElementType::f32, PartialShape{2, 3}), builder.integers({2, 1}));
  rejects(builder.parameter(ElementType::f32, PartialShape{2, 3}), builder.integers({3, 3}));
  CHECK(builder
            .op(ops::Broadcast,
                {builder.parameter(ElementType::f32, PartialShape{-1, 1}), builder.integers({2, 4, 3})},
                {{"mode", "numpy"}})
            .shape() == PartialShape{2, 4, 3});
}

TEST_CASE_METHOD(Fixture, "Broadcast both ways to unknown sizes keeps the data's own") {
  const Value target = builder.parameter(ElementType::i64, PartialShape{3});
  const Value data = builder.parameter(ElementType::f32, PartialShape{3, 1});
  CHECK(builder.op(ops::Broadcast, {data, target}, {{"mode", "bidirectional"}}).shape() ==
        PartialShape{-1, 3, -1});
}

TEST_CASE_METHOD(Fixture, "sizes and positions must be integers") {
  const Value data = builder.parameter(ElementType::f32, PartialShape{2, 3});
  const Value one = builder.integers({1, 1});
  const Value real = builder.op(ops::Convert, {one}, {{"destination_type", ElementType::f32}});
  rejects(ops::Reshape, {data, real}, {{"special_zero", false}});
  rejects(ops::Broadcast, {data, real}, {{"mode", "numpy"}});
  rejects(ops::Tile, {data, real}, {});
  rejects(ops::Slice, {data, real, one, one, builder.integers({0, 1})}, {});
  rejects(ops::Slice, {data, one, real, one, builder.integers({0, 1})}, {});
  rejects(ops::Pad, {data, one, real, builder.number(0, ElementType::f32)}, {{"pad_mode", "constant"}});
  const Value vector = builder.parameter(ElementType::f32, PartialShape{3});
  const Value bytes = builder.op(ops::Convert, {one}, {{"destination_type", ElementType::u8}});
  rejects(ops::GatherElements, {vector, bytes}, {{"axis", 0}});
  rejects(ops::GatherND, {data, bytes}, {{"batch_dims", 0}});
}

TEST_CASE_METHOD(Fixture, "lists of sizes, bounds and axes must have one axis") {
  const Value data = builder.parameter(ElementType::f32, PartialShape{2, 3});
  const Value list = builder.integers({1, 1});
  const Value one = builder.integer(1);
  const Value table = builder.parameter(ElementType::i64, PartialShape{2, 1});
  for (const Value wrong : {one, table}) {
    rejects(ops::Reshape, {data, wrong}, {{"special_zero", false}});
    rejects(ops::Transpose, {data, wrong}, {});
    rejects(ops::Broadcast, {data, wrong}, {{"mode", "numpy"}});
    rejects(ops::Tile, {data, wrong}, {});
    rejects(ops::Slice, {data, list, list, list, wrong}, {});
    rejects(ops::Pad, {data, list, wrong, builder.number(0, ElementType::f32)}, {{"pad_mode", "constant"}});
  }
  CHECK(builder.op(ops::Tile, {data, list}).shape() == PartialShape{2, 3});
}

TEST_CASE_METHOD(Fixture, "inputs have the ranks of the operation table, also those of the last operand") {
  const auto real = [&](PartialShape shape) { return builder.parameter(ElementType::f32, std::move(shape)); };
  const Value rois = real({-1, 4});
  const Value level = real({1, 8, 16, 16});
  const auto extract = [&](std::initializer_list<Value> inputs) {
    return onnx2ir::code_of([&] {
      builder.node(ops::ExperimentalDetectronROIFeatureExtractor, inputs,
                   {{"output_size", 7},
                    {"sampling_ratio", 2},
                    {"pyramid_scales", std::vector<std::int64_t>{4, 8}},
                    {"aligned", false}},
                   2);
    });
  };
  CHECK(extract({rois, level, level}) == std::nullopt);
  CHECK(extract({level, level, level}) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(extract({rois, level, rois}) == onnx2ir::DiagnosticCode::invalid_node);
}

TEST_CASE_METHOD(Fixture, "Slice to a dynamic end has bounds") {
  const Value end = pick(shape_of({-1, 2}), 0);
  const auto length = [&](std::int64_t size, std::int64_t start, std::int64_t step) {
    const Value data = builder.parameter(ElementType::f32, PartialShape{size});
    return builder
        .op(ops::Slice,
            {data, builder.integers({start}), end, builder.integers({step}), builder.integers({0})})
        .shape()[0];
  };
  // As OpenVINO 2026.4 infers them.
  CHECK(length(1, 1, 1) == Dimension(0));
  CHECK(length(5, 2, 1) == Dimension(0, 3));
  CHECK(length(5, 0, 2) == Dimension(0, 3));
  CHECK(length(5, 5, -1) == Dimension(0, 4));
  CHECK(length(5, -3, -1) == Dimension(0, 2));
  CHECK(length(-1, -3, 1) == Dimension(0, 3));
  CHECK(length(-1, 1, -1) == Dimension(0, 1));
  CHECK(length(-1, 1, 1) == Dimension());
}

TEST_CASE_METHOD(Fixture, "known elements pass through scatters and Pad of vectors") {
  const Value rows = pick(shape_of({-1, 2}), 0);
  const Value ones = builder.integers({1, 1, 7});
  const auto zero = [&] { return builder.integers({0}); };
  const Value data = builder.parameter(ElementType::f32, PartialShape{-1, 2, 3});
  const auto tiled = [&](Value repeats) { return builder.op(ops::Tile, {data, repeats}).shape(); };
  CHECK(tiled(builder.op(ops::ScatterElementsUpdate, {ones, zero(), rows, builder.integer(0)},
                         {{"reduction", "none"}, {"use_init_val", true}})) == PartialShape{-1, 2, 21});
  CHECK(tiled(builder.op(ops::ScatterElementsUpdate, {ones, zero(), rows, builder.integer(0)},
                         {{"reduction", "sum"}, {"use_init_val", true}})) == PartialShape{-1, -1, -1});
  CHECK(tiled(builder.op(ops::Pad, {rows, zero(), builder.integers({2}), builder.integer(4)},
                         {{"pad_mode", "constant"}})) == PartialShape{-1, 8, 12});
}

TEST_CASE_METHOD(Fixture, "Concat along the last axis interleaves known rows") {
  const Value axis = builder.integers({1});
  const Value ones = builder.op(ops::Unsqueeze, {builder.integers({1, 1}), axis});
  const Value sizes = builder.op(ops::Unsqueeze, {shape_of({4, 6}), axis});
  const Value pairs = concat(builder, {ones, sizes}, 1);
  CHECK(exact_values(pairs) == Integers{1, 4, 1, 6});
}

TEST_CASE_METHOD(Fixture, "lengths of VariadicSplit count when all are known") {
  const Value data = builder.parameter(ElementType::f32, PartialShape{-1, 10});
  const Value axis = builder.integer(1);
  Node& known = builder.node(ops::VariadicSplit, {data, axis, builder.integers({4, -1})}, {}, 2);
  CHECK(known.output(0).shape == PartialShape{-1, 4});
  CHECK(known.output(1).shape == PartialShape{-1, 6});
  const Value lengths = concat(builder, {builder.integers({4}), pick(shape_of({-1}), 0)});
  Node& unknown = builder.node(ops::VariadicSplit, {data, axis, lengths}, {}, 2);
  CHECK(unknown.output(0).shape == PartialShape{-1, -1});
}

TEST_CASE_METHOD(Fixture, "NonZero of constants has a known size") {
  const Value values = builder.integers({0, 3, 5});
  CHECK(builder.op(ops::NonZero, {values}, {{"output_type", ElementType::i64}}).shape() ==
        PartialShape{1, 2});
}

TEST_CASE_METHOD(Fixture, "Eye with a batch has its sizes before those of the matrix") {
  const auto eye = [&](Value batch) {
    const std::vector<Value> inputs{builder.integer(3), builder.integer(4), builder.integer(0), batch};
    return builder.op(ops::Eye, inputs, {{"output_type", ElementType::f32}}).shape();
  };
  CHECK(eye(builder.integers({5, 6})) == PartialShape{5, 6, 3, 4});
  CHECK(eye(shape_of({-1, 2})) == PartialShape{-1, 2, 3, 4});
  CHECK_FALSE(eye(builder.parameter(ElementType::i64, {-1})).has_rank());
}

TEST_CASE_METHOD(Fixture, "NonZero finds at most all elements") {
  const auto count = [&](const PartialShape& shape) {
    const Value data = builder.parameter(ElementType::f32, shape);
    return builder.op(ops::NonZero, {data}, {{"output_type", ElementType::i64}}).shape()[1];
  };
  CHECK(count({Dimension(0, 3), 2}) == Dimension(0, 6));
  CHECK(count({Dimension(), 0}) == Dimension(0));
  CHECK(count({Dimension(), 2}) == Dimension());
}

TEST_CASE_METHOD(Fixture, "Pad reads each pad alone") {
  const Value ends = concat(builder, {builder.integers({0, 3}), pick(shape_of({-1}), 0)});
  const Value data = builder.parameter(ElementType::f32, PartialShape{-1, 16, 5});
  const Value zero = builder.number(0, ElementType::f32);
  const Value padded =
      builder.op(ops::Pad, {data, builder.integers({0, 1, 0}), ends, zero}, {{"pad_mode", "constant"}});
  CHECK(padded.shape() == PartialShape{-1, 20, -1});
}

TEST_CASE_METHOD(Fixture,
                 "the length of a slice that counts from both ends is bounded over all sizes of the axis") {
  const auto sliced = [&](Dimension size, std::int64_t start, std::int64_t stop, std::int64_t step) {
    const Value data = builder.parameter(ElementType::f32, PartialShape{size});
    const auto list = [&](std::int64_t value) { return builder.integers({value}); };
    return builder.op(ops::Slice, {data, list(start), list(stop), list(step), list(0)}).shape()[0];
  };
  CHECK(sliced(-1, -1, 2147483647, 1) == Dimension(0, 1));
  CHECK(sliced(Dimension(1, -1), -1, 2147483647, 1) == Dimension(0, 1));
  CHECK(sliced(Dimension(1, 100), -1, 2147483647, 1) == Dimension(1));
  CHECK(sliced(-1, -4, 3, 1) == Dimension(0, 3));
  CHECK(sliced(Dimension(5, 6), -4, 3, 1) == Dimension(1, 2));
  CHECK(sliced(-1, 2, -4, -1) == Dimension(0, 3));
  CHECK(sliced(-1, 1, 2147483647, 1) == Dimension(0, 2147483646));
}
