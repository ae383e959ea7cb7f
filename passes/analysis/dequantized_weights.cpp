#include "passes/analysis/dequantized_weights.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "ir/views/elementwise.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/quantization.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/analysis/operation_groups.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::string_view kRoundingGroups = "DYNAMIC_QUANTIZATION_GROUP_SIZE";

constexpr unsigned kMaxBits = 8;

/// Whether `value` is a constant of integers of few bits.
bool is_weights(ir::Value value) {
  const ir::ElementType type = value.type();
  return value.node->constant() != nullptr && ir::is_integral(type) && type != ir::ElementType::boolean &&
         ir::info(type).bits <= kMaxBits;
}

/// False if no value of the graph has a type of weights. Tested first, because all products and sums are
/// examined.
bool may_hold_weights(const ir::Graph& graph) {
  using enum ir::ElementType;
  constexpr ir::ElementType kTypes[] = {i4, i8, u1, u2, u3, u4, u6, u8};
  return std::ranges::any_of(kTypes, [&](ir::ElementType type) { return graph.may_hold(type); });
}

bool converts_weights(const ir::Node& node) {
  const auto numbers = converted_integers(node);
  return numbers && is_weights(numbers->integers);
}

/// The weights that a Multiply computes, without the Multiply.
std::optional<DequantizedWeights> weights_from(ir::MultiplyView multiply) {
  for (const auto& [widened, scale] :
       {std::pair(multiply.a(), multiply.b()), std::pair(multiply.b(), multiply.a())}) {
    if (!ir::is_computed_from_constants(scale) || !converts_weights(*widened.node)) continue;
    const auto numbers = converted_integers(widened);
    return DequantizedWeights{nullptr, widened, numbers->integers, numbers->zero_point, scale};
  }
  return std::nullopt;
}

/// Whether a Transpose exchanges the last two axes and nothing else.
bool exchanges_last_axes(const ir::Node& transpose) {
  auto order = ir::exact_order(transpose);
  if (!order || order->size() < 2) return false;
  std::swap((*order)[order->size() - 1], (*order)[order->size() - 2]);
  return std::ranges::is_sorted(*order);
}

}  // namespace

ir::Node* source_constant(ir::Value value) {
  const auto convert = ir::match<ir::ConvertView>(value);
  ir::Node* const node = convert ? convert->data().node : value.node;
  return node->constant() != nullptr ? node : nullptr;
}

std::optional<double> source_number(ir::Value value) {
  ir::Node* const node = source_constant(value);
  return node == nullptr ? std::nullopt : known_number(node->value());
}

std::optional<DequantizedWeights> dequantized_weights(ir::Value value) {
  if (!value.node->is(ops::Multiply)) return std::nullopt;
  auto found = weights_from(*value.node);
  if (found) found->product = value.node;
  return found;
}

const ir::Node* quantization_of(const ir::Node& node) {
  constexpr std::int64_t kMostLevels = 256;
  const ir::Node* const found = find_before(node, {ops::FakeQuantize}, [](const ir::Node& at) {
    return moves_elements(at) || at.is(ops::ReLU) ? at.input(0) : ir::Value{};
  });
  return found != nullptr && ir::FakeQuantizeView(*found).levels() <= kMostLevels ? found : nullptr;
}

std::optional<ConvertedIntegers> converted_integers(const ir::Node& node) {
  const auto difference = ir::match<ir::SubtractView>(node);
  const auto convert = ir::match<ir::ConvertView>(difference ? *difference->a().node : node);
  if (!convert || !ir::is_integral(convert->data().type())) return std::nullopt;
  return ConvertedIntegers{convert->data(), difference ? difference->b() : ir::Value{}};
}

bool holds_integers(const ir::Node& node) {
  if (quantization_of(node) != nullptr) return true;
  // OpenVINO takes wider integers for quantised ones only in a model with a FakeQuantize.
  constexpr int kBits = 8;
  const bool may_be_wide = node.graph().model_may_hold({ops::FakeQuantize});
  const auto is_converted = [&](ir::Value part) {
    const auto numbers = converted_integers(part);
    return numbers && (may_be_wide || ir::info(numbers->integers.type()).bits == kBits);
  };
  return node.is(ops::Multiply) && std::ranges::any_of(node.inputs(), is_converted);
}

const ir::Node& scaled_source(const ir::Node& node) {
  constexpr int kMostSteps = 8;
  const ir::Node* current = &node;
  for (int step = 0; step < kMostSteps && !holds_integers(*current); ++step) {
    if (moves_elements(*current)) {
      current = current->input(0).node;
      continue;
    }
    const ir::Value operand = current->is_one_of(kSumsAndFactors) ? variable_operand(*current) : ir::Value{};
    if (!operand || !constant_operand(*current)) break;
    current = operand.node;
  }
  return *current;
}

const ir::Node* integers_of(const ir::Node& node) {
  if (!node.graph().model_may_hold({ops::FakeQuantize}) && !may_hold_weights(node.graph())) return nullptr;
  const ir::Node& source = scaled_source(node);
  return holds_integers(source) ? &source : nullptr;
}

bool computes_weights(const ir::Node& node) {
  constexpr int kMaxMoves = 4;
  const ir::Node* source = &node;
  for (int i = 0; i < kMaxMoves; ++i) {
    if (!source->op().traits.reshapes && !source->op().traits.rearranges) break;
    source = source->input(0).node;
  }
  if (source->outputs().empty() || !ir::is_floating(source->output(0).type)) return false;
  if (source->is(ops::Multiply)) return weights_from(*source).has_value();
  return converts_weights(*source);
}

bool widens_zero_point(const ir::Node& node) {
  const auto is_subtracted = [](const ir::Use& use) {
    return use.index == ir::SubtractView::Input::b && converts_weights(*use.node);
  };
  const auto convert = ir::match<ir::ConvertView>(node);
  if (!convert || !ir::is_floating(node.output(0).type)) return false;
  const ir::Value zero_point = convert->data();
  return is_weights(zero_point) && std::ranges::all_of(node.output(0).uses, is_subtracted);
}

std::optional<WeightsOfProduct> weights_of(const ir::Node& mat_mul) {
  if (!may_hold_weights(mat_mul.graph())) return std::nullopt;
  const ir::MatMulView product = mat_mul;
  bool is_transposed = product.transpose_b();
  ir::Value value = product.b();
  if (const auto convert = ir::match<ir::ConvertView>(value)) value = convert->data();
  const auto transpose = ir::match<ir::TransposeView>(value);
  if (transpose && exchanges_last_axes(*transpose)) {
    is_transposed = !is_transposed;
    value = transpose->data();
  }
  if (const auto convert = ir::match<ir::ConvertView>(value)) value = convert->data();
  const ir::Node* reshape = nullptr;
  if (const auto reshaped = ir::match<ir::ReshapeView>(value)) {
    reshape = &reshaped->node();
    value = reshaped->data();
  }
  const auto weights = dequantized_weights(value);
  if (!weights) return std::nullopt;
  return WeightsOfProduct{.weights = *weights, .is_transposed = is_transposed, .reshape = reshape};
}

bool sets_rounding_groups(const ir::Model& model) {
  return std::ranges::any_of(model.runtime_options,
                             [](const auto& option) { return option.first == kRoundingGroups; });
}

void set_rounding_groups(ir::Model& model, std::int64_t size) {
  model.runtime_options.emplace_back(kRoundingGroups, std::to_string(size));
}

}  // namespace onnx2ir::passes
