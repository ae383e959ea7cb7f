// Stores floating-point constants in f16 and converts them where they are used, as OpenVINO's own conversion
// does. Constants that shapes and indices are computed from, constants that f16 cannot represent, and
// constants of models whose weights are quantised keep their precision.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ir/element_moves.hpp"
#include "ir/narrowing.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/port_sources.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// A constant is kept if this fraction of its elements does not fit into f16.
constexpr double kMaxRejected = 0.75;
/// Constants up to this size are converted at once: inference may ask for their elements.
constexpr std::uint64_t kSmall = std::uint64_t{1} << 16U;

/// Only index arithmetic itself is kept: a network whose results are indices also has weights. OpenVINO's own
/// conversion does not keep index arithmetic, but has less of it: some operators that it maps to one
/// operation are decomposed into index arithmetic here (Resize).
constexpr ir::OperationSet kArithmetic = {
    ops::Abs,      ops::Add,    ops::Ceiling,  ops::Clamp,     ops::Const,     ops::Convert,   ops::CumSum,
    ops::Divide,   ops::Floor,  ops::FloorMod, ops::Maximum,   ops::Minimum,   ops::Mod,       ops::Multiply,
    ops::Negative, ops::Power,  ops::Range,    ops::ReduceMax, ops::ReduceMin, ops::ReduceSum, ops::ReLU,
    ops::Round,    ops::Select, ops::Sign,     ops::Subtract};
/// In addition to ir::kElementMoves.
constexpr ir::OperationSet kMoves = {
    ops::Concat,          ops::GatherElements,        ops::GatherND,        ops::Pad,
    ops::ReverseSequence, ops::ScatterElementsUpdate, ops::ScatterNDUpdate, ops::ScatterUpdate};

bool is_index_arithmetic(const ir::Node& node) {
  return node.is_one_of(kArithmetic) || node.is_one_of(kMoves) || node.is_one_of(ir::kElementMoves);
}

/// Sets `scratch` to 1 for the nodes of the model that reach an input of one kind through nodes for which
/// `follow` holds.
template <typename Follow>
void mark(const std::vector<ir::Graph*>& graphs, const PortSources& ports, ir::InputRange ir::Traits::*kind,
          Follow follow) {
  std::vector<ir::Value> pending;
  ValueSet visited_ports;
  const auto reach = [&](ir::Value value) {
    if (!ports.of(value).empty()) {
      if (visited_ports.insert(value).second) pending.push_back(value);
    } else if (value.node->scratch == 0 && follow(*value.node)) {
      value.node->scratch = 1;
      pending.push_back(value);
    }
  };
  for_each_node(graphs, [&](const ir::Node& node) {
    const ir::InputRange range = node.op().traits.*kind;
    for (std::size_t i = range.first; i <= range.last && i < node.inputs().size(); ++i) reach(node.input(i));
  });
  while (!pending.empty()) {
    const ir::Value value = pending.back();
    pending.pop_back();
    const auto sources = ports.of(value);
    std::ranges::for_each(sources, reach);
    if (sources.empty()) std::ranges::for_each(value.node->inputs(), reach);
  }
}

/// Sets `scratch` to 1 for all constants that must not be rounded, and to 0 for the others.
void mark_sensitive(const std::vector<ir::Graph*>& graphs) {
  const auto clear = [](ir::Node& node) { node.scratch = 0; };
  const PortSources ports(graphs);
  for_each_node(graphs, clear);
  mark(graphs, ports, &ir::Traits::indices, is_index_arithmetic);
  std::vector<ir::Node*> constants;
  for_each_node(graphs, [&](ir::Node& node) {
    if (node.scratch != 0 && node.constant() != nullptr) constants.push_back(&node);
  });
  // Starts again: shapes may be computed from values at which the search through index arithmetic stopped.
  for_each_node(graphs, clear);
  mark(graphs, ports, &ir::Traits::sizes, [](const ir::Node& node) { return !node.is(ops::ShapeOf); });
  for (ir::Node* constant : constants) constant->scratch = 1;
}

bool is_const(ir::Value value) {
  return value.node->constant() != nullptr;
}

