#include "frontend/mapping/operator_map.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <onnx2ir/result.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "base/failure.hpp"
#include "base/input_file.hpp"
#include "base/nearest_name.hpp"
#include "ir/operation_set.hpp"

namespace onnx2ir::frontend {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLargestFile = std::uint64_t{16} << 20U;

template <typename... Arguments>
[[noreturn]] void fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw base::Failure(DiagnosticCode::bad_extension,
                      fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Fails for what Json::parse() accepts, but no operator map has: deep values, and names that are given
/// twice. Its callback would see both, but takes quadratic time.
class TextCheck final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return open(); }
  bool key(string_t& name) override {
    if (!names_.back().insert(name).second) fail("'{}' is given twice", name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return open(); }
  bool end_array() override { return close(); }
  /// Json::parse() reports it.
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    return false;
  }

 private:
  bool open() {
    constexpr std::size_t kDeepest = 16;
    if (names_.size() == kDeepest) fail("values are nested more than {} deep", kDeepest);
    names_.emplace_back();
    return true;
  }
  bool close() {
    names_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> names_;  ///< of the members of each open value
};

/// The value of a text, which may be untrusted.
Json parse_json(std::string_view text) {
  TextCheck check;
  Json::sax_parse(text, &check);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view message = error.what();  // "[...] parse error at line 1, column 2: ..."
    const std::size_t begin = message.find("] ") + 2;
    fail("the text is not JSON: {}", message.substr(begin, message.find(": ", begin) - begin));
  } catch (const Json::out_of_range&) {
    fail("a number of the text is too large");
  }
}

bool is_integer(const Json& value) {
  return value.is_number_integer() &&
         !(value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX});
}

/// The members of an object with known keys. `what` names the object in errors.
class Members {
 public:
  Members(const Json& object, std::string_view what, const std::vector<std::string>& known)
      : object_(&object) {
    if (!object.is_object()) fail("{} must be an object", what);
    for (const auto& [name, member] : object.items()) {
      if (std::ranges::find(known, name) == known.end())
        fail("{} has no '{}'{}", what, name, base::suggestion(name, known, "; "));
    }
  }

  const Json* find(const char* name) const {
    const auto found = object_->find(name);
    return found == object_->end() ? nullptr : &*found;
  }
  const Json& get(const char* name) const {
    if (const Json* const value = find(name)) return *value;
    fail("'{}' is missing", name);
  }
  /// A text; empty if it is absent.
  std::string text(const char* name) const {
    const Json* const value = find(name);
    if (value == nullptr) return {};
    if (!value->is_string()) fail("'{}' must be a text", name);
    return value->get<std::string>();
  }
  std::string required_text(const char* name) const {
    get(name);
    std::string found = text(name);
    if (found.empty()) fail("'{}' must not be empty", name);
    return found;
  }

 private:
  const Json* object_;
};

/// The value of an attribute; no value for an object, null, or a list of several types.
std::optional<ir::AttributeValue> attribute_value(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (is_integer(value)) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return std::nullopt;
  if (std::ranges::all_of(value, is_integer)) return value.get<std::vector<std::int64_t>>();
  if (std::ranges::all_of(value, &Json::is_number)) return value.get<std::vector<double>>();
  if (std::ranges::all_of(value, &Json::is_string)) return value.get<std::vector<std::string>>();
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

AttributeRule attribute_rule(const std::string& name, const Json& value, const ir::OpDescriptor& op) {
  const auto spec = std::ranges::find(op.attributes, name, &ir::AttributeSpec::name);
  if (spec == op.attributes.end() || spec->presence == ir::AttributeSpec::Presence::note)
    fail("{} has no attribute '{}'{}", op.name, name, suggest_attribute(op, name));
  const Members members(value, fmt::format("attribute '{}'", name), {"from", "default", "value"});
  AttributeRule rule{&*spec, members.text("from"), {}};
  const Json* constant = members.find("value");
  if ((constant != nullptr) == (members.find("from") != nullptr) ||
      (constant != nullptr && members.find("default") != nullptr)) {
    fail("attribute '{}' needs either 'value', or 'from' with or without 'default'", name);
  }
  if (constant == nullptr) {
    members.required_text("from");
    constant = members.find("default");
  }
  if (constant == nullptr) return rule;
  if (auto given = attribute_value(*constant)) rule.value = coerced(*std::move(given), spec->kind);
  if (!rule.value) fail("attribute '{}' of {} must be {}", name, op.name, description(spec->kind));
  return rule;
}

const ir::OpDescriptor& operation_of(const Members& members) {
  const std::string name = members.required_text("operation");
  const ir::OpDescriptor* const op = ir::find_op_or_null(name);
  if (op == nullptr) fail("there is no operation '{}'{}", name, suggest_operation(name));
  if (!is_single_operation(*op)) fail("the operation '{}' cannot be used in a rule", name);
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
        fail("{} of {} has no attribute '{}'", op.name, opset, attribute.spec->name);
    }
    return opset;
  }
  fail("{} is not in '{}', but in: {}", op.name, opset, known);
}

