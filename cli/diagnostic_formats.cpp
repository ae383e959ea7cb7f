#include "cli/diagnostic_formats.hpp"

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <set>

#include "cli/explain.hpp"
#include "json/json.hpp"

namespace onnx2ir::cli {
namespace {

/// The levels in a workflow and in SARIF, by severity.
constexpr std::array<std::string_view, 3> kGithubLevels{"notice", "warning", "error"};
constexpr std::array<std::string_view, 3> kSarifLevels{"note", "warning", "error"};

/// The text with the bytes for which `is_escaped` holds as %XX.
template <typename Test>
std::string percent_encoded(std::string_view text, Test is_escaped) {
  std::string encoded;
  for (const char letter : text) {
    if (is_escaped(letter)) {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    } else {
      encoded += letter;
    }
  }
  return encoded;
}

/// Escapes text of a workflow command; properties also have no colons and commas.
std::string escaped(std::string_view text, bool is_property) {
  const std::string_view special = is_property ? "%\r\n:," : "%\r\n";
  return percent_encoded(text, [&](char letter) { return special.find(letter) != std::string_view::npos; });
}

/// The path as a URI reference: letters, digits, "-._~/" as they are, other bytes as %XX.
std::string uri_of(std::string_view path) {
  return percent_encoded(path, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte >= 0x80 ||
           (std::isalnum(byte) == 0 && std::string_view("-._~/").find(letter) == std::string_view::npos);
  });
}

/// "main/loop.body, node 4 gate"
std::string logical_name(const Place& place) {
  std::string name = place.graph;
  if (place.node_index >= 0) name += (name.empty() ? "node " : ", node ") + std::to_string(place.node_index);
  if (!place.node_name.empty()) name += ' ' + place.node_name;
  return name;
}

Json rules_of(std::span<const Diagnostic> diagnostics) {
  std::set<DiagnosticCode> codes;
  for (const Diagnostic& diagnostic : diagnostics) codes.insert(diagnostic.code);
  Json rules = Json::array();
  for (const DiagnosticCode code : codes) {
    const DiagnosticCodeInfo& info = kDiagnosticCodes[static_cast<std::size_t>(code)];
    rules.push_back({{"id", info.name},
                     {"shortDescription", {{"text", info.meaning}}},
                     {"help", {{"text", with_commands(std::string(info.remedy))}}}});
  }
  return rules;
}

Json location_of(const Diagnostic& diagnostic, std::string_view model) {
  Json location{{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(model)}}}}}};
  if (const std::string name = logical_name(diagnostic.place); !name.empty())
    location["logicalLocations"] = Json::array({{{"fullyQualifiedName", name}}});
  return location;
}

}  // namespace

std::string github_text(std::span<const Diagnostic> diagnostics, std::string_view model) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += "::" + std::string(kGithubLevels.at(static_cast<std::size_t>(diagnostic.severity))) + ' ';
    if (!model.empty()) text += "file=" + escaped(model, true) + ',';
    text += "title=" + escaped(name_of(diagnostic.code), true) +
            "::" + escaped(to_string(diagnostic), false) + '\n';
  }
  return text;
}

std::string sarif_text(std::span<const Diagnostic> diagnostics, std::string_view model) {
  Json results = Json::array();
  for (const Diagnostic& diagnostic : diagnostics)
    results.push_back({{"ruleId", name_of(diagnostic.code)},
                       {"level", kSarifLevels.at(static_cast<std::size_t>(diagnostic.severity))},
                       {"message", {{"text", to_string(diagnostic)}}},
                       {"locations", Json::array({location_of(diagnostic, model)})}});
  Json driver{{"name", "onnx2ir"}, {"version", version()}, {"rules", rules_of(diagnostics)}};
  Json run{{"tool", {{"driver", std::move(driver)}}}, {"results", std::move(results)}};
  return indented_text({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                        {"version", "2.1.0"},
                        {"runs", Json::array({std::move(run)})}});
}

}  // namespace onnx2ir::cli
