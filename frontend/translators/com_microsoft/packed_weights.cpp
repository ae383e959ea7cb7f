// Products with weights packed into bytes.
#include "frontend/translators/com_microsoft/packed_weights.hpp"

#include <array>

#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 28;  // products of two and 8 bits stay in range

struct PackedBlocks {
  std::int64_t bits;
  std::int64_t inner;  ///< K
  std::int64_t rows;   ///< N
  std::int64_t block;
  std::int64_t count;  ///< in a row
};

/// The number of blocks (or bytes) of `size` elements that hold `count` elements, also one that is not full.
std::int64_t block_count(std::int64_t count, std::int64_t size) {
  return count / size + (count % size != 0 ? 1 : 0);
}

PackedBlocks blocks_of(NodeContext& node) {
  PackedBlocks blocks{node.integer_attribute("bits", 4), node.integer_attribute("K"),
                      node.integer_attribute("N"), node.integer_attribute("block_size"), 0};
  check_bits(node, blocks.bits);
  if (blocks.inner < 1 || blocks.rows < 1 || blocks.block < 16 || blocks.inner > kLargest ||
      blocks.rows > kLargest || blocks.block > kLargest)
    node.fail("K, N or block_size is out of range");
  blocks.count = block_count(blocks.inner, blocks.block);
  return blocks;
}

ElementType packed_type(std::int64_t bits) {
  return bits == 8 ? ElementType::u8 : bits == 4 ? ElementType::u4 : ElementType::u2;
}

/// The zero points [N, blocks, 1]: numbers, packed integers, or by default the middle of the range.
Value emit_zero_points(NodeContext& node, const PackedBlocks& blocks, ElementType type) {
  using Input = inputs::microsoft::MatMulNBits;
  const Value given = node.optional_input(Input::zero_points);
  if (!given)
    return convert(node, node.integer(std::int64_t{1} << (blocks.bits - 1), packed_type(blocks.bits)), type);
  const std::vector<std::int64_t> shape{blocks.rows, blocks.count};
  const Value zero = ir::is_floating(given.type())
                         ? convert(node, reshape_constant(node, given, shape), type)
                         : unpack_rows(node, Input::zero_points, blocks.bits, shape, type);
  return reshape_constant(node, zero, {blocks.rows, blocks.count, 1});
}

/// The first K columns of [N, blocks * block].
Value remove_padding(NodeContext& node, Value weights, const PackedBlocks& blocks) {
  if (blocks.count * blocks.block == blocks.inner) return weights;
  return slice(node, weights, 0, blocks.inner, 1);
}

/// The weights [N, K]: (numbers - zero points) * scales.
Value dequantize_weights(NodeContext& node, const PackedBlocks& blocks, ElementType type) {
  using Input = inputs::microsoft::MatMulNBits;
  const Value numbers = convert(
      node, unpack_input(node, Input::B, blocks.bits, {blocks.rows, blocks.count, blocks.block}), type);
  const Value zero = emit_zero_points(node, blocks, type);
  const Value scales =
      convert(node, reshape_constant(node, node.input(Input::scales), {blocks.rows, blocks.count, 1}), type);
  const std::vector<std::int64_t> matrix{blocks.rows, blocks.count * blocks.block};
  if (!node.has_input(Input::g_idx)) {
    const Value product = node.op(ops::Multiply, {node.op(ops::Subtract, {numbers, zero}), scales});
    return remove_padding(node, reshape(node, product, matrix), blocks);
  }
  // Gathers the block of each column.
  const auto of_columns = [&](Value parameter) {
    if (parameter.shape().is_scalar()) return parameter;
    const Value by_block = reshape_constant(node, parameter, {blocks.rows, blocks.count});
    return gather(node, by_block, slice(node, node.input(Input::g_idx), 0, blocks.inner, 0), 1);
  };
  const Value columns = remove_padding(node, reshape(node, numbers, matrix), blocks);
  return node.op(ops::Multiply, {node.op(ops::Subtract, {columns, of_columns(zero)}), of_columns(scales)});
}

/// MatMulNBits: A times the transpose of B [N, K], whose rows are packed in blocks with a scale and a zero
/// point each.
Values mat_mul_n_bits(NodeContext& node) {
  using Input = inputs::microsoft::MatMulNBits;
  if (node.flag_attribute("weight_prepacked"))
    node.fail("weights in the layout of one device (weight_prepacked) are not converted",
              "use the model from before it was prepared for that device");
  const Value a = node.input(Input::A);
  const Value weights = dequantize_weights(node, blocks_of(node), a.type());
  // Level 4 allows onnxruntime to round A to 8 bits, so OpenVINO may do so as well.
  const bool may_round = node.integer_attribute("accuracy_level", 0) == 4;
  const AttributeList rounded = {{"transpose_a", false}, {"transpose_b", true}, {"may_round_input", true}};
  const Value product =
      may_round ? node.op(ops::MatMul, {a, weights}, rounded) : mat_mul(node, a, weights, {.b = true});
  return {add_if_present(node, product, node.optional_input(Input::bias))};
}

