// The names of a graph: bindings, initializers, and values of enclosing graphs.
#include <utility>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/tensor_data.hpp"

namespace onnx2ir::frontend {

void GraphTranslator::bind(std::string_view name, Operand operand) {
  if (name.empty()) return;
  if (names_tensors()) {
    if (const ir::Value value = as_tensor(operand)) value.node->output(value.index).names.emplace_back(name);
  }
  set(name, std::move(operand));
}

void GraphTranslator::rebind(std::string_view name, Operand operand) {
  set(name, std::move(operand));
}

void GraphTranslator::bind_unavailable(std::string_view name) {
  if (!name.empty()) set(name, Unavailable{});
}

void GraphTranslator::bind_omitted(std::string_view name) {
  if (!name.empty()) set(name, Unavailable{.is_omitted = true});
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

bool GraphTranslator::sees_parent() const {
  return parent_ != nullptr && (kind_ != Kind::function || sees_caller_);
}

GraphTranslator::Lookup GraphTranslator::find(const ir::HashedName& name) {
  using Status = Lookup::Status;
  if (Binding* const own = names_.find(name)) {
    Binding& binding = *own;
    if (const auto* tensor = std::get_if<const onnx::TensorProto*>(&binding)) {
      emit_initializer(binding, name.name, read_tensor(**tensor, conversion_->model->weights()));
    } else if (const auto* sparse = std::get_if<const onnx::SparseTensorProto*>(&binding)) {
      emit_initializer(binding, name.name, read_tensor(**sparse, conversion_->model->weights()));
    }
    if (const auto* operand = std::get_if<Operand>(&binding)) return {*operand, Status::found};
    const auto* const missing = std::get_if<Unavailable>(&binding);
    if (missing != nullptr && missing->is_omitted && conversion_->omitted_output.empty())
      conversion_->omitted_output = name.name;
    return {{}, Status::unavailable};
  }
  if (!sees_parent()) return {{}, Status::unknown};
  Lookup outer = parent_->find(name);
  if (outer.status == Status::found && kind_ == Kind::body) outer.operand = capture(outer.operand);
  return outer;
}

bool GraphTranslator::knows(const ir::HashedName& name) const {
  if (names_.find(name) != nullptr) return true;
  return sees_parent() && parent_->knows(name);
}

void GraphTranslator::emit_initializer(Binding& binding, std::string_view name, TensorResult tensor) {
  if (!tensor.value) {
    Place place;
    place.graph = path_;
    sink().error(DiagnosticCode::bad_initializer, "initializer '" + std::string(name) + "' " + tensor.problem,
                 std::move(place));
    binding = Unavailable{};
    return;
  }
  Builder builder(*graph_);
  builder.set_name(std::string(name));
  const ir::Value value =
      builder.constant(tensor.value->type, tensor.value->shape, std::move(tensor.value->data));
  if (names_tensors()) value.node->output(0).names.emplace_back(name);
  binding = Operand(value);
}

Operand GraphTranslator::capture(const Operand& outer) {
  if (const auto* value = std::get_if<ir::Value>(&outer)) return capture_tensor(*value);
  if (const auto* shared = std::get_if<std::shared_ptr<const Sequence>>(&outer)) {
    Sequence sequence = **shared;
    if (sequence.stacked) sequence.stacked = capture_tensor(sequence.stacked);
    if (sequence.elements) {
      Values elements = sequence.elements->values();
      for (ir::Value& element : elements) element = capture_tensor(element);
      sequence.elements = ElementList(elements);
    } else {
      sequence.values = capture_tensor(sequence.values);
      if (sequence.shapes) sequence.shapes = capture_tensor(sequence.shapes);
    }
    return make_sequence(std::move(sequence));
  }
  Optional optional = *std::get<std::shared_ptr<const Optional>>(outer);
  optional.has_value = capture_tensor(optional.has_value);
  if (optional.content != nullptr)
    optional.content = std::make_shared<const Operand>(capture(*optional.content));
  return make_optional(std::move(optional));
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
    inner = builder.parameter(outer.type(), outer.shape());
    captures_.push_back({outer, inner.node});
  }
  return inner;
}

void GraphTranslator::set(std::string_view name, Binding binding) {
  names_.find_or_add(name, Unavailable{}) = std::move(binding);
}

}  // namespace onnx2ir::frontend
