#include "frontend/model_interface.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/failure.hpp"
#include "frontend/graph/onnx_types.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/tensor_types.hpp"
#include "ir/cache_names.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The content of an optional `type`, otherwise `type` itself.
const OperandType& content_of(const OperandType& type) {
  return type.content == nullptr ? type : content_of(*type.content);
}

/// Whether the rank of a sequence's elements is known, also inside an optional.
bool has_known_rank(const OperandType& type) {
  const OperandType& content = content_of(type);
  return content.kind == OperandType::Kind::tensor || content.shape.has_rank();
}

bool has_open_rank(const OperandType& type) {
  return content_of(type).open_rank != nullptr;
}

/// Many models declare a sequence without the shape of its elements, or as a sequence of scalars, and insert
/// other tensors.
bool may_have_any_rank(const ir::PartialShape& element) {
  return !element.has_rank() || element.rank() == 0;
}

/// The type of model input `name`, which is declared as `type`.
OperandType input_type(OperandType type, const std::string& name, const FoundRanks& found, OpenRanks& open) {
  if (type.content != nullptr) {
    type.content = std::make_shared<const OperandType>(input_type(*type.content, name, found, open));
  }
  if (type.kind != OperandType::Kind::sequence) return type;
  if (const auto known = found.find(name); known != found.end()) {
    type.shape = ir::PartialShape::of_rank(static_cast<std::size_t>(known->second));
  } else if (may_have_any_rank(type.shape)) {
    type.open_rank = open.emplace_back(std::make_shared<OpenRank>(OpenRank{name}));
  }
  return type;
}

/// Creates a Parameter for each tensor of the input. A sequence `x` has `x/values` and `x/shapes`; an
/// optional `x` has `x/has_value` in addition.
Operand input_operand(const std::string& name, const OperandType& type, ir::Graph& graph) {
  Builder builder(graph);
  Values tensors;
  for (const TensorPart& part : parts_of_operand(type, Boundary::model)) {
    const std::string tensor_name = name + std::string(part.suffix);
    builder.set_name(tensor_name);
    const Value parameter = builder.parameter(part.type, part.shape);
    if (type.kind != OperandType::Kind::tensor) parameter.node->output(0).names.push_back(tensor_name);
    tensors.push_back(parameter);
  }
  std::size_t next = 0;
  return join_operand(type, tensors, next, Boundary::model);
}

/// The model computes in its declared type, whatever type the caller passes.
void convert_input(const std::string& name, ir::ElementType computed, GraphTranslator& translator) {
  Builder builder(translator.graph());
  builder.set_name(name + "/converted");
  const Value parameter = as_tensor(translator.find(name).operand);
  translator.rebind(name, convert(builder, parameter, computed));
}

void bind_input(const onnx::ValueInfoProto& input, const LoadedModel& model, const FoundRanks& found,
                OpenRanks& open, GraphTranslator& translator) {
  auto type = to_operand_type(input.type());
  if (!type) {
    translator.report(
        {DiagnosticCode::unsupported_input, "model input '" + input.name() + "' " + type.error().message});
    translator.bind_unavailable(input.name());
    return;
  }
  const auto found_override = model.overrides().find(input.name());
  const InputOverride requested =
      found_override == model.overrides().end() ? InputOverride{} : found_override->second;
  const ir::ElementType computed = type->type;
  if (requested.shape) type->shape = *requested.shape;
  if (requested.type) type->type = *requested.type;
  if (type->kind == OperandType::Kind::tensor && !type->shape.has_rank()) {
    translator.report(base::diagnostic_of(
        {DiagnosticCode::unknown_rank, "model input '" + input.name() +
                                           "' has no known rank: OpenVINO's CPU runtime compiles the model "
                                           "only after reshape() has given it one"},
        {}, Severity::warning));
  }
  translator.bind(input.name(), input_operand(input.name(), input_type(*type, input.name(), found, open),
                                              translator.graph()));
  if (type->type != computed) convert_input(input.name(), computed, translator);
}

/// The axis of the length of a cache, the only dynamic one besides the batch; no value if it is not known.
std::optional<std::int64_t> length_axis(const ir::PartialShape& shape) {
  if (!shape.has_rank()) return std::nullopt;
  const std::size_t batch = ir::batch_axis_of_cache(shape);
  std::optional<std::int64_t> found;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (axis == batch || shape[axis].is_static()) continue;
    if (found) return std::nullopt;
    found = static_cast<std::int64_t>(axis);
  }
  return found;
}

/// Whether `input` is the input `use_cache_branch` of decoders that Optimum has merged, and the caches become
/// variables (--stateful). It chooses between the decoder for the prompt, which has no past, and the one that
/// reads caches. Callers cannot read variables, and OpenVINO GenAI and Optimum do not set this input: its
/// value is computed from the caches.
bool chooses_cache_branch(const onnx::ValueInfoProto& input, const GraphTranslator& translator) {
  return translator.attempt().input->options->stateful && input.name() == "use_cache_branch" &&
         input.type().tensor_type().elem_type() == onnx::TensorProto::BOOL;
}

