// Matrix and tensor products, and determinants.
#include <cmath>
#include <functional>
#include <map>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/einsum_equation.hpp"

namespace onnx2ir::frontend {
namespace {

/// MatMul 1, 9, 13: as in numpy; from 9 on also integers.
Values mat_mul_1(NodeContext& node) {
  return {mat_mul(node, node.input(0), node.input(1))};
}

/// Gemm 1, 6, 7, 9, 11, 13: alpha * A' * B' + beta * C. C is broadcast to the product, before 7 only with
/// attribute `broadcast`, which changes nothing for shapes that fit; from 11 on it is optional.
Values gemm_1(NodeContext& node) {
  using Input = inputs::Gemm;
  const double alpha = node.real_attribute("alpha", 1);
  const double beta = node.real_attribute("beta", 1);
  const ElementType type = node.input(Input::A).type();
  const bool factors_are_whole = std::trunc(alpha) == alpha && std::trunc(beta) == beta;
  const ElementType computed = ir::is_floating(type) || factors_are_whole ? type : ElementType::f32;
  const Value a = convert(node, node.input(Input::A), computed);
  const Value b = convert(node, node.input(Input::B), computed);
  const Value product =
      mat_mul(node, a, b, {.a = node.flag_attribute("transA"), .b = node.flag_attribute("transB")});
  Value result = multiply_by(node, product, alpha);
  if (const Value c = node.optional_input(Input::C)) {
    result = node.op(ops::Add, {result, multiply_by(node, convert(node, c, computed), beta)});
  }
  return {convert(node, result, type)};
}

/// A scale or zero point of the left matrix or of the product, f32: a vector has one element per row.
Value reshape_to_rows(NodeContext& node, Value parameter) {
  const Value numbers = convert(node, parameter, ElementType::f32);
  const bool is_vector = node.rank(numbers) == 1 && numbers.shape()[0] != ir::Dimension(1);
  return is_vector ? add_unit_dimensions(node, numbers, 0, 1) : numbers;
}

/// The left matrix, input 0, minus its zero point, which may be absent.
Value centre_rows(NodeContext& node, std::size_t zero_point) {
  const Value a = convert(node, node.input(0), ElementType::f32);
  const Value zero = node.optional_input(zero_point);
  return zero ? subtract_zero_point(node, a, reshape_to_rows(node, zero)) : a;
}

/// OpenVINO adds in f32 in any case.
Values mat_mul_integer_10(NodeContext& node) {
  using Input = inputs::MatMulInteger;
  const Value a = centre_rows(node, Input::a_zero_point);
  const Value b = subtract_zero_point(node, node.input(Input::B), node.optional_input(Input::b_zero_point));
  return {convert(node, mat_mul(node, a, b), ElementType::i32)};
}

/// QLinearMatMul on the numbers that the integers represent.
Values fast_q_linear_mat_mul(NodeContext& node) {
  using Input = inputs::QLinearMatMul;
  // A vector of scales has one per row of the left matrix and of the result, or one per column of the right
  // one.
  const auto rows = [&](Value matrix, std::size_t scale, std::size_t zero_point) {
    const std::int64_t rank = node.rank(matrix);
    return read_grid(node, scale, zero_point, std::max<std::int64_t>(rank - 2, 0), rank);
  };
  const Value left = node.input(Input::a);
  const Value a = dequantize(node, left, rows(left, Input::a_scale, Input::a_zero_point));
  const std::int64_t rank_of_b = node.rank(node.input(Input::b));
  const Value b = dequantize(node, node.input(Input::b),
                             read_grid(node, Input::b_scale, Input::b_zero_point, rank_of_b - 1, rank_of_b));
  const Value product = mat_mul(node, a, b);
  return {quantize(node, product, rows(product, Input::y_scale, Input::y_zero_point),
                   node.input(Input::y_zero_point).type())};
}

/// QLinearMatMul 10, 21: saturate(round(a_scale * b_scale / y_scale * product) + y_zero_point).
Values q_linear_mat_mul_10(NodeContext& node) {
  using Input = inputs::QLinearMatMul;
  const ElementType type = node.input(Input::y_zero_point).type();
  if (type != ElementType::i8 && type != ElementType::u8) {
    node.fail("only 8-bit integers are converted, not " + std::string(ir::info(type).name));
  }
  if (has_integer_kernels(node, {Input::a_scale, Input::a_zero_point, Input::b_scale, Input::b_zero_point,
                                 Input::y_scale, Input::y_zero_point}))
    return fast_q_linear_mat_mul(node);
  const Value a = centre_rows(node, Input::a_zero_point);
  const Value b = subtract_zero_point(node, node.input(Input::b), node.input(Input::b_zero_point));
  const Value product = mat_mul(node, a, b);
  const Value scaled_a = node.op(ops::Multiply, {product, reshape_to_rows(node, node.input(Input::a_scale))});
  const Value scale_of_b = convert(node, node.input(Input::b_scale), ElementType::f32);
  const Value scaled_b = node.op(ops::Multiply, {scaled_a, scale_of_b});
  const Value divided = node.op(ops::Divide, {scaled_b, reshape_to_rows(node, node.input(Input::y_scale))});
  const Value rounded = round_to_even(node, divided);
  return {saturate(node, node.op(ops::Add, {rounded, reshape_to_rows(node, node.input(Input::y_zero_point))}),
                   type)};
}

/// Einsum 12. OpenVINO requires an explicit output if a label is repeated, as in "ii->".
Values einsum_12(NodeContext& node) {
  const Values inputs = node.inputs();
  if (inputs.empty()) node.fail("it has no inputs");
  const std::string equation = ir::to_string(ir::parse_einsum(node.text_attribute("equation")));
  return {node.op(ops::Einsum, inputs, {{"equation", equation}})};
}

/// Expands along the first row and computes every minor once: 2^size products, for small matrices.
Value expand_determinant(NodeContext& node, Value matrices, std::int64_t size) {
  const std::int64_t axis = node.rank(matrices) - 2;
  std::vector<Values> elements;
  for (std::int64_t row = 0; row < size; ++row) {
    const Value of_row = gather(node, matrices, node.integer(row), axis);
    Values& columns = elements.emplace_back();
    for (std::int64_t i = 0; i < size; ++i) columns.push_back(gather(node, of_row, node.integer(i), axis));
  }
  std::map<std::vector<std::int64_t>, Value> minors;
  // The determinant of the last rows with these columns; their numbers are equal.
  const std::function<Value(const std::vector<std::int64_t>&)> minor = [&](const auto& columns) {
    const Values& row = elements[elements.size() - columns.size()];
    const auto at = [&](std::size_t i) { return row[static_cast<std::size_t>(columns[i])]; };
    if (columns.size() == 1) return at(0);
    Value& sum = minors[columns];
    if (sum) return sum;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::vector<std::int64_t> others = columns;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const Value term = node.op(ops::Multiply, {at(i), minor(others)});
      sum = !sum ? term : node.op(i % 2 == 0 ? ops::Add : ops::Subtract, {sum, term});
    }
    return sum;
  };
  return minor(numbers_between(0, size));
}

/// One step of Gaussian elimination on matrices [B, n, n] with partial pivoting, and of their determinants so
/// far [B]: swaps the row with the largest number in column `step` to row `step`, and eliminates the column
/// in the rows below.
Iteration eliminate(Builder& body, Value step, Value matrices, Value determinants) {
  const auto op = [&](ir::Op id, std::initializer_list<Value> inputs) { return body.op(id, inputs); };
  const auto number = [&](double value) { return body.number_like(value, matrices); };
  const Value size = size_of(body, matrices, 1);
  const Value rows = emit_range(body, size);
  const Value column = gather(body, matrices, step, 2);
  const Value candidates =
      op(ops::Select, {op(ops::GreaterEqual, {rows, step}), op(ops::Abs, {column}), number(-1)});
  const Value pivot_row =  // [B, 1]
      top_k(body, candidates, body.integer(1), 1, "max", ElementType::i64, "none").value(1);
  const Value upper = gather_in_rows(body, matrices, pivot_row, 1);
  const Value other = gather(body, matrices, unsqueeze(body, step, {0}), 1);
  const auto where = [&](Value place) { return unsqueeze(body, op(ops::Equal, {rows, place}), {2}); };
  Value next = op(ops::Select, {where(pivot_row), other, matrices});
  next = op(ops::Select, {where(unsqueeze(body, step, {0, 1})), upper, next});
  const Value pivot = gather(body, upper, step, 2);  // [B, 1]
  const Value moved = op(ops::NotEqual, {pivot_row, step});
  const Value factor = op(ops::Select, {moved, op(ops::Multiply, {pivot, number(-1)}), pivot});
  // For a singular matrix there is nothing to eliminate.
  const Value divisor = op(ops::Select, {op(ops::Equal, {pivot, number(0)}), number(1), pivot});
  const Value below = op(ops::Greater, {rows, step});
  const Value ratios = divide(body, gather(body, next, step, 2), divisor);
  const Value multiples = unsqueeze(body, op(ops::Select, {below, ratios, number(0)}), {2});
  next = op(ops::Subtract, {next, op(ops::Multiply, {multiples, upper})});
  const Value product = op(ops::Multiply, {determinants, squeeze(body, factor, {1})});
  return {.states = {reshape(body, next, shape_of(body, matrices)),
                     reshape(body, product, shape_of(body, determinants))},
          .rows = {}};
}

/// By elimination, for matrices of any size.
Value compute_determinant(NodeContext& node, Value x) {
  const std::int64_t rank = node.rank(x);
  const Value size = dimension_of(node, x, rank - 1);
  const Values shape = dimensions_of(node, x, 0, rank - 2);
  // Reshape cannot compute the number of matrices if they are empty.
  Value batch = node.integers({1});
  if (!shape.empty()) batch = reduce_keep_dims(node, ops::ReduceProd, concat(node, shape), {0});
  const Value matrices = reshape(node, x, concat(node, {batch, size, size}));
  const Value ones = fill(node, 1, x.type(), batch);
  const Value count = reshape_to_scalar(node, size);
  const LoopOutputs result = iterate(node, count, {matrices, ones}, {},
                                     [](Builder& body, Value step, const Values& states, const Values&) {
                                       return eliminate(body, step, states[0], states[1]);
                                     });
  return shape.empty() ? reshape_to_scalar(node, result.states[1])
                       : reshape(node, result.states[1], concat(node, shape));
}

/// Det 11, 22. OpenVINO has no such operation: small matrices are expanded, others use elimination.
Values det_11(NodeContext& node) {
  constexpr std::int64_t kLargestExpanded = 5;
  const Value x = node.input(0);
  const std::int64_t rank = node.rank(x);
  if (rank < 2) node.fail("the input has no matrices");
  const ir::Dimension rows = x.shape()[static_cast<std::size_t>(rank - 2)];
  const ir::Dimension columns = x.shape()[static_cast<std::size_t>(rank - 1)];
  const auto size = intersect(rows, columns);
  if (!size) node.fail("the matrices are not square");
  // The determinant of an empty matrix is the empty product, 1.
  if (x.shape().element_count() == 0) return {reduce(node, ops::ReduceProd, x, {rank - 2, rank - 1})};
  if (size->is_dynamic() || size->size() < 1 || size->size() > kLargestExpanded) {
    return {compute_determinant(node, x)};
  }
  return {expand_determinant(node, x, size->size())};
}

}  // namespace

std::vector<TranslatorRow> matrix_translators() {
  return {
      {"MatMul", 1, mat_mul_1},
      {"Gemm", 1, gemm_1},
      {"MatMulInteger", 10, mat_mul_integer_10},
      {"QLinearMatMul", 10, q_linear_mat_mul_10, "8-bit integers only"},
      {"Einsum", 12, einsum_12},
      {"Det", 11, det_11},
  };
}

}  // namespace onnx2ir::frontend
