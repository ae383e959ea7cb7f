// Attributes of nodes: typed values under the names in the operation's descriptor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/attribute_names.hpp"
#include "ir/element_type.hpp"

namespace onnx2ir::ir {

using AttributeValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                                    std::vector<double>, std::vector<std::string>, ElementType>;

/// The name of an attribute in the code. A text that is not the name of an attribute does not compile.
class AttributeName {
 public:
  consteval AttributeName(const char* text) : text_(text) {  // NOLINT(google-explicit-constructor): a literal
    if (!std::ranges::binary_search(kAttributeNames, text_)) throw "no operation has this attribute";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// The declaration of an attribute of an operation.
struct AttributeSpec {
  std::string_view name;
  /// In the order of the alternatives of AttributeValue.
  enum class Kind : std::uint8_t { boolean, integer, real, text, integers, reals, texts, type } kind;
  /// A note is optional and carries information for passes that OpenVINO has no attribute for. It is not
  /// written to the XML.
  enum class Presence : std::uint8_t { required, optional, note } presence = Presence::required;
};

/// A named value in the code that emits a node: {"axis", 1}.
struct Attribute {
  Attribute(AttributeName its_name, AttributeValue its_value)
      : name(its_name.text()), value(std::move(its_value)) {}
  Attribute(const AttributeSpec& spec, AttributeValue its_value)
      : name(spec.name), value(std::move(its_value)) {}

  std::string_view name;
  AttributeValue value;
};
using AttributeList = std::initializer_list<Attribute>;

/// The text in the XML: numbers in their shortest exact form, lists separated by commas.
std::string to_string(const AttributeValue& value);

/// The shortest decimal form that reads back as `value` ("0.5", "1e-05", "inf").
std::string shortest(double value);

}  // namespace onnx2ir::ir