// The values of the 16 4-bit codes in bitsandbytes.
constexpr std::array<double, 16> kFloat4{
    0.0,  0.00520833333F,  0.66666667F,  1.0,  0.33333333F,  0.5,  0.16666667F,  0.25,
    -0.0, -0.00520833333F, -0.66666667F, -1.0, -0.33333333F, -0.5, -0.16666667F, -0.25};
constexpr std::array<double, 16> kNormalFloat4{
    -1.0,       -0.6961928F, -0.52507305F, -0.3949175F, -0.28444138F, -0.18477343F, -0.091050036F, 0.0,
    0.0795803F, 0.1609302F,  0.2461123F,   0.33791524F, 0.44070983F,  0.562617F,    0.72295684F,   1.0};

/// The two numbers of each byte, the upper half first: [256, 2].
Value emit_numbers_of_bytes(NodeContext& node, const std::array<double, 16>& codes, ElementType type) {
  std::vector<double> pairs;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    pairs.push_back(codes[byte >> 4]);
    pairs.push_back(codes[byte & 15]);
  }
  return node.numbers(pairs, {256, 2}, type);
}

/// MatMulBnb4: A times B or its transpose; B [N, K] is stored as one row of blocks of 4-bit codes.
Values mat_mul_bnb_4(NodeContext& node) {
  using Input = inputs::microsoft::MatMulBnb4;
  const Value a = node.input(Input::A);
  const std::int64_t inner = node.integer_attribute("K");
  const std::int64_t rows = node.integer_attribute("N");
  const std::int64_t block = node.integer_attribute("block_size");
  if (inner < 1 || rows < 1 || block < 1 || inner > kLargest || rows > kLargest)
    node.fail("K, N or block_size is out of range");
  const std::int64_t count = inner * rows;
  const auto& codes = node.integer_attribute("quant_type") == 0 ? kFloat4 : kNormalFloat4;
  const Value bytes =
      convert(node, reshape_constant(node, node.input(Input::B), {(count + 1) / 2}), ElementType::i32);
  Value numbers =
      reshape(node, gather(node, emit_numbers_of_bytes(node, codes, a.type()), bytes), {(count + 1) / 2 * 2});
  if (count % 2 != 0) numbers = slice(node, numbers, 0, count, 0);
  const Value scales = convert(node, node.input(Input::absmax), a.type());
  Value weights;
  if (count % block == 0) {
    const Value blocks = reshape(node, numbers, {count / block, block});
    weights = node.op(ops::Multiply, {blocks, reshape(node, scales, {count / block, 1})});
  } else {
    const Value places = emit_range(node, node.integer(count));
    const Value own = divide(node, places, node.integer(block));
    weights = node.op(ops::Multiply, {numbers, gather(node, scales, own)});
  }
  weights = reshape(node, weights, {rows, inner});
  const bool is_transposed = node.flag_attribute("transB", true);
  return {mat_mul(node, a, weights, {.b = is_transposed})};
}

/// A tensor whose elements have a scale and a zero point for each block of an axis.
struct BlockedTensor {
  ir::Integers shape;
  ir::Integers parameters;  ///< the shape of scales and zero points
  std::int64_t bits;        ///< of an element
  std::size_t axis = 0;
  std::int64_t block = 0;
  std::int64_t count = 0;  ///< of blocks

  bool has_full_blocks() const { return shape[axis] % block == 0; }
  /// `sizes` with an axis of `size` after the one that has blocks, if all blocks are full.
  ir::Integers split(ir::Integers sizes, std::int64_t size) const {
    if (has_full_blocks()) sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, size);
    return sizes;
  }
  /// The shape with the axis divided into blocks, if all blocks are full.
  ir::Integers split_shape() const {
    ir::Integers sizes = shape;
    if (has_full_blocks()) sizes[axis] = count;
    return split(std::move(sizes), block);
  }
};

BlockedTensor read_blocked_tensor(NodeContext& node, Value data, Value scales) {
  const auto stored = data.shape().sizes();
  const auto parameters = scales.shape().sizes();
  if (!stored || !parameters || stored->empty() || stored->size() != parameters->size())
    node.fail("the shapes of data and scales must be known when the model is converted");
  const std::int64_t bits = data.type() == ElementType::u8 ? node.integer_attribute("bits", 4) : 8;
  check_bits(node, bits);
  BlockedTensor tensor{.shape = *stored, .parameters = *parameters, .bits = bits};
  ir::Integers& shape = tensor.shape;
  shape.back() = ir::checked_multiply(shape.back(), 8 / bits);
  const std::int64_t axis = node.axis(node.integer_attribute("quantize_axis", 1), std::ssize(shape));
  tensor.axis = static_cast<std::size_t>(axis);
  const std::int64_t size = shape[tensor.axis];
  tensor.block = node.integer_attribute("block_size", 128);
  if (tensor.block == 0) tensor.block = size;
  tensor.count = tensor.parameters[tensor.axis];
  if (tensor.block < 1 || tensor.count != block_count(size, tensor.block))
    node.fail("the quantised axis has " + std::to_string(size) + " elements, which are not " +
              std::to_string(tensor.count) + " blocks of " + std::to_string(tensor.block));
  return tensor;
}

