// Loop 1, 11, 13, 16, 19, 21, 23, 24, 25, translated to Loop-5. The versions differ in the kinds of states:
// 11 allows loops without states, 13 adds sequences, 16 optionals, the others element types. See
// docs/control-flow.md.
#include <algorithm>
#include <limits>

#include "frontend/graph/onnx_types.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr int kFirstState = 2;         ///< node inputs and body inputs before the states
constexpr std::int64_t kNoLimit = -1;  ///< the trip count of a Loop-5 without limit

/// Input 0 as the trip count of Loop-5: absent is no bound, negative is zero.
Value emit_trip_count(NodeContext& node) {
  if (!node.has_input(0)) return node.integer(kNoLimit);
  const Value given = node.input(0);
  if (given.type() == ElementType::i32) {
    node.warn(DiagnosticCode::trip_count_type,
              "the trip count is int32, the specification requires int64; it is converted");
  } else if (given.type() != ElementType::i64) {
    node.fail("the trip count must be int64, it is " + to_string(type_of(given)));
  }
  const Value count = convert_to_scalar(node, node, given, ElementType::i64, "the trip count");
  if (const auto known = node.known_integers(count)) {
    // No run reaches a limit that does not fit into 32 bits.
    const bool endless = known->front() >= std::numeric_limits<std::int32_t>::max();
    return node.integer(endless ? kNoLimit : std::max<std::int64_t>(known->front(), 0));
  }
  return node.op(ops::Maximum, {count, node.integer(0)});
}

/// A scalar of the body with the rank that the body declares: bodies may declare the shape [1].
Value reshape_to_declared_rank(Builder& builder, Value scalar, const onnx::ValueInfoProto& declared) {
  const auto type = to_tensor_type(declared.type());
  if (!type || !type->shape.has_rank() || type->shape.rank() == 0) return scalar;
  const std::vector<std::int64_t> ones(type->shape.rank(), 1);
  return reshape(builder, scalar, builder.integers(ones));
}

void check_signature(NodeContext& node, const onnx::GraphProto& proto, std::size_t states) {
  const auto inputs = static_cast<std::size_t>(proto.input_size());
  const auto outputs = static_cast<std::size_t>(proto.output_size());
  if (inputs != kFirstState + states) {
    node.fail("the body has " + std::to_string(inputs) + " inputs; iteration, condition and " +
              std::to_string(states) + " states need " + std::to_string(kFirstState + states));
  }
  if (outputs < 1 + states) {
    node.fail("the body has " + std::to_string(outputs) + " outputs; condition and " +
              std::to_string(states) + " states need " + std::to_string(1 + states));
  }
  if (node.output_count() > outputs - 1) {
    node.fail("the node has " + std::to_string(node.output_count()) + " outputs, its body gives " +
              std::to_string(outputs - 1));
  }
}

/// The scan output `rows`. If it is empty, row sizes that inference does not know are those that the body
/// declares. The declaration is not used otherwise, because onnxruntime runs models with wrong declarations.
Value reshape_to_declared_row(NodeContext& node, Value rows, const onnx::ValueInfoProto& declared) {
  const auto type = to_tensor_type(declared.type());
  const ir::PartialShape& shape = rows.shape();
  if (!type || !type->shape.has_rank() || !shape.has_rank() || shape.rank() != type->shape.rank() + 1 ||
      !shape[0].admits(0))
    return rows;
  std::vector<std::int64_t> empty_scan_output{0};
  std::vector<std::int64_t> known{0};
  for (std::size_t i = 0; i < type->shape.rank(); ++i) {
    const ir::Dimension& found = shape[i + 1];
    const ir::Dimension& given = type->shape[i];
    const bool is_used = found.is_dynamic() && given.is_static() && found.admits(given.size());
    known.push_back(found.is_static() ? found.size() : 0);
    empty_scan_output.push_back(is_used ? given.size() : known.back());
  }
  if (empty_scan_output == known) return rows;
  if (shape[0].is_static()) return reshape(node, rows, empty_scan_output);
  const Value sizes = shape_of(node, rows);
  const Value count = gather(node, sizes, node.integer(0));
  const Value target = node.op(ops::Select, {node.op(ops::Greater, {count, node.integer(0)}), sizes,
                                             node.integers(empty_scan_output)});
  const Value result = reshape(node, rows, target);
  if (std::ranges::all_of(known, [](std::int64_t size) { return size == 0; })) return result;
  return reshape_keeping(node, result, known);
}

/// The value that each iteration appends to state `index` if that is an initially empty list; null otherwise.
Value appended(const IteratedBody& body, const TranslatedBody& translated, std::size_t index) {
  const auto* list = std::get_if<std::shared_ptr<const Sequence>>(&body.initial[index]);
  if (list == nullptr || !(*list)->elements || !(*list)->elements->empty()) return {};
  const std::string& state = body.proto->input(kFirstState + static_cast<int>(index)).name();
  const std::string& next = body.proto->output(1 + static_cast<int>(index)).name();
  const NameIndex::Definition* const definition = translated.scope->names().definition(next);
  const onnx::NodeProto* const node = definition == nullptr ? nullptr : definition->node;
  if (node == nullptr || !translated.scope->is_onnx(*node, "SequenceInsert") || node->input_size() != 2 ||
      node->input(0) != state)
    return {};
  const Value row = as_tensor(translated.scope->find(node->input(1)).operand);
  return row && row.shape().has_rank() ? row : Value{};
}

