#include <fmt/core.h>

#include <cstring>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_data.hpp"
#include "frontend/reader/weight_table.hpp"

namespace onnx2ir::frontend {
namespace {

TensorResult refuse(std::string problem) {
  return Problem{DiagnosticCode::invalid_tensor, std::move(problem)};
}

std::vector<std::int64_t> integers_of(const ir::ConstantData& data) {
  std::vector<std::int64_t> values(data.size() / sizeof(std::int64_t));
  if (!values.empty()) std::memcpy(values.data(), data.bytes().span().data(), data.size());
  return values;
}

/// The position of entry `entry` in the dense tensor; no value if an index is out of range.
std::optional<std::uint64_t> position_of(std::size_t entry, std::span<const std::int64_t> indices,
                                         std::span<const std::int64_t> shape, std::uint64_t count,
                                         bool linear) {
  if (linear) {
    const std::int64_t index = indices[entry];
    if (index < 0 || static_cast<std::uint64_t>(index) >= count) return std::nullopt;
    return static_cast<std::uint64_t>(index);
  }
  std::uint64_t position = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t index = indices[entry * shape.size() + axis];
    if (index < 0 || index >= shape[axis]) return std::nullopt;
    position = position * static_cast<std::uint64_t>(shape[axis]) + static_cast<std::uint64_t>(index);
  }
  return position;
}

}  // namespace

TensorResult read_tensor(const onnx::SparseTensorProto& tensor, const WeightTable& weights) {
  TensorResult values = read_tensor(tensor.values(), weights);
  if (!values) return values;
  const std::size_t element_bits = ir::info(values->type).bits;
  if (element_bits < 8)
    return refuse(fmt::format("sparse tensors of {} are not supported", ir::info(values->type).name));
  if (values->shape.size() != 1) return refuse("the values of a sparse tensor must have one dimension");
  const std::int64_t entries = values->shape[0];

  std::vector<std::int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  if (shape.empty()) return refuse("a sparse tensor must have at least one dimension");
  std::uint64_t count = 1;
  for (std::int64_t dimension : shape) {
    if (dimension <= 0) return refuse("the dimensions of a sparse tensor must be positive");
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(dimension), &count)) {
      return refuse("its number of elements does not fit into 64 bits");
    }
  }
  const auto bytes = ir::packed_size(values->type, count);

  std::vector<std::int64_t> indices;
  bool linear = true;
  if (entries != 0) {
    if (tensor.indices().data_type() != onnx::TensorProto::INT64)
      return refuse("its indices are not of type int64");
    TensorResult read = read_tensor(tensor.indices(), weights);
    if (!read) return refuse(fmt::format("its indices: {}", read.error().message));
    const std::vector<std::int64_t>& index_shape = read->shape;
    linear = index_shape.size() == 1;
    const bool coordinates =
        index_shape.size() == 2 && index_shape[1] == static_cast<std::int64_t>(shape.size());
    if ((!linear && !coordinates) || index_shape[0] != entries) {
      return refuse("the shape of its indices does not fit its values");
    }
    indices = integers_of(read->data);
  }

  const auto owner = bytes ? weights.make_dense(*bytes) : nullptr;
  if (owner == nullptr) {
    return refuse(fmt::format(
        "makes the sparse tensors of the model take more than {} MiB in dense form; store it as a "
        "dense tensor",
        WeightTable::kMaxDenseBytes >> 20U));
  }
  std::vector<std::byte>& dense = *owner;
  const std::size_t size = element_bits / 8;
  const ir::ConstantBytes elements = values->data.bytes();
  const std::byte* element = elements.span().data();
  std::optional<std::uint64_t> previous;
  for (std::size_t entry = 0; entry < static_cast<std::size_t>(entries); ++entry, element += size) {
    const auto position = position_of(entry, indices, shape, count, linear);
    if (!position) return refuse(fmt::format("index {} of its values is out of range", entry));
    if (previous && *position <= *previous) return refuse("its indices are not in ascending order");
    previous = position;
    std::memcpy(dense.data() + *position * size, element, size);
  }
  return TensorValue{values->type, std::move(shape), ir::ConstantData(owner, dense)};
}

}  // namespace onnx2ir::frontend
