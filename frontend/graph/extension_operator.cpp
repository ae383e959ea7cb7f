#include <fmt/core.h>
#include <onnx2ir/extension.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/graph/custom_operators.hpp"
#include "frontend/graph/node_context.hpp"
#include "frontend/mapping/extension_library.hpp"
#include "frontend/mapping/operator_map.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "ir/inference.hpp"
#include "ir/op_descriptor.hpp"

/// A node while a translator of a library converts it: what the handles and pointers of the library refer to.
struct onnx2ir_node {
  onnx2ir::frontend::NodeContext* context;
  /// A handle is an index into this list plus one.
  std::vector<onnx2ir::ir::Value> values;
  std::vector<onnx2ir::ir::Value> outputs;
  // Deques: elements keep their addresses.
  std::deque<std::vector<std::int64_t>> integers;
  std::deque<std::vector<double>> reals;
  std::deque<std::vector<onnx2ir_text>> texts;
  /// The first error.
  std::exception_ptr problem;
};

namespace onnx2ir::frontend {
namespace {

template <typename Element>
std::span<const Element> list(const Element* elements, std::size_t count) {
  return count == 0 ? std::span<const Element>() : std::span(elements, count);
}

/// Calls `function` unless the node has an error; an exception becomes its error. No exception may pass
/// through the frames of the library, which can be C.
template <typename Result, typename Function>
Result guarded(onnx2ir_node* node, Result otherwise, Function function) noexcept {
  if (node->problem) return otherwise;
  try {
    return function(*node->context);
  } catch (...) {
    node->problem = std::current_exception();
    return otherwise;
  }
}

/// 0 for a null value.
onnx2ir_value handle(onnx2ir_node* node, Value value) {
  if (!value) return 0;
  node->values.push_back(value);
  return static_cast<onnx2ir_value>(node->values.size());
}

/// Null for 0.
Value value_or_null(const onnx2ir_node* node, onnx2ir_value value) {
  if (value == 0) return {};
  if (value > node->values.size()) node->context->fail("it uses a value of another node");
  return node->values[value - 1];
}

Value value_of(const onnx2ir_node* node, onnx2ir_value value) {
  const Value found = value_or_null(node, value);
  if (!found) node->context->fail("it uses an empty value");
  return found;
}

ElementType type_named(const NodeContext& context, onnx2ir_text name) {
  const auto type = ir::element_type_from_name(view(name));
  if (!type || *type == ElementType::dynamic)
    context.fail(fmt::format("it uses the element type '{}', which the IR does not have", view(name)));
  return *type;
}

/// A shape of `count` elements.
std::span<const std::int64_t> shape_of(const NodeContext& context, const std::int64_t* sizes,
                                       std::size_t rank) {
  const auto shape = list(sizes, rank);
  if (!PartialShape(shape).element_count()) context.fail("it makes a constant whose shape is negative");
  return shape;
}

onnx2ir_value input(onnx2ir_node* node, std::size_t index) noexcept {
  return guarded(node, onnx2ir_value{0},
                 [&](NodeContext& context) { return handle(node, context.input(index)); });
}

void set_output(onnx2ir_node* node, std::size_t index, onnx2ir_value value) noexcept {
  guarded(node, 0, [&](NodeContext& context) {
    if (index >= context.output_count())
      context.fail(fmt::format("it sets output {}, but the node has {}", index, context.output_count()));
    node->outputs[index] = value_or_null(node, value);
    return 1;
  });
}

/// Sets an attribute whose elements `owner`, a member of the node, keeps.
template <typename Element>
void set_elements(onnx2ir_attribute& attribute, onnx2ir_attribute_kind kind,
                  const Element* onnx2ir_attribute::*elements, std::deque<std::vector<Element>>& owner,
                  std::vector<Element> values) {
  attribute.kind = kind;
  attribute.count = values.size();
  attribute.*elements = owner.emplace_back(std::move(values)).data();
}

void set_value(onnx2ir_attribute& attribute, const onnx::AttributeProto& proto, onnx2ir_node& node) {
  using Type = onnx::AttributeProto;
  using To = onnx2ir_attribute;
  switch (proto.type()) {
    case Type::INT:
      return set_elements(attribute, ONNX2IR_INTEGER, &To::integers, node.integers, {proto.i()});
    case Type::FLOAT:
      return set_elements(attribute, ONNX2IR_REAL, &To::reals, node.reals, {static_cast<double>(proto.f())});
    case Type::STRING:
      return set_elements(attribute, ONNX2IR_TEXT, &To::texts, node.texts, {view(proto.s())});
    case Type::INTS:
      return set_elements(attribute, ONNX2IR_INTEGERS, &To::integers, node.integers,
                          {proto.ints().begin(), proto.ints().end()});
    case Type::FLOATS:
      return set_elements(attribute, ONNX2IR_REALS, &To::reals, node.reals,
                          {proto.floats().begin(), proto.floats().end()});
    case Type::STRINGS: {
      std::vector<onnx2ir_text> texts;
      for (const std::string& text : proto.strings()) texts.push_back(view(text));
      return set_elements(attribute, ONNX2IR_TEXTS, &To::texts, node.texts, std::move(texts));
    }
    case Type::TENSOR:
    case Type::SPARSE_TENSOR:
      attribute.kind = ONNX2IR_TENSOR;
      attribute.count = 1;
      return;
    default:
      attribute.kind = ONNX2IR_OTHER;
  }
}

onnx2ir_attribute attribute(onnx2ir_node* node, onnx2ir_text name) noexcept {
  const onnx2ir_attribute absent{name, ONNX2IR_ABSENT, 0, nullptr, nullptr, nullptr};
  return guarded(node, absent, [&](NodeContext& context) {
    onnx2ir_attribute result = absent;
    if (const auto* const proto = context.find_attribute(view(name))) set_value(result, *proto, *node);
    return result;
  });
}

onnx2ir_value tensor(onnx2ir_node* node, onnx2ir_text name) noexcept {
  return guarded(node, onnx2ir_value{0}, [&](NodeContext& context) {
    const auto* const proto = context.find_attribute(view(name));
    if (proto == nullptr) context.fail(fmt::format("attribute '{}' is missing", view(name)));
    if (!proto->has_t() && !proto->has_sparse_tensor())
      context.fail(fmt::format("attribute '{}' is not a tensor", view(name)));
    TensorAttribute read = context.tensor_attribute(view(name));
    return handle(node, context.constant(read.type, read.shape, std::move(read.data)));
  });
}

onnx2ir_text element_type(onnx2ir_node* node, std::int64_t onnx_type) noexcept {
  return guarded(node, onnx2ir_text{},
                 [&](NodeContext& context) { return view(ir::info(context.element_type(onnx_type)).name); });
}

onnx2ir_text type_of(onnx2ir_node* node, onnx2ir_value value) noexcept {
  return guarded(node, onnx2ir_text{},
                 [&](NodeContext&) { return view(ir::info(value_of(node, value).type()).name); });
}
std::int64_t rank_of(onnx2ir_node* node, onnx2ir_value value) noexcept {
  return guarded(node, std::int64_t{-1}, [&](NodeContext&) -> std::int64_t {
    const PartialShape& shape = value_of(node, value).shape();
    return shape.has_rank() ? static_cast<std::int64_t>(shape.rank()) : -1;
  });
}
std::int64_t size_of_axis(onnx2ir_node* node, onnx2ir_value value, std::size_t axis) noexcept {
  return guarded(node, std::int64_t{-1}, [&](NodeContext& context) -> std::int64_t {
    const PartialShape& shape = value_of(node, value).shape();
    if (!shape.has_rank() || axis >= shape.rank())
      context.fail(fmt::format("it asks for the size of axis {}, which does not exist", axis));
    return shape[axis].size();
  });
}

/// Stores elements that are known, and points `elements` to them.
template <typename Element, typename List>
int store(const std::optional<List>& known, std::deque<std::vector<Element>>& storage,
          const Element** elements, std::size_t* count) {
  if (!known) return 0;
  const auto& stored = storage.emplace_back(known->begin(), known->end());
  *elements = stored.data();
  *count = stored.size();
  return 1;
}
int known_integers(onnx2ir_node* node, onnx2ir_value value, const std::int64_t** elements,
                   std::size_t* count) noexcept {
  return guarded(node, 0, [&](NodeContext& context) {
    return store(context.known_integers(value_of(node, value)), node->integers, elements, count);
  });
}
int known_reals(onnx2ir_node* node, onnx2ir_value value, const double** elements,
                std::size_t* count) noexcept {
  return guarded(node, 0, [&](NodeContext& context) {
    return store(context.known_numbers(value_of(node, value)), node->reals, elements, count);
  });
}

onnx2ir_value reals(onnx2ir_node* node, onnx2ir_text type, const std::int64_t* shape, std::size_t rank,
                    const double* elements, std::size_t count) noexcept {
  return guarded(node, onnx2ir_value{0}, [&](NodeContext& context) {
    return handle(node, context.numbers(list(elements, count), shape_of(context, shape, rank),
                                        type_named(context, type)));
  });
}
onnx2ir_value integers(onnx2ir_node* node, onnx2ir_text type, const std::int64_t* shape, std::size_t rank,
                       const std::int64_t* elements, std::size_t count) noexcept {
  return guarded(node, onnx2ir_value{0}, [&](NodeContext& context) {
    const ElementType element = type_named(context, type);
    return handle(node, context.constant(element, shape_of(context, shape, rank),
                                         ir::encode_integers(list(elements, count), element)));
  });
}
onnx2ir_value bytes(onnx2ir_node* node, onnx2ir_text type, const std::int64_t* shape, std::size_t rank,
                    const void* data, std::size_t size) noexcept {
  return guarded(node, onnx2ir_value{0}, [&](NodeContext& context) {
    const ElementType element = type_named(context, type);
    if (ir::info(element).bits == 0)
      context.fail(fmt::format("it makes a constant of the type '{}' from bytes", view(type)));
    const auto given = list(static_cast<const std::byte*>(data), size);
    return handle(node, context.constant(element, shape_of(context, shape, rank),
                                         ir::ConstantData(std::vector(given.begin(), given.end()))));
  });
}

const ir::OpDescriptor& operation_named(const NodeContext& context, std::string_view name) {
  const ir::OpDescriptor* const op = ir::find_op_or_null(name);
  if (op == nullptr)
    context.fail(
        fmt::format("it emits '{}', which is no operation of the IR{}", name, suggest_operation(name)));
  if (!is_single_operation(*op))
    context.fail(fmt::format("it emits '{}', which a library cannot emit", name));
  return *op;
}

/// The value of an attribute; no value if it is no number, text or list of them.
std::optional<ir::AttributeValue> value_of_attribute(const onnx2ir_attribute& given) {
  switch (given.kind) {
    case ONNX2IR_INTEGER:
      return *given.integers;
    case ONNX2IR_REAL:
      return *given.reals;
    case ONNX2IR_TEXT:
      return std::string(view(*given.texts));
    case ONNX2IR_INTEGERS:
      return std::vector<std::int64_t>(given.integers, given.integers + given.count);
    case ONNX2IR_REALS:
      return std::vector<double>(given.reals, given.reals + given.count);
    case ONNX2IR_TEXTS: {
      std::vector<std::string> copies;
      for (const onnx2ir_text text : list(given.texts, given.count)) copies.emplace_back(view(text));
      return copies;
    }
    default:
      return std::nullopt;
  }
}

/// The attributes of a library for an operation. Fails if the operation has no such attribute, or lacks one.
std::vector<ir::Attribute> attributes_of(const NodeContext& context, const ir::OpDescriptor& op,
                                         std::span<const onnx2ir_attribute> given) {
  std::vector<ir::Attribute> attributes;
  for (const onnx2ir_attribute& attribute : given) {
    const auto spec = std::ranges::find(op.attributes, view(attribute.name), &ir::AttributeSpec::name);
    if (spec == op.attributes.end() || spec->presence == ir::AttributeSpec::Presence::note)
      context.fail(fmt::format("{} has no attribute '{}'{}", op.name, view(attribute.name),
                               suggest_attribute(op, view(attribute.name))));
    auto value = value_of_attribute(attribute);
    if (value) value = coerced(*std::move(value), spec->kind);
    if (!value) context.fail(fmt::format("attribute '{}' of {} has another type", spec->name, op.name));
    attributes.emplace_back(*spec, *std::move(value));
  }
  if (const auto missing = ir::missing_attributes(op, attributes); !missing.empty())
    context.fail(fmt::format("{} needs the attribute '{}'", op.name, missing.front()));
  return attributes;
}

int emit(onnx2ir_node* node, onnx2ir_text operation, const onnx2ir_value* inputs, std::size_t input_count,
         const onnx2ir_attribute* attributes, std::size_t attribute_count, onnx2ir_value* outputs,
         std::size_t output_count) noexcept {
  return guarded(node, 0, [&](NodeContext& context) {
    const ir::OpDescriptor& op = operation_named(context, view(operation));
    const auto values = attributes_of(context, op, list(attributes, attribute_count));
    std::vector<Value> arguments;
    for (const onnx2ir_value input : list(inputs, input_count))
      arguments.push_back(value_or_null(node, input));
    const auto reject = [&](std::string_view reason) {
      context.fail(fmt::format("{} rejects its inputs or attributes: {}", op.name, reason));
    };
    if (const auto problem = ir::input_problem(op, arguments)) reject(*problem);
    const auto created = base::attempt(DiagnosticCode::invalid_node,
                                       [&] { return &context.node(op.id, arguments, values, output_count); });
    if (!created) reject(created.error().message);
    ir::Node* const emitted = *created;
    if (emitted->outputs().size() != output_count)
      context.fail(
          fmt::format("{} has {} outputs, not {}", op.name, emitted->outputs().size(), output_count));
    for (std::size_t i = 0; i < output_count; ++i) outputs[i] = handle(node, emitted->value(i));
    return 1;
  });
}

void fail(onnx2ir_node* node, onnx2ir_text reason, onnx2ir_text hint) noexcept {
  guarded(node, 0, [&](NodeContext& context) -> int {
    context.fail(std::string(view(reason)), std::string(view(hint)));
  });
}

constexpr onnx2ir_node_functions kFunctions{
    .size = sizeof(onnx2ir_node_functions),
    .op_type = [](onnx2ir_node* node) noexcept { return view(node->context->op_type()); },
    .domain = [](onnx2ir_node* node) noexcept { return view(node->context->domain()); },
    .name = [](onnx2ir_node* node) noexcept { return view(node->context->proto().name()); },
    .opset = [](onnx2ir_node* node) noexcept { return node->context->opset(); },
    .input_count = [](onnx2ir_node* node) noexcept { return node->context->input_count(); },
    .has_input = [](onnx2ir_node* node, std::size_t i) noexcept { return int{node->context->has_input(i)}; },
    .input = input,
    .output_count = [](onnx2ir_node* node) noexcept { return node->context->output_count(); },
    .has_output = [](onnx2ir_node* node,
                     std::size_t i) noexcept { return int{node->context->has_output(i)}; },
    .set_output = set_output,
    .attribute = attribute,
    .tensor = tensor,
    .element_type = element_type,
    .type_of = type_of,
    .rank_of = rank_of,
    .size_of_axis = size_of_axis,
    .known_integers = known_integers,
    .known_reals = known_reals,
    .reals = reals,
    .integers = integers,
    .bytes = bytes,
    .emit = emit,
    .fail = fail,
};

}  // namespace

Operands call_extension(NodeContext& node, const ExtensionTranslator& translator) {
  const auto fail = [&](std::string_view reason, std::string hint) {
    node.fail(fmt::format("the extension '{}' cannot convert the node: {}", translator.library, reason),
              std::move(hint));
  };
  onnx2ir_node state;
  state.context = &node;
  state.outputs.resize(node.output_count());
  try {
    translator.translate(&state, &kFunctions, translator.data);
  } catch (const std::exception& exception) {
    fail(fmt::format("its translator has thrown an exception: {}", exception.what()), {});
  } catch (...) {
    fail("its translator has thrown an exception", {});
  }
  try {
    if (state.problem) std::rethrow_exception(state.problem);
  } catch (const base::Failure& failure) {
    if (failure.ends_conversion()) throw;
    fail(failure.what(), failure.problem().hint);
  }
  Operands outputs;
  for (std::size_t i = 0; i < state.outputs.size(); ++i) {
    if (!state.outputs[i] && node.has_output(i)) fail(fmt::format("it does not set output {}", i), {});
    outputs.emplace_back(state.outputs[i]);
  }
  return outputs;
}

}  // namespace onnx2ir::frontend
