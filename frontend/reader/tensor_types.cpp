#include "frontend/reader/tensor_types.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/ascii_case.hpp"
#include "base/number_text.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {
namespace {

using ir::ElementType;

// In the order of TensorProto.DataType in onnx.proto, from FLOAT = 1 on. Numbers instead of the library's
// enumerators, because older libraries lack the last ones.
constexpr std::array kTensorTypes = {
    TensorTypeInfo{1, "float", 32, ElementType::f32, TypedField::float_data},
    TensorTypeInfo{2, "uint8", 8, ElementType::u8, TypedField::int32_data},
    TensorTypeInfo{3, "int8", 8, ElementType::i8, TypedField::int32_data},
    TensorTypeInfo{4, "uint16", 16, ElementType::u16, TypedField::int32_data},
    TensorTypeInfo{5, "int16", 16, ElementType::i16, TypedField::int32_data},
    TensorTypeInfo{6, "int32", 32, ElementType::i32, TypedField::int32_data},
    TensorTypeInfo{7, "int64", 64, ElementType::i64, TypedField::int64_data},
    TensorTypeInfo{8, "string", 0, ElementType::string, TypedField::string_data},
    TensorTypeInfo{9, "bool", 8, ElementType::boolean, TypedField::int32_data},
    TensorTypeInfo{10, "float16", 16, ElementType::f16, TypedField::int32_data},
    TensorTypeInfo{11, "double", 64, ElementType::f64, TypedField::double_data},
    TensorTypeInfo{12, "uint32", 32, ElementType::u32, TypedField::uint64_data},
    TensorTypeInfo{13, "uint64", 64, ElementType::u64, TypedField::uint64_data},
    TensorTypeInfo{14, "complex64", 64, std::nullopt, TypedField::float_data},
    TensorTypeInfo{15, "complex128", 128, std::nullopt, TypedField::double_data},
    TensorTypeInfo{16, "bfloat16", 16, ElementType::bf16, TypedField::int32_data},
    TensorTypeInfo{17, "float8e4m3fn", 8, ElementType::f8e4m3, TypedField::int32_data},
    TensorTypeInfo{18, "float8e4m3fnuz", 8, std::nullopt, TypedField::int32_data},
    TensorTypeInfo{19, "float8e5m2", 8, ElementType::f8e5m2, TypedField::int32_data},
    TensorTypeInfo{20, "float8e5m2fnuz", 8, std::nullopt, TypedField::int32_data},
    TensorTypeInfo{21, "uint4", 4, ElementType::u4, TypedField::int32_data},
    TensorTypeInfo{22, "int4", 4, ElementType::i4, TypedField::int32_data},
    TensorTypeInfo{23, "float4e2m1", 4, ElementType::f4e2m1, TypedField::int32_data},
    TensorTypeInfo{24, "float8e8m0", 8, ElementType::f8e8m0, TypedField::int32_data},
    TensorTypeInfo{25, "uint2", 2, ElementType::u2, TypedField::int32_data},
    TensorTypeInfo{26, "int2", 2, std::nullopt, TypedField::int32_data},
    TensorTypeInfo{27, "float6e2m3", 6, std::nullopt, TypedField::int32_data},
    TensorTypeInfo{28, "float6e3m2", 6, std::nullopt, TypedField::int32_data},
};

static_assert([] {
  for (std::size_t i = 0; i < kTensorTypes.size(); ++i) {
    if (kTensorTypes[i].onnx_type != static_cast<std::int32_t>(i) + 1) return false;
  }
  return true;
}());

/// A name that is a number is a size: PyTorch 2.15 writes the sizes that the exported program requires so.
/// 0, 1 and the number of the axis are names that users give to dynamic sizes.
ir::Dimension declared_size(const onnx::TensorShapeProto::Dimension& size, int axis) {
  if (size.has_dim_value()) return size.dim_value();
  const auto number = base::parse_number<std::uint32_t>(size.dim_param());
  return number && *number > 1 && std::cmp_not_equal(*number, axis) ? std::int64_t{*number} : -1;
}

}  // namespace

const TensorTypeInfo* find_tensor_type(std::int64_t onnx_type) {
  if (onnx_type < 1 || onnx_type > static_cast<std::int64_t>(kTensorTypes.size())) return nullptr;
  return &kTensorTypes[static_cast<std::size_t>(onnx_type - 1)];
}

std::optional<std::int32_t> onnx_type_of(ir::ElementType type) {
  const auto* const row = std::ranges::find(kTensorTypes, type, &TensorTypeInfo::ir_type);
  if (row == kTensorTypes.end()) return std::nullopt;
  return row->onnx_type;
}

ir::PartialShape declared_shape(const onnx::TypeProto& type) {
  if (!type.tensor_type().has_shape()) return {};
  ir::Dimensions sizes;
  const auto& declared = type.tensor_type().shape().dim();
  for (int axis = 0; axis < declared.size(); ++axis) sizes.push_back(declared_size(declared[axis], axis));
  return ir::PartialShape(std::move(sizes));
}

std::string_view tensor_type_name(std::int64_t onnx_type) {
  const TensorTypeInfo* info = find_tensor_type(onnx_type);
  return info == nullptr ? "unknown type" : info->name;
}

std::string type_hint(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"fp16", "f16"},     {"fp32", "f32"},  {"fp64", "f64"},  {"float16", "f16"}, {"float32", "f32"},
      {"float64", "f64"},  {"half", "f16"},  {"float", "f32"}, {"double", "f64"},  {"bfloat16", "bf16"},
      {"int8", "i8"},      {"int16", "i16"}, {"int32", "i32"}, {"int64", "i64"},   {"uint8", "u8"},
      {"bool", "boolean"}, {"int", "i64"},   {"str", "string"}};
  const std::string word = base::lower_case(name);
  for (const auto& [other, type] : kOthers) {
    if (word == other) return fmt::format("did you mean '{}'?", type);
  }
  return ir::element_type_from_name(word) ? fmt::format("did you mean '{}'?", word) : std::string();
}

}  // namespace onnx2ir::frontend
