#include "ir/attribute.hpp"

#include <array>
#include <charconv>

#include "base/joined.hpp"

namespace onnx2ir::ir {
namespace {

struct Printer {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return shortest(value); }
  std::string operator()(const std::string& value) const { return value; }
  template <typename Element>
  std::string operator()(const std::vector<Element>& values) const {
    return base::joined(values, ",", *this);
  }
  std::string operator()(ElementType type) const { return std::string(info(type).name); }
};

}  // namespace

Attribute::Attribute(const AttributeSpec& spec, AttributeValue its_value)
    : name(spec.name), value(std::move(its_value)) {}

bool is_of_kind(const AttributeValue& value, AttributeSpec::Kind kind) {
  return value.index() == static_cast<std::size_t>(kind);
}

std::string to_string(const AttributeValue& value) {
  return std::visit(Printer{}, value);
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  // Attributes of OpenVINO are single precision. Values that are exact in single precision are printed as
  // such.
  const auto narrow = static_cast<float>(value);
  const auto result = static_cast<double>(narrow) == value
                          ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), narrow)
                          : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace onnx2ir::ir
