// Loops whose iterations need different translations, because a state changes its rank or another rank
// depends on the iteration number. If the trip count is constant, the iterations are emitted one after the
// other. Of a long loop, only the first iterations are emitted, before a Loop with the others.
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/graph/onnx_types.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The most nodes that a loop, and all loops of a model, may add.
constexpr std::uint64_t kMaxNodes = 4096;
constexpr std::uint64_t kMaxNodesOfModel = std::uint64_t{1} << 16U;
/// The most iterations of a long loop that are emitted before it.
constexpr std::int64_t kMostPeeled = 2;

std::uint64_t node_count(const onnx::GraphProto& graph) {
  auto count = static_cast<std::uint64_t>(graph.node_size());
  for (const onnx::NodeProto& node : graph.node()) {
    for_each_body(node, [&](const onnx::GraphProto& body) { count += node_count(body); });
  }
  return count + 1;
}

/// Whether `iterations` of the loop may be emitted. Counts their nodes.
bool may_emit(Copies& copies, const CountedLoop& loop, std::int64_t iterations) {
  const std::uint64_t most = std::min(kMaxNodes, kMaxNodesOfModel - copies.unrolled_nodes);
  const std::uint64_t nodes = node_count(*loop.proto);
  if (nodes > most || static_cast<std::uint64_t>(iterations) > most / nodes) return false;
  copies.unrolled_nodes += nodes * static_cast<std::uint64_t>(std::max<std::int64_t>(iterations, 1));
  return true;
}

/// The scan output of a loop without iterations; null if the body does not declare its rows.
Value emit_empty_scan_output(NodeContext& node, const onnx::ValueInfoProto& row) {
  const auto type = to_tensor_type(row.type());
  if (!type || !type->shape.has_rank() || type->type == ElementType::dynamic) return {};
  std::vector<std::int64_t> shape{0};
  for (const ir::Dimension& size : type->shape) shape.push_back(size.is_static() ? size.size() : 0);
  return ir::emit_empty_constant(node, type->type, shape);
}

/// The body's condition if it is known.
std::optional<bool> continues(NodeContext& node, Value condition) {
  const auto known = node.known_integers(condition);
  return known ? std::optional(known->front() != 0) : std::nullopt;
}

/// The results of iterations that were emitted.
struct Emitted {
  Operands states;
  std::vector<Values> rows;  ///< of each scan output
  Value condition;           ///< the body's, after the last one; null before the first one
};

/// Emits iteration number `iteration`.
void emit_iteration(NodeContext& node, const CountedLoop& loop, std::int64_t iteration, Emitted& emitted) {
  GraphTranslator& outer = node.translator();
  const std::size_t states = loop.initial.size();
  constexpr int kFirstState = 2;
  GraphTranslator scope(outer, GraphTranslator::Kind::inlined, outer.graph(),
                        outer.body_of(node.proto(), "body", iteration));
  loop.bind_others(scope, iteration);
  for (std::size_t i = 0; i < states; ++i) {
    scope.bind(loop.proto->input(kFirstState + static_cast<int>(i)).name(), emitted.states[i]);
  }
  Operands outputs;
  if (!scope.translate(*loop.proto, outputs)) throw base::Failure::reported();
  emitted.condition = convert_to_scalar(node, node, outputs[0], ElementType::boolean, "the body's condition");
  for (std::size_t i = 0; i < states; ++i) emitted.states[i] = outputs[1 + i];
  const Values rows = tensors_of(node, outputs, 1 + states);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (node.has_output(states + i)) emitted.rows[i].push_back(unsqueeze(node, rows[i], {0}));
  }
}

/// Before the first iteration.
Emitted none_emitted(const CountedLoop& loop) {
  const std::size_t states = loop.initial.size();
  const std::size_t scans = static_cast<std::size_t>(loop.proto->output_size()) - 1 - states;
  return {.states = loop.initial, .rows = std::vector<Values>(scans), .condition = {}};
}

