// The names of a graph: bindings, initializers, values of enclosing graphs, names of emitted nodes, and the
// types that the model declares for its tensors.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.hpp"
#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/required_rank.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_data.hpp"

namespace onnx2ir::frontend {

void GraphTranslator::bind(std::string_view name, Operand operand) {
  if (name.empty()) return;
  if (attempt_->choices.are_compared) note_wrong_rank(name, operand);
  if (names_tensors()) {
    if (const ir::Value value = as_tensor(operand)) value.node->output(value.index).names.emplace_back(name);
  }
  set(name, std::move(operand));
}

void GraphTranslator::bind_unavailable(std::string_view name, bool is_omitted) {
  if (!name.empty()) set(name, Unavailable{is_omitted});
}

void GraphTranslator::add_initializers(const onnx::GraphProto& proto) {
  // An input that is already bound takes precedence: the default value of a body input is replaced by the
  // actual value. Of several initializers with one name the last one is used, as in onnxruntime.
  const auto& sparse = proto.sparse_initializer();
  for (auto tensor = sparse.rbegin(); tensor != sparse.rend(); ++tensor)
    names_.add(tensor->values().name(), &*tensor);
  const auto& dense = proto.initializer();
  for (auto tensor = dense.rbegin(); tensor != dense.rend(); ++tensor) names_.add(tensor->name(), &*tensor);
}

GraphTranslator::Lookup GraphTranslator::find(const base::HashedName& name) {
  using Status = Lookup::Status;
  if (Binding* const binding = names_.find(name)) {
    if (const auto* tensor = std::get_if<const onnx::TensorProto*>(binding)) {
      emit_initializer(*binding, name.name, read_tensor(**tensor, attempt_->input->model->weights()));
    } else if (const auto* sparse = std::get_if<const onnx::SparseTensorProto*>(binding)) {
      emit_initializer(*binding, name.name, read_tensor(**sparse, attempt_->input->model->weights()));
    }
    if (const auto* operand = std::get_if<Operand>(binding)) return {*operand, Status::found};
    const auto* const missing = std::get_if<Unavailable>(binding);
    if (missing != nullptr && missing->is_omitted && attempt_->found.omitted_output.empty())
      attempt_->found.omitted_output = name.name;
    return {{}, Status::unavailable};
  }
  if (!sees_parent()) return {{}, Status::unknown};
  Lookup outer = parent_->find(name);
  if (outer.status == Status::found && kind_ == Kind::body) outer.operand = capture(outer.operand);
  return outer;
}

void GraphTranslator::emit_initializer(Binding& binding, std::string_view name, TensorResult tensor) {
  const auto reject = [&](const std::string& reason) {
    report({DiagnosticCode::bad_initializer, "initializer '" + std::string(name) + "': " + reason});
    binding = Unavailable{};
  };
  if (!tensor) return reject(tensor.error().message);
  Builder builder(*graph_);
  builder.set_name(std::string(name));
  const auto value = base::attempt(DiagnosticCode::invalid_node, [&] {
    return builder.constant(tensor->type, tensor->shape, std::move(tensor->data));
  });
  if (!value) return reject(value.error().message);
  if (names_tensors()) value->node->output(0).names.emplace_back(name);
  binding = Operand(*value);
}

Operand GraphTranslator::capture(const Operand& outer) {
  if (const auto* value = std::get_if<ir::Value>(&outer)) return capture_tensor(*value);
  if (const auto* sequence = std::get_if<std::shared_ptr<const Sequence>>(&outer))
    return capture_sequence(*sequence);
  Optional optional = *std::get<std::shared_ptr<const Optional>>(outer);
  optional.has_value = capture_tensor(optional.has_value);
  if (optional.content != nullptr)
    optional.content = std::make_shared<const Operand>(capture(*optional.content));
  return make_optional(std::move(optional));
}

std::shared_ptr<const Sequence> GraphTranslator::capture_sequence(
    const std::shared_ptr<const Sequence>& outer) {
  std::shared_ptr<const Sequence>& inner = captured_sequences_[outer];
  if (inner != nullptr) return inner;
  Sequence sequence = *outer;
  if (sequence.stacked) sequence.stacked = capture_tensor(sequence.stacked);
  if (sequence.elements) {
    Values elements = sequence.elements->values();
    for (ir::Value& element : elements) element = capture_tensor(element);
    sequence.elements = ElementList(elements);
  } else {
    sequence.values = capture_tensor(sequence.values);
    if (sequence.shapes) sequence.shapes = capture_tensor(sequence.shapes);
  }
  inner = std::make_shared<const Sequence>(std::move(sequence));
  return inner;
}

ir::Value GraphTranslator::capture_tensor(ir::Value outer) {
  if (!outer) return outer;
  ir::Value& inner = captured_[{outer.node, outer.index}];
  if (inner) return inner;
  Builder builder(*graph_);
  if (outer.node->constant() != nullptr) {
    inner = builder.clone(*outer.node).value();
  } else {
    builder.set_name(outer.node->name);
    inner = builder.captured(outer);
    captures_.push_back({outer, inner.node});
  }
  return inner;
}

void GraphTranslator::set(std::string_view name, Binding binding) {
  names_.find_or_add(name, Unavailable{}) = std::move(binding);
}

namespace {

constexpr std::size_t kLongestNameInFunction = 1024;

/// The first `most` bytes of UTF-8, without a part of a letter at the end.
std::string beginning(const std::string& text, std::size_t most) {
  constexpr unsigned kContinuationMask = 0xC0;
  constexpr unsigned kContinuation = 0x80;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & kContinuationMask) == kContinuation) --most;
  return text.substr(0, most);
}

