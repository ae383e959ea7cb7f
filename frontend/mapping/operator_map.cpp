#include "frontend/mapping/operator_map.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <onnx2ir/result.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/failure.hpp"
#include "base/input_file.hpp"
#include "base/nearest_name.hpp"
#include "frontend/mapping/json.hpp"
#include "ir/operation_set.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{16} << 20U;

template <typename... Arguments>
[[noreturn]] void fail(const JsonValue& value, fmt::format_string<Arguments...> format,
                       Arguments&&... arguments) {
  fail_in_line(value.line, fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// The members of an object with known keys. `what` names the object in errors.
class Members {
 public:
  Members(const JsonValue& value, std::string_view what, std::vector<std::string> known) : place_(&value) {
    object_ = std::get_if<JsonObject>(&value.value);
    if (object_ == nullptr) fail(value, "{} must be an object", what);
    for (const auto& [name, member] : *object_) {
      if (std::ranges::find(known, name) == known.end())
        fail(member, "{} has no '{}'{}", what, name, base::suggestion(name, known, "; "));
    }
  }

  const JsonValue* find(std::string_view name) const {
    const auto found = std::ranges::find(*object_, name, &JsonMember::name);
    return found == object_->end() ? nullptr : &found->value;
  }
  const JsonValue& get(std::string_view name) const {
    if (const JsonValue* const value = find(name)) return *value;
    fail(*place_, "'{}' is missing", name);
  }
  /// A text; empty if it is absent.
  std::string text(std::string_view name) const {
    const JsonValue* const value = find(name);
    if (value == nullptr) return {};
    const auto* const found = std::get_if<std::string>(&value->value);
    if (found == nullptr) fail(*value, "'{}' must be a text", name);
    return *found;
  }
  std::string required_text(std::string_view name) const {
    const JsonValue& value = get(name);
    std::string found = text(name);
    if (found.empty()) fail(value, "'{}' must not be empty", name);
    return found;
  }

 private:
  const JsonObject* object_ = nullptr;
  const JsonValue* place_;
};

/// An element of an attribute; no value if `value` has another type. An integer is a number as well.
template <typename Element>
std::optional<Element> element_of(const JsonValue& value) {
  if (const auto* const found = std::get_if<Element>(&value.value)) return *found;
  if constexpr (std::is_same_v<Element, double>) {
    if (const auto* const integer = std::get_if<std::int64_t>(&value.value))
      return static_cast<double>(*integer);
  }
  return std::nullopt;
}

template <typename Element>
std::optional<std::vector<Element>> list_of(const JsonValue& value) {
  const auto* const array = std::get_if<JsonArray>(&value.value);
  if (array == nullptr) return std::nullopt;
  std::vector<Element> list;
  for (const JsonValue& element : *array) {
    auto found = element_of<Element>(element);
    if (!found) return std::nullopt;
    list.push_back(*std::move(found));
  }
  return list;
}

/// The value of an attribute; no value if it has another type.
std::optional<ir::AttributeValue> attribute_value(const JsonValue& value, ir::AttributeSpec::Kind kind) {
  using Kind = ir::AttributeSpec::Kind;
  switch (kind) {
    case Kind::boolean:
      return element_of<bool>(value);
    case Kind::integer:
      return element_of<std::int64_t>(value);
    case Kind::real:
      return element_of<double>(value);
    case Kind::text:
      return element_of<std::string>(value);
    case Kind::integers:
      return list_of<std::int64_t>(value);
    case Kind::reals:
      return list_of<double>(value);
    case Kind::texts:
      return list_of<std::string>(value);
    case Kind::type: {
      const auto name = element_of<std::string>(value);
      const auto type = name ? ir::element_type_from_name(*name) : std::nullopt;
      if (!type || *type == ir::ElementType::dynamic) return std::nullopt;
      return ir::AttributeValue(*type);
    }
  }
  return std::nullopt;
}

std::string_view description(ir::AttributeSpec::Kind kind) {
  constexpr std::array<std::string_view, 8> kDescriptions{
      "true or false",      "an integer",
      "a number",           "a text",
      "a list of integers", "a list of numbers",
      "a list of texts",    "an element type of the IR, such as \"f32\""};
  return kDescriptions[static_cast<std::size_t>(kind)];
}

AttributeRule attribute_rule(const std::string& name, const JsonValue& value, const ir::OpDescriptor& op) {
  const auto spec = std::ranges::find(op.attributes, name, &ir::AttributeSpec::name);
  if (spec == op.attributes.end() || spec->presence == ir::AttributeSpec::Presence::note)
    fail(value, "{} has no attribute '{}'{}", op.name, name, suggest_attribute(op, name));
  const Members members(value, fmt::format("attribute '{}'", name), {"from", "default", "value"});
  AttributeRule rule{&*spec, members.text("from"), {}};
  const JsonValue* constant = members.find("value");
  if ((constant != nullptr) == (members.find("from") != nullptr) ||
      (constant != nullptr && members.find("default") != nullptr)) {
    fail(value, "attribute '{}' needs either 'value', or 'from' with or without 'default'", name);
  }
  if (constant == nullptr) {
    members.required_text("from");
    constant = members.find("default");
  }
  if (constant == nullptr) return rule;
  rule.value = attribute_value(*constant, spec->kind);
  if (!rule.value) fail(*constant, "attribute '{}' of {} must be {}", name, op.name, description(spec->kind));
  return rule;
}

const ir::OpDescriptor& operation_of(const Members& members) {
  const std::string name = members.required_text("operation");
  const ir::OpDescriptor* const op = ir::find_op_or_null(name);
  if (op == nullptr)
    fail(members.get("operation"), "there is no operation '{}'{}", name, suggest_operation(name));
  if (!is_single_operation(*op))
    fail(members.get("operation"), "the operation '{}' cannot be used in a rule", name);
  return *op;
}

/// The version of the operation; empty if the rule names none.
std::string opset_of(const Members& members, const OperatorRule& rule) {
  const ir::OpDescriptor& op = *rule.operation;
  std::string opset = members.text("opset");
  if (members.find("opset") == nullptr || opset == op.opset) return opset;
  std::string known(op.opset);
  for (const ir::OlderVersion& version : op.older) {
    known = fmt::format("{}, {}", version.opset, known);
    if (version.opset != opset) continue;
    for (const AttributeRule& attribute : rule.attributes) {
      if (std::ranges::find(version.without, attribute.spec->name) != version.without.end())
        fail(members.get("opset"), "{} of {} has no attribute '{}'", op.name, opset, attribute.spec->name);
    }
    return opset;
  }
  fail(members.get("opset"), "{} is not in '{}', but in: {}", op.name, opset, known);
}

std::optional<std::vector<std::size_t>> inputs_of(const Members& members) {
  const JsonValue* const value = members.find("inputs");
  if (value == nullptr) return std::nullopt;
  constexpr std::int64_t kMost = 1024;
  const auto list = list_of<std::int64_t>(*value);
  const auto is_index = [](std::int64_t index) { return index >= 0 && index < kMost; };
  if (!list || !std::ranges::all_of(*list, is_index))
    fail(*value, "'inputs' must be a list of indices of inputs, from 0 to {}", kMost - 1);
  return std::vector<std::size_t>(list->begin(), list->end());
}

void add_rule(const JsonValue& value, OperatorMap& map) {
  const Members members(value, "a rule",
                        {"domain", "operator", "version", "operation", "opset", "inputs", "attributes"});
  const std::string name = members.required_text("operator");
  const std::string domain = members.text("domain");
  std::int64_t version = 1;
  if (const JsonValue* const given = members.find("version")) {
    const auto number = element_of<std::int64_t>(*given);
    if (!number || *number < 1) fail(*given, "'version' must be an integer of at least 1");
    version = *number;
  }
  OperatorRule rule;
  rule.line = value.line;
  rule.operation = &operation_of(members);
  if (const JsonValue* const attributes = members.find("attributes")) {
    const auto* const object = std::get_if<JsonObject>(&attributes->value);
    if (object == nullptr) fail(*attributes, "'attributes' must be an object");
    for (const auto& [attribute, source] : *object)
      rule.attributes.push_back(attribute_rule(attribute, source, *rule.operation));
  }
  for (const ir::AttributeSpec& spec : rule.operation->attributes) {
    const bool is_given =
        std::ranges::any_of(rule.attributes, [&](const AttributeRule& given) { return given.spec == &spec; });
    if (spec.presence == ir::AttributeSpec::Presence::required && !is_given)
      fail(value, "{} needs the attribute '{}'", rule.operation->name, spec.name);
  }
  rule.opset = opset_of(members, rule);
  rule.inputs = inputs_of(members);
  if (map.rules.add(domain, name, version, std::move(rule)) != nullptr)
    fail(value, "there are two rules for version {} of the operator '{}'", version, name);
}

/// A problem has the line of the text.
Result<OperatorMap> parse_operator_map(std::string_view text) {
  return base::attempt(DiagnosticCode::bad_extension, [&] {
    const JsonValue root = parse_json(text);
    const Members members(root, "the file", {"operators"});
    const JsonValue& rules = members.get("operators");
    const auto* const list = std::get_if<JsonArray>(&rules.value);
    if (list == nullptr) fail(rules, "'operators' must be a list of rules");
    OperatorMap map;
    for (const JsonValue& rule : *list) add_rule(rule, map);
    return map;
  });
}

}  // namespace

bool is_single_operation(const ir::OpDescriptor& op) {
  constexpr ir::OperationSet kExcluded{ops::Parameter, ops::Result,    ops::Const,
                                       ops::Assign,    ops::ReadValue, ops::ExtensionOperation};
  return !op.traits.has_bodies && !kExcluded.contains(op.id);
}

std::string suggest_operation(std::string_view name) {
  std::vector<std::string> known;
  for (const ir::OpDescriptor& row : ir::all_ops()) known.emplace_back(row.name);
  return base::suggestion(name, known, "; ");
}

std::string suggest_attribute(const ir::OpDescriptor& op, std::string_view name) {
  std::vector<std::string> known;
  for (const ir::AttributeSpec& row : op.attributes) {
    if (row.presence != ir::AttributeSpec::Presence::note) known.emplace_back(row.name);
  }
  return base::suggestion(name, known, "; ");
}

std::optional<OperatorMap> load_operator_map(const std::filesystem::path& path, DiagnosticSink& sink) {
  const auto fail = [&](std::string message) {
    sink.report(base::diagnostic_of({DiagnosticCode::bad_extension, std::move(message),
                                     "`onnx2ir explain extensions` describes the file"}));
    return std::nullopt;
  };
  if (path.empty()) return OperatorMap();
  const auto file = base::open_file(path);
  if (!file)
    return fail(fmt::format("the operator map '{}' cannot be read: {}", path.string(), file.error().message));
  if ((*file)->size() > kLargestFile)
    return fail(fmt::format("the operator map '{}' is larger than {} bytes", path.string(), kLargestFile));
  auto map = parse_operator_map((*file)->text());
  if (!map)
    return fail(fmt::format("{}:{}: {}", path.string(), map.error().position.line, map.error().message));
  return *std::move(map);
}

}  // namespace onnx2ir::frontend
