#include "frontend/reader/tensor_data.hpp"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/failure.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_types.hpp"
#include "frontend/reader/weight_table.hpp"

namespace onnx2ir::frontend {
namespace {

static_assert(std::endian::native == std::endian::little,
              "ONNX raw data and the IR's weights are little-endian");

Problem invalid_tensor(std::string message) {
  return {DiagnosticCode::invalid_tensor, std::move(message)};
}

/// The number of elements of a shape.
template <typename Dimensions>
Result<std::uint64_t> element_count(const Dimensions& dimensions) {
  std::uint64_t count = 1;
  bool empty = false;
  for (std::int64_t dimension : dimensions) {
    if (dimension < 0) return invalid_tensor(fmt::format("it has the negative dimension {}", dimension));
    if (dimension == 0) empty = true;
    // Checked also if another dimension is 0, because strides are computed from all dimensions.
    if (dimension > 0 && __builtin_mul_overflow(count, static_cast<std::uint64_t>(dimension), &count))
      return invalid_tensor("its number of elements does not fit into 64 bits");
  }
  return empty ? 0 : count;
}

/// Checked type and shape of a tensor.
struct Header {
  const TensorTypeInfo* type = nullptr;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  ///< of all elements, packed; 0 for strings
};

Result<Header> read_header(const onnx::TensorProto& tensor) {
  Header header;
  header.type = find_tensor_type(tensor.data_type());
  if (header.type == nullptr) {
    return invalid_tensor(tensor.data_type() == 0
                              ? "it has no element type"
                              : fmt::format("it has the unknown element type {}", tensor.data_type()));
  }
  if (tensor.has_segment()) return invalid_tensor("it is a segment of a tensor, which ONNX does not define");
  const auto count = element_count(tensor.dims());
  if (!count) return count.error();
  header.count = *count;
  std::uint64_t bits = 0;
  if (__builtin_mul_overflow(header.count, header.type->bits, &bits))
    return invalid_tensor("its size does not fit into 64 bits");
  header.bytes = bits / 8 + (bits % 8 != 0 ? 1 : 0);
  return header;
}

/// Elements that need no conversion.
template <typename Element>
std::vector<std::byte> copy_elements(const google::protobuf::RepeatedField<Element>& elements) {
  const auto bytes = std::as_bytes(std::span(elements.data(), static_cast<std::size_t>(elements.size())));
  return {bytes.begin(), bytes.end()};
}

/// The low `sizeof(Element)` bytes of each value; a problem if one needs more bytes, signed or unsigned.
template <typename Element, typename Stored>
Result<std::vector<std::byte>> narrow_elements(const google::protobuf::RepeatedField<Stored>& stored) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(stored.size()) * sizeof(Element));
  std::byte* out = bytes.data();
  for (const Stored value : stored) {
    // Writers store unsigned types directly and signed ones sign-extended, but some clear the upper bits.
    const auto element = static_cast<Element>(value);
    const bool fits = value == static_cast<Stored>(element) ||
                      value == static_cast<Stored>(static_cast<std::make_signed_t<Element>>(element));
    if (!fits) return invalid_tensor(fmt::format("its value {} does not fit into its element type", value));
    std::memcpy(out, &element, sizeof element);
    out += sizeof element;
  }
  return bytes;
}

Result<std::vector<std::byte>> typed_bytes(const onnx::TensorProto& tensor, const TensorTypeInfo& type) {
  switch (type.field) {
    case TypedField::float_data:
      return copy_elements(tensor.float_data());
    case TypedField::double_data:
      return copy_elements(tensor.double_data());
    case TypedField::int64_data:
      return copy_elements(tensor.int64_data());
    case TypedField::uint64_data:
      if (type.bits == 64) return copy_elements(tensor.uint64_data());
      return narrow_elements<std::uint32_t>(tensor.uint64_data());
    case TypedField::int32_data:
      if (type.bits == 32) return copy_elements(tensor.int32_data());
      if (type.bits == 16) return narrow_elements<std::uint16_t>(tensor.int32_data());
      return narrow_elements<std::uint8_t>(tensor.int32_data());  // 4 bits and less: packed bytes
    case TypedField::string_data:
      break;
  }
  throw base::InternalError("strings have no bytes");
}

