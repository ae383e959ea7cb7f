#include <fmt/core.h>

#include <cstring>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_data.hpp"
#include "frontend/reader/weight_table.hpp"

namespace onnx2ir::frontend {
namespace {

Problem invalid(std::string problem) {
  return {DiagnosticCode::invalid_tensor, std::move(problem)};
}

std::vector<std::int64_t> integers_of(const ir::ConstantData& data) {
  std::vector<std::int64_t> values(data.size() / sizeof(std::int64_t));
  if (!values.empty()) std::memcpy(values.data(), data.bytes().span().data(), data.size());
  return values;
}

struct DenseShape {
  std::vector<std::int64_t> sizes;
  std::uint64_t count;  ///< of elements
};

Result<DenseShape> dense_shape_of(const onnx::SparseTensorProto& tensor) {
  DenseShape shape{{tensor.dims().begin(), tensor.dims().end()}, 1};
  if (shape.sizes.empty()) return invalid("a sparse tensor must have at least one dimension");
  for (const std::int64_t size : shape.sizes) {
    if (size <= 0) return invalid("the dimensions of a sparse tensor must be positive");
    if (__builtin_mul_overflow(shape.count, static_cast<std::uint64_t>(size), &shape.count))
      return invalid("its number of elements does not fit into 64 bits");
  }
  return shape;
}

/// Where the values are in the dense tensor.
struct Places {
  std::vector<std::int64_t> indices;
  bool are_linear = true;  ///< each index is a position; otherwise each value has one for each axis
};

Result<Places> read_places(const onnx::SparseTensorProto& tensor, const WeightTable& weights,
                           std::int64_t entries, std::size_t rank) {
  if (entries == 0) return Places{};
  if (tensor.indices().data_type() != onnx::TensorProto::INT64)
    return invalid("its indices are not of type int64");
  const TensorResult read = read_tensor(tensor.indices(), weights);
  if (!read) return invalid(fmt::format("its indices: {}", read.error().message));
  const std::vector<std::int64_t>& shape = read->shape;
  const bool are_linear = shape.size() == 1;
  const bool are_coordinates = shape.size() == 2 && std::cmp_equal(shape[1], rank);
  if ((!are_linear && !are_coordinates) || shape[0] != entries)
    return invalid("the shape of its indices does not fit its values");
  return Places{integers_of(read->data), are_linear};
}

/// The position of entry `entry` in the dense tensor; no value if an index is out of range.
std::optional<std::uint64_t> position_of(std::size_t entry, const Places& places, const DenseShape& shape) {
  if (places.are_linear) {
    const std::int64_t index = places.indices[entry];
    if (index < 0 || static_cast<std::uint64_t>(index) >= shape.count) return std::nullopt;
    return static_cast<std::uint64_t>(index);
  }
  const std::size_t rank = shape.sizes.size();
  std::uint64_t position = 0;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t index = places.indices[entry * rank + axis];
    if (index < 0 || index >= shape.sizes[axis]) return std::nullopt;
    position = position * static_cast<std::uint64_t>(shape.sizes[axis]) + static_cast<std::uint64_t>(index);
  }
  return position;
}

/// Copies the values, of `size` bytes each, to their places in `dense`, which is zero. The problem if there
/// is one.
std::optional<Problem> scatter(const TensorValue& values, std::size_t size, const Places& places,
                               const DenseShape& shape, std::span<std::byte> dense) {
  const ir::ConstantBytes bytes = values.data.bytes();
  const std::byte* value = bytes.span().data();
  std::optional<std::uint64_t> previous;
  for (std::size_t entry = 0; std::cmp_less(entry, values.shape[0]); ++entry, value += size) {
    const auto position = position_of(entry, places, shape);
    if (!position) return invalid(fmt::format("index {} of its values is out of range", entry));
    if (previous && *position <= *previous) return invalid("its indices are not in ascending order");
    previous = position;
    std::memcpy(dense.data() + *position * size, value, size);
  }
  return std::nullopt;
}

}  // namespace

TensorResult read_tensor(const onnx::SparseTensorProto& tensor, const WeightTable& weights) {
  TensorResult values = read_tensor(tensor.values(), weights);
  if (!values) return values;
  const std::size_t element_bits = ir::info(values->type).bits;
  if (element_bits < 8)
    return invalid(fmt::format("sparse tensors of {} are not supported", ir::info(values->type).name));
  if (values->shape.size() != 1) return invalid("the values of a sparse tensor must have one dimension");
  auto shape = dense_shape_of(tensor);
  if (!shape) return std::move(shape).error();
  const auto places = read_places(tensor, weights, values->shape[0], shape->sizes.size());
  if (!places) return places.error();
  const auto bytes = ir::packed_size(values->type, shape->count);
  const auto dense = bytes ? weights.make_dense(*bytes) : nullptr;
  if (dense == nullptr) {
    return invalid(fmt::format(
        "makes the sparse tensors of the model take more than {} MiB in dense form; store it as a "
        "dense tensor",
        WeightTable::kMaxDenseBytes >> 20U));
  }
  if (auto problem = scatter(*values, element_bits / 8, *places, *shape, *dense)) return *std::move(problem);
  return TensorValue{values->type, std::move(shape->sizes), ir::ConstantData(dense, *dense)};
}

}  // namespace onnx2ir::frontend
