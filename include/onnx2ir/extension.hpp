// Translators of operators in a library that onnx2ir loads (--extension, Options::extensions). The library
// defines translators(), and needs only this header: it is not linked with onnx2ir. C++17.
//
//     #include <onnx2ir/extension.hpp>
//     using namespace onnx2ir::extension;
//
//     static Values swirl_1(Node& node) {
//       const Value x = node.input(0);
//       return {node.op("Multiply", {x, node.number(node.real("strength", 1), x.type())})};
//     }
//     std::vector<Translator> onnx2ir::extension::translators() {
//       return {{"com.example", "Swirl", 1, swirl_1}};
//     }
//
// docs/extensions.md describes it. A translator may throw any exception: it becomes an error of the node.
#pragma once

#include <onnx2ir/extension.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace onnx2ir::extension {
// Libraries that were built with headers of different versions can be loaded into one process.
inline namespace v1 {

class Node;

/// A tensor of the converted graph. Valid until the translator returns.
class Value {
 public:
  Value() = default;
  Value(const Node& node, onnx2ir_value id) : node_(&node), id_(id) {}
  explicit operator bool() const { return id_ != 0; }
  onnx2ir_value id() const { return id_; }

  /// The element type by its name in the IR: "f32", "i64", "boolean".
  std::string type() const;
  /// The sizes, -1 for those that are known only at run time; no value if the rank is.
  std::optional<std::vector<std::int64_t>> shape() const;
  /// The elements in C order if all of them are known at conversion time: of an integer or boolean tensor,
  /// and of a numeric constant.
  std::optional<std::vector<std::int64_t>> integers() const;
  std::optional<std::vector<double>> numbers() const;

 private:
  const Node& node() const {
    if (node_ == nullptr) throw std::logic_error("a value is empty");
    return *node_;
  }

  const Node* node_ = nullptr;
  onnx2ir_value id_ = 0;
};

using Values = std::vector<Value>;

/// An attribute of an operation to emit: {"axis", 1}, {"mode", "max"}, {"strides", {1, 1}}. An element type
/// is given by its name.
class Attribute {
 public:
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Attribute(std::string name, Number value) : name_(std::move(name)) {
    if constexpr (std::is_floating_point_v<Number>) {
      kind_ = ONNX2IR_REAL;
      reals_.push_back(static_cast<double>(value));
    } else {
      kind_ = ONNX2IR_INTEGER;
      integers_.push_back(static_cast<std::int64_t>(value));
    }
  }
  Attribute(std::string name, const char* value) : Attribute(std::move(name), std::string(value)) {}
  Attribute(std::string name, std::string value)
      : name_(std::move(name)), kind_(ONNX2IR_TEXT), texts_{std::move(value)} {}
  Attribute(std::string name, std::initializer_list<std::int64_t> value)
      : name_(std::move(name)), kind_(ONNX2IR_INTEGERS), integers_(value) {}
  Attribute(std::string name, std::vector<std::int64_t> value)
      : name_(std::move(name)), kind_(ONNX2IR_INTEGERS), integers_(std::move(value)) {}
  Attribute(std::string name, std::vector<double> value)
      : name_(std::move(name)), kind_(ONNX2IR_REALS), reals_(std::move(value)) {}
  Attribute(std::string name, std::vector<std::string> value)
      : name_(std::move(name)), kind_(ONNX2IR_TEXTS), texts_(std::move(value)) {}

 private:
  friend class Node;
  std::string name_;
  onnx2ir_attribute_kind kind_ = ONNX2IR_ABSENT;
  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
  std::vector<std::string> texts_;
};

using Attributes = std::vector<Attribute>;

/// Thrown by the functions of Node and Value when the node cannot be converted; the translator need not catch
/// it.
class Rejected : public std::exception {
 public:
  const char* what() const noexcept override { return "the node cannot be converted"; }
};

/// The ONNX node to convert. Functions that cannot do what they are asked for reject the node.
class Node {
 public:
  Node(onnx2ir_node* node, const onnx2ir_node_functions* functions) : node_(node), functions_(functions) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  std::string op_type() const { return owned(functions_->op_type(node_)); }
  /// "" is ONNX's own.
  std::string domain() const { return owned(functions_->domain(node_)); }
  std::string name() const { return owned(functions_->name(node_)); }
  /// The imported version of the domain.
  std::int64_t opset() const { return functions_->opset(node_); }

  /// Omitted inputs in the middle count; trailing ones do not.
  std::size_t input_count() const { return functions_->input_count(node_); }
  bool has_input(std::size_t index) const { return functions_->has_input(node_, index) != 0; }
  Value input(std::size_t index) const { return checked(functions_->input(node_, index)); }
  std::size_t output_count() const { return functions_->output_count(node_); }
  /// Whether the output has a name, so that it may have uses.
  bool has_output(std::size_t index) const { return functions_->has_output(node_, index) != 0; }

  // Attributes. Those with a default return it if the node lacks the attribute; the others reject the node.
  // An attribute that no function here was asked for causes a warning.
  bool has_attribute(std::string_view name) const { return kind(name) != ONNX2IR_ABSENT; }
  std::int64_t integer(std::string_view name) const {
    return *get(name, ONNX2IR_INTEGER, "an integer").integers;
  }
  std::int64_t integer(std::string_view name, std::int64_t absent) const {
    return has_attribute(name) ? integer(name) : absent;
  }
  double real(std::string_view name) const {
    return *get(name, ONNX2IR_REAL, "a floating-point number").reals;
  }
  double real(std::string_view name, double absent) const {
    return has_attribute(name) ? real(name) : absent;
  }
  std::string text(std::string_view name) const { return owned(*get(name, ONNX2IR_TEXT, "a text").texts); }
  std::string text(std::string_view name, std::string_view absent) const {
    return has_attribute(name) ? text(name) : std::string(absent);
  }
  /// Lists are empty if the node lacks the attribute.
  std::vector<std::int64_t> integers(std::string_view name) const {
    if (!has_attribute(name)) return {};
    const onnx2ir_attribute list = get(name, ONNX2IR_INTEGERS, "a list of integers");
    return {list.integers, list.integers + list.count};
  }
  std::vector<double> reals(std::string_view name) const {
    if (!has_attribute(name)) return {};
    const onnx2ir_attribute list = get(name, ONNX2IR_REALS, "a list of floating-point numbers");
    return {list.reals, list.reals + list.count};
  }
  std::vector<std::string> texts(std::string_view name) const {
    if (!has_attribute(name)) return {};
    const onnx2ir_attribute list = get(name, ONNX2IR_TEXTS, "a list of texts");
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < list.count; ++i) texts.push_back(owned(list.texts[i]));
    return texts;
  }
  /// The tensor in an attribute as a constant.
  Value tensor(std::string_view name) const { return checked(functions_->tensor(node_, view(name))); }
  /// The name in the IR of an ONNX element type (TensorProto.DataType), for attributes such as `to`.
  std::string element_type(std::int64_t onnx_type) const {
    const std::string name = owned(functions_->element_type(node_, onnx_type));
    if (name.empty()) throw Rejected();
    return name;
  }

  /// Emits an operation of the IR, of those that need no bodies or variables.
  Value op(std::string_view operation, const Values& inputs, const Attributes& attributes = {}) {
    return ops(operation, inputs, attributes, 1).front();
  }
  /// The same for an operation with `outputs` outputs.
  Values ops(std::string_view operation, const Values& inputs, const Attributes& attributes,
             std::size_t outputs) {
    std::vector<onnx2ir_value> ids;
    for (const Value& input : inputs) ids.push_back(input.id());
    std::vector<std::vector<onnx2ir_text>> texts;
    std::vector<onnx2ir_attribute> raw;
    for (const Attribute& attribute : attributes) {
      const auto& of_attribute = texts.emplace_back(views(attribute.texts_));
      raw.push_back({view(attribute.name_), attribute.kind_,
                     attribute.integers_.size() + attribute.reals_.size() + of_attribute.size(),
                     attribute.integers_.data(), attribute.reals_.data(), of_attribute.data()});
    }
    std::vector<onnx2ir_value> results(outputs);
    if (functions_->emit(node_, view(operation), ids.data(), ids.size(), raw.data(), raw.size(),
                         results.data(), results.size()) == 0)
      throw Rejected();
    Values values;
    for (const onnx2ir_value result : results) values.emplace_back(*this, result);
    return values;
  }

  /// A scalar of an element type; numbers are rounded to nearest even.
  Value number(double value, std::string_view type) { return numbers({value}, {}, type); }
  /// A constant in C order.
  Value numbers(const std::vector<double>& elements, const std::vector<std::int64_t>& shape,
                std::string_view type) {
    return checked(
        functions_->reals(node_, view(type), shape.data(), shape.size(), elements.data(), elements.size()));
  }
  /// A scalar, a vector and a constant of integers, for axes, sizes and indices.
  Value integer_constant(std::int64_t value, std::string_view type = "i64") {
    return integer_constant({value}, {}, type);
  }
  Value integer_vector(const std::vector<std::int64_t>& elements, std::string_view type = "i64") {
    return integer_constant(elements, {static_cast<std::int64_t>(elements.size())}, type);
  }
  Value integer_constant(const std::vector<std::int64_t>& elements, const std::vector<std::int64_t>& shape,
                         std::string_view type) {
    return checked(functions_->integers(node_, view(type), shape.data(), shape.size(), elements.data(),
                                        elements.size()));
  }
  /// A constant of `size` bytes, the elements in C order, little-endian.
  Value constant(const void* data, std::size_t size, const std::vector<std::int64_t>& shape,
                 std::string_view type) {
    return checked(functions_->bytes(node_, view(type), shape.data(), shape.size(), data, size));
  }

  /// Rejects the node, with the reason and what the user can do.
  [[noreturn]] void fail(std::string_view reason, std::string_view hint = {}) const {
    functions_->fail(node_, view(reason), view(hint));
    throw Rejected();
  }

  // For translators that use <onnx2ir/extension.h>.
  onnx2ir_node* handle() const { return node_; }
  const onnx2ir_node_functions& functions() const { return *functions_; }
  static onnx2ir_text view(std::string_view text) { return {text.data(), text.size()}; }
  static std::string owned(onnx2ir_text text) { return {text.data, text.size}; }

 private:
  static std::vector<onnx2ir_text> views(const std::vector<std::string>& texts) {
    std::vector<onnx2ir_text> views;
    for (const std::string& text : texts) views.push_back(view(text));
    return views;
  }
  Value checked(onnx2ir_value value) const {
    if (value == 0) throw Rejected();
    return {*this, value};
  }
  int kind(std::string_view name) const { return functions_->attribute(node_, view(name)).kind; }
  onnx2ir_attribute get(std::string_view name, onnx2ir_attribute_kind kind, const char* description) const {
    const onnx2ir_attribute attribute = functions_->attribute(node_, view(name));
    if (attribute.kind == ONNX2IR_ABSENT) fail("attribute '" + std::string(name) + "' is missing");
    if (attribute.kind != kind) fail("attribute '" + std::string(name) + "' is not " + description);
    return attribute;
  }

  onnx2ir_node* node_;
  const onnx2ir_node_functions* functions_;
};

