// Rules that convert operators to single operations of the IR: docs/extensions.md describes the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <onnx2ir/diagnostic.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/mapping/versioned_table.hpp"
#include "ir/attribute.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir::frontend {

/// Where an attribute of the operation comes from.
struct AttributeRule {
  const ir::AttributeSpec* spec = nullptr;
  std::string source;                       ///< the operator's attribute; empty: a constant
  std::optional<ir::AttributeValue> value;  ///< a constant, or the default if the node lacks the attribute
};

/// An operator that becomes an operation.
struct OperatorRule {
  const ir::OpDescriptor* operation = nullptr;
  std::string opset;                               ///< empty: the oldest one that can express the node
  std::optional<std::vector<std::size_t>> inputs;  ///< indices of the operator's inputs; all by default
  std::vector<AttributeRule> attributes;
  std::size_t index = 0;  ///< in the list of the file
};

struct OperatorMap {
  VersionedTable<OperatorRule> rules;
};

/// Whether a rule or a translator of the caller can emit the operation: those with bodies, constants, and
/// those to which another node belongs are excluded.
bool is_single_operation(const ir::OpDescriptor& op);

/// "; did you mean 'NAME'?" with the operation whose name is nearest to the unknown `name`; empty if none is
/// near enough.
std::string suggest_operation(std::string_view name);
/// The same for an attribute of `op`.
std::string suggest_attribute(const ir::OpDescriptor& op, std::string_view name);

/// `value` as an attribute of `kind`: an integer is a number as well, 0 and 1 are booleans, one number is a
/// list, and the name of an element type is the type. No value if it has another type.
std::optional<ir::AttributeValue> coerced(ir::AttributeValue value, ir::AttributeSpec::Kind kind);

/// Reads a file; reports an error and returns no value if it cannot be read or is not valid. Without rules if
/// `path` is empty.
std::optional<OperatorMap> load_operator_map(const std::filesystem::path& path, DiagnosticSink& sink);

}  // namespace onnx2ir::frontend
