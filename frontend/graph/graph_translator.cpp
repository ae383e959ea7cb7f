#include "frontend/graph/graph_translator.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/failure.hpp"
#include "frontend/graph/custom_operators.hpp"
#include "frontend/graph/node_checks.hpp"
#include "frontend/graph/onnx_types.hpp"
#include "frontend/mapping/extension_library.hpp"
#include "frontend/mapping/operator_map.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/schemas.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::frontend {
namespace {

void apply(const TranslatorRow& row, NodeContext& context, Operands& outputs) {
  if (const auto* on_operands = std::get_if<OperandTranslator>(&row.translate)) {
    outputs = (*on_operands)(context);
  } else {
    const Values values = std::get<TensorTranslator>(row.translate)(context);
    outputs.append(values.begin(), values.end());
  }
}

/// Fails if ONNX does not accept the ranks of the inputs: a branch of an If was chosen on trial. Sizes are
/// not checked, because onnxruntime runs models that ONNX's inference rejects.
void check_ranks(const NodeContext& node) {
  std::vector<onnx::TypeProto> types = to_onnx_types(node.operands());
  for (onnx::TypeProto& type : types) {
    if (!type.has_tensor_type()) continue;
    for (auto& size : *type.mutable_tensor_type()->mutable_shape()->mutable_dim()) size.Clear();
  }
  if (auto problem = inference_problem(node.proto(), node.opset(), types)) ir::invalid(*problem);
}

/// Fails if the node has outputs after the first `converted` ones.
void check_outputs(const onnx::NodeProto& node, std::size_t converted) {
  for (int i = static_cast<int>(converted); i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    throw base::Failure(DiagnosticCode::cannot_convert,
                        "its output " + std::to_string(i) + " is not converted");
  }
}

/// Fails if a required input is absent: the reader has checked that it has a name, but the call of a function
/// can omit the value. ONNX's library does not check it, and dereferences its type.
void check_required_inputs(const NodeContext& node) {
  const auto inputs = find_input_types(node.domain(), node.op_type(), node.opset());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_required && !node.has_input(i)) node.fail("input " + std::to_string(i) + " is missing");
  }
}

constexpr DiagnosticCode kUnsupported = DiagnosticCode::unsupported_operator;

std::string unsupported_message(const onnx::NodeProto& node) {
  return "operator " + operator_name(node) + " is not supported";
}

}  // namespace

GraphTranslator::GraphTranslator(Attempt& attempt, ir::Graph& graph)
    : attempt_(&attempt),
      graph_(&graph),
      path_(kMainGraphPath),
      own_opsets_(&attempt.input->model->opsets()) {}

GraphTranslator::GraphTranslator(GraphTranslator& parent, Kind kind, ir::Graph& graph, BodySite site)
    : attempt_(parent.attempt_),
      parent_(&parent),
      kind_(kind),
      graph_(&graph),
      path_(std::move(site.path)),
      occurrence_(site.occurrence),
      function_stack_(parent.function_stack_),
      current_index_(parent.current_index_) {}

void GraphTranslator::prefetch_names(const onnx::NodeProto& node) const {
  if (!names_.is_large()) return;
  for (const std::string& name : node.input()) names_.prefetch(name);
  for (const std::string& name : node.output()) names_.prefetch(name);
}

bool GraphTranslator::translate(const NodeList& nodes) {
  std::size_t outputs = 0;
  for (const onnx::NodeProto& node : nodes) outputs += static_cast<std::size_t>(node.output_size());
  names_.reserve(names_.size() + outputs);
  // Bodies of ONNX's own functions have not been checked.
  const bool is_ordered = kind_ != Kind::function && attempt_->input->model->is_ordered();
  const NodeOrder order = is_ordered ? file_order(nodes) : order_nodes(nodes);
  bool complete = order.on_cycle.empty();
  for (const int index : order.on_cycle) {
    report(nodes[index], index, {DiagnosticCode::cyclic_graph, "the node depends on its own output"});
    for (const std::string& output : nodes[index].output()) bind_unavailable(output);
  }
  for (std::size_t i = 0; i < order.order.size(); ++i) {
    const std::size_t later = i + base::kNodesToPrefetch;
    if (later < order.order.size()) prefetch_names(nodes[order.order[later]]);
    current_index_ = order.order[i];
    complete = translate_node(nodes[order.order[i]], current_index_) && complete;
  }
  return complete;
}

