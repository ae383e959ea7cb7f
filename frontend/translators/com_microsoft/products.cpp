// Products of matrices and convolutions of onnxruntime: with factors, activations and packed weights.
#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// FusedMatMul: alpha * A' * B'.
Values fused_mat_mul(NodeContext& node) {
  if (node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0) {
    node.fail("transBatchA and transBatchB are not converted");
  }
  const auto is_transposed = [&](std::string_view name, std::size_t input) {
    return node.integer(name, 0) != 0 && node.rank(node.input(input)) > 1;
  };
  const Value product =
      node.op("MatMul", {node.input(0), node.input(1)},
              {{"transpose_a", is_transposed("transA", 0)}, {"transpose_b", is_transposed("transB", 1)}});
  const double alpha = node.real("alpha", 1);
  return {alpha == 1 ? product : node.op("Multiply", {product, node.number_like(alpha, product)})};
}

/// The activation of a fused operator, with its parameters in `activation_params`.
Value activated(NodeContext& node, Value x) {
  const std::string name = node.text("activation", "");
  const auto parameters = node.real_list("activation_params");
  const auto number = [&](std::size_t index, double absent) {
    return node.number_like(index < parameters.size() ? parameters[index] : absent, x);
  };
  if (name.empty()) return x;
  if (name == "Relu") return node.op("ReLU", {x});
  if (name == "Sigmoid" || name == "Tanh") return node.op(name, {x});
  if (name == "LeakyRelu") {
    return node.op("PReLU", {x, unsqueeze(node, number(0, 0.01F), {0})});
  }
  if (name == "HardSigmoid") return node.op("HardSigmoid", {x, number(0, 0.2F), number(1, 0.5)});
  if (name == "Clip" && parameters.size() == 2) {
    return node.op("Clamp", {x}, {{"min", parameters[0]}, {"max", parameters[1]}});
  }
  node.fail("activation '" + name + "' is not converted");
}

/// FusedConv: a convolution, an optional sum, an activation.
Values fused_conv(NodeContext& node) {
  Operands inputs{node.operand(0), node.operand(1), node.operand(2)};
  Value result = translate_as(node, "Conv", 11, inputs).front();
  if (const Value sum = node.optional_input(3)) result = node.op("Add", {result, sum});
  return {activated(node, result)};
}

/// The bytes of the constant input `index` as numbers of `bits` bits in `shape`.
Value packed_input(NodeContext& node, std::size_t index, std::int64_t bits,
                   const std::vector<std::int64_t>& shape) {
  const Value packed = node.input(index);
  const ir::ConstantData* data = packed.node->constant();
  if (data == nullptr || packed.type() != ElementType::u8)
    node.fail("packed weights must be constants of 8-bit integers");
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  if (packed.shape().element_count() != count * bits / 8) node.fail("the packed weights have the wrong size");
  const ElementType type = bits == 8 ? ElementType::u8 : bits == 4 ? ElementType::u4 : ElementType::u2;
  return node.constant(type, shape, *data);
}

/// MatMulNBits: A times the transpose of B [N, K], whose rows are packed in blocks with a scale and a zero
/// point each.
Values mat_mul_n_bits(NodeContext& node) {
  const Value a = node.input(0);
  const std::int64_t inner = node.integer("K");
  const std::int64_t rows = node.integer("N");
  const std::int64_t bits = node.integer("bits", 4);
  const std::int64_t block = node.integer("block_size");
  constexpr std::int64_t kLargest = std::int64_t{1} << 28;  // products of two and 8 bits stay in range
  if (bits != 2 && bits != 4 && bits != 8) node.fail("only weights of 2, 4 and 8 bits are converted");
  if (inner < 1 || rows < 1 || block < 16 || inner > kLargest || rows > kLargest || block > kLargest) {
    node.fail("K, N or block_size is out of range");
  }
  if (node.has_input(4)) node.fail("weights in groups of any order (g_idx) are not converted");
  const std::int64_t blocks = (inner + block - 1) / block;
  const ElementType type = a.type();
  const auto by_block = [&](Value value) {
    return convert(node, reshape_constant(node, value, {rows, blocks, 1}), type);
  };
  Value zero;
  if (const Value given = node.optional_input(3); given && ir::is_floating(given.type())) {
    zero = by_block(given);
  } else if (given) {
    // Each row begins with a new byte.
    const std::int64_t per_byte = 8 / bits;
    const std::int64_t padded = (blocks + per_byte - 1) / per_byte * per_byte;
    zero = convert(node, packed_input(node, 3, bits, {rows, padded, 1}), type);
    if (padded != blocks) zero = slice(node, zero, node.integers({0}), node.integers({blocks}), 1);
  } else {
    zero = node.number(static_cast<double>(std::int64_t{1} << (bits - 1)), type);
  }
  Value weights = convert(node, packed_input(node, 1, bits, {rows, blocks, block}), type);
  weights = node.op("Multiply", {node.op("Subtract", {weights, zero}), by_block(node.input(2))});
  weights = reshape(node, weights, {rows, blocks * block});
  if (blocks * block != inner) weights = slice(node, weights, node.integers({0}), node.integers({inner}), 1);
  const Value product = node.op("MatMul", {a, weights}, {{"transpose_a", false}, {"transpose_b", true}});
  const Value bias = node.optional_input(5);
  return {bias ? node.op("Add", {product, bias}) : product};
}

}  // namespace

std::vector<TranslatorRow> microsoft_product_translators() {
  return {
      {"FusedMatMul", 1, fused_mat_mul, "transposed batches", kMicrosoft},
      {"FusedConv", 1, fused_conv, {}, kMicrosoft},
      {"MatMulNBits", 1, mat_mul_n_bits, "weights that are no constants, groups in any order", kMicrosoft},
  };
}

}  // namespace onnx2ir::frontend
