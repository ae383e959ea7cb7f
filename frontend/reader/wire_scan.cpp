#include "frontend/reader/wire_scan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <utility>

#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {
namespace {

// https://protobuf.dev/programming-guides/encoding/
enum class WireType : std::uint8_t {
  varint = 0,
  fixed64 = 1,
  bytes = 2,
  group_start = 3,
  group_end = 4,
  fixed32 = 5
};

/// The messages (see name()) of onnx.proto on the path from ModelProto to raw_data.
enum class Message : std::uint8_t { model, graph, node, attribute, function, sparse_tensor, tensor };

enum class Action : std::uint8_t { keep, drop, descend, strip };

using onnx::AttributeProto;
using onnx::FunctionProto;
using onnx::GraphProto;
using onnx::ModelProto;
using onnx::NodeProto;
using onnx::SparseTensorProto;
using onnx::TensorProto;

bool is_any(std::uint32_t number, std::initializer_list<int> fields) {
  return std::ranges::any_of(fields, [&](int field) { return std::cmp_equal(number, field); });
}

struct FieldRule {
  Action action = Action::keep;
  Message message = Message::model;  ///< what to descend into
};

/// The handling of length-delimited field `number` of `message`.
FieldRule rule(Message message, std::uint32_t number) {
  const auto is = [&](std::initializer_list<int> fields) { return is_any(number, fields); };
  constexpr FieldRule kDrop{Action::drop};
  const auto descend = [](Message into) { return FieldRule{Action::descend, into}; };
  switch (message) {
    case Message::model:
      if (is({ModelProto::kDocStringFieldNumber, ModelProto::kTrainingInfoFieldNumber})) return kDrop;
      if (is({ModelProto::kGraphFieldNumber})) return descend(Message::graph);
      if (is({ModelProto::kFunctionsFieldNumber})) return descend(Message::function);
      break;
    case Message::graph:
      if (is({GraphProto::kDocStringFieldNumber, GraphProto::kQuantizationAnnotationFieldNumber,
              GraphProto::kMetadataPropsFieldNumber}))
        return kDrop;
      if (is({GraphProto::kNodeFieldNumber})) return descend(Message::node);
      if (is({GraphProto::kInitializerFieldNumber})) return descend(Message::tensor);
      if (is({GraphProto::kSparseInitializerFieldNumber})) return descend(Message::sparse_tensor);
      break;
    case Message::node:
      if (is({NodeProto::kDocStringFieldNumber, NodeProto::kMetadataPropsFieldNumber,
              NodeProto::kDeviceConfigurationsFieldNumber}))
        return kDrop;
      if (is({NodeProto::kAttributeFieldNumber})) return descend(Message::attribute);
      break;
    case Message::attribute:
      if (is({AttributeProto::kDocStringFieldNumber})) return kDrop;
      if (is({AttributeProto::kTFieldNumber, AttributeProto::kTensorsFieldNumber}))
        return descend(Message::tensor);
      if (is({AttributeProto::kGFieldNumber, AttributeProto::kGraphsFieldNumber}))
        return descend(Message::graph);
      if (is({AttributeProto::kSparseTensorFieldNumber, AttributeProto::kSparseTensorsFieldNumber}))
        return descend(Message::sparse_tensor);
      break;
    case Message::function:
      if (is({FunctionProto::kDocStringFieldNumber, FunctionProto::kMetadataPropsFieldNumber})) return kDrop;
      if (is({FunctionProto::kNodeFieldNumber})) return descend(Message::node);
      if (is({FunctionProto::kAttributeProtoFieldNumber})) return descend(Message::attribute);
      break;
    case Message::sparse_tensor:
      if (is({SparseTensorProto::kValuesFieldNumber, SparseTensorProto::kIndicesFieldNumber}))
        return descend(Message::tensor);
      break;
    case Message::tensor:
      if (is({TensorProto::kDocStringFieldNumber, TensorProto::kMetadataPropsFieldNumber})) return kDrop;
      if (is({TensorProto::kRawDataFieldNumber})) return {Action::strip};
      break;
  }
  return {};
}

/// Whether a ModelProto has a length-delimited field of this number.
bool is_model_field(std::uint32_t number) {
  return is_any(number, {ModelProto::kProducerNameFieldNumber, ModelProto::kProducerVersionFieldNumber,
                         ModelProto::kDomainFieldNumber, ModelProto::kDocStringFieldNumber,
                         ModelProto::kGraphFieldNumber, ModelProto::kOpsetImportFieldNumber,
                         ModelProto::kMetadataPropsFieldNumber, ModelProto::kTrainingInfoFieldNumber,
                         ModelProto::kFunctionsFieldNumber, ModelProto::kConfigurationFieldNumber});
}

/// Whether a TensorProto may have its elements in the field of this number.
bool is_tensor_data(std::uint32_t number) {
  return is_any(number, {TensorProto::kFloatDataFieldNumber, TensorProto::kInt32DataFieldNumber,
                         TensorProto::kStringDataFieldNumber, TensorProto::kInt64DataFieldNumber,
                         TensorProto::kRawDataFieldNumber, TensorProto::kDoubleDataFieldNumber,
                         TensorProto::kUint64DataFieldNumber});
}

std::string_view name(Message message) {
  constexpr std::string_view kNames[] = {"ModelProto",    "GraphProto",        "NodeProto",  "AttributeProto",
                                         "FunctionProto", "SparseTensorProto", "TensorProto"};
  return kNames[static_cast<std::size_t>(message)];
}

class Scanner {
 public:
  explicit Scanner(ByteWindow model) : model_(std::move(model)) {
    // Untouched memory costs nothing, but moving written memory does. Lengths of fixed width may make the
    // model longer than before.
    constexpr std::size_t kMaxAtFirst = std::size_t{1} << 26U;
    out_.bytes.reserve(std::min<std::uint64_t>(model_.size() + model_.size() / 8 + 64, kMaxAtFirst));
  }

