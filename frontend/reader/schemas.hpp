// The operator schemas of the ONNX library, created on demand: registering all of them takes longer than
// converting a small model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frontend/reader/onnx_proto.hpp"

namespace onnx {
class OpSchema;
}  // namespace onnx

namespace onnx2ir::frontend {

/// The schema of the operator as of version `opset` of its domain; null if the domain or operator is not
/// ONNX's, or was added later. The operator may be deprecated. Lives as long as the process. Thread-safe.
const onnx::OpSchema* find_schema(std::string_view domain, std::string_view op_type, std::int64_t opset);

/// What a schema states about an input: about its type if it is a tensor.
struct InputType {
  /// Kinds of element types; a set of bits.
  enum Kind : std::uint8_t { floating = 1, integer = 2, boolean = 4, string = 8, other = 16 };
  std::uint8_t kinds = 0;
  /// Inputs of the same group have the same type; -1: no group.
  int group = -1;
  bool is_required = false;  ///< it is neither optional nor variadic
};
/// The inputs of find_schema(); the last one stands for all further ones if it is variadic. Empty if there is
/// no schema.
std::span<const InputType> find_input_types(std::string_view domain, std::string_view op_type,
                                            std::int64_t opset);

/// The newest version of a domain in ONNX's schemas; no value if it is not a domain of ONNX.
std::optional<std::int64_t> newest_opset(std::string_view domain);

/// The first version of ONNX's `domain` with an operator `op_type`; no value if all versions lack it.
std::optional<std::int64_t> first_opset_with(std::string_view domain, std::string_view op_type);

/// The reason why ONNX's shape inference rejects `node` with inputs of these types; no value if it does not.
/// Does not look into graphs in attributes.
std::optional<std::string> inference_problem(const onnx::NodeProto& node, std::int64_t opset,
                                             std::span<const onnx::TypeProto> input_types);

}  // namespace onnx2ir::frontend
