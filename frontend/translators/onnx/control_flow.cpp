#include "frontend/translators/onnx/control_flow.hpp"

#include <algorithm>

#include "base/scoped_value.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::frontend {

Value convert_to_scalar(NodeContext& node, Builder& builder, const Operand& operand, ElementType type,
                        std::string_view what) {
  Value value = as_tensor(operand);
  if (!value) node.fail(std::string(what) + " must be a tensor, it is a " + to_string(type_of(operand)));
  const PartialShape& shape = value.shape();
  const bool may_have_one =
      !shape.has_rank() ||
      std::all_of(shape.begin(), shape.end(), [](const auto& dimension) { return dimension.admits(1); });
  if (!may_have_one)
    node.fail(std::string(what) + " must have one element, it is " + to_string(type_of(value)));
  if (type == ElementType::boolean && value.type() != type)
    node.fail(std::string(what) + " must be boolean, it is " + to_string(type_of(value)));
  if (const auto known = ir::known_scalar(value)) {
    if (shape.is_scalar() && value.type() == type) return value;
    return builder.integer(type == ElementType::boolean ? *known != 0 : *known, type);
  }
  if (!shape.is_scalar()) value = reshape(builder, value, builder.integers({}));
  return convert(builder, value, type);
}

void connect_captures(ir::Node& node, ir::Body& body, const std::vector<Capture>& captures) {
  std::vector<ir::Node*> unused;
  for (const Capture& capture : captures) {
    if (capture.parameter->has_uses()) {
      ir::connect_invariant(node, body, capture.outer, *capture.parameter);
    } else {
      unused.push_back(capture.parameter);
    }
  }
  body.graph->remove(unused);
}

Values tensors_of(NodeContext& node, const Operands& outputs, std::size_t first) {
  Values values;
  for (std::size_t i = first; i < outputs.size(); ++i) {
    values.push_back(as_tensor(outputs[i]));
    if (!values.back()) node.fail("scan output " + std::to_string(i - first) + " is not a tensor");
  }
  return values;
}

namespace {

TranslatedBody translate_body(NodeContext& node, const IteratedBody& body, std::vector<OperandType> types) {
  GraphTranslator& outer = node.translator();
  TranslatedBody result;
  result.graph = outer.graph().make_body();
  result.graph->name = body.proto->name();
  result.scope = std::make_unique<GraphTranslator>(outer, GraphTranslator::Kind::body, *result.graph,
                                                   outer.body_of(node.proto(), "body"));
  Builder builder(*result.graph);
  builder.set_name("iteration");
  const Value iteration = builder.parameter(ElementType::i64, PartialShape::scalar());
  builder.set_name("condition");
  const Value condition = builder.parameter(ElementType::boolean, PartialShape::scalar());
  result.iteration = iteration.node;
  result.condition = condition.node;
  result.types = std::move(types);
  for (std::size_t i = 0; i < result.types.size(); ++i) {
    const std::string& name = body.proto->input(body.first_state_input + static_cast<int>(i)).name();
    Values tensors;
    auto& parameters = result.states.emplace_back();
    for (const TensorPart& part : parts_of_operand(result.types[i], Boundary::body)) {
      builder.set_name(name + std::string(part.suffix));
      tensors.push_back(builder.parameter(part.type, part.shape));
      parameters.push_back(tensors.back().node);
    }
    std::size_t next = 0;
    result.scope->bind(name, join_operand(result.types[i], tensors, next, Boundary::body));
  }
  builder.set_name({});
  body.bind_others(*result.scope, builder, iteration, condition);
  if (!result.scope->translate(*body.proto, result.outputs)) throw base::Failure::reported();
  return result;
}

/// Whether `state` is initially an optional without a value, whose placeholder has no meaningful sizes.
bool is_none(const Operand& state) {
  const auto* optional = std::get_if<std::shared_ptr<const Optional>>(&state);
  if (optional == nullptr) return false;
  const auto has_value = ir::exact_values((*optional)->has_value);
  return has_value && has_value->front() == 0;
}

/// `state`; an optional without a value gets the representation of its type.
Operand fit_to_type(const Operand& state) {
  if (!is_none(state)) return state;
  Optional none = *std::get<std::shared_ptr<const Optional>>(state);
  none.content = nullptr;
  return make_optional(std::move(none));
}

/// The types that the states need after an iteration. After the `first` one, states without an initial value
/// take the type of the new value.
std::vector<OperandType> widened(NodeContext& node, const IteratedBody& body,
                                 const TranslatedBody& translated, bool first) {
  std::vector<OperandType> result;
  for (std::size_t i = 0; i < translated.types.size(); ++i) {
    const Operand& next = translated.outputs[static_cast<std::size_t>(body.first_state_output) + i];
    const auto type = widen(translated.types[i], type_of(next));
    if (!type) {
      node.fail("the values that state " + std::to_string(i) + " takes " + type.error().message,
                "a state keeps its element type and rank in OpenVINO");
    }
    const bool had_none = first && is_none(body.initial[i]);
    result.push_back(had_none && type_of(next).content != nullptr ? type_of(next) : *type);
  }
  return result;
}

/// Widens `types` to the types that the states needed when the enclosing body was translated with narrower
/// types; false if these are not known.
bool widen_to_previous_types(const RepeatedBodies& repeated, Occurrence loop,
                             std::vector<OperandType>& types) {
  const auto earlier = repeated.state_types.find(loop);
  if (earlier == repeated.state_types.end() || earlier->second.size() != types.size()) return false;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (auto both = widen(types[i], earlier->second[i])) types[i] = *std::move(both);
  }
  return true;
}