Operands unroll(NodeContext& node, const CountedLoop& loop) {
  const std::size_t states = loop.initial.size();
  Emitted emitted = none_emitted(loop);
  bool is_running = true;
  for (std::int64_t iteration = 0; iteration < loop.trip_count && is_running; ++iteration) {
    emit_iteration(node, loop, iteration, emitted);
    const auto known = continues(node, emitted.condition);
    if (!known) node.fail("the number of iterations is not known");
    is_running = *known;
  }
  Operands values = std::move(emitted.states);
  values.resize(std::min(states, node.output_count()));
  for (std::size_t i = 0; values.size() < node.output_count(); ++i) {
    Value joined;
    if (!emitted.rows[i].empty()) joined = concat(node, emitted.rows[i], 0);
    if (loop.trip_count == 0 && node.has_output(states + i)) {
      joined = emit_empty_scan_output(node, loop.proto->output(static_cast<int>(1 + states + i)));
      if (!joined) node.fail("the body does not declare the rows of scan output " + std::to_string(i));
    }
    values.emplace_back(joined);
  }
  return values;
}

/// Emits the first `count` iterations, and a Loop with the others.
Operands peel(NodeContext& node, const CountedLoop& loop, std::int64_t count) {
  Emitted emitted = none_emitted(loop);
  for (std::int64_t iteration = 0; iteration < count; ++iteration) {
    emit_iteration(node, loop, iteration, emitted);
    if (iteration + 1 < count && !continues(node, emitted.condition).value_or(false))
      node.fail("the number of iterations is not known");
  }
  Operands values = loop.translate_rest(emitted.states, count, emitted.condition);
  const std::size_t states = loop.initial.size();
  for (std::size_t i = states; i < values.size(); ++i) {
    Values& rows = emitted.rows[i - states];
    if (rows.empty()) continue;
    rows.push_back(as_tensor(values[i]));
    values[i] = concat(node, rows, 0);
  }
  return values;
}

/// Whether errors may depend on the iteration.
bool concern_shapes(std::span<const Diagnostic> errors) {
  return std::ranges::all_of(errors, [](const Diagnostic& error) {
    return error.severity != Severity::error || error.code == DiagnosticCode::cannot_convert ||
           error.code == DiagnosticCode::invalid_node;
  });
}

}  // namespace

Operands translate_or_unroll(NodeContext& node, const std::optional<CountedLoop>& loop,
                             const std::function<Operands()>& translate) {
  Copies& copies = node.translator().attempt().copies;
  std::vector<Occurrence>& failures = node.translator().attempt().found.certain_failures;
  RevocableDiagnostics reported(node.translator().attempt());
  const std::size_t failures_before = failures.size();
  const auto unroll_instead = [&]() -> std::optional<Operands> {
    if (!loop || copies.unrolled_nodes >= kMaxNodesOfModel) return std::nullopt;
    if (!concern_shapes(reported.found())) return std::nullopt;
    RevocableDiagnostics::Copy errors = reported.copy();
    const std::vector<Occurrence> failures_of_loop = failures;
    const auto try_to_emit = [&](std::int64_t iterations, const auto& emit) -> std::optional<Operands> {
      if (!may_emit(copies, *loop, iterations)) return std::nullopt;
      reported.drop();
      failures.resize(failures_before);
      try {
        return emit();
      } catch (const base::Failure& failure) {
        if (failure.ends_conversion()) throw;
        return std::nullopt;
      }
    };
    auto outputs = try_to_emit(loop->trip_count, [&] { return unroll(node, *loop); });
    for (std::int64_t count = 1; !outputs && count <= std::min(kMostPeeled, loop->trip_count - 1); ++count) {
      outputs = try_to_emit(count, [&] { return peel(node, *loop, count); });
    }
    if (outputs) return outputs;
    reported.restore(errors);
    failures = failures_of_loop;
    return std::nullopt;
  };
  try {
    return translate();
  } catch (const base::Failure& failure) {
    if (failure.ends_conversion()) throw;
    if (auto outputs = unroll_instead()) return *std::move(outputs);
    throw;
  }
}

}  // namespace onnx2ir::frontend