inline std::string Value::type() const {
  return Node::owned(node().functions().type_of(node().handle(), id_));
}

inline std::optional<std::vector<std::int64_t>> Value::shape() const {
  const std::int64_t rank = node().functions().rank_of(node().handle(), id_);
  if (rank < 0) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (std::int64_t axis = 0; axis < rank; ++axis)
    sizes.push_back(node().functions().size_of_axis(node().handle(), id_, static_cast<std::size_t>(axis)));
  return sizes;
}

inline std::optional<std::vector<std::int64_t>> Value::integers() const {
  const std::int64_t* elements = nullptr;
  std::size_t count = 0;
  if (node().functions().known_integers(node().handle(), id_, &elements, &count) == 0) return std::nullopt;
  return std::vector<std::int64_t>(elements, elements + count);
}

inline std::optional<std::vector<double>> Value::numbers() const {
  const double* elements = nullptr;
  std::size_t count = 0;
  if (node().functions().known_reals(node().handle(), id_, &elements, &count) == 0) return std::nullopt;
  return std::vector<double>(elements, elements + count);
}

/// Converts a node: returns its outputs, of which those without a name may be missing at the end.
using Translate = Values (*)(Node& node);

/// The translator of an operator from version `since` of its domain on, up to the next one of the operator.
struct Translator {
  const char* domain;
  const char* op_type;
  std::int64_t since;
  Translate translate;
};