/// States that pass their shapes to each other settle one per round. After this many rounds all shapes become
/// dynamic, because otherwise there would be as many rounds as states.
constexpr int kMaxRounds = 16;

/// Makes `parameter` of the body the iteration number; removes it if it has no uses.
void set_iteration(ir::LoopView loop, ir::Node& parameter) {
  if (parameter.has_uses()) {
    loop.body().iteration = &parameter;
  } else {
    loop.graph().remove(parameter);
  }
}

}  // namespace

TranslatedBody translate_to_fixpoint(NodeContext& node, const IteratedBody& body) {
  std::vector<OperandType> types;
  std::vector<OperandType> dynamic;
  for (const Operand& operand : body.initial) {
    types.push_back(type_of(operand));
    dynamic.push_back(with_dynamic_dimensions(types.back()));
    if (is_none(operand)) types.back() = dynamic.back();
  }
  GraphTranslator& outer = node.translator();
  RepeatedBodies& repeated = outer.attempt().repeated;
  const bool is_nested = repeated.count > 0;
  const Occurrence loop = outer.current_node();
  bool first = !(is_nested && widen_to_previous_types(repeated, loop, types));
  bool has_fallen_back = false;
  for (int round = 1;; ++round) {
    const bool last_try = has_fallen_back || types == dynamic;
    RevocableDiagnostics reported(outer.attempt());
    try {
      const base::ScopedValue counted(repeated.count, repeated.count + 1);
      TranslatedBody translated = translate_body(node, body, types);
      std::vector<OperandType> wider = widened(node, body, translated, first);
      first = false;
      if (wider == types) {
        if (is_nested) repeated.state_types.insert_or_assign(loop, std::move(wider));
        return translated;
      }
      types = std::move(wider);
      if (round >= kMaxRounds) std::ranges::transform(types, types.begin(), with_dynamic_dimensions);
    } catch (const base::Failure& failure) {
      if (!failure.is_reported()) throw;
      // A failure with the exact shapes of the first iteration may be caused by shapes that do not hold in
      // later iterations. A body that is valid with dynamic shapes but not with the wider types that it then
      // needs has no fixpoint.
      if (last_try) throw;
      types = dynamic;
      has_fallen_back = true;
      // The next translation of the enclosing body starts this loop here, because two translations at each
      // depth would multiply.
      constexpr int kFewBodies = 4;
      if (repeated.count > kFewBodies) repeated.state_types.insert_or_assign(loop, dynamic);
    }
    reported.drop_inside(outer.body_of(node.proto(), "body").occurrence);
  }
}

