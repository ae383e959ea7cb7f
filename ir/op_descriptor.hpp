// The description of an IR operation: all that the compiler knows about it. The table is
// ir/ops/operations.txt.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/failure.hpp"
#include "ir/attribute.hpp"
#include "ir/operation_set.hpp"

namespace onnx2ir::ir {

class Node;

/// Infers types, shapes and known values of all outputs of `node` from its inputs and attributes.
using InferFunction = void (*)(Node& node);

/// The inference function of an operation or of several ones, in a file of ir/ops.
struct OpFunction {
  OpFunction(Op op, InferFunction function) : OpFunction(OperationSet{op}, function) {}
  OpFunction(OperationSet those, InferFunction function) : operations(those), infer(function) {}
  OperationSet operations;
  InferFunction infer;
};

/// A version of an operation that is older than the newest one, for older releases of the runtime.
struct OlderVersion {
  std::string_view opset;
  /// The attributes that it lacks. They are optional: a node without them has the meaning of this version.
  std::vector<std::string_view> without = {};
  /// An attribute and a value of it that it does not know.
  std::pair<std::string_view, std::string_view> unless = {};
};

/// Inputs [first, last] of an operation; no input by default.
struct InputRange {
  std::size_t first = 1;
  std::size_t last = 0;
};

/// Properties of an operation that passes and inference test instead of its name.
struct Traits {
  bool is_volatile = false;  ///< not a pure function of its inputs: never merged, folded or moved
  bool is_kept = false;      ///< kept in the graph without uses
  bool has_bodies = false;
  bool keeps_shape = false;       ///< output 0 has the shape of input 0, and its type if there is no function
  bool broadcasts = false;        ///< computes each element from those of its inputs, broadcast as in NumPy
  bool is_arithmetic = false;     ///< broadcasts two numbers to a number
  bool is_reduction = false;      ///< one element of output 0 for all elements along some axes of input 0
  bool reshapes = false;          ///< the elements of input 0 in their order, in another shape
  bool rearranges = false;        ///< each element of input 0 once, in another shape or order
  bool takes_strings = false;     ///< moves elements or passes values on, which may be strings
  bool takes_numbers = false;     ///< input 0 is not boolean; inference functions need not test this
  bool takes_real_sizes = false;  ///< `sizes` or `indices` may be real numbers
  InputRange sizes = {};          ///< inputs that are sizes, axes or counts: shapes are computed from them
  InputRange indices = {};        ///< inputs that are indices or bounds
};

/// An operation: one row of the table.
struct OpDescriptor {
  static constexpr int kVariadic = -1;
  static constexpr int kAnyRank = -1;

  std::string_view name;   ///< XML type: "MatMul"
  std::string_view opset;  ///< the newest XML version used: "opset1"
  int min_inputs;
  int max_inputs;  ///< kVariadic: no limit
  int outputs;     ///< kVariadic: given by the creator
  std::vector<AttributeSpec> attributes = {};
  Traits traits = {};
  std::vector<int> ranks = {};           ///< of the operands, or kAnyRank; empty if all have any rank
  std::vector<OlderVersion> older = {};  ///< the oldest first
  Op id;
  InferFunction infer = nullptr;  ///< set by the registry

  /// Whether a node can have `count` inputs.
  bool takes(std::size_t count) const {
    return std::cmp_greater_equal(count, min_inputs) &&
           (max_inputs == kVariadic || std::cmp_less_equal(count, max_inputs));
  }
};

/// The rows of the table, without inference functions; generated.
std::vector<OpDescriptor> described_operations();

/// The oldest version of the node's operation that can express the node: "opset1".
std::string_view oldest_version(const Node& node);
/// Whether `opset` is a version of the node's operation that can express the node.
bool is_version(const Node& node, std::string_view opset);

/// Whether `attribute` is a note, which is not written to the XML.
bool is_note(const OpDescriptor& op, std::string_view attribute);
/// The names of the required attributes that are not in `attributes`.
std::vector<std::string_view> missing_attributes(const OpDescriptor& op,
                                                 std::span<const Attribute> attributes);

/// All operations, sorted by family.
std::span<const OpDescriptor> all_ops();
const OpDescriptor& find_op(Op op);
/// The operation called `name`, which comes from a file; null if there is no such operation.
const OpDescriptor* find_op_or_null(std::string_view name);

}  // namespace onnx2ir::ir
