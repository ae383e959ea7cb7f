#include "frontend/reader/functions.hpp"

#include <onnx/defs/schema.h>

#include <functional>
#include <stdexcept>
#include <vector>

#include "base/name_table.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/schemas.hpp"

namespace onnx2ir::frontend {
namespace {

/// Returns the value of an attribute parameter of a function; null if it has no value.
using AttributeLookup = std::function<const onnx::AttributeProto*(std::string_view name)>;

/// Attributes by name, for nodes that have many.
base::NameTable<const onnx::AttributeProto*> by_name(
    const google::protobuf::RepeatedPtrField<onnx::AttributeProto>& attributes) {
  base::NameTable<const onnx::AttributeProto*> table;
  table.reserve(static_cast<std::size_t>(attributes.size()));
  for (const auto& attribute : attributes) table.add(attribute.name(), &attribute);
  return table;
}

/// The number of nodes of the graphs in an attribute, including nested graphs. Stops counting above `most`,
/// and returns more than `most` if graphs are nested too deeply.
std::uint64_t count_nodes(const onnx::AttributeProto& attribute, std::uint64_t most, int depth = 0) {
  constexpr int kMaxDepth = 256;
  std::uint64_t count = 0;
  if ((attribute.has_g() || !attribute.graphs().empty()) && depth > kMaxDepth) return most + 1;
  for_each_body(attribute, [&](const onnx::GraphProto& graph) {
    for (const onnx::NodeProto& node : graph.node()) {
      ++count;
      for (const onnx::AttributeProto& inner : node.attribute()) {
        if (count <= most) count += count_nodes(inner, most - count, depth + 1);
      }
    }
  });
  return count;
}

/// The nodes that take about as much time as the lists and texts of an attribute, without its graphs.
std::uint64_t nodes_for_elements(const onnx::AttributeProto& attribute) {
  constexpr std::uint64_t kBytesOfNode = std::uint64_t{1} << 14U;
  constexpr std::uint64_t kBytesOfText = 512;  // a copy of a text takes as long as one of so many numbers
  std::uint64_t bytes = attribute.s().size();
  bytes += sizeof(float) * static_cast<std::uint64_t>(attribute.floats_size());
  bytes += sizeof(std::int64_t) * static_cast<std::uint64_t>(attribute.ints_size());
  bytes += kBytesOfText * static_cast<std::uint64_t>(attribute.strings_size());
  for (const std::string& text : attribute.strings()) bytes += text.size();
  return bytes / kBytesOfNode;
}

void bind_nodes(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, const AttributeLookup& value_of);

/// Replaces references to attribute parameters by their values. Does not look into the values, which belong
/// to the caller.
void bind_attributes(onnx::NodeProto& node, const AttributeLookup& value_of) {
  auto& attributes = *node.mutable_attribute();
  int kept = 0;  // those without a value are deleted together: each deletion moves all later ones
  for (int i = 0; i < attributes.size(); ++i) {
    onnx::AttributeProto& attribute = attributes[i];
    if (!attribute.ref_attr_name().empty()) {
      const onnx::AttributeProto* value = value_of(attribute.ref_attr_name());
      if (value == nullptr) continue;
      const std::string name = attribute.name();
      attribute = *value;
      attribute.set_name(name);
    } else {
      if (attribute.has_g()) bind_nodes(*attribute.mutable_g()->mutable_node(), value_of);
      for (auto& graph : *attribute.mutable_graphs()) bind_nodes(*graph.mutable_node(), value_of);
    }
    attributes.SwapElements(kept++, i);
  }
  attributes.DeleteSubrange(kept, attributes.size() - kept);
}

void bind_nodes(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, const AttributeLookup& value_of) {
  for (auto& node : nodes) bind_attributes(node, value_of);
}

std::string function_name(const onnx::FunctionProto& function) {
  if (function.domain().empty()) return function.name();
  return function.domain() + "::" + function.name();
}

/// The newest of the sorted `versions` that is not above `opset`: a body is valid from its version on.
std::optional<int> body_version(const std::vector<int>& versions, std::int64_t opset) {
  std::optional<int> best;
  for (int version : versions) {
    if (version <= opset) best = version;
  }
  return best;
}

std::shared_ptr<onnx::FunctionProto> schema_body(const onnx::OpSchema& schema, const onnx::NodeProto& node,
                                                 std::int64_t opset,
                                                 std::span<const onnx::TypeProto> input_types) {
  if (const auto version = body_version(schema.function_opset_versions(), opset)) {
    return std::make_shared<onnx::FunctionProto>(*schema.GetFunction(*version));
  }
  const auto version = body_version(schema.context_dependent_function_opset_versions(), opset);
  if (!version) return nullptr;
  const onnx::FunctionBodyBuildContextImpl context(node, {input_types.begin(), input_types.end()});
  auto function = std::make_shared<onnx::FunctionProto>();
  try {
    // The body's own version, not the model's: its operators have the meaning of that version.
    if (!schema.BuildContextDependentFunction(context, *function, *version)) return nullptr;
  } catch (const std::logic_error&) {
    return nullptr;
  } catch (const std::runtime_error&) {  // the library throws this if attributes or types do not fit
    return nullptr;
  }
  return function;
}

std::string key_of(std::string_view domain, std::string_view name, std::string_view overload) {
  std::string key;
  domain = canonical_domain(domain);
  key.reserve(domain.size() + name.size() + overload.size() + 2);
  return key.append(domain).append(1, '\0').append(name).append(1, '\0').append(overload);
}

}  // namespace

FunctionIndex::FunctionIndex(const onnx::ModelProto& model) {
  for (const auto& function : model.functions()) {
    functions_.emplace(key_of(function.domain(), function.name(), function.overload()), &function);
  }
}

const onnx::FunctionProto* FunctionIndex::find(const onnx::NodeProto& node) const {
  if (functions_.empty()) return nullptr;
  auto found = functions_.find(key_of(node.domain(), node.op_type(), node.overload()));
  return found == functions_.end() ? nullptr : found->second;
}

const onnx::FunctionProto* FunctionIndex::find(const onnx::FunctionProto& function) const {
  auto found = functions_.find(key_of(function.domain(), function.name(), function.overload()));
  return found == functions_.end() ? nullptr : found->second;
}

Problem too_many_function_nodes(DiagnosticCode code, std::uint64_t most) {
  return {code, "the calls of the model's functions add more than " + std::to_string(most) + " nodes",
          "raise the limit: --max-function-nodes N on the command line, Options::max_function_nodes in C++, "
          "max_function_nodes= in Python"};
}

OpsetImports opsets_of(const onnx::FunctionProto& function) {
  OpsetImports opsets;
  for (const auto& import : function.opset_import()) opsets.add(import.domain(), import.version());
  return opsets;
}

std::uint64_t nodes_of_call(const onnx::FunctionProto& function) {
  std::uint64_t nodes =
      static_cast<std::uint64_t>(function.node_size()) + static_cast<std::uint64_t>(function.input_size());
  for (const onnx::NodeProto& node : function.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) nodes += nodes_for_elements(attribute);
  }
  return nodes;
}

