#include "frontend/reader/tensor_data.hpp"

#include <fmt/core.h>

#include <bit>
#include <cstring>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_types.hpp"
#include "frontend/reader/weight_table.hpp"

namespace onnx2ir::frontend {
namespace {

static_assert(std::endian::native == std::endian::little,
              "ONNX raw data and the IR's weights are little-endian");

/// The number of elements of a shape; no value, with the reason in `problem`, if it is invalid.
template <typename Dimensions>
std::optional<std::uint64_t> element_count(const Dimensions& dimensions, std::string& problem) {
  std::uint64_t count = 1;
  bool empty = false;
  for (std::int64_t dimension : dimensions) {
    if (dimension < 0) {
      problem = fmt::format("it has the negative dimension {}", dimension);
      return std::nullopt;
    }
    if (dimension == 0) empty = true;
    // Checked also if another dimension is 0, because strides are computed from all dimensions.
    if (dimension > 0 && __builtin_mul_overflow(count, static_cast<std::uint64_t>(dimension), &count)) {
      problem = "its number of elements does not fit into 64 bits";
      return std::nullopt;
    }
  }
  return empty ? 0 : count;
}

/// Checked type and shape of a tensor.
struct Header {
  const TensorTypeInfo* type = nullptr;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  ///< of all elements, packed; 0 for strings
};

std::optional<Header> read_header(const onnx::TensorProto& tensor, std::string& problem) {
  Header header;
  header.type = find_tensor_type(tensor.data_type());
  if (header.type == nullptr) {
    problem = tensor.data_type() == 0 ? "it has no element type"
                                      : fmt::format("it has the unknown element type {}", tensor.data_type());
    return std::nullopt;
  }
  if (tensor.has_segment()) {
    problem = "it is a segment of a tensor, which ONNX does not define";
    return std::nullopt;
  }
  const auto count = element_count(tensor.dims(), problem);
  if (!count) return std::nullopt;
  header.count = *count;
  std::uint64_t bits = 0;
  if (__builtin_mul_overflow(header.count, header.type->bits, &bits)) {
    problem = "its size does not fit into 64 bits";
    return std::nullopt;
  }
  header.bytes = bits / 8 + (bits % 8 != 0 ? 1 : 0);
  return header;
}

/// Elements that need no conversion.
template <typename Element>
std::vector<std::byte> copy_elements(const google::protobuf::RepeatedField<Element>& elements) {
  const auto bytes = std::as_bytes(std::span(elements.data(), static_cast<std::size_t>(elements.size())));
  return {bytes.begin(), bytes.end()};
}

/// The low `sizeof(Element)` bytes of each value; no value if one needs more bytes, signed or unsigned.
template <typename Element, typename Stored>
std::optional<std::vector<std::byte>> narrow_elements(const google::protobuf::RepeatedField<Stored>& stored,
                                                      std::string& problem) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(stored.size()) * sizeof(Element));
  std::byte* out = bytes.data();
  for (const Stored value : stored) {
    // Writers store unsigned types directly and signed ones sign-extended, but some clear the upper bits.
    const auto element = static_cast<Element>(value);
    const bool fits = value == static_cast<Stored>(element) ||
                      value == static_cast<Stored>(static_cast<std::make_signed_t<Element>>(element));
    if (!fits) {
      problem = fmt::format("its value {} does not fit into its element type", value);
      return std::nullopt;
    }
    std::memcpy(out, &element, sizeof element);
    out += sizeof element;
  }
  return bytes;
}

std::optional<std::vector<std::byte>> typed_bytes(const onnx::TensorProto& tensor, const TensorTypeInfo& type,
                                                  std::string& problem) {
  switch (type.field) {
    case TypedField::float_data:
      return copy_elements(tensor.float_data());
    case TypedField::double_data:
      return copy_elements(tensor.double_data());
    case TypedField::int64_data:
      return copy_elements(tensor.int64_data());
    case TypedField::uint64_data:
      if (type.bits == 64) return copy_elements(tensor.uint64_data());
      return narrow_elements<std::uint32_t>(tensor.uint64_data(), problem);
    case TypedField::int32_data:
      if (type.bits == 32) return copy_elements(tensor.int32_data());
      if (type.bits == 16) return narrow_elements<std::uint16_t>(tensor.int32_data(), problem);
      return narrow_elements<std::uint8_t>(tensor.int32_data(), problem);  // 4 bits and less: packed bytes
    case TypedField::string_data:
      break;
  }
  return std::nullopt;
}