  bool scan_model() { return scan(Message::model, 0, model_.size(), 0); }
  StrippedModel take_result() { return std::move(out_); }
  Problem take_problem() { return std::move(problem_); }

 private:
  using Position = std::uint64_t;

  bool fail(Position where, std::string_view what) {
    problem_ = {DiagnosticCode::unreadable_model, fmt::format("{} at byte {}", what, where)};
    return false;
  }

  bool fail_truncated(std::uint64_t missing) {
    problem_ = {DiagnosticCode::unreadable_input,
                fmt::format("the file ends at least {} {} early", missing, missing == 1 ? "byte" : "bytes")};
    return false;
  }

  bool read_varint(Position& position, Position end, std::uint64_t& value) {
    value = 0;
    const Position start = position;
    for (int shift = 0; shift < 70; shift += 7) {
      if (position == end) return fail(start, "a number is cut off");
      const auto byte = std::to_integer<std::uint64_t>(model_.at(position++));
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return fail(start, "a number has more than ten bytes");
  }

  bool read_tag(Position& position, Position end, std::uint32_t& number, WireType& type) {
    const Position start = position;
    std::uint64_t tag = 0;
    if (!read_varint(position, end, tag)) return false;
    if (tag > std::numeric_limits<std::uint32_t>::max() || tag < 8) {
      return fail(start, "the field number is invalid");
    }
    if ((tag & 7) > 5) return fail(start, "the wire type is invalid");
    number = static_cast<std::uint32_t>(tag >> 3);
    type = static_cast<WireType>(tag & 7);
    return true;
  }

  bool skip(Position& position, Position end, std::uint64_t size, Position field) {
    if (size > end - position) return fail(field, "a field reaches beyond the end of its message");
    position += size;
    return true;
  }

  /// Skips the value of a field. `value` becomes that of a varint, or the size of bytes. A group ends at its
  /// own end tag; nested groups are counted without recursion.
  bool skip_value(Position& position, Position end, std::uint32_t number, WireType type, Position field,
                  std::uint64_t& value) {
    std::vector<std::uint32_t> open_groups;
    while (true) {
      switch (type) {
        case WireType::varint:
          if (!read_varint(position, end, value)) return false;
          break;
        case WireType::fixed64:
          if (!skip(position, end, 8, field)) return false;
          break;
        case WireType::fixed32:
          if (!skip(position, end, 4, field)) return false;
          break;
        case WireType::bytes:
          if (!read_varint(position, end, value) || !skip(position, end, value, field)) return false;
          break;
        case WireType::group_start:
          open_groups.push_back(number);
          break;
        case WireType::group_end:
          if (open_groups.empty() || open_groups.back() != number)
            return fail(field, "a group ends without a beginning");
          open_groups.pop_back();
          break;
      }
      if (open_groups.empty()) return true;
      field = position;
      if (!read_tag(position, end, number, type)) return false;
    }
  }

  /// The field of a tensor that can be treated as raw data: packed floats of a float tensor have the same
  /// layout. Zero if there is no such field, or if another field could hold the data.
  std::uint32_t field_like_raw_data(Position position, Position end) {
    std::uint64_t type = 0;
    std::uint32_t found = 0;
    std::uint64_t found_size = 0;
    while (position != end) {
      const Position field = position;
      std::uint32_t number = 0;
      WireType wire_type{};
      std::uint64_t value = 0;
      if (!read_tag(position, end, number, wire_type) ||
          !skip_value(position, end, number, wire_type, field, value))
        return 0;
      if (number == TensorProto::kDataTypeFieldNumber && wire_type == WireType::varint) type = value;
      if (!is_tensor_data(number)) continue;
      if (found != 0 || wire_type != WireType::bytes) return 0;
      found = number;
      found_size = value;
    }
    const auto is_packed = [&](int field, int element, std::size_t size) {
      return std::cmp_equal(found, field) && std::cmp_equal(type, element) && found_size % size == 0;
    };
    const bool is_like_raw =
        is_packed(TensorProto::kFloatDataFieldNumber, TensorProto::FLOAT, sizeof(float)) ||
        is_packed(TensorProto::kDoubleDataFieldNumber, TensorProto::DOUBLE, sizeof(double));
    return is_like_raw ? found : 0;
  }

  bool scan(Message message, Position position, Position end, int graph_depth) {
    const std::uint32_t like_raw_data = message == Message::tensor ? field_like_raw_data(position, end) : 0;
    if (message == Message::graph && ++graph_depth > kMaxGraphDepth) {
      return fail(position, fmt::format("graphs are nested more than {} deep", kMaxGraphDepth));
    }
    Position copied = position;  // everything before this position is in the result
    while (position != end) {
      const Position field = position;
      std::uint32_t number = 0;
      WireType type{};
      std::uint64_t size = 0;
      if (!read_tag(position, end, number, type)) return add_context(message);
      if (type != WireType::bytes) {
        if (!skip_value(position, end, number, type, field, size)) return add_context(message);
        continue;
      }
      const Position after_tag = position;
      if (!read_varint(position, end, size)) return add_context(message);
      const Position value = position;
      if (message == Message::model && is_model_field(number) && size > end - position)
        return fail_truncated(size - (end - position));
      if (!skip(position, end, size, field)) return add_context(message);

      const bool strip_as_raw_data = like_raw_data != 0 && number == like_raw_data;
      const FieldRule what = strip_as_raw_data ? FieldRule{Action::strip} : rule(message, number);
      switch (what.action) {
        case Action::keep:
          break;
        case Action::drop:
          append(copied, field);
          copied = position;
          break;
        case Action::strip:
          if (size < kRawReferenceSize) break;
          append(copied, field);
          append_reference({value, size});
          copied = position;
          break;
        case Action::descend: {
          if (size < kRawReferenceSize) break;  // too short for a reference
          append(copied, after_tag);
          const std::size_t length_at = reserve_length();
          if (!scan(what.message, value, position, graph_depth)) return false;
          if (!set_length(length_at))
            return fail(field, "a message without its weights is larger than 2 GiB");
          copied = position;
          break;
        }
      }
    }
    append(copied, end);
    return true;
  }

  bool add_context(Message message) {
    problem_.message += fmt::format(", in a {}", name(message));
    return false;
  }

  void append(Position begin, Position end) { model_.append_to(out_.bytes, begin, end); }

  void append_reference(ByteRange range) {
    static_assert(kRawReferenceSize == 128);
    constexpr char kTagAndLength[] = {
        TensorProto::kRawDataFieldNumber << 3 | static_cast<char>(WireType::bytes), static_cast<char>(0x80),
        0x01};
    char reference[kRawReferenceSize] = {};
    const std::uint64_t index = out_.raw_data.size();
    std::memcpy(reference, &index, sizeof index);
    out_.bytes.append(kTagAndLength, sizeof kTagAndLength).append(reference, sizeof reference);
    out_.raw_data.push_back(range);
  }

  // The length of a message is known only after it is stripped, so it is written as a varint of fixed width,
  // padded with continuation bytes, which every protobuf parser accepts.
  static constexpr std::size_t kLengthWidth = 5;

  std::size_t reserve_length() {
    const std::size_t at = out_.bytes.size();
    out_.bytes.append(kLengthWidth, '\0');
    return at;
  }

  bool set_length(std::size_t at) {
    std::uint64_t length = out_.bytes.size() - at - kLengthWidth;
    if (length > std::numeric_limits<std::int32_t>::max()) return false;
    for (std::size_t i = 0; i < kLengthWidth; ++i, length >>= 7) {
      out_.bytes[at + i] = static_cast<char>((length & 0x7f) | (i + 1 < kLengthWidth ? 0x80 : 0));
    }
    return true;
  }

  ByteWindow model_;
  StrippedModel out_;
  Problem problem_;
};

}  // namespace

Result<StrippedModel> strip_raw_data(ByteWindow model) {
  Scanner scanner(std::move(model));
  if (!scanner.scan_model()) return scanner.take_problem();
  StrippedModel result = scanner.take_result();
  if (result.bytes.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    return Problem{DiagnosticCode::unreadable_model, "it is larger than 2 GiB without its weights"};
  }
  return result;
}

std::optional<std::uint64_t> raw_data_reference(std::string_view raw_data) {
  if (raw_data.size() != kRawReferenceSize) return std::nullopt;
  std::uint64_t index = 0;
  std::memcpy(&index, raw_data.data(), sizeof index);
  return index;
}

}  // namespace onnx2ir::frontend
