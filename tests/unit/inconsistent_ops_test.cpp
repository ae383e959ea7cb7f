// Inference of operations whose attributes, inputs and sizes contradict each other, as in damaged IR: each is
// an error of the model, not an internal one.
#include <limits>

#include "catch.hpp"
#include "failure_code.hpp"
#include "ir/builder.hpp"
#include "ir/control_flow.hpp"
#include "ir/op_descriptor.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;

namespace {

using List = std::vector<std::int64_t>;
constexpr auto f32 = ElementType::f32;
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

struct Fixture {
  Graph graph;
  Builder builder{graph};

  Value input(PartialShape shape) { return builder.parameter(f32, std::move(shape)); }
  Value integers_of_shape(PartialShape shape) {
    return builder.parameter(ElementType::i64, std::move(shape));
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "windows need a stride, pad and dilation for each spatial axis", "[inconsistent]") {
  const Value image = input({1, 3, 8, 8});
  const Value filter = input({3, 3, 2, 2});
  const auto convolve = [&](Op op, const List& dilations, const List& more) {
    std::vector<Attribute> attributes{{"strides", List{1, 1}},
                                      {"pads_begin", List{0, 0}},
                                      {"pads_end", List{0, 0}},
                                      {"dilations", dilations},
                                      {"auto_pad", "explicit"}};
    if (op == ops::ConvolutionBackpropData) attributes.push_back({"output_padding", more});
    return builder.node(op, std::vector{image, filter}, attributes).output(0).shape;
  };
  CHECK(convolve(ops::Convolution, {1, 1}, {}) == PartialShape{1, 3, 7, 7});
  CHECK(convolve(ops::ConvolutionBackpropData, {1, 1}, {0, 0}) == PartialShape{1, 3, 9, 9});
  CHECK(onnx2ir::code_of([&] { return convolve(ops::Convolution, {1}, {}); }) ==
        onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] { return convolve(ops::Convolution, {}, {}); }) ==
        onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] {
          return convolve(ops::Convolution, {1, 0}, {});
        }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] {
          return convolve(ops::ConvolutionBackpropData, {1}, {0, 0});
        }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] {
          return convolve(ops::ConvolutionBackpropData, {1, 1}, {0});
        }) == onnx2ir::DiagnosticCode::invalid_node);
  const auto pool = [&](const List& dilations, const List& kernel = {2, 2}) {
    return builder
        .node(ops::MaxPool, {image},
              {{"strides", List{1, 1}},
               {"dilations", dilations},
               {"pads_begin", List{0, 0}},
               {"pads_end", List{0, 0}},
               {"kernel", kernel},
               {"rounding_type", "floor"},
               {"auto_pad", "explicit"},
               {"index_element_type", ElementType::i64},
               {"axis", 0}})
        .output(0)
        .shape;
  };
  CHECK(pool({1, 1}) == PartialShape{1, 3, 7, 7});
  CHECK(onnx2ir::code_of([&] { return pool({1}); }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] { return pool({1, 1}, {2, -2}); }) == onnx2ir::DiagnosticCode::invalid_node);
}

TEST_CASE_METHOD(Fixture, "an interval that holds no multiple of the divisor is no size", "[inconsistent]") {
  const Value data = input({1, Dimension(7, 8), 2, Dimension(7, 8)});
  CHECK(onnx2ir::code_of([&] {
          return builder.op(ops::SpaceToDepth, {data}, {{"mode", "blocks_first"}, {"block_size", 5}});
        }) == onnx2ir::DiagnosticCode::invalid_node);
  const Value list = input({Dimension(7, 8)});
  CHECK(onnx2ir::code_of([&] {
          return builder.op(ops::Reshape, {list, builder.integers({5, -1})}, {{"special_zero", false}});
        }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(builder.op(ops::Reshape, {list, builder.integers({4, -1})}, {{"special_zero", false}}).shape() ==
        PartialShape{4, 2});
}

TEST_CASE_METHOD(Fixture, "batch dimensions of Gather are axes of its inputs", "[inconsistent]") {
  const Value data = input({2, 3});
  const Value indices = integers_of_shape({2});
  const Value axis = integers_of_shape({});
  const auto gather = [&](std::int64_t batch) {
    return builder.op(ops::Gather, {data, indices, axis}, {{"batch_dims", batch}}).shape();
  };
  CHECK(gather(1) == PartialShape{-1});
  CHECK_THROWS_WITH(gather(2), contains("batch_dims"));
  CHECK_THROWS_WITH(gather(kHuge), contains("batch_dims"));
  // The rank of one input is enough.
  const Value unknown = input(PartialShape::unknown_rank());
  const auto fails = [&](Op op, Value from, Value at, std::int64_t batch) {
    std::vector<Value> inputs = {from, at};
    if (op == ops::Gather) inputs.push_back(axis);
    CHECK_THROWS_WITH(builder.op(op, inputs, {{"batch_dims", batch}}), contains("batch_dims"));
  };
  const Value unknown_indices = integers_of_shape(PartialShape::unknown_rank());
  fails(ops::Gather, unknown, indices, 2);
  fails(ops::Gather, data, unknown_indices, 2);
  fails(ops::GatherND, unknown, indices, 1);
  fails(ops::GatherND, data, unknown_indices, 2);
  fails(ops::GatherND, unknown, unknown_indices, -1);
  CHECK_THROWS_WITH(
      builder.op(ops::GatherND, {data, integers_of_shape(PartialShape::scalar())}, {{"batch_dims", 0}}),
      contains("scalar"));
}

TEST_CASE_METHOD(Fixture, "Split has as many outputs as parts", "[inconsistent]") {
  const auto split = [&](PartialShape shape, std::int64_t parts) {
    builder.node(ops::Split, {input(std::move(shape)), builder.integer(0)}, {{"num_splits", parts}}, 2);
  };
  split({4}, 2);
  split({-1}, 2);
  CHECK(onnx2ir::code_of([&] { return split({4}, 4); }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] { return split({-1}, 0); }) == onnx2ir::DiagnosticCode::invalid_node);
}

TEST_CASE_METHOD(Fixture, "Unique takes one integer as axis", "[inconsistent]") {
  const auto unique = [&](const Value& axis) {
    return builder
        .node(ops::Unique, {input({3, 2}), axis},
              {{"sorted", false},
               {"index_element_type", ElementType::i64},
               {"count_element_type", ElementType::i64}})
        .output(0)
        .shape;
  };
  CHECK(unique(builder.integer(1)) == PartialShape{3, Dimension(1, 2)});
  CHECK(onnx2ir::code_of([&] { return unique(builder.integers({})); }) ==
        onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] {
          return unique(builder.integers({0, 1}));
        }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] { return unique(builder.number(1, ElementType::f16)); }) ==
        onnx2ir::DiagnosticCode::invalid_node);
}

