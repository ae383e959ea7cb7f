#include "api/unsupported_operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/nearest_name.hpp"
#include "frontend/operator_table.hpp"

namespace onnx2ir {
namespace {

std::string full_name(const std::string& domain, const std::string& name) {
  return domain.empty() ? name : domain + '.' + name;
}

/// Suggests how to avoid operators of onnxruntime's optimizer, a later opset of the operator, an operator of
/// the same name in another domain, or one of a similar name in the same domain.
std::string suggestion(const std::vector<frontend::OperatorRow>& table, const Place& place) {
  if (place.domain == "com.microsoft.nchwc") {
    return "onnxruntime has optimised the model for one kind of CPU: save it with the level "
           "ORT_ENABLE_EXTENDED, or convert the original model";
  }
  std::vector<std::string> same_domain;
  for (const frontend::OperatorRow& row : table) {
    if (row.name == place.op_type && row.domain != place.domain)
      return "there is an operator " + full_name(row.domain, row.name);
    if (row.name == place.op_type && row.versions.front() > place.opset)
      return fmt::format("{} exists from opset {} on: export the model with that opset or a later one",
                         row.name, row.versions.front());
    if (row.domain == place.domain) same_domain.push_back(row.name);
  }
  const std::string nearest(base::nearest_name(place.op_type, same_domain));
  return nearest.empty() ? std::string() : "did you mean " + full_name(place.domain, nearest) + "?";
}

/// For operators that resemble no other.
constexpr std::string_view kOtherWays =
    "`onnx2ir explain extensions`: --operator-map converts the operator to an operation of the IR, "
    "--extension by a library of yours, --keep-unknown keeps it for an extension of OpenVINO";

}  // namespace

void explain_unsupported_operators(std::vector<Diagnostic>& diagnostics) {
  std::vector<frontend::OperatorRow> table;
  std::map<std::string, std::string> known;
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.code != DiagnosticCode::unsupported_operator || !diagnostic.hint.empty()) continue;
    const auto [found, is_new] =
        known.try_emplace(full_name(diagnostic.place.domain, diagnostic.place.op_type));
    if (is_new) {
      if (table.empty()) table = frontend::operator_table();
      found->second = suggestion(table, diagnostic.place);
      if (found->second.empty()) found->second = kOtherWays;
    }
    diagnostic.hint = found->second;
  }
  std::erase_if(diagnostics, [&](const Diagnostic& diagnostic) {
    return diagnostic.code == DiagnosticCode::unknown_operator &&
           known.contains(full_name(diagnostic.place.domain, diagnostic.place.op_type));
  });
}

}  // namespace onnx2ir
