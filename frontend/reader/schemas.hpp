// The ONNX library's operator schemas, made one by one when first asked for: registering all of them the
// library's way would cost more than converting a small model.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace onnx {
class OpSchema;
}  // namespace onnx

namespace onnx2ir::frontend {

/// The schema of the operator as of version `opset` of its domain; null when the domain or the operator is
/// not ONNX's, or did not exist yet. A schema can say that the operator is deprecated. Lives as long as the
/// process. Thread-safe.
const onnx::OpSchema* find_schema(std::string_view domain, std::string_view op_type, std::int64_t opset);

/// The newest version of a domain ONNX's schemas in this build know; nothing for a domain that is not ONNX's.
std::optional<std::int64_t> newest_opset(std::string_view domain);

/// The first version of ONNX's `domain` that has an operator `op_type`; nothing when none has.
std::optional<std::int64_t> first_opset_with(std::string_view domain, std::string_view op_type);

}  // namespace onnx2ir::frontend