/// Scales or zero points in a shape that broadcasts to the blocks: one for each block, or for each element if
/// the last block is not full. A single one broadcasts.
Value spread_parameter(NodeContext& node, const BlockedTensor& tensor, Value parameter) {
  if (tensor.has_full_blocks() || tensor.count == 1)
    return reshape_constant(node, parameter, tensor.split(tensor.parameters, 1).unchecked());
  const std::int64_t size = tensor.shape[tensor.axis];
  std::vector<std::int64_t> of_elements(ir::checked_count(size));
  for (std::int64_t i = 0; i < size; ++i) of_elements[static_cast<std::size_t>(i)] = i / tensor.block;
  return gather(node, parameter, node.integers(of_elements), static_cast<std::int64_t>(tensor.axis));
}

/// GatherBlockQuantized: rows of weights whose blocks have a scale and a zero point each.
Values gather_block_quantized(NodeContext& node) {
  using Input = inputs::microsoft::GatherBlockQuantized;
  const Value data = node.input(Input::data);
  const Value scales = node.input(Input::scales);
  const BlockedTensor tensor = read_blocked_tensor(node, data, scales);
  const ElementType type = scales.type();
  const auto numbers = [&](std::size_t index, const ir::Integers& sizes) {
    const Value value = node.input(index);
    if (value.type() == ElementType::u8)
      return unpack_rows(node, index, tensor.bits, sizes.unchecked(), type);
    return convert(node, value, type);
  };
  Value blocks = reshape_constant(node, numbers(Input::data, tensor.shape), tensor.split_shape().unchecked());
  if (node.has_input(Input::zero_points)) {
    const Value zero_points = numbers(Input::zero_points, tensor.parameters);
    blocks = node.op(ops::Subtract, {blocks, spread_parameter(node, tensor, zero_points)});
  } else if (data.type() == ElementType::u8) {
    const auto middle = static_cast<double>(std::int64_t{1} << (tensor.bits - 1));
    blocks = node.op(ops::Subtract, {blocks, node.number(middle, type)});
  }
  blocks = node.op(ops::Multiply, {blocks, spread_parameter(node, tensor, scales)});
  const std::int64_t from = node.axis(node.integer_attribute("gather_axis", 0), std::ssize(tensor.shape));
  const Value whole = reshape(node, blocks, tensor.shape.unchecked());
  return {gather(node, whole, node.input(Input::indices), from)};
}

/// The numbers in each byte, the lowest bits first; they are the elements of a new last axis.
Value unpack(NodeContext& node, Value bytes, std::int64_t bits) {
  if (bits == 8) return bytes;
  Value rest = unsqueeze(node, convert(node, bytes, ElementType::i32), {node.rank(bytes)});
  const Value step = node.integer(std::int64_t{1} << bits, ElementType::i32);
  Values numbers;
  for (std::int64_t first = 0; first < 8; first += bits) {
    const Value above = divide(node, rest, step);
    numbers.push_back(node.op(ops::Subtract, {rest, node.op(ops::Multiply, {above, step})}));
    rest = above;
  }
  return concat(node, numbers, node.rank(bytes));
}

}  // namespace

void check_bits(NodeContext& node, std::int64_t bits) {
  if (bits != 2 && bits != 4 && bits != 8) node.fail("only weights of 2, 4 and 8 bits are converted");
}

Value unpack_input(NodeContext& node, std::size_t index, std::int64_t bits,
                   const std::vector<std::int64_t>& shape) {
  const Value packed = node.input(index);
  const ir::ConstantData* data = packed.node->constant();
  if (packed.type() != ElementType::u8) node.fail("packed weights must be 8-bit integers");
  if (data == nullptr) return reshape(node, unpack(node, packed, bits), shape);
  const std::int64_t count = *PartialShape(shape).element_count();
  if (packed.shape().element_count() != count / 8 * bits + count % 8 * bits / 8)
    node.fail("the packed weights have the wrong size");
  return node.constant(packed_type(bits), shape, *data);
}

Value unpack_rows(NodeContext& node, std::size_t index, std::int64_t bits, std::vector<std::int64_t> shape,
                  ElementType type) {
  const std::int64_t requested = shape.back();
  const std::int64_t per_byte = 8 / bits;
  shape.back() = ir::checked_multiply(block_count(requested, per_byte), per_byte);
  const Value numbers = convert(node, unpack_input(node, index, bits, shape), type);
  if (shape.back() == requested) return numbers;
  const auto last = static_cast<std::int64_t>(shape.size()) - 1;
  return slice(node, numbers, 0, requested, last);
}

std::vector<TranslatorRow> microsoft_packed_weight_translators() {
  return {
      {"MatMulNBits", 1, mat_mul_n_bits},
      {"MatMulBnb4", 1, mat_mul_bnb_4, {}, "training_mode"},
      {"GatherBlockQuantized", 1, gather_block_quantized},
  };
}

}  // namespace onnx2ir::frontend
