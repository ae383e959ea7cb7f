// Types, attributes and elements in text IR.
#pragma once

#include <cstdint>
#include <string>

#include "ir/attribute.hpp"
#include "ir/constant_data.hpp"
#include "ir/element_type.hpp"
#include "ir/partial_shape.hpp"
#include "ir/text/cursor.hpp"

namespace onnx2ir::ir {

/// A type with a shape: "f32[2,?,3..7]", "i64[]", "f32[...]" if the rank is dynamic.
struct TensorType {
  ElementType type = ElementType::dynamic;
  PartialShape shape;

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

std::string type_text(ElementType type, const PartialShape& shape);
TensorType parse_type(Cursor& cursor);

std::string attribute_text(const AttributeValue& value);
AttributeValue parse_attribute(Cursor& cursor, AttributeSpec::Kind kind);

/// The data that the elements of a text may refer to, and a limit on their memory.
struct ElementSource {
  SharedParts weights;
  std::uint64_t splat_bytes = 0;  ///< used so far
};
/// Parses the elements of a constant of `type`, as printed by ConstantPrinter::text().
ConstantData parse_elements(Cursor& cursor, const TensorType& type, ElementSource& source);

}  // namespace onnx2ir::ir