/// Whether `value` is a Convert of a constant of few bits.
bool is_widened_weight(ir::Value value) {
  using enum ir::ElementType;
  constexpr base::EnumSet<ir::ElementType, 64> kTypes = {i4, u4, i8, u8, nf4, f8e4m3, f8e5m2};
  ir::Value constant;
  return matches(value, op(ops::Convert, any(constant, is_const))) && kTypes.contains(constant.type());
}

bool is_dequantized_weight(ir::Value value) {
  const auto is_zero_point = [](ir::Value zero_point) {
    return is_const(zero_point) || matches(zero_point, op(ops::Convert, is_const));
  };
  return is_widened_weight(value) || matches(value, op(ops::Subtract, is_widened_weight, is_zero_point));
}

bool is_quantized(ir::Model& model) {
  return std::ranges::any_of(nodes_of(model, {ops::Multiply}), [](ir::Node* node) {
    return matches(node->value(), commutative(ops::Multiply, is_dequantized_weight, is_const));
  });
}

ir::Narrowing narrowing_of(ir::ElementType type) {
  if (type == ir::ElementType::f32) return ir::Narrowing::f32_to_f16;
  if (type == ir::ElementType::f64) return ir::Narrowing::f64_to_f16;
  return ir::Narrowing::none;
}

ir::ConstantData narrowed(const ir::ConstantData& data, ir::Narrowing narrowing) {
  if (data.size() > kSmall) return data.narrowed(narrowing);
  std::vector<std::uint16_t> halves(data.size() / ir::element_size(narrowing));
  ir::narrow(data.bytes(), narrowing, halves);
  const auto bytes = std::as_bytes(std::span(halves));
  return ir::ConstantData(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

struct Compressor {
  bool compress(ir::Node& constant) {
    const ir::ConstantData& data = *constant.constant();
    const ir::ElementType type = constant.output(0).type;
    const ir::Narrowing narrowing = narrowing_of(type);
    if (narrowing == ir::Narrowing::none || data.size() == 0) return false;
    const std::size_t elements = data.size() / ir::element_size(narrowing);
    const auto count = static_cast<double>(elements);
    // Bodies share constants with the graphs around them.
    const auto [known, is_new] = fits.try_emplace({data.place(), data.size()});
    if (is_new) known->second = ir::half_precision_fit(data, narrowing, context->options->threads);
    const base::HalfPrecisionFit& fit = known->second;
    if (fit.has_large_error || static_cast<double>(fit.rejected) >= kMaxRejected * count) return false;
    if (is_new && fit.too_large != 0) note(constant, fit.too_large);

    ir::Builder builder(constant.graph());
    if (!constant.name.empty()) builder.set_name(constant.name + "_compressed");
    const ir::Value half =
        builder.constant(ir::ElementType::f16, *constant.output(0).shape.sizes(), narrowed(data, narrowing));
    builder.set_name(constant.name);
    const ir::Value widened = ir::convert(builder, half, type);
    widened.node->marks.add(ir::Mark::decompression);
    ir::replace_all_uses(constant.value(), widened);
    return true;
  }

  void note(const ir::Node& constant, std::uint64_t count) {
    const std::string name =
        constant.name.empty() ? "a constant" : fmt::format("constant '{}'", constant.name);
    notes.push_back(fmt::format("{} of {} elements of {}", count,
                                constant.output(0).shape.element_count().value_or(0), name));
  }

  const PassContext* context;
  std::map<std::pair<std::pair<const void*, std::uint64_t>, std::uint64_t>, base::HalfPrecisionFit> fits = {};
  std::vector<std::string> notes = {};
};

}  // namespace

bool compress_to_fp16(ir::Model& model, PassContext& context) {
  if (!context.options->compress_to_fp16 || is_quantized(model)) return false;
  const std::vector<ir::Graph*> graphs = graphs_of(model);
  mark_sensitive(graphs);
  Compressor compressor{&context};
  const bool modified = edit_each(graphs, [&](ir::Graph* graph) {
    return edit_present_nodes(*graph, [&](ir::Node& node) {
      return node.constant() != nullptr && node.scratch == 0 && node.has_uses() && compressor.compress(node);
    });
  });
  context.warn(
      {DiagnosticCode::fp16_range,
       "constants have elements beyond the range of half precision, which become its largest number"},
      compressor.notes);
  return modified;
}

}  // namespace onnx2ir::passes
