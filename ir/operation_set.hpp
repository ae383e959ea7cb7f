// Sets of operations: which ones a graph holds, which ones a pass looks for.
#pragma once

#include <bitset>
#include <initializer_list>
#include <string_view>

namespace onnx2ir::ir {

struct OpDescriptor;

class OperationSet {
 public:
  OperationSet() = default;
  /// Throws std::logic_error when a name is not that of an operation.
  OperationSet(std::initializer_list<std::string_view> names);

  void add(const OpDescriptor& op);
  bool contains(const OpDescriptor& op) const;
  /// Whether the sets have an operation in common.
  bool meets(const OperationSet& other) const { return (bits_ & other.bits_).any(); }

 private:
  static constexpr std::size_t kMost = 256;
  std::bitset<kMost> bits_;  ///< by OpDescriptor::index
};

}  // namespace onnx2ir::ir
