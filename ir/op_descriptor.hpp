// Everything the compiler knows about an IR operation stands in its OpDescriptor; ir/ops/ holds the table.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ir/attribute.hpp"
#include "ir/operation_set.hpp"

namespace onnx2ir::ir {

/// Thrown by inference and by Builder when a node cannot exist: the message says why, in the words of the
/// operation. Caught where the origin of the node is known; never leaves the library.
class InvalidNode : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Node;

/// Infers types, shapes and known values of all outputs of `node` from its inputs and attributes.
using InferFunction = void (*)(Node& node);

/// A version of an operation before the newest one: older releases of the runtime can read it.
struct OlderVersion {
  std::string_view opset;
  /// The attributes it does not have. They are optional: a node without them means what this version does.
  std::vector<std::string_view> without = {};
  /// Whether it can say what a node without these attributes says; null: always.
  bool (*says)(const Node& node) = nullptr;
};

/// An operation: one row of the table.
struct OpDescriptor {
  static constexpr int kVariadic = -1;

  std::string_view name;   ///< XML type: "MatMul"
  std::string_view opset;  ///< the newest XML version that we use: "opset1"
  int min_inputs;
  int max_inputs;  ///< kVariadic: no limit
  int outputs;     ///< kVariadic: the creator says how many
  std::vector<AttributeSpec> attributes;
  InferFunction infer;
  /// Computes something else each time or has an effect: never merged, folded or moved.
  bool is_volatile = false;
  std::vector<OlderVersion> older = {};  ///< the oldest first
  std::uint16_t index = 0;               ///< in all_ops()
};

inline bool OperationSet::contains(const OpDescriptor& op) const {
  return bits_[op.index];
}

/// The oldest version of the node's operation that can say what the node says: "opset1".
std::string_view oldest_version(const Node& node);
/// Whether `opset` names a version of the node's operation that can say what the node says.
bool is_version(const Node& node, std::string_view opset);

/// Whether `attribute` is a note: the XML leaves it out.
bool is_note(const OpDescriptor& op, std::string_view attribute);

/// All operations, sorted by family.
std::span<const OpDescriptor> all_ops();
/// The operation called `name`; throws std::logic_error when there is none.
const OpDescriptor& find_op(std::string_view name);
/// The same for names that come from a file: null when there is none.
const OpDescriptor* find_op_or_null(std::string_view name);

}  // namespace onnx2ir::ir
