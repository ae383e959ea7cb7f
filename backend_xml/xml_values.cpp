#include "backend_xml/xml_values.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace onnx2ir::backend_xml {
namespace {

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    std::string_view part = text.substr(start, comma - start);
    while (part.starts_with(' ')) part.remove_prefix(1);  // OpenVINO writes "1, 2"
    parts.push_back(part);
    start = comma + 1;
  }
  return parts;
}

template <typename Parse>
auto parse_list(std::string_view text, Parse parse) {
  std::vector<decltype(parse(text))> list;
  for (const std::string_view part : parts_of(text)) list.push_back(parse(part));
  return list;
}

/// OpenVINO writes dynamic sizes in the shape of a variable as "?".
std::int64_t parse_integer(std::string_view text) {
  return text == "?" ? -1 : read_number<std::int64_t>(text);
}

std::int64_t parse_size(std::string_view text) {
  const auto size = read_number<std::int64_t>(text);
  if (size < 0) refuse("{} is not a dimension", size);
  return size;
}

/// "3", "?", "2..5", "2..", "..5"
ir::Dimension parse_dimension(std::string_view text) {
  if (text == "?") return {};
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return parse_size(text);
  const std::int64_t least = dots == 0 ? 0 : parse_size(text.substr(0, dots));
  if (dots + 2 == text.size()) return {least, ir::Dimension::kUnbounded};
  const std::int64_t most = parse_size(text.substr(dots + 2));
  if (least > most) refuse("'{}' is not a dimension", text);
  return {least, most};
}

}  // namespace

std::string_view required_text(pugi::xml_node element, const char* name) {
  const pugi::xml_attribute attribute = element.attribute(name);
  if (!attribute) refuse("<{}> without {}", element.name(), name);
  return attribute.value();
}

std::int64_t required_id(pugi::xml_node element, const char* name) {
  return read_number<std::int64_t>(required_text(element, name));
}

ir::PartialShape parse_shape(std::string_view text) {
  if (text == "...") return ir::PartialShape::unknown_rank();
  ir::Dimensions dimensions;
  for (const std::string_view part : parts_of(text)) dimensions.push_back(parse_dimension(part));
  return ir::PartialShape(std::move(dimensions));
}

ir::ExtensionOutput parse_port(pugi::xml_node port) {
  const std::string_view precision = required_text(port, "precision");
  // OpenVINO's name of the dynamic type.
  const auto type =
      precision == "UNSPECIFIED" ? ir::ElementType::dynamic : ir::element_type_from_precision(precision);
  if (!type) refuse("'{}' is not the precision of a port", precision);
  if (port.child("rank")) return {*type, ir::PartialShape::unknown_rank()};
  ir::Dimensions dimensions;
  for (const pugi::xml_node dim : port.children("dim"))
    dimensions.emplace_back(read_number<std::int64_t>(dim.text().get()));
  return {*type, ir::PartialShape(std::move(dimensions))};
}

ir::AttributeValue parse_attribute(std::string_view text, ir::AttributeSpec::Kind kind) {
  using Kind = ir::AttributeSpec::Kind;
  switch (kind) {
    case Kind::boolean:
      if (text != "true" && text != "false") refuse("'{}' is neither true nor false", text);
      return text == "true";
    case Kind::integer:
      return read_number<std::int64_t>(text);
    case Kind::real:
      return read_number<double>(text);
    case Kind::text:
      return std::string(text);
    case Kind::integers:
      return parse_list(text, parse_integer);
    case Kind::reals:
      return parse_list(text, read_number<double>);
    case Kind::texts:
      return parse_list(text, [](std::string_view part) { return std::string(part); });
    case Kind::type: {
      const auto type = ir::element_type_from_name(text);
      if (!type) refuse("'{}' is not an element type", text);
      return *type;
    }
  }
  refuse("an attribute of unknown kind");
}

ir::TensorNames parse_names(std::string_view text) {
  ir::TensorNames names;
  if (text.empty()) return names;
  names.emplace_back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      names.back() += text[++i];
    } else if (text[i] == ',') {
      names.emplace_back();
    } else {
      names.back() += text[i];
    }
  }
  return names;
}

}  // namespace onnx2ir::backend_xml
