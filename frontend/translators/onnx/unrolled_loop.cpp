#include "frontend/translators/onnx/unrolled_loop.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "frontend/graph/onnx_types.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The most nodes that a loop, and all loops of a model, may add.
constexpr std::uint64_t kMaxNodes = 4096;
constexpr std::uint64_t kMaxNodesOfModel = std::uint64_t{1} << 16U;

std::uint64_t node_count(const onnx::GraphProto& graph) {
  auto count = static_cast<std::uint64_t>(graph.node_size());
  for (const onnx::NodeProto& node : graph.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) count += node_count(attribute.g());
    }
  }
  return count + 1;
}

/// Whether the loop may be unrolled. Counts its nodes.
bool is_short(ConversionState& conversion, const CountedLoop& loop) {
  const std::uint64_t most = std::min(kMaxNodes, kMaxNodesOfModel - conversion.unrolled_nodes);
  const std::uint64_t nodes = node_count(*loop.proto);
  if (nodes > most || static_cast<std::uint64_t>(loop.trip_count) > most / nodes) return false;
  conversion.unrolled_nodes += nodes * static_cast<std::uint64_t>(std::max<std::int64_t>(loop.trip_count, 1));
  return true;
}

/// The scan output of a loop without iterations; null if the body does not declare its rows.
Value empty_scan_output(NodeContext& node, const onnx::ValueInfoProto& row) {
  const auto type = to_tensor_type(row.type());
  if (!type || !type->shape.has_rank() || type->type == ElementType::dynamic) return {};
  std::vector<std::int64_t> shape{0};
  for (const ir::Dimension& size : type->shape) shape.push_back(size.is_static() ? size.size() : 0);
  return ir::empty_constant(node, type->type, shape);
}

/// Whether the body condition is true; fails if it is not known.
bool continues(NodeContext& node, const Operand& condition) {
  const Value value = as_scalar(node, node, condition, ElementType::boolean, "the body's condition");
  const auto known = node.known_integers(value);
  if (!known) node.fail("the number of iterations is not known");
  return known->front() != 0;
}

Operands unrolled(NodeContext& node, const CountedLoop& loop) {
  GraphTranslator& outer = node.translator();
  const std::string path = outer.path_of_body(node.proto(), "body");
  const std::size_t states = loop.initial.size();
  const std::size_t scans = static_cast<std::size_t>(loop.proto->output_size()) - 1 - states;
  constexpr int kFirstState = 2;
  Operands values = loop.initial;
  std::vector<Values> rows(scans);
  bool goes_on = true;
  for (std::int64_t iteration = 0; iteration < loop.trip_count && goes_on; ++iteration) {
    GraphTranslator scope(outer, GraphTranslator::Kind::inlined, outer.graph(), path);
    scope.set_iteration(iteration);
    loop.bind_others(scope, iteration);
    for (std::size_t i = 0; i < states; ++i) {
      scope.bind(loop.proto->input(kFirstState + static_cast<int>(i)).name(), values[i]);
    }
    Operands outputs;
    if (!scope.translate(*loop.proto, outputs)) throw AlreadyReported{};
    goes_on = continues(node, outputs[0]);
    for (std::size_t i = 0; i < states; ++i) values[i] = outputs[1 + i];
    for (std::size_t i = 0; i < scans; ++i) {
      const Value row = as_tensor(outputs[1 + states + i]);
      if (!row) node.fail("scan output " + std::to_string(i) + " is not a tensor");
      if (node.has_output(states + i)) rows[i].push_back(unsqueeze(node, row, {0}));
    }
  }
  values.resize(std::min(states, node.output_count()));
  for (std::size_t i = 0; values.size() < node.output_count(); ++i) {
    Value joined;
    if (!rows[i].empty()) joined = concat(node, rows[i], 0);
    if (loop.trip_count == 0 && node.has_output(states + i)) {
      joined = empty_scan_output(node, loop.proto->output(static_cast<int>(1 + states + i)));
      if (!joined) node.fail("the body does not declare the rows of scan output " + std::to_string(i));
    }
    values.emplace_back(joined);
  }
  return values;
}

/// Whether errors may depend on the iteration.
bool concern_shapes(const std::vector<Diagnostic>& errors) {
  return std::ranges::all_of(errors, [](const Diagnostic& error) {
    return error.severity != Severity::error || error.code == DiagnosticCode::cannot_convert ||
           error.code == DiagnosticCode::invalid_node;
  });
}

}  // namespace

Operands translate_or_unroll(NodeContext& node, const std::optional<CountedLoop>& loop,
                             const std::function<Operands()>& translate) {
  DiagnosticSink& sink = node.translator().sink();
  ConversionState& conversion = node.translator().conversion();
  const std::size_t mark = sink.mark();
  const std::size_t failures = conversion.certain_failures.size();
  const auto unroll_instead = [&]() -> std::optional<Operands> {
    if (!loop || conversion.unrolled_nodes >= kMaxNodesOfModel) return std::nullopt;
    const auto& all = sink.diagnostics();
    const std::vector<Diagnostic> errors(all.begin() + static_cast<std::ptrdiff_t>(mark), all.end());
    if (!concern_shapes(errors) || !is_short(conversion, *loop)) return std::nullopt;
    const std::vector<std::string> certain = conversion.certain_failures;
    sink.rewind(mark);
    conversion.certain_failures.resize(failures);
    try {
      return unrolled(node, *loop);
    } catch (const AlreadyReported&) {
    } catch (const CannotTranslate&) {
    } catch (const ir::InvalidNode&) {
    }
    sink.rewind(mark);
    for (const Diagnostic& error : errors) sink.report(error);
    conversion.certain_failures = certain;
    return std::nullopt;
  };
  try {
    return translate();
  } catch (const CannotTranslate&) {
    if (auto outputs = unroll_instead()) return *std::move(outputs);
    throw;
  } catch (const AlreadyReported&) {
    if (auto outputs = unroll_instead()) return *std::move(outputs);
    throw;
  } catch (const ir::InvalidNode&) {
    if (auto outputs = unroll_instead()) return *std::move(outputs);
    throw;
  }
}

}  // namespace onnx2ir::frontend