/// Whether programs refer to `node` by its name, for example to keep it from being quantised.
bool is_main_operation(const ir::Node& node) {
  return node.is_one_of({ops::Convolution, ops::GroupConvolution, ops::ConvolutionBackpropData,
                         ops::GroupConvolutionBackpropData, ops::DeformableConvolution, ops::MatMul,
                         ops::LSTMSequence, ops::GRUSequence, ops::RNNSequence, ops::MVN,
                         ops::ScaledDotProductAttention});
}

/// The name of a main operation whose result another operation of the ONNX node `name` changes; as OpenVINO's
/// front end names it before the bias is added.
std::string inner_name(const ir::Node& node, const std::string& name) {
  const auto& uses = node.output(0).uses;
  const bool is_biased = uses.size() == 1 && uses[0].node->is(ops::Add) && uses[0].node->name == name;
  return name + '/' + (is_biased ? "WithoutBiases" : std::string(node.op().name));
}

/// No value if `type` is null, or has no rank.
std::optional<std::int64_t> rank_of(const onnx::TypeProto* type) {
  if (type == nullptr || !type->tensor_type().has_shape()) return std::nullopt;
  return type->tensor_type().shape().dim_size();
}

}  // namespace

/// Nodes that give outputs get the name of the ONNX node, main operations a name that begins with it. Other
/// nodes stay unnamed. `first` is the first node that was emitted for `node`.
void GraphTranslator::name_nodes(const onnx::NodeProto& node, const Operands& outputs, std::size_t first) {
  if (node.output().empty() || first >= graph_->nodes().size()) return;
  const std::string& full_name = node.name().empty() ? node.output(0) : node.name();
  // Each call has a copy of the name.
  std::string cut_name;
  if (!function_stack_.empty() && full_name.size() > kLongestNameInFunction)
    cut_name = beginning(full_name, kLongestNameInFunction);
  const std::string& name = cut_name.empty() ? full_name : cut_name;
  for (const Operand& output : outputs) {
    const ir::Value value = as_tensor(output);
    if (value && value.node->name.empty()) value.node->name = name;
  }
  if (outputs.empty()) return;
  for (std::size_t i = first; i < graph_->nodes().size(); ++i) {
    ir::Node& emitted = *graph_->nodes()[i];
    if (emitted.name.empty() && is_main_operation(emitted)) emitted.name = inner_name(emitted, name);
  }
}