std::optional<FunctionBody> bind_function(const onnx::FunctionProto& function, const onnx::NodeProto& node,
                                          std::shared_ptr<const OpsetImports> opsets, std::uint64_t& nodes,
                                          std::uint64_t most_nodes) {
  FunctionBody body{nullptr, std::move(opsets), function_name(function)};
  if (function.attribute().empty() && function.attribute_proto().empty()) {
    // Nothing to bind: refers to the model's function, which outlives the translation.
    body.function = std::shared_ptr<const onnx::FunctionProto>(std::shared_ptr<void>(), &function);
    return body;
  }
  auto bound = std::make_shared<onnx::FunctionProto>();
  *bound->mutable_node() = function.node();
  *bound->mutable_input() = function.input();
  *bound->mutable_output() = function.output();
  const auto given = by_name(node.attribute());
  const auto defaults = by_name(function.attribute_proto());
  bool fits = true;
  bind_nodes(*bound->mutable_node(), [&](std::string_view name) -> const onnx::AttributeProto* {
    const auto* found = given.find(name);
    if (found == nullptr) found = defaults.find(name);
    if (found == nullptr) return nullptr;
    const onnx::AttributeProto* const value = *found;
    // Counted twice: a copy takes more memory than a node of the model, and is also translated.
    nodes += 2 * count_nodes(*value, most_nodes) + nodes_for_elements(*value);
    fits = fits && nodes <= most_nodes;
    return fits ? value : nullptr;
  });
  if (!fits) return std::nullopt;
  body.function = std::move(bound);
  return body;
}

std::optional<FunctionBody> expand_operator(const onnx::NodeProto& node, std::int64_t opset,
                                            std::span<const onnx::TypeProto> input_types,
                                            std::optional<std::int64_t> model_version) {
  const onnx::OpSchema* schema = find_schema(node.domain(), node.op_type(), opset);
  if (schema == nullptr) return std::nullopt;
  auto function = schema_body(*schema, node, opset, input_types);
  if (function == nullptr) return std::nullopt;
  bind_nodes(*function->mutable_node(), [&](std::string_view name) -> const onnx::AttributeProto* {
    if (const auto* value = find_attribute(node, name)) return value;
    const auto found = schema->attributes().find(std::string(name));
    if (found == schema->attributes().end() || !found->second.default_value.has_name()) return nullptr;
    return &found->second.default_value;
  });
  function->set_domain(std::string(canonical_domain(node.domain())));
  auto opsets = std::make_shared<OpsetImports>(opsets_of(*function));
  // Bodies in other domains do not state their version of ai.onnx: they use the model's.
  if (model_version && !opsets->find("")) opsets->add("", *model_version);
  std::string name = function_name(*function);
  return FunctionBody{std::move(function), std::move(opsets), std::move(name), has_body(node)};
}

bool has_function_body(std::string_view domain, std::string_view op_type, std::int64_t opset) {
  const onnx::OpSchema* schema = find_schema(domain, op_type, opset);
  return schema != nullptr && (body_version(schema->function_opset_versions(), opset) ||
                               body_version(schema->context_dependent_function_opset_versions(), opset));
}

}  // namespace onnx2ir::frontend
