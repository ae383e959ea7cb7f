// Inference of arithmetic, comparison, reductions, products: types, shapes and known values as OpenVINO's.
#include "catch.hpp"
#include "failure_code.hpp"
#include "ir/builder.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/value_ranges.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;

namespace {

constexpr auto f32 = ElementType::f32;
constexpr auto i64 = ElementType::i64;
using Sizes = Integers;

PartialShape matmul_shape(PartialShape a, PartialShape b) {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(f32, std::move(a));
  const Value y = builder.parameter(f32, std::move(b));
  return builder.op(ops::MatMul, {x, y}, {{"transpose_a", false}, {"transpose_b", false}}).shape();
}

}  // namespace

TEST_CASE("interval arithmetic saturates instead of overflowing", "[value_ranges]") {
  const ValueRange unknown;
  CHECK(add(ValueRange{1, 2}, ValueRange{3, 5}) == ValueRange{4, 7});
  CHECK(add(unknown, ValueRange{1, 1}) == unknown);
  CHECK(add(ValueRange{0, unknown.max}, ValueRange{-1, -1}) == ValueRange{-1, unknown.max});
  CHECK(multiply(ValueRange{-2, 3}, ValueRange{4, 5}) == ValueRange{-10, 15});
  CHECK(multiply(ValueRange{0, unknown.max}, ValueRange{2, 2}) == ValueRange{0, unknown.max});
  CHECK(multiply(ValueRange::exactly(std::int64_t{1} << 62), ValueRange::exactly(4)).max == unknown.max);
  CHECK(divide_truncating(ValueRange{-7, -7}, ValueRange{2, 2}) == ValueRange{-3, -3});
  CHECK(divide_flooring(ValueRange{-7, -7}, ValueRange{2, 2}) == ValueRange{-4, -4});
  CHECK(divide_flooring(ValueRange{5, 5}, ValueRange{0, 0}) == unknown);
  CHECK(divide_truncating(ValueRange{unknown.min, unknown.min}, ValueRange{-1, -1}).max == unknown.max);
  CHECK(remainder_flooring(ValueRange{-7, -7}, ValueRange{3, 3}) == ValueRange{2, 2});
  CHECK(remainder_truncating(ValueRange{-7, -7}, ValueRange{3, 3}) == ValueRange{-1, -1});
  CHECK(remainder_flooring(ValueRange{-7, 9}, ValueRange{1, 5}) == ValueRange{0, 4});
  CHECK(remainder_truncating(ValueRange{-7, 9}, ValueRange{1, 5}) == ValueRange{-4, 4});
  CHECK(remainder_truncating(ValueRange{0, 3}, ValueRange{5, 5}) == ValueRange{0, 3});
  CHECK(remainder_flooring(ValueRange{0, 3}, ValueRange{0, 5}) == unknown);
  CHECK(negate(ValueRange{unknown.min, 3}) == ValueRange{-3, unknown.max});
  CHECK(less(ValueRange{0, 3}, ValueRange{3, 9}) == ValueRange{0, 1});
  CHECK(less(ValueRange{0, 2}, ValueRange{3, 9}) == ValueRange{1, 1});
  CHECK(fit(ValueRange{0, 300}, ElementType::u8) == unknown);
}

TEST_CASE("shape computations stay known", "[math_ops]") {
  Graph graph;
  Builder builder(graph);
  const Value a = builder.integers({7, -7, 12});
  const Value two = builder.integer(2);
  CHECK(exact_values(builder.op(ops::Divide, {a, two}, {{"m_pythondiv", false}})) == Sizes{3, -3, 6});
  CHECK(exact_values(builder.op(ops::Divide, {a, two})) == Sizes{3, -4, 6});
  const Value is_greater = builder.op(ops::Greater, {a, two});
  CHECK(exact_values(is_greater) == Sizes{1, 0, 1});
  CHECK(exact_values(builder.op(ops::Select, {is_greater, a, two})) == Sizes{7, 2, 12});
  CHECK(exact_values(builder.op(ops::Convert, {is_greater}, {{"destination_type", i64}})) == Sizes{1, 0, 1});
  const Value count = builder.op(ops::ReduceProd, {a, builder.integers({0})}, {{"keep_dims", false}});
  CHECK(exact_values(count) == Sizes{-588});
  const Value numbers = builder.op(ops::Convert, {a}, {{"destination_type", ElementType::f32}});
  const auto extremum = [&](Op op) {
    const Value found = builder.op(op, {numbers, builder.integers({0})}, {{"keep_dims", false}});
    return exact_values(builder.op(ops::Convert, {found}, {{"destination_type", i64}}));
  };
  CHECK(extremum(ops::ReduceMax) == Sizes{12});
  CHECK(extremum(ops::ReduceMin) == Sizes{-7});
  const Value range =
      builder.op(ops::Range, {builder.integer(1), builder.integer(8), two}, {{"output_type", i64}});
  CHECK(range.shape() == PartialShape{4});
  CHECK(exact_values(range) == Sizes{1, 3, 5, 7});
}

TEST_CASE("products of matrices", "[math_ops]") {
  CHECK(matmul_shape({2, 3}, {3, 4}) == PartialShape{2, 4});
  CHECK(matmul_shape({3}, {5, 3, 4}) == PartialShape{5, 4});
  CHECK(matmul_shape({5, 2, 3}, {3}) == PartialShape{5, 2});
  CHECK(matmul_shape({3}, {3}) == PartialShape::scalar());
  CHECK(matmul_shape({-1, 2, 3}, {5, 3, 4}) == PartialShape{5, 2, 4});
  CHECK(matmul_shape({1, -1, 2, 3}, {3, 4}) == PartialShape{1, -1, 2, 4});
  CHECK(onnx2ir::code_of([&] {
          return matmul_shape({2, 3}, {4, 5});
        }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] { return matmul_shape(PartialShape::scalar(), {3}); }) ==
        onnx2ir::DiagnosticCode::invalid_node);
}

TEST_CASE("Einsum binds labels and ellipses", "[math_ops]") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(f32, {2, -1, 4});
  const Value y = builder.parameter(f32, {-1, 4, 5});
  const auto shape = [&](std::string equation) {
    return builder.op(ops::Einsum, {x, y}, {{"equation", std::move(equation)}}).shape();
  };
  CHECK(shape("...ij,...jk->...ik") == PartialShape{2, -1, 5});
  CHECK(shape("bij,bjk->ik") == PartialShape{-1, 5});
  CHECK(shape("bij,bjk") == PartialShape{-1, 5});
  CHECK(shape("...ij,...jk") == PartialShape{2, -1, 5});
  CHECK(shape("bij, cjk -> kcb") == PartialShape{5, -1, 2});
  CHECK(onnx2ir::code_of([&] { return shape("ij,jk->ik"); }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] { return shape("bij,bjk->z"); }) == onnx2ir::DiagnosticCode::invalid_node);
}

TEST_CASE("reductions by unknown axes", "[math_ops]") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(f32, {2, 3, 4});
  const Value axes = builder.parameter(i64, {1});
  CHECK(builder.op(ops::ReduceSum, {x, axes}, {{"keep_dims", true}}).shape() == PartialShape::of_rank(3));
  CHECK(builder.op(ops::ReduceSum, {x, axes}, {{"keep_dims", false}}).shape() == PartialShape::of_rank(2));
  CHECK(builder.op(ops::ReduceMax, {x, builder.integers({-1, 0})}, {{"keep_dims", false}}).shape() ==
        PartialShape{3});
}
