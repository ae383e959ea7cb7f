// Tensors of a model as type, shape and elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/constant_data.hpp"
#include "ir/element_type.hpp"

namespace onnx {
class SparseTensorProto;
class TensorProto;
}  // namespace onnx

namespace onnx2ir::frontend {

class WeightTable;

/// A tensor with its elements in the layout of OpenVINO constants (strings: see pack_strings).
struct TensorValue {
  ir::ElementType type = ir::ElementType::dynamic;
  std::vector<std::int64_t> shape;
  ir::ConstantData data;
};

/// A tensor, or why there is none: one clause that follows the tensor's name.
struct TensorResult {
  std::optional<TensorValue> value;
  std::string problem;
};

/// The value of `tensor`: a view where its bytes lie in the model or beside it in the right layout, converted
/// in one pass otherwise. `weights` belongs to the model the tensor comes from.
TensorResult read_tensor(const onnx::TensorProto& tensor, const WeightTable& weights);

/// The same for a sparse tensor, made dense. Refuses to make more than 1 GiB out of it.
TensorResult read_tensor(const onnx::SparseTensorProto& tensor, const WeightTable& weights);

/// What is wrong with `tensor`, read or not: its shape, the amount of its data, its external file. Empty when
/// nothing is. Element types OpenVINO does not have are not wrong.
std::string tensor_problem(const onnx::TensorProto& tensor, const WeightTable& weights);

/// The layout of OpenVINO's string constants: i32 count, i32 offsets[count + 1] into what follows,
/// characters. Nothing when the offsets do not fit.
std::optional<std::vector<std::byte>> pack_strings(std::span<const std::string_view> strings);
/// The strings of such a block; nothing when it is not one. The views point into `packed`.
std::optional<std::vector<std::string_view>> unpack_strings(std::span<const std::byte> packed);

}  // namespace onnx2ir::frontend
