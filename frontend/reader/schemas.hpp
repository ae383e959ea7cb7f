// The operator schemas of the ONNX library, created on demand: registering all of them takes longer than
// converting a small model.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace onnx {
class OpSchema;
}  // namespace onnx

namespace onnx2ir::frontend {

/// The schema of the operator as of version `opset` of its domain; null if the domain or operator is not
/// ONNX's, or was added later. The operator may be deprecated. Lives as long as the process. Thread-safe.
const onnx::OpSchema* find_schema(std::string_view domain, std::string_view op_type, std::int64_t opset);

/// The newest version of a domain in ONNX's schemas; no value if it is not a domain of ONNX.
std::optional<std::int64_t> newest_opset(std::string_view domain);

/// The first version of ONNX's `domain` with an operator `op_type`; no value if all versions lack it.
std::optional<std::int64_t> first_opset_with(std::string_view domain, std::string_view op_type);

}  // namespace onnx2ir::frontend
