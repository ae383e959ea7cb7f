// RotaryEmbedding since version 23. Its function body has Slices where OpenVINO expects one split, so that
// the rotation would not become a RoPE.
#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/com_microsoft/rotation.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/attention_steps.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Caches are [M, r / 2] with positions [B, S], otherwise [B, S, r / 2].
Operands rotary_embedding_23(NodeContext& node) {
  using Input = inputs::RotaryEmbedding;
  const Value input = node.input(Input::X);
  const std::int64_t rank = node.rank(input);
  const Value cosines = node.input(Input::cos_cache);
  const Value sines = node.input(Input::sin_cache);
  const std::int64_t cache_rank = node.has_input(Input::position_ids) ? 2 : 3;
  const ir::Dimension head = rank == 4 ? input.shape()[3] : ir::Dimension();
  const std::int64_t count = node.integer_attribute("num_heads", 0);
  if ((rank != 4 && (rank != 3 || count <= 0)) || node.rank(cosines) != cache_rank ||
      cosines.shape()[static_cast<std::size_t>(cache_rank) - 1].is_dynamic() ||
      sines.shape()[static_cast<std::size_t>(cache_rank) - 1].is_dynamic() ||
      (rank == 4 && head.is_dynamic())) {
    return translate_function_body(node, 23);
  }
  const bool is_interleaved = node.flag_attribute("interleaved");
  const Value heads = rank == 4 ? input : split_heads(node, input, count);
  Rotation rotation{cosines, sines, is_interleaved};
  if (node.has_input(Input::position_ids)) {
    rotation = gather_rotation(node, cosines, sines, node.input(Input::position_ids), is_interleaved);
  } else {
    rotation.cosines = unsqueeze(node, cosines, {1});
    rotation.sines = unsqueeze(node, sines, {1});
  }
  const Value result = rotate_heads(node, heads, rotation);
  return {Operand(rank == 4 ? result : join_heads(node, result))};
}

}  // namespace

std::vector<TranslatorRow> rotary_embedding_translators() {
  return {{"RotaryEmbedding", 23, rotary_embedding_23}};
}

}  // namespace onnx2ir::frontend
