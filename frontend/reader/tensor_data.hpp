// Reads tensors of a model: type, shape and elements.
#pragma once

#include <cstdint>
#include <onnx2ir/result.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/reader/onnx_proto.hpp"
#include "ir/constant_data.hpp"
#include "ir/element_type.hpp"

namespace onnx2ir::frontend {

class WeightTable;

/// A tensor with its elements in the layout of OpenVINO's constants (strings: see pack_strings).
struct TensorValue {
  ir::ElementType type = ir::ElementType::dynamic;
  std::vector<std::int64_t> shape;
  ir::ConstantData data;
};

/// A tensor, or the problem (invalid_tensor or bad_external_data): a sentence without a full stop that
/// follows a colon.
using TensorResult = Result<TensorValue>;

/// The value of `tensor`: a view if its bytes are in the right layout in the model or its external data,
/// otherwise converted. `weights` belongs to the model of the tensor.
TensorResult read_tensor(const onnx::TensorProto& tensor, const WeightTable& weights);

/// The same for a sparse tensor, converted to a dense one. Fails for more than 512 MiB.
TensorResult read_tensor(const onnx::SparseTensorProto& tensor, const WeightTable& weights);

/// The error in `tensor`, whether it is used or not: in its shape, the size of its data, or its external
/// file. No value if `tensor` is valid. Element types that OpenVINO does not have are not errors.
std::optional<Problem> tensor_problem(const onnx::TensorProto& tensor, const WeightTable& weights);

/// Packs strings in the layout of OpenVINO's string constants: i32 count, i32 offsets[count + 1] into the
/// characters that follow. No value if the offsets overflow.
std::optional<std::vector<std::byte>> pack_strings(std::span<const std::string_view> strings);

}  // namespace onnx2ir::frontend