/// The number of values in each typed field, by TypedField.
std::array<std::int64_t, 6> typed_counts(const onnx::TensorProto& tensor) {
  return {tensor.float_data_size(),  tensor.int32_data_size(),  tensor.int64_data_size(),
          tensor.double_data_size(), tensor.uint64_data_size(), tensor.string_data_size()};
}

enum class Storage : std::uint8_t { raw, typed, strings, external };

/// A tensor whose data has the size that its type and shape require. External data is not read.
struct CheckedTensor {
  Header header;
  Storage storage = Storage::raw;
};

/// The number of values in the typed field: small elements are packed into bytes, and a complex number is two
/// values.
std::uint64_t expected_values(const Header& header) {
  if (header.type->field == TypedField::int32_data && header.type->bits < 8) return header.bytes;
  const bool complex = header.type->name.starts_with("complex");
  return complex ? header.count * 2 : header.count;
}

Result<CheckedTensor> locate(const onnx::TensorProto& tensor, const WeightTable& weights) {
  const auto header = read_header(tensor);
  if (!header) return header.error();
  auto located = [&](Storage storage) { return CheckedTensor{*header, storage}; };

  const bool external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  const bool raw = !tensor.raw_data().empty();
  const auto counts = typed_counts(tensor);
  const std::int64_t typed = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (int{external} + int{raw} + int{typed != 0} > 1)
    return invalid_tensor("it has its values in more than one place");
  const bool strings = header->type->field == TypedField::string_data;
  if (external) {
    if (strings) return invalid_tensor("it keeps strings as external data");
    return located(Storage::external);
  }
  if (raw) {
    if (strings) return invalid_tensor("it keeps strings as raw data");
    const std::uint64_t size = weights.raw_data_size(tensor);
    if (size != header->bytes) {
      return invalid_tensor(
          fmt::format("it has {} bytes, but its type and shape require {}", size, header->bytes));
    }
    return located(Storage::raw);
  }
  const std::int64_t found = counts[static_cast<std::size_t>(header->type->field)];
  if (found != typed)
    return invalid_tensor(fmt::format("it has values in a field that does not fit {}", header->type->name));
  if (std::cmp_not_equal(found, expected_values(*header))) {
    return invalid_tensor(
        fmt::format("it has {} values, but its type and shape require {}", found, expected_values(*header)));
  }
  return located(strings ? Storage::strings : Storage::typed);
}

Result<ir::ConstantData> read_data(const onnx::TensorProto& tensor, const CheckedTensor& located,
                                   const WeightTable& weights) {
  switch (located.storage) {
    case Storage::raw:
      return weights.raw_data_bytes(tensor);
    case Storage::external:
      return weights.external_bytes(tensor, located.header.bytes);
    case Storage::typed: {
      auto bytes = typed_bytes(tensor, *located.header.type);
      if (!bytes) return std::move(bytes).error();
      return ir::ConstantData(*std::move(bytes));
    }
    case Storage::strings:
      break;
  }
  const std::vector<std::string_view> strings(tensor.string_data().begin(), tensor.string_data().end());
  auto packed = pack_strings(strings);
  if (!packed) return invalid_tensor("its strings take more than 2 GiB");
  return ir::ConstantData(*std::move(packed));
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
  if (shape.sizes.empty()) return invalid_tensor("a sparse tensor must have at least one dimension");
  for (const std::int64_t size : shape.sizes) {
    if (size <= 0) return invalid_tensor("the dimensions of a sparse tensor must be positive");
    if (__builtin_mul_overflow(shape.count, static_cast<std::uint64_t>(size), &shape.count))
      return invalid_tensor("its number of elements does not fit into 64 bits");
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
    return invalid_tensor("its indices are not of type int64");
  const TensorResult read = read_tensor(tensor.indices(), weights);
  if (!read) return invalid_tensor(fmt::format("its indices: {}", read.error().message));
  const std::vector<std::int64_t>& shape = read->shape;
  const bool are_linear = shape.size() == 1;
  const bool are_coordinates = shape.size() == 2 && std::cmp_equal(shape[1], rank);
  if ((!are_linear && !are_coordinates) || shape[0] != entries)
    return invalid_tensor("the shape of its indices does not fit its values");
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
    if (!position) return invalid_tensor(fmt::format("index {} of its values is out of range", entry));
    if (previous && *position <= *previous) return invalid_tensor("its indices are not in ascending order");
    previous = position;
    std::memcpy(dense.data() + *position * size, value, size);
  }
  return std::nullopt;
}

}  // namespace

