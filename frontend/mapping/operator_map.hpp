// Rules that convert operators to single operations of the IR: docs/extensions.md describes the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <onnx2ir/diagnostic.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

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
  std::int64_t line = 0;  ///< of the file
};

class OperatorMap {
 public:
  /// Returns false, without a change, if there is a rule for this version already.
  bool add(std::string_view domain, std::string_view name, std::int64_t since, OperatorRule rule);
  /// The rule for an operator: the one with the highest version up to `opset`; null if no rule
  /// fits.
  const OperatorRule* find(std::string_view domain, std::string_view name, std::int64_t opset) const;

 private:
  /// By domain, name and version.
  std::map<std::tuple<std::string, std::string, std::int64_t>, OperatorRule> rules_;
};

/// Throws JsonError.
OperatorMap parse_operator_map(std::string_view text);

/// Reads a file; reports an error and returns no value if it cannot be read or is not valid.
std::optional<OperatorMap> load_operator_map(const std::filesystem::path& path, DiagnosticSink& sink);

}  // namespace onnx2ir::frontend