std::optional<std::vector<std::size_t>> inputs_of(const Members& members) {
  const Json* const value = members.find("inputs");
  if (value == nullptr) return std::nullopt;
  constexpr std::int64_t kMost = 1024;
  const auto is_index = [](const Json& index) {
    return is_integer(index) && index.get<std::int64_t>() >= 0 && index.get<std::int64_t>() < kMost;
  };
  if (!value->is_array() || !std::ranges::all_of(*value, is_index))
    fail("'inputs' must be a list of indices of inputs, from 0 to {}", kMost - 1);
  return value->get<std::vector<std::size_t>>();
}

void add_rule(const Json& value, std::size_t index, OperatorMap& map) {
  const Members members(value, "a rule",
                        {"domain", "operator", "version", "operation", "opset", "inputs", "attributes"});
  const std::string name = members.required_text("operator");
  const std::string domain = members.text("domain");
  std::int64_t version = 1;
  if (const Json* const given = members.find("version")) {
    if (!is_integer(*given) || given->get<std::int64_t>() < 1)
      fail("'version' must be an integer of at least 1");
    version = given->get<std::int64_t>();
  }
  OperatorRule rule;
  rule.index = index;
  rule.operation = &operation_of(members);
  if (const Json* const attributes = members.find("attributes")) {
    if (!attributes->is_object()) fail("'attributes' must be an object");
    for (const auto& [attribute, source] : attributes->items())
      rule.attributes.push_back(attribute_rule(attribute, source, *rule.operation));
    std::ranges::sort(rule.attributes, {}, &AttributeRule::spec);  // as the operation declares them
  }
  for (const ir::AttributeSpec& spec : rule.operation->attributes) {
    const bool is_given =
        std::ranges::any_of(rule.attributes, [&](const AttributeRule& given) { return given.spec == &spec; });
    if (spec.presence == ir::AttributeSpec::Presence::required && !is_given)
      fail("{} needs the attribute '{}'", rule.operation->name, spec.name);
  }
  rule.opset = opset_of(members, rule);
  rule.inputs = inputs_of(members);
  if (map.rules.add(domain, name, version, std::move(rule)) != nullptr)
    fail("there are two rules for version {} of the operator '{}'", version, name);
}

Result<OperatorMap> parse_operator_map(std::string_view text) {
  return base::attempt(DiagnosticCode::bad_extension, [&] {
    const Json root = parse_json(text);
    const Members members(root, "the file", {"operators"});
    const Json& rules = members.get("operators");
    if (!rules.is_array()) fail("'operators' must be a list of rules");
    OperatorMap map;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const auto problem =
          base::problem_of(DiagnosticCode::bad_extension, [&] { add_rule(rules[i], i, map); });
      if (problem) fail("operators[{}]: {}", i, problem->message);
    }
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

std::optional<ir::AttributeValue> coerced(ir::AttributeValue value, ir::AttributeSpec::Kind kind) {
  using Kind = ir::AttributeSpec::Kind;
  if (value.index() == static_cast<std::size_t>(kind)) return value;
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
    if (kind == Kind::boolean && (*integer == 0 || *integer == 1)) return *integer == 1;
    if (kind == Kind::real) return static_cast<double>(*integer);
    if (kind == Kind::integers) return std::vector{*integer};
  } else if (const auto* const real = std::get_if<double>(&value)) {
    if (kind == Kind::reals) return std::vector{*real};
  } else if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    if (kind == Kind::reals) return std::vector<double>(integers->begin(), integers->end());
    if (kind == Kind::texts && integers->empty()) return std::vector<std::string>();
  } else if (const auto* const text = std::get_if<std::string>(&value); text && kind == Kind::type) {
    const auto type = ir::element_type_from_name(*text);
    if (type && *type != ir::ElementType::dynamic) return *type;
  }
  return std::nullopt;
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
  if (!map) return fail(fmt::format("{}: {}", path.string(), map.error().message));
  return *std::move(map);
}

}  // namespace onnx2ir::frontend
