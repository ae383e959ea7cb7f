// ONNX tensor types and the corresponding OpenVINO types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/reader/onnx_proto.hpp"
#include "ir/element_type.hpp"
#include "ir/partial_shape.hpp"

namespace onnx2ir::frontend {

/// The field of a TensorProto that holds elements if they are not raw data.
enum class TypedField : std::uint8_t {
  float_data,
  int32_data,
  int64_data,
  double_data,
  uint64_data,
  string_data
};

/// A row for each value of onnx::TensorProto::DataType except UNDEFINED.
struct TensorTypeInfo {
  std::int32_t onnx_type;                  ///< onnx::TensorProto::DataType
  std::string_view name;                   ///< the ONNX name: "float16"
  unsigned bits;                           ///< bits per element in raw_data; 0 for strings
  std::optional<ir::ElementType> ir_type;  ///< nothing: OpenVINO has no such type
  TypedField field;                        ///< where elements are when they are not raw data
};

/// The row of an ONNX type number; null if ONNX has no such type.
const TensorTypeInfo* find_tensor_type(std::int64_t onnx_type);

/// The ONNX type number of an IR type; no value if ONNX has no such type.
std::optional<std::int32_t> onnx_type_of(ir::ElementType type);

/// The shape of a tensor type: of dynamic rank if the model declares none; symbolic and absent sizes are
/// dynamic, except for names that are numbers, such as "16".
ir::PartialShape declared_shape(const onnx::TypeProto& type);

/// "float16", or "unknown type" if ONNX has no such type.
std::string_view tensor_type_name(std::int64_t onnx_type);

/// "did you mean 'f16'?" for an element type that is named as in ONNX, numpy or PyTorch: "fp16", "float32";
/// empty if the name is not similar to any.
std::string type_hint(std::string_view name);

}  // namespace onnx2ir::frontend