std::uint64_t typed_count(const onnx::TensorProto& tensor, TypedField field) {
  switch (field) {
    case TypedField::float_data:
      return static_cast<std::uint64_t>(tensor.float_data_size());
    case TypedField::double_data:
      return static_cast<std::uint64_t>(tensor.double_data_size());
    case TypedField::int64_data:
      return static_cast<std::uint64_t>(tensor.int64_data_size());
    case TypedField::uint64_data:
      return static_cast<std::uint64_t>(tensor.uint64_data_size());
    case TypedField::int32_data:
      return static_cast<std::uint64_t>(tensor.int32_data_size());
    case TypedField::string_data:
      return static_cast<std::uint64_t>(tensor.string_data_size());
  }
  return 0;
}

std::uint64_t all_typed_counts(const onnx::TensorProto& tensor) {
  std::uint64_t sum = 0;
  for (TypedField field : {TypedField::float_data, TypedField::double_data, TypedField::int64_data,
                           TypedField::uint64_data, TypedField::int32_data, TypedField::string_data}) {
    sum += typed_count(tensor, field);
  }
  return sum;
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

std::optional<CheckedTensor> locate(const onnx::TensorProto& tensor, const WeightTable& weights,
                                    std::string& problem) {
  const auto header = read_header(tensor, problem);
  if (!header) return std::nullopt;
  auto located = [&](Storage storage) { return CheckedTensor{*header, storage}; };
  auto fail = [&](std::string reason) {
    problem = std::move(reason);
    return std::nullopt;
  };

  const bool external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  const bool raw = !tensor.raw_data().empty();
  const std::uint64_t typed = all_typed_counts(tensor);
  if (int{external} + int{raw} + int{typed != 0} > 1) return fail("it has its values in more than one place");
  const bool strings = header->type->field == TypedField::string_data;
  if (external) {
    if (strings) return fail("it keeps strings as external data");
    return located(Storage::external);
  }
  if (raw) {
    if (strings) return fail("it keeps strings as raw data");
    const std::uint64_t size = weights.raw_data_size(tensor);
    if (size != header->bytes) {
      return fail(fmt::format("it has {} bytes, but its type and shape require {}", size, header->bytes));
    }
    return located(Storage::raw);
  }
  const std::uint64_t found = typed_count(tensor, header->type->field);
  if (found != typed)
    return fail(fmt::format("it has values in a field that does not fit {}", header->type->name));
  if (found != expected_values(*header)) {
    return fail(
        fmt::format("it has {} values, but its type and shape require {}", found, expected_values(*header)));
  }
  return located(strings ? Storage::strings : Storage::typed);
}

std::optional<ir::ConstantData> read_data(const onnx::TensorProto& tensor, const CheckedTensor& located,
                                          const WeightTable& weights, std::string& problem) {
  switch (located.storage) {
    case Storage::raw:
      return weights.raw_data_bytes(tensor);
    case Storage::external: {
      RawBytes bytes = weights.external_bytes(tensor, located.header.bytes);
      problem = std::move(bytes.problem);
      return std::move(bytes.data);
    }
    case Storage::typed: {
      auto bytes = typed_bytes(tensor, *located.header.type, problem);
      if (!bytes) return std::nullopt;
      return ir::ConstantData(std::move(*bytes));
    }
    case Storage::strings: {
      const std::vector<std::string_view> strings(tensor.string_data().begin(), tensor.string_data().end());
      auto packed = pack_strings(strings);
      if (packed) return ir::ConstantData(std::move(*packed));
      problem = "its strings take more than 2 GiB";
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Converts type and shape to OpenVINO's.
TensorResult without_data(const onnx::TensorProto& tensor, const Header& header) {
  if (!header.type->ir_type) {
    return {std::nullopt, fmt::format("OpenVINO has no element type for {}", header.type->name)};
  }
  return {TensorValue{*header.type->ir_type, {tensor.dims().begin(), tensor.dims().end()}, {}}, {}};
}

}  // namespace

TensorResult read_tensor(const onnx::TensorProto& tensor, const WeightTable& weights) {
  std::string problem;
  const auto located = locate(tensor, weights, problem);
  if (!located) return {std::nullopt, std::move(problem)};
  TensorResult result = without_data(tensor, located->header);
  if (!result.value) return result;
  auto data = read_data(tensor, *located, weights, problem);
  if (!data) return {std::nullopt, std::move(problem)};
  result.value->data = std::move(*data);
  return result;
}

std::string tensor_problem(const onnx::TensorProto& tensor, const WeightTable& weights) {
  std::string problem;
  const auto located = locate(tensor, weights, problem);
  if (located && located->storage == Storage::external) {
    problem = weights.external_bytes(tensor, located->header.bytes).problem;
  }
  return problem;
}

}  // namespace onnx2ir::frontend
