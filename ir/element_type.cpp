#include "ir/element_type.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace onnx2ir::ir {
namespace {

using enum ElementType;
using enum ElementTypeInfo::Kind;

constexpr std::array<ElementTypeInfo, 26> kElementTypes{{
    {dynamic, "dynamic", "dynamic", 0, other}, {boolean, "boolean", "BOOL", 8, other},
    {bf16, "bf16", "BF16", 16, floating},      {f16, "f16", "FP16", 16, floating},
    {f32, "f32", "FP32", 32, floating},        {f64, "f64", "FP64", 64, floating},
    {i4, "i4", "I4", 4, signed_integer},       {i8, "i8", "I8", 8, signed_integer},
    {i16, "i16", "I16", 16, signed_integer},   {i32, "i32", "I32", 32, signed_integer},
    {i64, "i64", "I64", 64, signed_integer},   {u1, "u1", "BIN", 1, unsigned_integer},
    {u2, "u2", "U2", 2, unsigned_integer},     {u3, "u3", "U3", 3, unsigned_integer},
    {u4, "u4", "U4", 4, unsigned_integer},     {u6, "u6", "U6", 6, unsigned_integer},
    {u8, "u8", "U8", 8, unsigned_integer},     {u16, "u16", "U16", 16, unsigned_integer},
    {u32, "u32", "U32", 32, unsigned_integer}, {u64, "u64", "U64", 64, unsigned_integer},
    {nf4, "nf4", "NF4", 4, floating},          {f8e4m3, "f8e4m3", "F8E4M3", 8, floating},
    {f8e5m2, "f8e5m2", "F8E5M2", 8, floating}, {f4e2m1, "f4e2m1", "F4E2M1", 4, floating},
    {f8e8m0, "f8e8m0", "F8E8M0", 8, floating}, {string, "string", "STRING", 0, other},
}};

constexpr bool rows_are_in_enumeration_order() {
  for (std::size_t i = 0; i < kElementTypes.size(); ++i) {
    if (static_cast<std::size_t>(kElementTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(rows_are_in_enumeration_order());

std::optional<ElementType> type_with(std::string_view ElementTypeInfo::*member, std::string_view name) {
  const auto* const row = std::ranges::find(kElementTypes, name, member);
  return row == kElementTypes.end() ? std::nullopt : std::optional(row->type);
}

}  // namespace

const ElementTypeInfo& info(ElementType type) {
  return kElementTypes[static_cast<std::size_t>(type)];
}

std::optional<ElementType> element_type_from_name(std::string_view name) {
  return type_with(&ElementTypeInfo::name, name);
}

std::optional<ElementType> element_type_from_precision(std::string_view precision) {
  return type_with(&ElementTypeInfo::precision, precision);
}

std::optional<std::uint64_t> packed_size(ElementType type, std::uint64_t count) {
  const std::uint64_t bits = info(type).bits;
  if (bits == 0) return std::nullopt;
  if (count > (std::numeric_limits<std::uint64_t>::max() - 7) / bits) return std::nullopt;
  return (count * bits + 7) / 8;
}

bool is_floating(ElementType type) {
  return info(type).kind == floating;
}

bool is_signed_integral(ElementType type) {
  return info(type).kind == signed_integer;
}

bool is_integral(ElementType type) {
  return is_signed_integral(type) || info(type).kind == unsigned_integer;
}

IntegerLimits limits_of(ElementType type) {
  const auto bits = static_cast<int>(info(type).bits);
  if (is_signed_integral(type)) return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
  return {0, std::ldexp(1.0, bits) - 1};
}

}  // namespace onnx2ir::ir
