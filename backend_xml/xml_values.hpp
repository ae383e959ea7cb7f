// Numbers, shapes, attributes and names in the XML of IR.
#pragma once

#include <fmt/core.h>

#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "backend_xml/xml_reader.hpp"
#include "base/failure.hpp"
#include "base/number_text.hpp"
#include "ir/extension.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// Throws Failure (unreadable_ir).
template <typename... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw base::Failure(DiagnosticCode::unreadable_ir,
                      fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// The number that is the whole of `text`. Throws Failure (unreadable_ir) if it is anything else.
template <typename Number>
Number read_number(std::string_view text) {
  const auto number = base::parse_number<Number>(text);
  if (!number) refuse("'{}' is not a number", text);
  return *number;
}

/// The value of an attribute. Throws Failure (unreadable_ir) if the element does not have it.
std::string_view required_text(pugi::xml_node element, const char* name);
std::int64_t required_id(pugi::xml_node element, const char* name);

/// "1,?,3..7,..4,2..", or "..." for a dynamic rank.
ir::PartialShape parse_shape(std::string_view text);
/// The type and shape of a port.
ir::ExtensionOutput parse_port(pugi::xml_node port);
ir::AttributeValue parse_attribute(std::string_view text, ir::AttributeSpec::Kind kind);
/// Splits tensor names, which are separated by commas; a comma in a name is escaped with a backslash.
ir::TensorNames parse_names(std::string_view text);

}  // namespace onnx2ir::backend_xml