/// Translates the loop, whose first iteration has the number `first`, with one body for all iterations.
Operands emit_loop(NodeContext& node, const onnx::GraphProto& proto, const Operands& initial, Value count,
                   Value condition, std::int64_t first = 0) {
  IteratedBody body{
      .proto = &proto, .first_state_input = kFirstState, .first_state_output = 1, .initial = initial};
  body.bind_others = [&](GraphTranslator& scope, Builder& builder, Value iteration, Value condition_in) {
    const Value number = first == 0 ? iteration : builder.op(ops::Add, {iteration, builder.integer(first)});
    scope.bind(proto.input(0).name(), reshape_to_declared_rank(builder, number, proto.input(0)));
    scope.bind(proto.input(1).name(), reshape_to_declared_rank(builder, condition_in, proto.input(1)));
  };
  TranslatedBody translated = translate_to_fixpoint(node, body);
  Builder builder(*translated.graph);
  const Value next_condition =
      convert_to_scalar(node, builder, translated.outputs[0], ElementType::boolean, "the body's condition");

  const std::size_t states = body.initial.size();
  std::vector<bool> used_states;
  for (std::size_t i = 0; i < states; ++i) used_states.push_back(node.has_output(i));
  std::vector<ScanOutput> scans;
  for (const Value& row : tensors_of(node, translated.outputs, 1 + states))
    scans.push_back({row, 0, node.has_output(states + scans.size())});
  // A list that is only appended to also becomes a scan output, for readers that stack it.
  const std::size_t outputs = scans.size();
  std::vector<std::size_t> lists;
  for (std::size_t i = 0; i < states; ++i) {
    const Value row = used_states[i] ? appended(body, translated, i) : Value{};
    if (!row) continue;
    lists.push_back(i);
    scans.push_back({row, 0, true});
  }
  LoopResult result =
      make_loop(node, count, condition, body, std::move(translated), next_condition, used_states, scans);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    Sequence list = *std::get<std::shared_ptr<const Sequence>>(result.states[lists[i]]);
    list.stacked = result.scans[outputs + i];
    result.states[lists[i]] = make_sequence(std::move(list));
  }
  for (std::size_t i = 0; i < outputs; ++i) {
    const auto& declared = proto.output(static_cast<int>(1 + states + i));
    const Value rows = result.scans[i];
    result.states.push_back(rows ? reshape_to_declared_row(node, rows, declared) : rows);
  }
  result.states.resize(node.output_count());
  return std::move(result.states);
}

/// The loop as one that can be unrolled; no value if the number of its iterations is not known.
std::optional<CountedLoop> counted_loop(NodeContext& node, const onnx::GraphProto& proto,
                                        const Operands& initial, Value count, Value condition) {
  const auto limit = node.known_integers(count);
  const auto starts = node.known_integers(condition);
  const bool never_starts = starts && starts->front() == 0;
  if (!never_starts && (!limit || !starts || limit->front() == kNoLimit)) return std::nullopt;
  const std::int64_t iterations = never_starts ? 0 : limit->front();
  CountedLoop loop{.proto = &proto, .trip_count = iterations, .initial = initial};
  loop.bind_others = [&node, &proto](GraphTranslator& scope, std::int64_t iteration) {
    scope.bind(proto.input(0).name(),
               reshape_to_declared_rank(node, node.integer(iteration), proto.input(0)));
    scope.bind(proto.input(1).name(), reshape_to_declared_rank(node, node.boolean(true), proto.input(1)));
  };
  loop.translate_rest = [&node, &proto, iterations](const Operands& states, std::int64_t first, Value go_on) {
    return emit_loop(node, proto, states, node.integer(iterations - first), go_on, first);
  };
  return loop;
}

Operands loop_1(NodeContext& node) {
  const onnx::GraphProto& proto = node.graph_attribute("body");
  Operands initial;
  for (std::size_t i = kFirstState; i < node.input_count(); ++i) {
    if (!node.has_input(i)) node.fail("state " + std::to_string(i - kFirstState) + " has no initial value");
    initial.push_back(node.operand(i));
  }
  check_signature(node, proto, initial.size());
  const Value count = emit_trip_count(node);
  const Value condition = node.has_input(1) ? convert_to_scalar(node, node, node.operand(1),
                                                                ElementType::boolean, "the condition")
                                            : node.boolean(true);
  const auto counted = counted_loop(node, proto, initial, count, condition);
  return translate_or_unroll(node, counted,
                             [&] { return emit_loop(node, proto, initial, count, condition); });
}

}  // namespace

std::vector<TranslatorRow> loop_translators() {
  return {
      {.name = "Loop",
       .since = 1,
       .translate = loop_1,
       .limits = "carried values of changing rank, unless the trip count is constant",
       .scalars = {0, 2}},
  };
}

}  // namespace onnx2ir::frontend
