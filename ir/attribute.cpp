#include "ir/attribute.hpp"

#include "base/joined.hpp"
#include "base/number_text.hpp"

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

std::string to_string(const AttributeValue& value) {
  return std::visit(Printer{}, value);
}

std::string shortest(double value) {
  // Attributes of OpenVINO are single precision. Values that are exact in it are printed as such.
  const auto narrow = static_cast<float>(value);
  return static_cast<double>(narrow) == value ? base::number_text(narrow) : base::number_text(value);
}

}  // namespace onnx2ir::ir
