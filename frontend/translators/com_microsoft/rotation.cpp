#include "frontend/translators/com_microsoft/rotation.hpp"

#include <string>

#include "frontend/translators/com_microsoft/attention_parts.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/attention_steps.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

using Input = inputs::microsoft::RotaryEmbedding;

struct Halves {
  Value first;
  Value second;
};

/// The two elements of each pair of [B, N, S, r]; `half` is r / 2, i64 [1].
Halves split_pairs(NodeContext& node, Value heads, Value half, bool is_interleaved) {
  if (!is_interleaved) {
    // OpenVINO fuses this form of rotation into a RoPE.
    ir::Node& split =
        node.node(ops::VariadicSplit, {heads, node.integer(-1), concat(node, {half, half})}, {}, 2);
    return {{&split, 0}, {&split, 1}};
  }
  const Value paired =
      reshape_keeping(node, heads, concat(node, {node.integers({0, 0, 0}), half, node.integers({2})}));
  return {gather(node, paired, node.integer(0), 4), gather(node, paired, node.integer(1), 4)};
}

Value join_pairs(NodeContext& node, const Halves& halves, Value size, bool is_interleaved) {
  if (!is_interleaved) return concat(node, {halves.first, halves.second}, -1);
  const Value paired =
      concat(node, {unsqueeze(node, halves.first, {4}), unsqueeze(node, halves.second, {4})}, 4);
  return reshape_keeping(node, paired, concat(node, {node.integers({0, 0, 0}), size}));
}

/// [B, S, N * h] as [B, N, S, h]. Without num_heads, all `rotary` elements of a head are rotated.
Value split_input(NodeContext& node, Value input, Value rotary) {
  if (const std::int64_t count = node.integer_attribute("num_heads", 0); count > 0)
    return split_heads(node, input, count);
  if (node.flag_attribute("rotary_embedding_dim")) node.fail("attribute num_heads is missing");
  const Value shape = concat(node, {node.integers({0, 0, -1}), rotary});
  return transpose(node, reshape_keeping(node, input, shape), {0, 2, 1, 3});
}

/// The input as heads [B, N, S, h].
Value read_heads(NodeContext& node) {
  const Value input = node.input(Input::input);
  const std::int64_t rank = node.rank(input);
  const Value cosines = node.input(Input::cos_cache);
  if (rank != 3 && rank != 4) node.fail("the input must have three or four dimensions");
  if (node.rank(cosines) != 2) node.fail("cos_cache must be a matrix");
  if (rank == 4) return input;
  const Value half = dimension_of(node, cosines, 1);
  return split_input(node, input, node.op(ops::Add, {half, half}));
}

/// Converts heads to the form of the input.
Value restore_layout(NodeContext& node, Value heads) {
  return node.rank(node.input(Input::input)) == 4 ? heads : join_heads(node, heads);
}

/// MRotaryEmbedding: positions in time, height and width [3, B, S]; each pair of elements uses one of them.
Values multimodal_rotary_embedding(NodeContext& node) {
  const Value heads = read_heads(node);
  const auto sections = node.integer_list("mrope_section");
  if (sections.size() != 3) node.fail("mrope_section must have three values");
  if (node.input(Input::cos_cache).shape()[1].is_dynamic())
    node.fail("the size of the caches must be known when the model is converted");
  constexpr std::int64_t kMaxPairs = 1 << 16;
  const std::int64_t pairs = node.input(Input::cos_cache).shape()[1].size();
  if (pairs > kMaxPairs) node.fail("the caches have more than " + std::to_string(kMaxPairs) + " columns");
  for (const std::int64_t section : sections) {
    if (section < 0 || section > pairs) node.fail("mrope_section does not fit the caches");
  }
  const bool is_interleaved = node.flag_attribute("mrope_layout");
  const auto follows = [&](std::int64_t pair, std::size_t which) {
    const auto number = static_cast<std::int64_t>(which);
    if (is_interleaved) return pair % 3 == number && pair < 3 * sections[which];
    const std::int64_t first = which == 1 ? sections[0] : sections[0] + sections[1];
    return pair >= first && pair < first + sections[which];
  };
  const auto mix = [&](Value cache) {
    const auto at = [&](std::int64_t which) {
      return gather(node, cache, gather(node, node.input(Input::position_ids), node.integer(which)));
    };
    Value result = at(0);
    for (const std::size_t which : {1, 2}) {
      std::vector<double> chosen;
      for (std::int64_t pair = 0; pair < pairs; ++pair) chosen.push_back(follows(pair, which) ? 1 : 0);
      const Value mask = node.numbers(chosen, ElementType::boolean);
      result = node.op(ops::Select, {mask, at(static_cast<std::int64_t>(which)), result});
    }
    return unsqueeze(node, multiply_by(node, result, node.real_attribute("scale", 1)), {1});
  };
  const Rotation rotation{mix(node.input(Input::cos_cache)), mix(node.input(Input::sin_cache)),
                          node.flag_attribute("interleaved")};
  return {restore_layout(node, rotate_heads(node, heads, rotation))};
}

