#include "frontend/reader/tensor_data.hpp"

#include <fmt/core.h>

#include <algorithm>
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

enum class Storage : std::uint8_t { typed, raw, external };

/// The checked type and shape of a tensor, and where its elements are.
struct Header {
  const TensorTypeInfo* type = nullptr;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  ///< of all elements, packed; 0 for strings
  Storage storage = Storage::typed;
};

/// Does not look for the elements.
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
    case TypedField::string_data: {
      const std::vector<std::string_view> strings(tensor.string_data().begin(), tensor.string_data().end());
      if (auto packed = pack_strings(strings)) return *std::move(packed);
      return invalid_tensor("its strings take more than 2 GiB");
    }
  }
  throw base::InternalError("a tensor type has no field");
}

/// The number of values in each typed field, by TypedField.
std::array<std::int64_t, 6> typed_counts(const onnx::TensorProto& tensor) {
  return {tensor.float_data_size(),  tensor.int32_data_size(),  tensor.int64_data_size(),
          tensor.double_data_size(), tensor.uint64_data_size(), tensor.string_data_size()};
}

/// The number of values in the typed field: small elements are packed into bytes, and a complex number is two
/// values.
std::uint64_t expected_values(const Header& header) {
  if (header.type->field == TypedField::int32_data && header.type->bits < 8) return header.bytes;
  const bool complex = header.type->name.starts_with("complex");
  return complex ? header.count * 2 : header.count;
}

/// The header of a tensor whose data has the size that its type and shape require. External data is not read.
Result<Header> locate(const onnx::TensorProto& tensor, const WeightTable& weights) {
  auto header = read_header(tensor);
  if (!header) return header;
  const bool external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  const bool raw = !tensor.raw_data().empty();
  const auto counts = typed_counts(tensor);
  const std::int64_t typed = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (int{external} + int{raw} + int{typed != 0} > 1)
    return invalid_tensor("it has its values in more than one place");
  if (external || raw) {
    if (header->type->field == TypedField::string_data)
      return invalid_tensor(fmt::format("it keeps strings as {} data", external ? "external" : "raw"));
    header->storage = external ? Storage::external : Storage::raw;
    const std::uint64_t size = external ? header->bytes : weights.raw_data_size(tensor);
    if (size == header->bytes) return header;
    return invalid_tensor(
        fmt::format("it has {} bytes, but its type and shape require {}", size, header->bytes));
  }
  const std::int64_t found = counts[static_cast<std::size_t>(header->type->field)];
  if (found != typed)
    return invalid_tensor(fmt::format("it has values in a field that does not fit {}", header->type->name));
  if (std::cmp_equal(found, expected_values(*header))) return header;
  return invalid_tensor(
      fmt::format("it has {} values, but its type and shape require {}", found, expected_values(*header)));
}

Result<ir::ConstantData> read_data(const onnx::TensorProto& tensor, const Header& header,
                                   const WeightTable& weights) {
  if (header.storage == Storage::raw) return weights.raw_data_bytes(tensor);
  if (header.storage == Storage::external) return weights.external_bytes(tensor, header.bytes);
  auto bytes = typed_bytes(tensor, *header.type);
  if (!bytes) return std::move(bytes).error();
  return ir::ConstantData(*std::move(bytes));
}

struct DenseShape {
  std::vector<std::int64_t> sizes;
  std::uint64_t count;  ///< of elements
};

Result<DenseShape> dense_shape_of(const onnx::SparseTensorProto& tensor) {
  if (tensor.dims().empty()) return invalid_tensor("a sparse tensor must have at least one dimension");
  if (std::ranges::any_of(tensor.dims(), [](std::int64_t size) { return size <= 0; }))
    return invalid_tensor("the dimensions of a sparse tensor must be positive");
  const auto count = element_count(tensor.dims());
  if (!count) return count.error();
  return DenseShape{{tensor.dims().begin(), tensor.dims().end()}, *count};
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
  Places places{std::vector<std::int64_t>(read->data.size() / sizeof(std::int64_t)), are_linear};
  read->data.copy(0, std::as_writable_bytes(std::span(places.indices)));
  return places;
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
/// is one. As in onnxruntime, the places may be in any order.
std::optional<Problem> scatter(const TensorValue& values, std::size_t size, const Places& places,
                               const DenseShape& shape, std::span<std::byte> dense) {
  const ir::ConstantBytes bytes = values.data.bytes();
  const std::byte* value = bytes.span().data();
  for (std::size_t entry = 0; std::cmp_less(entry, values.shape[0]); ++entry, value += size) {
    const auto position = position_of(entry, places, shape);
    if (!position) return invalid_tensor(fmt::format("index {} of its values is out of range", entry));
    std::memcpy(dense.data() + *position * size, value, size);
  }
  return std::nullopt;
}

}  // namespace

TensorResult read_tensor(const onnx::TensorProto& tensor, const WeightTable& weights) {
  auto located = locate(tensor, weights);
  if (!located) return std::move(located).error();
  const TensorTypeInfo& type = *located->type;
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
  auto bytes = weights.external_bytes(tensor, located->bytes);
  if (bytes) return std::nullopt;
  return std::move(bytes).error();
}

std::optional<std::vector<std::byte>> pack_strings(std::span<const std::string_view> strings) {
  constexpr std::uint64_t kMaxOffset = std::numeric_limits<std::int32_t>::max();
  std::uint64_t characters = 0;
  for (std::string_view text : strings) characters += text.size();
  if (strings.size() > kMaxOffset || characters > kMaxOffset) return std::nullopt;

  std::vector<std::int32_t> header{static_cast<std::int32_t>(strings.size()), 0};
  for (const std::string_view text : strings)
    header.push_back(header.back() + static_cast<std::int32_t>(text.size()));
  const auto bytes = std::as_bytes(std::span(header));
  std::vector<std::byte> packed(bytes.begin(), bytes.end());
  packed.reserve(packed.size() + characters);
  for (const std::string_view text : strings) {
    const auto letters = std::as_bytes(std::span(text));
    packed.insert(packed.end(), letters.begin(), letters.end());
  }
  return packed;
}

}  // namespace onnx2ir::frontend
