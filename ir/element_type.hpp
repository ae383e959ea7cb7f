// Element types of OpenVINO tensors, with their names in the IR.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace onnx2ir::ir {

/// Every element type in OpenVINO's operation sets. `dynamic`: not known (yet).
enum class ElementType : std::uint8_t {
  dynamic,
  boolean,
  bf16,
  f16,
  f32,
  f64,
  i4,
  i8,
  i16,
  i32,
  i64,
  u1,
  u2,
  u3,
  u4,
  u6,
  u8,
  u16,
  u32,
  u64,
  nf4,
  f8e4m3,
  f8e5m2,
  f4e2m1,
  f8e8m0,
  string,
};

/// The name of a type in the IR, and its elements.
struct ElementTypeInfo {
  enum class Kind : std::uint8_t { other, floating, signed_integer, unsigned_integer };

  ElementType type;
  std::string_view name;       ///< data attributes: "f32"
  std::string_view precision;  ///< port precision: "FP32"
  unsigned bits;               ///< bits per stored element; 0 for dynamic and string
  Kind kind;
};

/// The row of `type`.
const ElementTypeInfo& info(ElementType type);

/// The type whose name in data attributes is `name`; no value if there is no such type.
std::optional<ElementType> element_type_from_name(std::string_view name);
/// The same for the name in ports.
std::optional<ElementType> element_type_from_precision(std::string_view precision);

/// The bytes of `count` tightly packed elements of `type` (4-bit types share bytes); no value on overflow, or
/// if the type has no fixed size.
std::optional<std::uint64_t> packed_size(ElementType type, std::uint64_t count);

bool is_floating(ElementType type);  ///< any floating-point type, the 8-bit and 4-bit ones included
bool is_integral(ElementType type);  ///< any signed or unsigned integer type, boolean excluded
bool is_signed_integral(ElementType type);

/// The lowest and the highest number of an integer type.
struct IntegerLimits {
  double low;
  double high;
};
IntegerLimits limits_of(ElementType type);

}  // namespace onnx2ir::ir