bool GraphTranslator::translate(const onnx::GraphProto& proto, Operands& outputs) {
  proto_ = &proto;
  if (!function_stack_.empty()) count_function_nodes(static_cast<std::uint64_t>(proto.node_size()));
  if (names_tensors()) {
    // Most nodes become one or two nodes; reserved memory that stays unused is never touched.
    constexpr std::size_t kOthers = 8;
    graph_->reserve(graph_->nodes().size() + 2 * static_cast<std::size_t>(proto.node_size()) + kOthers);
  }
  add_initializers(proto);
  bool complete = translate(proto.node());
  outputs.clear();
  for (const onnx::ValueInfoProto& output : proto.output()) {
    Lookup lookup = find(output.name());
    if (lookup.status == Lookup::Status::unknown) {
      report({DiagnosticCode::undefined_name,
              "graph output '" + output.name() + "' is not produced by any node"});
    }
    complete = complete && lookup.status == Lookup::Status::found;
    outputs.push_back(std::move(lookup.operand));
  }
  return complete;
}

bool GraphTranslator::emit_or_report(const onnx::NodeProto& node, std::int64_t index, std::int64_t opset,
                                     const Operands& inputs, Operands& outputs) {
  const auto report_lack_of_memory = [&] {
    report(node, index,
           {DiagnosticCode::out_of_memory, "the conversion of the node needs more memory than is available"});
  };
  const std::size_t nodes_before = graph_->nodes().size();
  bool translated = false;
  try {
    const bool is_complete = emit(node, opset, inputs, outputs);
    if (is_complete) check_outputs(node, outputs.size());
    translated = is_complete;
  } catch (const base::Failure& failure) {
    if (failure.ends_conversion()) throw;
    if (!failure.is_reported()) report(node, index, failure.problem());
    if (failure.code() == DiagnosticCode::invalid_node)
      attempt_->found.certain_failures.push_back(executed_graph());
  } catch (const base::InternalError& error) {
    // Not a certain failure: a branch of an If is never left out because of a mistake of ours.
    report(node, index, base::internal_error(error.what()));
  } catch (const std::length_error&) {
    report_lack_of_memory();
  } catch (const std::bad_alloc&) {
    report_lack_of_memory();
  }
  if (!translated) outputs.clear();
  name_nodes(node, outputs, nodes_before);
  return translated;
}

bool GraphTranslator::translate_node(const onnx::NodeProto& node, std::int64_t index) {
  base::check_cancelled(attempt_->input->options->is_cancelled);
  const NodeInputs inputs = find_inputs(node, index);
  const std::string_view domain = canonical_domain(node.domain());
  const auto version = opset(domain);
  Operands outputs;
  bool translated = false;
  if (!version) {
    report(node, index,
           {DiagnosticCode::missing_opset_import,
            "the model imports no version of domain '" + std::string(shown_domain(domain)) + "'"});
  } else if (inputs.are_available) {
    translated = emit_or_report(node, index, *version, inputs.operands, outputs);
  }
  if (!inputs.are_available) report_unsupported(node, index, path_);
  bind_outputs(node, outputs, translated);
  return inputs.are_defined && translated;
}

std::span<const InputType> GraphTranslator::schema_inputs(const TranslatorRow& row, const NodeContext& node) {
  SchemaInputs& inputs = attempt_->schema_inputs[&row];
  if (inputs.opset != node.opset())
    inputs = {node.opset(), find_input_types(node.domain(), node.op_type(), node.opset())};
  return inputs.types;
}