GraphTranslator::NodeInputs GraphTranslator::find_inputs(const onnx::NodeProto& node, std::int64_t index) {
  NodeInputs inputs;
  inputs.operands.reserve(static_cast<std::size_t>(node.input_size()));
  for (const std::string& name : node.input()) {
    if (name.empty()) {
      inputs.operands.emplace_back();
      continue;
    }
    Lookup lookup = find(name);
    if (lookup.status == Lookup::Status::unknown) {
      report(node, index, {DiagnosticCode::undefined_name, "input '" + name + "' is not defined"});
      inputs.are_defined = false;
    }
    inputs.are_available = inputs.are_available && lookup.status == Lookup::Status::found;
    inputs.operands.push_back(std::move(lookup.operand));
  }
  while (!inputs.operands.empty() && is_absent(inputs.operands.back())) inputs.operands.pop_back();
  return inputs;
}

void GraphTranslator::bind_outputs(const onnx::NodeProto& node, Operands& outputs, bool translated) {
  for (int i = 0; i < node.output_size(); ++i) {
    const auto position = static_cast<std::size_t>(i);
    if (position < outputs.size() && !is_absent(outputs[position])) {
      bind(node.output(i), std::move(outputs[position]));
    } else {
      bind_unavailable(node.output(i), translated);
    }
  }
}

std::optional<std::int64_t> GraphTranslator::declared_rank(std::string_view name) const {
  if (proto_ == nullptr) return std::nullopt;
  std::vector<std::string> passed;
  std::optional<std::int64_t> rank;
  for (std::string last(name);;) {
    // A name that is passed again, on a cycle, has no rank yet.
    const auto [known, is_new] = declared_ranks_.try_emplace(last);
    rank = is_new ? rank_of(declared_type(last)) : known->second;
    passed.push_back(last);
    if (rank || !is_new) break;
    const auto uses = names().uses(last);
    const auto next = std::ranges::find_if(uses, [&](const NameIndex::Use& use) {
      if (use.node == nullptr || use.input != 0 || use.node->output_size() != 1) return false;
      const TranslatorRow* const row = row_of(*use.node);
      return row != nullptr && (row->ranks == RankRule::keep || row->ranks == RankRule::map);
    });
    if (next == uses.end()) break;
    last = next->node->output(0);
  }
  for (const std::string& each : passed) declared_ranks_[each] = rank;
  return rank;
}

const onnx::TypeProto* GraphTranslator::declared_type(const std::string& name) const {
  if (!declared_types_) {
    declared_types_.emplace();
    const auto add = [&](const auto& declarations) {
      for (const onnx::ValueInfoProto& declaration : declarations) {
        if (declaration.has_type()) declared_types_->emplace(declaration.name(), &declaration.type());
      }
    };
    if (proto_ != nullptr) {
      add(proto_->output());
      add(proto_->value_info());
    } else if (function_ != nullptr) {
      add(function_->value_info());
      for (int i = 0; i < std::min(function_->output_size(), call_->output_size()); ++i) {
        const onnx::TypeProto* const type = parent_->declared_type(call_->output(i));
        if (type != nullptr) declared_types_->emplace(function_->output(i), type);
      }
    }
  }
  const auto found = declared_types_->find(name);
  return found == declared_types_->end() ? nullptr : found->second;
}

void GraphTranslator::note_wrong_rank(std::string_view name, const Operand& operand) const {
  if (proto_ == nullptr) return;  // inputs are bound before the graph is known
  const ir::Value value = as_tensor(operand);
  if (!value || !value.shape().has_rank()) return;
  const auto declared = rank_of(declared_type(std::string(name)));
  if (declared && std::cmp_not_equal(*declared, value.shape().rank()))
    attempt_->found.wrong_ranks.emplace(occurrence_, name);
}

const NameIndex& GraphTranslator::names() const {
  if (!name_index_) name_index_.emplace(*proto_);
  return *name_index_;
}

const std::unordered_set<std::string_view>& GraphTranslator::values_not_required_scalar() const {
  if (!values_not_required_scalar_) values_not_required_scalar_ = find_values_not_required_scalar(*this);
  return *values_not_required_scalar_;
}

bool GraphTranslator::is_output(std::string_view name) const {
  if (proto_ == nullptr) return false;
  return std::ranges::any_of(names().uses(name),
                             [](const NameIndex::Use& use) { return use.node == nullptr; });
}

}  // namespace onnx2ir::frontend
