// Strings as bytes: begins and ends of each string in one list of bytes.
#include "ir/views/string.hpp"

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

void infer_string_tensor_pack(Node& node) {
  const StringTensorPackView pack = node;
  require(pack.bytes().type() == ElementType::u8, "StringTensorPack: the bytes must be u8");
  same_type(node, 0, 2);
  set_output(node, 0, ElementType::string, pack.begins().shape());
}

/// The number of bytes in strings: 0 for an empty tensor. In a constant, the bytes after the header (count
/// and ends, i32).
Dimension byte_count(Value strings) {
  const ConstantData* const data = strings.node->constant();
  const auto count = strings.shape().element_count();
  if (count == 0) return 0;
  if (data == nullptr || !count) return {};
  const auto size = static_cast<std::int64_t>(data->size());
  constexpr std::int64_t kBytes = 4;
  if (size / kBytes - 2 < *count) return {};
  return size - kBytes * (*count + 2);
}

void infer_string_tensor_unpack(Node& node) {
  const Value strings = StringTensorUnpackView(node).data();
  require(strings.type() == ElementType::string, "StringTensorUnpack: the input must be strings");
  set_output(node, 0, ElementType::i32, strings.shape());
  set_output(node, 1, ElementType::i32, strings.shape());
  set_output(node, 2, ElementType::u8, PartialShape{byte_count(strings)});
}

}  // namespace

std::vector<OpFunction> string_functions() {
  return {
      {ops::StringTensorPack, infer_string_tensor_pack},
      {ops::StringTensorUnpack, infer_string_tensor_unpack},
  };
}

}  // namespace onnx2ir::ir