TEST_CASE_METHOD(Fixture, "frames of STFT have one size", "[inconsistent]") {
  const auto transform = [&](const Value& size, const Value& step) {
    return builder.op(ops::STFT, {input({1, 16}), input({4}), size, step}, {{"transpose_frames", false}})
        .shape();
  };
  CHECK(transform(builder.integer(4), builder.integer(4)) == PartialShape{1, 4, 3, 2});
  CHECK(onnx2ir::code_of([&] { return transform(builder.integers({}), builder.integer(4)); }) ==
        onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] { return transform(builder.integer(4), builder.integers({})); }) ==
        onnx2ir::DiagnosticCode::invalid_node);
}

TEST_CASE_METHOD(Fixture, "DetectionOutput needs a number of kept boxes, and sizes that fit 64 bits",
                 "[inconsistent]") {
  const auto detect = [&](PartialShape boxes, PartialShape scores, PartialShape priors, const List& kept) {
    return builder
        .node(ops::DetectionOutput,
              std::vector{input(std::move(boxes)), input(std::move(scores)), input(std::move(priors))},
              std::vector<Attribute>{{"background_label_id", 0},
                                     {"top_k", -1},
                                     {"variance_encoded_in_target", true},
                                     {"keep_top_k", kept},
                                     {"code_type", "caffe.PriorBoxParameter.CORNER"},
                                     {"share_location", false},
                                     {"nms_threshold", 0.5},
                                     {"confidence_threshold", 0.5},
                                     {"clip_after_nms", false},
                                     {"clip_before_nms", false},
                                     {"decrease_label_id", false},
                                     {"normalized", true},
                                     {"input_height", 1},
                                     {"input_width", 1},
                                     {"objectness_score", 0.0}})
        .output(0)
        .shape;
  };
  CHECK(detect({2, 24}, {2, 6}, {1, 1, 12}, {5}) == PartialShape{1, 1, 10, 7});
  CHECK(onnx2ir::code_of([&] {
          return detect({2, 24}, {2, 6}, {1, 1, 12}, {});
        }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] {
          return detect({2, -1}, {2, kHuge}, {1, 1, 4}, {5});
        }) == onnx2ir::DiagnosticCode::invalid_node);
}

TEST_CASE_METHOD(Fixture, "a huge number of strings has no known number of bytes", "[inconsistent]") {
  Node& strings = graph.add(find_op(ops::Const), {}, 1);
  strings.output(0).type = ElementType::string;
  strings.output(0).shape = PartialShape{std::int64_t{1} << 62};
  strings.set_payload(ConstantData(std::vector<std::byte>(8)));
  CHECK(builder.node(ops::StringTensorUnpack, {strings.value()}).output(2).shape == PartialShape{-1});
}

TEST_CASE_METHOD(Fixture, "inputs have the types that the operation takes", "[inconsistent]") {
  const Value data = input({2, 3});
  const Value sizes = integers_of_shape({1});
  const auto code = [&](Op op, const std::vector<Value>& inputs, const std::vector<Attribute>& attributes) {
    return onnx2ir::code_of([&] { return builder.node(op, inputs, attributes).output(0).shape; });
  };
  const auto invalid = onnx2ir::DiagnosticCode::invalid_node;
  CHECK(code(ops::GatherElements, {data, data}, {{"axis", 0}}) == invalid);
  CHECK(code(ops::Reshape, {data, input({1})}, {{"special_zero", false}}) == invalid);
  const Value one = builder.integer(1);
  CHECK(code(ops::RandomUniform, {sizes, one, one},
             {{"output_type", f32}, {"global_seed", 0}, {"op_seed", 0}, {"alignment", "tensorflow"}}) ==
        invalid);
  const Value pads = integers_of_shape({2});
  CHECK(code(ops::Pad, {data, pads, pads, one}, {{"pad_mode", "constant"}}) == invalid);
  CHECK(code(ops::Broadcast, {data, sizes}, {{"mode", "numpy"}}) == invalid);
  CHECK(code(ops::Einsum, {data}, {{"equation", "ii->i"}}) == invalid);
  CHECK(code(ops::NonZero, {data}, {{"output_type", f32}}) == invalid);
  CHECK(code(ops::SoftMax, {builder.boolean(true)}, {{"axis", 0}}) == invalid);
}