bool GraphTranslator::emit(const onnx::NodeProto& node, std::int64_t opset, const Operands& inputs,
                           Operands& outputs) {
  NodeContext context(*this, node, opset, inputs);
  const OperatorRule* const rule = find_rule(node, opset);
  const ExtensionTranslator* const extension = find_extension(node, opset);
  if (rule != nullptr || extension != nullptr) {
    outputs = rule != nullptr ? map_operator(context, *rule) : call_extension(context, *extension);
    warn_about_unread_attributes({}, context);
    return true;
  }
  if (const onnx::FunctionProto* function = attempt_->input->model->find_function(node)) {
    return emit_function(bound_function(*function, node), node, inputs, outputs);
  }
  const std::string_view domain = context.domain();
  const TranslatorRow* const row = attempt_->input->translators->find(domain, node.op_type(), opset);
  if (row != nullptr && !(row->is_for_fast_quantization && context.has_exact_quantization())) {
    check_input_types(context, schema_inputs(*row, context));
    if (attempt_->choices.are_compared) check_ranks(context);
    apply(*row, context, outputs);
    refuse_unread_inputs(context);
    warn_about_unread_attributes(*row, context);
    return true;
  }
  if (has_function_body(domain, node.op_type(), opset)) {
    check_required_inputs(context);
    if (auto body = expand_operator(node, opset, to_onnx_types(inputs), this->opset(""))) {
      return emit_function(*body, node, inputs, outputs);
    }
  }
  if (attempt_->input->options->keep_unknown) {
    outputs = keep_operator(context);
    return true;
  }
  throw base::Failure(kUnsupported, unsupported_message(node));
}

void GraphTranslator::report_unsupported(const onnx::NodeProto& node, std::int64_t index,
                                         std::string_view path) {
  const std::string_view domain = canonical_domain(node.domain());
  const auto version = opset(domain);
  if (!version || is_replaced(node, *version)) return;
  if (!attempt_->input->options->keep_unknown &&
      attempt_->input->translators->find(domain, node.op_type(), *version) == nullptr &&
      !has_function_body(domain, node.op_type(), *version)) {
    Place where = node_place(path, node, index, *version);
    where.function_stack = function_stack_;
    report(base::diagnostic_of({kUnsupported, unsupported_message(node)}, std::move(where)));
    return;
  }
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    for_each_body(attribute, [&](const onnx::GraphProto& graph) {
      const std::string body = body_path(path, node, index, attribute.name());
      std::int64_t inner = 0;
      for (const onnx::NodeProto& body_node : graph.node()) report_unsupported(body_node, inner++, body);
    });
  }
}

const OperatorRule* GraphTranslator::find_rule(const onnx::NodeProto& node, std::int64_t opset) const {
  return attempt_->input->map->rules.find(node.domain(), node.op_type(), opset);
}

const ExtensionTranslator* GraphTranslator::find_extension(const onnx::NodeProto& node,
                                                           std::int64_t opset) const {
  return attempt_->input->extensions->translators.find(node.domain(), node.op_type(), opset);
}

bool GraphTranslator::is_replaced(const onnx::NodeProto& node, std::int64_t opset) const {
  return find_rule(node, opset) != nullptr || find_extension(node, opset) != nullptr ||
         attempt_->input->model->find_function(node) != nullptr;
}

const TranslatorRow* GraphTranslator::row_of(const onnx::NodeProto& node) const {
  const std::string_view domain = canonical_domain(node.domain());
  const auto version = opset(domain);
  if (!version || is_replaced(node, *version)) return nullptr;
  return attempt_->input->translators->find(domain, node.op_type(), *version);
}

bool GraphTranslator::is_onnx(const onnx::NodeProto& node, std::string_view name) const {
  if (node.op_type() != name) return false;
  const TranslatorRow* const row = row_of(node);
  return row != nullptr && row->domain.empty();
}

FunctionBody GraphTranslator::bound_function(const onnx::FunctionProto& function,
                                             const onnx::NodeProto& node) {
  CalledFunction& called = attempt_->functions[&function];
  if (called.opsets == nullptr)
    called = {std::make_shared<OpsetImports>(opsets_of(function)), nodes_of_call(function)};
  count_function_nodes(called.nodes_of_call);
  auto body = bind_function(function, node, called.opsets, attempt_->copies.function_nodes,
                            attempt_->input->options->max_function_nodes);
  if (!body) fail_too_many_nodes();
  return *std::move(body);
}

void GraphTranslator::count_function_nodes(std::uint64_t nodes) {
  attempt_->copies.function_nodes += nodes;
  if (attempt_->copies.function_nodes > attempt_->input->options->max_function_nodes) fail_too_many_nodes();
}

