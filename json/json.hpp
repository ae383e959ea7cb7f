// JSON: the only writer of reports, lists, statistics and data of pages.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace onnx2ir {

/// A value in JSON, whose objects keep the order of their members.
using Json = nlohmann::ordered_json;

/// A list of what `make` returns for each of the elements.
template <typename Elements, typename Make>
Json json_list(const Elements& elements, Make make) {
  Json list = Json::array();
  for (const auto& element : elements) list.push_back(make(element));
  return list;
}

/// The value on one line. Bytes that are not UTF-8 become U+FFFD: names in models need not be UTF-8, JSON
/// must be. Infinities and NaN become null.
std::string compact_text(const Json& value);

/// The same with a line for each member, for people.
std::string indented_text(const Json& value);

}  // namespace onnx2ir
