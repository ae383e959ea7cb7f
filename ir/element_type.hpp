// Element types of OpenVINO tensors, with the names the IR uses for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace onnx2ir::ir {

/// Every element type OpenVINO's operation sets know. `dynamic` is a type that is not known (yet).
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

/// How the IR writes a type and how its elements are stored.
struct ElementTypeInfo {
  ElementType type;
  std::string_view name;       ///< data attributes: "f32"
  std::string_view precision;  ///< port precision: "FP32"
  unsigned bits;               ///< bits per stored element; 0 for dynamic and string
};

/// The row of `type`.
const ElementTypeInfo& info(ElementType type);

/// The type whose data-attribute name is `name`, if there is one.
std::optional<ElementType> element_type_from_name(std::string_view name);

/// Bytes of `count` tightly packed elements of `type` (4-bit types share bytes); nothing on overflow or when
/// the type has no fixed size.
std::optional<std::uint64_t> packed_size(ElementType type, std::uint64_t count);

bool is_floating(ElementType type);  ///< any floating-point type, the 8-bit and 4-bit ones included
bool is_integral(ElementType type);  ///< any signed or unsigned integer type, boolean excluded
bool is_signed_integral(ElementType type);
bool is_unsigned_integral(ElementType type);

}  // namespace onnx2ir::ir
