// Conversions between element types.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"

namespace onnx2ir::frontend {
namespace {

Value cast(NodeContext& node, Value value, ElementType type) {
  if (value.type() == type) return value;
  if (type == ElementType::string || value.type() == ElementType::string) {
    node.fail("OpenVINO converts neither to strings nor from strings");
  }
  // Everything but 0 is true, fractions too, which the runtime would truncate first.
  if (type == ElementType::boolean) return node.op("NotEqual", {value, node.number_like(0, value)});
  return convert(node, value, type);
}

/// The number of an element type by its name in the enumeration, which version 1 uses.
std::int64_t type_number(const NodeContext& node, const std::string& name) {
  constexpr std::string_view kNames[] = {"UNDEFINED", "FLOAT",  "UINT8",  "INT8",   "UINT16",
                                         "INT16",     "INT32",  "INT64",  "STRING", "BOOL",
                                         "FLOAT16",   "DOUBLE", "UINT32", "UINT64"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<std::int64_t>(i);
  }
  node.fail("attribute 'to' names no element type: " + name);
}

Values cast_1(NodeContext& node) {
  return {cast(node, node.input(0), node.element_type(type_number(node, node.text("to"))))};
}

/// Cast 6, 9, 13, 19, 21, 23, 24, 25, 28; from 19 on with `saturate` for float8.
Values cast_6(NodeContext& node) {
  return {cast(node, node.input(0), node.element_type(node.integer("to")))};
}

Values cast_like_15(NodeContext& node) {
  return {cast(node, node.input(0), node.input(1).type())};
}

}  // namespace

std::vector<TranslatorRow> cast_translators() {
  constexpr std::string_view kLimits = "no strings";
  return {
      {"Cast", 1, cast_1, kLimits},
      {"Cast", 6, cast_6, kLimits},
      {"CastLike", 15, cast_like_15, kLimits},
  };
}

}  // namespace onnx2ir::frontend