/// Defined by the library.
__attribute__((visibility("hidden"))) std::vector<Translator> translators();

/// What onnx2ir calls for a node; `data` is the Translate function.
inline void translate_node(onnx2ir_node* handle, const onnx2ir_node_functions* functions, void* data) {
  const auto fail = [&](const std::string& reason) {
    functions->fail(handle, Node::view(reason), onnx2ir_text{nullptr, 0});
  };
  if (functions->size < sizeof(onnx2ir_node_functions))
    return fail("it was built with the headers of a newer version of onnx2ir");
  try {
    Node node(handle, functions);
    const Values outputs = reinterpret_cast<Translate>(data)(node);
    for (std::size_t i = 0; i < outputs.size(); ++i) functions->set_output(handle, i, outputs[i].id());
  } catch (const Rejected&) {
    // onnx2ir has the reason.
  } catch (const std::exception& exception) {
    fail(std::string("its translator has thrown an exception: ") + exception.what());
  } catch (...) {
    fail("its translator has thrown an exception");
  }
}

}  // namespace v1
}  // namespace onnx2ir::extension

extern "C" {

__attribute__((used)) inline int onnx2ir_extension_version(void) {
  return ONNX2IR_EXTENSION_VERSION;
}

__attribute__((used)) inline void onnx2ir_extension_register(const onnx2ir_registry* registry) {
  using onnx2ir::extension::Node;
  try {
    for (const onnx2ir::extension::Translator& row : onnx2ir::extension::translators())
      registry->add(registry->table, Node::view(row.domain), Node::view(row.op_type), row.since,
                    onnx2ir::extension::translate_node, reinterpret_cast<void*>(row.translate));
  } catch (const std::exception& exception) {
    registry->fail(registry->table, Node::view(exception.what()));
  } catch (...) {
    registry->fail(registry->table, Node::view("it has thrown an exception"));
  }
}

}  // extern "C"