/// The value of this input: whether the caches have elements. Null if no cache has a length that grows: then
/// only the caller knows. The other inputs must be bound.
Value cache_branch_choice(const onnx::GraphProto& proto, const onnx::ValueInfoProto& input,
                          GraphTranslator& translator) {
  Builder builder(translator.graph());
  for (ir::Node* parameter : translator.graph().parameters()) {
    const auto is_its_end = [&](const onnx::ValueInfoProto& output) {
      return ir::are_ends_of_a_cache(parameter->name, output.name());
    };
    const auto axis = length_axis(parameter->output(0).shape);
    if (!axis || std::ranges::none_of(proto.output(), is_its_end)) continue;
    builder.set_name(input.name());
    const Value length = ir::dimension_of(builder, parameter->value(), *axis);
    const Value has_past = builder.op(ops::Greater, {length, builder.integer(0)});
    return declared_shape(input.type()).is_scalar() ? ir::squeeze(builder, has_past, {0}) : has_past;
  }
  return {};
}

/// Whether the tensors of a sequence cannot be packed.
bool has_element_of_unknown_rank(const Operand& operand) {
  if (const auto* optional = std::get_if<std::shared_ptr<const Optional>>(&operand))
    return (*optional)->content != nullptr && has_element_of_unknown_rank(*(*optional)->content);
  const auto* const sequence = std::get_if<std::shared_ptr<const Sequence>>(&operand);
  return sequence != nullptr && (*sequence)->elements &&
         std::ranges::any_of((*sequence)->elements->values(),
                             [](ir::Value element) { return !element.shape().has_rank(); });
}

}  // namespace

void bind_inputs(const LoadedModel& model, const FoundRanks& found, OpenRanks& open,
                 GraphTranslator& translator) {
  const onnx::GraphProto& proto = model.proto().graph();
  std::unordered_set<std::string_view> initialized;
  for_each_initializer(proto, [&](const auto& tensor) { initialized.insert(values_of(tensor).name()); });
  const onnx::ValueInfoProto* cache_branch = nullptr;
  for (const onnx::ValueInfoProto& input : proto.input()) {
    if (initialized.contains(input.name())) continue;
    if (chooses_cache_branch(input, translator)) {
      cache_branch = &input;
    } else {
      bind_input(input, model, found, open, translator);
    }
  }
  // After the inputs from which it follows.
  if (cache_branch == nullptr) return;
  if (const Value has_past = cache_branch_choice(proto, *cache_branch, translator))
    return translator.bind(cache_branch->name(), has_past);
  bind_input(*cache_branch, model, found, open, translator);
}

void check_declared_output(const onnx::ValueInfoProto& output, const Operand& operand, DiagnosticSink& sink) {
  const auto declared = to_operand_type(output.type());
  const OperandType computed = type_of(operand);
  if (!declared || declared->kind != OperandType::Kind::tensor || computed.kind != OperandType::Kind::tensor)
    return;
  const bool has_other_type = declared->type != ir::ElementType::dynamic && declared->type != computed.type;
  if (!has_other_type && ir::intersect(declared->shape, computed.shape)) return;
  sink.report(
      base::diagnostic_of({DiagnosticCode::declared_output,
                           "model output '" + output.name() + "' is declared as " + to_string(*declared) +
                               ", but the graph computes " + to_string(computed),
                           "the IR has the computed type and shape; correct the declaration, or the graph"},
                          graph_place(kMainGraphPath), Severity::warning));
}

void add_output(const onnx::ValueInfoProto& output, const Operand& operand, ir::Graph& graph,
                DiagnosticSink& sink) {
  OperandType type = type_of(operand);
  if (const auto declared = to_operand_type(output.type())) {
    // The declared type gives the rank if the sequence is always empty, or if it is an input.
    const bool tells_rank = !has_open_rank(type) || !may_have_any_rank(content_of(*declared).shape);
    if (!has_known_rank(type) && tells_rank) {
      if (const auto joined = widen(type, *declared)) type = *joined;
    }
  }
  if ((!has_known_rank(type) && !has_open_rank(type)) || has_element_of_unknown_rank(operand)) {
    return sink.error(
        DiagnosticCode::unsupported_output,
        "model output '" + output.name() + "' is a " + to_string(type) + " whose elements have no known rank",
        graph_place(kMainGraphPath));
  }
  Builder builder(graph);
  const auto parts = parts_of_operand(type, Boundary::model);
  std::size_t next = 0;
  for (const Value& tensor : split_operand(builder, operand, type, Boundary::model)) {
    const std::string name = output.name() + std::string(parts[next++].suffix);
    builder.set_name(name);
    if (type.kind != OperandType::Kind::tensor) tensor.node->output(tensor.index).names.push_back(name);
    builder.result(tensor);
  }
}

}  // namespace onnx2ir::frontend