void GraphTranslator::fail_too_many_nodes() {
  // Report it once, not again for every enclosing call.
  if (std::exchange(attempt_->copies.has_too_many_nodes, true)) throw base::Failure::reported();
  throw base::Failure(
      too_many_function_nodes(DiagnosticCode::cannot_convert, attempt_->input->options->max_function_nodes));
}

bool GraphTranslator::emit_function(const FunctionBody& body, const onnx::NodeProto& call,
                                    const Operands& inputs, Operands& outputs) {
  constexpr std::size_t kDeepest = 64;
  if (function_stack_.size() >= kDeepest)
    throw base::Failure(DiagnosticCode::cannot_convert, "functions are nested too deeply");
  GraphTranslator scope(*this, Kind::function, *graph_, {path_, current_node()});
  if (!body.has_graphs_of_call) scope.own_opsets_ = body.opsets.get();
  scope.sees_caller_ = body.has_graphs_of_call;
  scope.function_ = body.function.get();
  scope.call_ = &call;
  scope.function_stack_.push_back(body.name);
  for (int i = 0; i < body.function->input_size(); ++i) {
    const auto position = static_cast<std::size_t>(i);
    // An omitted input of the call is also absent in the body.
    scope.bind(body.function->input(i), position < inputs.size() ? inputs[position] : Operand{});
  }
  if (!scope.translate(body.function->node())) return false;
  for (const std::string& name : body.function->output()) outputs.push_back(scope.find(name).operand);
  return true;
}

bool GraphTranslator::emit_onnx_body(const onnx::NodeProto& node, std::int64_t opset, const Operands& inputs,
                                     Operands& outputs) {
  onnx::NodeProto own = node;
  own.clear_domain();
  const auto body = expand_operator(own, opset, to_onnx_types(inputs), opset);
  if (!body) throw base::Failure(kUnsupported, unsupported_message(node));
  return emit_function(*body, own, inputs, outputs);
}

std::optional<std::int64_t> GraphTranslator::opset(std::string_view domain) const {
  const GraphTranslator* scope = this;
  while (scope->own_opsets_ == nullptr) scope = scope->parent_;
  return scope->own_opsets_->find(domain);
}

Place GraphTranslator::place(const onnx::NodeProto& node, std::int64_t index) const {
  Place place = node_place(path_, node, index, opset(node.domain()).value_or(-1));
  place.function_stack = function_stack_;
  return place;
}

const onnx::NodeProto* GraphTranslator::owner() const {
  if (parent_ == nullptr || parent_->proto_ == nullptr || parent_->current_index_ < 0) return nullptr;
  return &parent_->proto_->node(static_cast<int>(parent_->current_index_));
}

Occurrence GraphTranslator::executed_graph() const {
  const GraphTranslator* scope = this;
  while (scope->kind_ == Kind::inlined || scope->kind_ == Kind::function) scope = scope->parent_;
  return scope->occurrence_;
}

std::optional<bool> GraphTranslator::choose_rank(bool preferred) const {
  Choices& choices = attempt_->choices;
  if (const auto chosen = choices.branches.find(current_node()); chosen != choices.branches.end())
    return chosen->second;
  if (!choices.may_choose || sink().has_errors()) return std::nullopt;
  attempt_->found.open_ifs.push_back({current_node(), executed_graph(), preferred});
  choices.branches.emplace(current_node(), preferred);
  choices.are_compared = true;
  return preferred;
}

BodySite GraphTranslator::body_of(const onnx::NodeProto& node, std::string_view attribute,
                                  std::int64_t iteration) const {
  const auto found = std::ranges::find(node.attribute(), attribute, &onnx::AttributeProto::name);
  const auto position = std::distance(node.attribute().begin(), found);
  return {body_path(path_, node, current_index_, attribute),
          attempt_->occurrences->body(current_node(), position, iteration)};
}

void GraphTranslator::report(Problem problem) const {
  report(base::diagnostic_of(std::move(problem), graph_place(path_)));
}

void GraphTranslator::report(const onnx::NodeProto& node, std::int64_t index, Problem problem) const {
  report(base::diagnostic_of(std::move(problem), place(node, index)));
}

}  // namespace onnx2ir::frontend