TensorResult read_tensor(const onnx::TensorProto& tensor, const WeightTable& weights) {
  auto located = locate(tensor, weights);
  if (!located) return std::move(located).error();
  const TensorTypeInfo& type = *located->header.type;
  if (!type.ir_type) return invalid_tensor(fmt::format("OpenVINO has no element type for {}", type.name));
  auto data = read_data(tensor, *located, weights);
  if (!data) return std::move(data).error();
  return TensorValue{*type.ir_type, {tensor.dims().begin(), tensor.dims().end()}, *std::move(data)};
}

TensorResult read_tensor(const onnx::SparseTensorProto& tensor, const WeightTable& weights) {
  TensorResult values = read_tensor(tensor.values(), weights);
  if (!values) return values;
  const std::size_t element_bits = ir::info(values->type).bits;
  if (element_bits < 8)
    return invalid_tensor(fmt::format("sparse tensors of {} are not supported", ir::info(values->type).name));
  if (values->shape.size() != 1)
    return invalid_tensor("the values of a sparse tensor must have one dimension");
  auto shape = dense_shape_of(tensor);
  if (!shape) return std::move(shape).error();
  const auto places = read_places(tensor, weights, values->shape[0], shape->sizes.size());
  if (!places) return places.error();
  const auto bytes = ir::packed_size(values->type, shape->count);
  const auto dense = bytes ? weights.make_dense(*bytes) : nullptr;
  if (dense == nullptr) {
    return invalid_tensor(fmt::format(
        "it makes the sparse tensors of the model take more than {} MiB in dense form; store it as a "
        "dense tensor",
        WeightTable::kMaxDenseBytes >> 20U));
  }
  if (auto problem = scatter(*values, element_bits / 8, *places, *shape, *dense)) return *std::move(problem);
  return TensorValue{values->type, std::move(shape->sizes), ir::ConstantData(dense, *dense)};
}

std::optional<Problem> tensor_problem(const onnx::TensorProto& tensor, const WeightTable& weights) {
  auto located = locate(tensor, weights);
  if (!located) return std::move(located).error();
  if (located->storage != Storage::external) return std::nullopt;
  auto bytes = weights.external_bytes(tensor, located->header.bytes);
  if (bytes) return std::nullopt;
  return std::move(bytes).error();
}

std::optional<std::vector<std::byte>> pack_strings(std::span<const std::string_view> strings) {
  constexpr std::uint64_t kMaxOffset = std::numeric_limits<std::int32_t>::max();
  std::uint64_t characters = 0;
  for (std::string_view text : strings) characters += text.size();
  if (strings.size() > kMaxOffset || characters > kMaxOffset) return std::nullopt;

  const std::size_t header = sizeof(std::int32_t) * (strings.size() + 2);
  std::vector<std::byte> packed(header + characters);
  std::byte* integers = packed.data();
  auto put = [&](std::uint64_t value) {
    const auto narrow = static_cast<std::int32_t>(value);
    std::memcpy(integers, &narrow, sizeof narrow);
    integers += sizeof narrow;
  };
  put(strings.size());
  put(0);
  std::uint64_t offset = 0;
  for (std::string_view text : strings) {
    if (!text.empty()) std::memcpy(packed.data() + header + offset, text.data(), text.size());
    offset += text.size();
    put(offset);
  }
  return packed;
}

}  // namespace onnx2ir::frontend