Values rotary_embedding(NodeContext& node) {
  const Value heads = read_heads(node);
  Value positions = node.input(Input::position_ids);
  if (node.rank(positions) == 1) {
    // A single number is the position of the first element.
    positions = unsqueeze(node, node.op(ops::Add, {positions, enumerate_along(node, heads, 2)}), {0});
  }
  Rotation rotation = gather_rotation(node, node.input(Input::cos_cache), node.input(Input::sin_cache),
                                      positions, node.flag_attribute("interleaved"));
  rotation.is_of_whole_heads = !node.flag_attribute("rotary_embedding_dim");
  return {restore_layout(node, rotate_heads(node, heads, rotation))};
}

}  // namespace

Rotation gather_rotation(NodeContext& node, Value cosines, Value sines, Value positions,
                         bool is_interleaved) {
  const auto at_positions = [&](Value cache) { return unsqueeze(node, gather(node, cache, positions), {1}); };
  return {at_positions(cosines), at_positions(sines), is_interleaved};
}

Value rotate_heads(NodeContext& node, Value heads, const Rotation& rotation) {
  const ir::Dimension pair_count = rotation.cosines.shape()[3];
  const ir::Dimension whole = heads.shape()[3];
  const bool is_known = pair_count.is_static() && whole.is_static();
  if (is_known && whole.size() / 2 < pair_count.size()) node.fail("the caches are larger than the heads");
  const Value half = dimension_of(node, rotation.cosines, 3);
  const Value size = node.op(ops::Add, {half, half});
  const bool is_partial = is_known ? whole.size() != 2 * pair_count.size() : !rotation.is_of_whole_heads;
  const Value turned = is_partial ? slice(node, heads, node.integers({0}), size, 3) : heads;
  const Halves pairs = split_pairs(node, turned, half, rotation.is_interleaved);
  const Value cosines = convert(node, rotation.cosines, heads.type());
  const Value sines = convert(node, rotation.sines, heads.type());
  const auto product = [&](Value a, Value b) { return node.op(ops::Multiply, {a, b}); };
  const Halves result{node.op(ops::Subtract, {product(pairs.first, cosines), product(pairs.second, sines)}),
                      node.op(ops::Add, {product(pairs.second, cosines), product(pairs.first, sines)})};
  const Value all = join_pairs(node, result, size, rotation.is_interleaved);
  if (!is_partial) return all;
  const Value joint = concat(node, {all, slice(node, heads, size, node.integers({kFarEnd}), 3)}, 3);
  return is_known || whole.is_dynamic() ? joint : reshape_keeping(node, joint, {0, 0, 0, whole.size()});
}

std::vector<TranslatorRow> microsoft_rotation_translators() {
  constexpr std::string_view kIgnored = "num_heads rotary_embedding_dim is_packed_batching=0";
  return {
      {"RotaryEmbedding", 1, rotary_embedding, {}, kIgnored},
      {"MRotaryEmbedding", 1, multimodal_rotary_embedding, {}, kIgnored},
  };
}

}  // namespace onnx2ir::frontend
