#include "ir/element_type.hpp"

#include <array>
#include <limits>

namespace onnx2ir::ir {
namespace {

using enum ElementType;

constexpr std::array<ElementTypeInfo, 26> kElementTypes{{
    {dynamic, "dynamic", "dynamic", 0},
    {boolean, "boolean", "BOOL", 8},
    {bf16, "bf16", "BF16", 16},
    {f16, "f16", "FP16", 16},
    {f32, "f32", "FP32", 32},
    {f64, "f64", "FP64", 64},
    {i4, "i4", "I4", 4},
    {i8, "i8", "I8", 8},
    {i16, "i16", "I16", 16},
    {i32, "i32", "I32", 32},
    {i64, "i64", "I64", 64},
    {u1, "u1", "BIN", 1},
    {u2, "u2", "U2", 2},
    {u3, "u3", "U3", 3},
    {u4, "u4", "U4", 4},
    {u6, "u6", "U6", 6},
    {u8, "u8", "U8", 8},
    {u16, "u16", "U16", 16},
    {u32, "u32", "U32", 32},
    {u64, "u64", "U64", 64},
    {nf4, "nf4", "NF4", 4},
    {f8e4m3, "f8e4m3", "F8E4M3", 8},
    {f8e5m2, "f8e5m2", "F8E5M2", 8},
    {f4e2m1, "f4e2m1", "F4E2M1", 4},
    {f8e8m0, "f8e8m0", "F8E8M0", 8},
    {string, "string", "STRING", 0},
}};

constexpr bool rows_are_in_enumeration_order() {
  for (std::size_t i = 0; i < kElementTypes.size(); ++i) {
    if (static_cast<std::size_t>(kElementTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(rows_are_in_enumeration_order());

}  // namespace

const ElementTypeInfo& info(ElementType type) {
  return kElementTypes[static_cast<std::size_t>(type)];
}

std::optional<ElementType> element_type_from_name(std::string_view name) {
  for (const ElementTypeInfo& row : kElementTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

std::optional<ElementType> element_type_from_precision(std::string_view precision) {
  for (const ElementTypeInfo& row : kElementTypes) {
    if (row.precision == precision) return row.type;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> packed_size(ElementType type, std::uint64_t count) {
  const std::uint64_t bits = info(type).bits;
  if (bits == 0) return std::nullopt;
  if (count > (std::numeric_limits<std::uint64_t>::max() - 7) / bits) return std::nullopt;
  return (count * bits + 7) / 8;
}

bool is_floating(ElementType type) {
  switch (type) {
    case bf16:
    case f16:
    case f32:
    case f64:
    case nf4:
    case f8e4m3:
    case f8e5m2:
    case f4e2m1:
    case f8e8m0:
      return true;
    default:
      return false;
  }
}

bool is_signed_integral(ElementType type) {
  return type == i4 || type == i8 || type == i16 || type == i32 || type == i64;
}

bool is_unsigned_integral(ElementType type) {
  switch (type) {
    case u1:
    case u2:
    case u3:
    case u4:
    case u6:
    case u8:
    case u16:
    case u32:
    case u64:
      return true;
    default:
      return false;
  }
}

bool is_integral(ElementType type) {
  return is_signed_integral(type) || is_unsigned_integral(type);
}

}  // namespace onnx2ir::ir