LoopResult make_loop(NodeContext& node, Value trip_count, Value condition, const IteratedBody& proto,
                     TranslatedBody body, Value next_condition, const std::vector<bool>& used_states,
                     const std::vector<ScanOutput>& scans) {
  Builder builder(*body.graph);
  // All Results first, because they may be the only uses of the body's Parameters.
  ir::Node& condition_result = builder.result(next_condition);
  std::vector<std::vector<ir::Node*>> nexts;
  std::vector<Values> initial;
  for (std::size_t i = 0; i < proto.initial.size(); ++i) {
    auto& parts = nexts.emplace_back();
    const auto position = static_cast<std::size_t>(proto.first_state_output) + i;
    for (const Value& part : split_operand(builder, body.outputs[position], body.types[i], Boundary::body)) {
      parts.push_back(&builder.result(part));
    }
    initial.push_back(split_operand(node, fit_to_type(proto.initial[i]), body.types[i], Boundary::body));
  }
  std::vector<std::pair<ir::Node*, std::int64_t>> rows;  // with the axis over the iterations
  for (const ScanOutput& scan : scans) {
    if (!scan.is_used) continue;
    const Value row = unsqueeze(builder, scan.row, {scan.axis});
    rows.emplace_back(&builder.result(row), scan.axis);
  }
  const ir::LoopView loop = ir::add_loop(node, trip_count, condition, std::move(body.graph));
  loop.body().condition = &condition_result;
  if (body.condition->has_uses()) {
    loop.add_state(condition, *body.condition, condition_result);
  } else {
    loop.graph().remove(*body.condition);
  }
  Values values;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    for (std::size_t part = 0; part < initial[i].size(); ++part) {
      ir::Carried& state = loop.add_state(initial[i][part], *body.states[i][part], *nexts[i][part]);
      if (used_states[i]) values.push_back(loop.add_output(state));
    }
  }
  for (const auto& [result, axis] : rows) values.push_back(loop.output(loop.add_scan(*result, axis)));
  set_iteration(loop, *body.iteration);
  connect_captures(loop.node(), loop.body(), body.scope->captures());
  ir::infer(loop.node());

  LoopResult result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < proto.initial.size(); ++i) {
    result.states.push_back(used_states[i] ? join_operand(body.types[i], values, next, Boundary::body)
                                           : Operand{});
  }
  for (const ScanOutput& scan : scans) result.scans.push_back(scan.is_used ? values[next++] : Value{});
  return result;
}

LoopOutputs iterate(Builder& outer, Value count, const Values& initial, const Values& invariants,
                    const BodyWriter& write) {
  auto graph = outer.graph().make_body();
  Builder body(*graph);
  const Value starts = outer.boolean(true);
  ir::Node& iteration = *body.parameter(ElementType::i64, PartialShape::scalar()).node;
  const auto parameters = [&](const Values& values) {
    Values inside;
    for (const Value& value : values) inside.push_back(body.parameter(value.type(), value.shape()));
    return inside;
  };
  const Values states = parameters(initial);
  const Values inner = parameters(invariants);
  const Iteration next = write(body, iteration.value(), states, inner);
  const ir::LoopView loop = ir::add_loop(outer, count, starts, std::move(graph));
  loop.body().condition = &body.result(next.condition ? next.condition : body.boolean(true));
  LoopOutputs result;
  for (std::size_t i = 0; i < states.size(); ++i) {
    ir::Carried& state = loop.add_state(initial[i], *states[i].node, body.result(next.states[i]));
    result.states.push_back(loop.add_output(state));
  }
  for (std::size_t i = 0; i < inner.size(); ++i) {
    ir::connect_invariant(loop.node(), loop.body(), invariants[i], *inner[i].node);
  }
  for (const Value& row : next.rows) {
    result.scans.push_back(loop.output(loop.add_scan(body.result(unsqueeze(body, row, {0})), 0)));
  }
  set_iteration(loop, iteration);
  ir::infer(loop.node());
  return result;
}

}  // namespace onnx2ir::frontend
