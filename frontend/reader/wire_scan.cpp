#include "frontend/reader/wire_scan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
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

/// The handling of the length-delimited fields of each message, by message and field number.
constexpr auto kRules = [] {
  using enum Message;
  std::array<std::array<FieldRule, 32>, 7> rules{};
  const auto set = [&](Message of, FieldRule rule, std::initializer_list<int> fields) {
    for (const int field : fields) rules[static_cast<std::size_t>(of)][field] = rule;
  };
  const auto drop = [&](Message of, std::initializer_list<int> fields) { set(of, {Action::drop}, fields); };
  const auto descend = [&](Message of, Message into, std::initializer_list<int> fields) {
    set(of, {Action::descend, into}, fields);
  };
  drop(model, {ModelProto::kDocStringFieldNumber, ModelProto::kTrainingInfoFieldNumber});
  descend(model, graph, {ModelProto::kGraphFieldNumber});
  descend(model, function, {ModelProto::kFunctionsFieldNumber});
  drop(graph, {GraphProto::kDocStringFieldNumber, GraphProto::kQuantizationAnnotationFieldNumber,
               GraphProto::kMetadataPropsFieldNumber});
  descend(graph, node, {GraphProto::kNodeFieldNumber});
  descend(graph, tensor, {GraphProto::kInitializerFieldNumber});
  descend(graph, sparse_tensor, {GraphProto::kSparseInitializerFieldNumber});
  drop(node, {NodeProto::kDocStringFieldNumber, NodeProto::kMetadataPropsFieldNumber,
              NodeProto::kDeviceConfigurationsFieldNumber});
  descend(node, attribute, {NodeProto::kAttributeFieldNumber});
  drop(attribute, {AttributeProto::kDocStringFieldNumber});
  descend(attribute, tensor, {AttributeProto::kTFieldNumber, AttributeProto::kTensorsFieldNumber});
  descend(attribute, graph, {AttributeProto::kGFieldNumber, AttributeProto::kGraphsFieldNumber});
  descend(attribute, sparse_tensor,
          {AttributeProto::kSparseTensorFieldNumber, AttributeProto::kSparseTensorsFieldNumber});
  drop(function, {FunctionProto::kDocStringFieldNumber, FunctionProto::kMetadataPropsFieldNumber});
  descend(function, node, {FunctionProto::kNodeFieldNumber});
  descend(function, attribute, {FunctionProto::kAttributeProtoFieldNumber});
  descend(sparse_tensor, tensor,
          {SparseTensorProto::kValuesFieldNumber, SparseTensorProto::kIndicesFieldNumber});
  drop(tensor, {TensorProto::kDocStringFieldNumber, TensorProto::kMetadataPropsFieldNumber});
  set(tensor, {Action::strip}, {TensorProto::kRawDataFieldNumber});
  return rules;
}();

FieldRule rule(Message message, std::uint32_t number) {
  const auto& rules = kRules[static_cast<std::size_t>(message)];
  return number < rules.size() ? rules[number] : FieldRule{};
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

/// Thrown by a Scanner: the bytes cannot be scanned.
struct Malformed {
  Problem problem;
};

class Scanner {
 public:
  explicit Scanner(ByteWindow model) : model_(std::move(model)) {
    // Untouched memory costs nothing, but moving written memory does. Lengths of fixed width may make the
    // model longer than before.
    constexpr std::size_t kMaxAtFirst = std::size_t{1} << 26U;
    out_.bytes.reserve(std::min<std::uint64_t>(model_.size() + model_.size() / 8 + 64, kMaxAtFirst));
  }

  StrippedModel scan_model() {
    scan(Message::model, 0, model_.size(), 0);
    return std::move(out_);
  }

 private:
  using Position = std::uint64_t;

  struct Tag {
    std::uint32_t number;
    WireType type;
  };

  [[noreturn]] static void fail(DiagnosticCode code, std::string message) {
    throw Malformed{{code, std::move(message)}};
  }
  /// Fails because of a field of the current message.
  [[noreturn]] void fail(Position where, std::string_view what) const {
    fail(DiagnosticCode::unreadable_model,
         fmt::format("{} at byte {}, in a {}", what, where, name(message_)));
  }

  std::uint64_t read_varint(Position& position, Position end) {
    std::uint64_t value = 0;
    const Position start = position;
    for (int shift = 0; shift < 70; shift += 7) {
      if (position == end) fail(start, "a number is cut off");
      const auto byte = std::to_integer<std::uint64_t>(model_.at(position++));
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail(start, "a number has more than ten bytes");
  }

  Tag read_tag(Position& position, Position end) {
    const Position start = position;
    const std::uint64_t tag = read_varint(position, end);
    if (tag > std::numeric_limits<std::uint32_t>::max() || tag < 8)
      fail(start, "the field number is invalid");
    if ((tag & 7) > 5) fail(start, "the wire type is invalid");
    return {static_cast<std::uint32_t>(tag >> 3), static_cast<WireType>(tag & 7)};
  }

  void skip(Position& position, Position end, std::uint64_t size, Position field) const {
    if (size > end - position) fail(field, "a field reaches beyond the end of its message");
    position += size;
  }

  /// Skips the value of a field. Returns that of a varint, or the size of bytes. A group ends at its own end
  /// tag; nested groups are counted without recursion.
  std::uint64_t skip_value(Position& position, Position end, Tag tag, Position field) {
    std::uint64_t value = 0;
    std::vector<std::uint32_t> open_groups;
    while (true) {
      switch (tag.type) {
        case WireType::varint:
          value = read_varint(position, end);
          break;
        case WireType::fixed64:
          skip(position, end, 8, field);
          break;
        case WireType::fixed32:
          skip(position, end, 4, field);
          break;
        case WireType::bytes:
          value = read_varint(position, end);
          skip(position, end, value, field);
          break;
        case WireType::group_start:
          open_groups.push_back(tag.number);
          break;
        case WireType::group_end:
          if (open_groups.empty() || open_groups.back() != tag.number)
            fail(field, "a group ends without a beginning");
          open_groups.pop_back();
          break;
      }
      if (open_groups.empty()) return value;
      field = position;
      tag = read_tag(position, end);
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
      const Tag tag = read_tag(position, end);
      const std::uint64_t value = skip_value(position, end, tag, field);
      if (tag.number == TensorProto::kDataTypeFieldNumber && tag.type == WireType::varint) type = value;
      if (!is_tensor_data(tag.number)) continue;
      if (found != 0 || tag.type != WireType::bytes) return 0;
      found = tag.number;
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

  void scan(Message message, Position position, Position end, int graph_depth) {
    message_ = message;
    const std::uint32_t like_raw_data = message == Message::tensor ? field_like_raw_data(position, end) : 0;
    if (message == Message::graph && ++graph_depth > kMaxGraphDepth)
      fail(DiagnosticCode::unreadable_model,
           fmt::format("graphs are nested more than {} deep at byte {}", kMaxGraphDepth, position));
    Position copied = position;  // everything before this position is in the result
    while (position != end) {
      const Position field = position;
      const Tag tag = read_tag(position, end);
      if (tag.type != WireType::bytes) {
        skip_value(position, end, tag, field);
        continue;
      }
      const Position after_tag = position;
      const std::uint64_t size = read_varint(position, end);
      const Position value = position;
      if (message == Message::model && is_model_field(tag.number) && size > end - position) {
        const std::uint64_t missing = size - (end - position);
        fail(DiagnosticCode::unreadable_input,
             fmt::format("the file ends at least {} {} early", missing, missing == 1 ? "byte" : "bytes"));
      }
      skip(position, end, size, field);

      const bool strip_as_raw_data = like_raw_data != 0 && tag.number == like_raw_data;
      const FieldRule what = strip_as_raw_data ? FieldRule{Action::strip} : rule(message, tag.number);
      // Less than a reference is never replaced by one.
      if (what.action == Action::keep || (what.action != Action::drop && size < kRawReferenceSize)) continue;
      append(copied, what.action == Action::descend ? after_tag : field);
      if (what.action == Action::strip) append_reference({value, size});
      if (what.action == Action::descend) {
        const std::size_t length_at = reserve_length();
        scan(what.message, value, position, graph_depth);
        message_ = message;
        set_length(length_at, field);
      }
      copied = position;
    }
    append(copied, end);
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

  /// `field`: where the message begins.
  void set_length(std::size_t at, Position field) {
    std::uint64_t length = out_.bytes.size() - at - kLengthWidth;
    if (length > std::numeric_limits<std::int32_t>::max())
      fail(DiagnosticCode::unreadable_model,
           fmt::format("a message without its weights is larger than 2 GiB at byte {}", field));
    for (std::size_t i = 0; i < kLengthWidth; ++i, length >>= 7) {
      out_.bytes[at + i] = static_cast<char>((length & 0x7f) | (i + 1 < kLengthWidth ? 0x80 : 0));
    }
  }

  ByteWindow model_;
  StrippedModel out_;
  Message message_ = Message::model;  ///< that is scanned
};

}  // namespace

void ByteWindow::append_to(std::string& target, std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t size = end - begin;
  if (begin >= begin_ && end - begin_ <= window_.size()) {
    const auto kept = window_.subspan(begin - begin_, size);
    target.append(reinterpret_cast<const char*>(kept.data()), kept.size());
    return;
  }
  const std::size_t old_size = target.size();
  target.resize(old_size + size);
  file_->read(begin, std::as_writable_bytes(std::span(target)).subspan(old_size));
}

void ByteWindow::load(std::uint64_t offset) {
  // After a jump over weights, only the few bytes between two tensors may be needed.
  constexpr std::uint64_t kMin = 4096;
  constexpr std::uint64_t kMax = std::uint64_t{1} << 18U;
  const bool is_next = offset == begin_ + window_.size();
  const std::uint64_t requested =
      is_next ? std::clamp<std::uint64_t>(2 * window_.size(), 4 * kMin, kMax) : kMin;
  const std::uint64_t size = std::min(requested, size_ - offset);
  if (buffer_.size() < size) buffer_.resize(size);
  window_ = {};
  file_->read(offset, std::span(buffer_).first(size));
  begin_ = offset;
  window_ = std::span(buffer_).first(size);
}

Result<StrippedModel> strip_raw_data(ByteWindow model) {
  try {
    StrippedModel result = Scanner(std::move(model)).scan_model();
    if (std::cmp_less_equal(result.bytes.size(), std::numeric_limits<std::int32_t>::max())) return result;
    return Problem{DiagnosticCode::unreadable_model, "it is larger than 2 GiB without its weights"};
  } catch (const Malformed& failure) {
    return failure.problem;
  }
}

std::optional<std::uint64_t> raw_data_reference(std::string_view raw_data) {
  if (raw_data.size() != kRawReferenceSize) return std::nullopt;
  std::uint64_t index = 0;
  std::memcpy(&index, raw_data.data(), sizeof index);
  return index;
}

}  // namespace onnx2ir::frontend
