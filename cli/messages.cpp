#include "cli/messages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "cli/explain.hpp"
#include "json/json.hpp"
#include "platform/process.hpp"

namespace onnx2ir::cli {
namespace {

/// See https://no-color.org: the variable counts if it is not empty.
bool has_color(Color color) {
  if (color != Color::automatic) return color == Color::always;
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return platform::is_error_stream_a_terminal() && (refused == nullptr || *refused == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

/// Colours the severity at the start of each diagnostic.
std::string colored(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kStyles{
      {{"error:", "\x1b[1;31m"}, {"warning:", "\x1b[1;33m"}, {"remark:", "\x1b[1;36m"}}};
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    const auto* const style =
        std::ranges::find_if(kStyles, [&](const auto& one) { return line.starts_with(one.first); });
    if (style == kStyles.end()) {
      result += line;
    } else {
      result.append(style->second).append(style->first).append("\x1b[0m");
      result += line.substr(style->first.size());
    }
    text.remove_prefix(line.size());
  }
  return result;
}

/// "1,204".
std::string with_separators(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024;
  constexpr std::uint64_t kMiB = kKiB * kKiB;
  if (bytes < kKiB) return fmt::format("{} bytes", bytes);
  if (bytes < kMiB) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / kKiB);
  if (bytes < kMiB * kKiB) return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMiB);
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (kMiB * kKiB));
}

bool contains(const std::vector<Diagnostic>& diagnostics, DiagnosticCode code) {
  return std::ranges::find(diagnostics, code, &Diagnostic::code) != diagnostics.end();
}

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

/// Commands of a GitHub workflow, one line for each diagnostic: "::error
/// file=m.onnx,title=undefined-name::...".
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

/// A log in SARIF 2.1.0, with a rule for each code that occurs.
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

/// Set by print().
bool is_internal_error_printed = false;

}  // namespace

bool has_printed_internal_error() {
  return is_internal_error_printed;
}

bool is_for_programs(DiagnosticsFormat format) {
  return format == DiagnosticsFormat::json || format == DiagnosticsFormat::sarif;
}

bool has_summary(const Arguments& arguments) {
  if (is_for_programs(arguments.diagnostics_format)) return false;
  return arguments.verbose || (!arguments.quiet && platform::is_error_stream_a_terminal());
}

std::string summary_text(const Written& written) {
  const std::string time = written.seconds < 0.1 ? fmt::format("{:.0f} ms", written.seconds * 1e3)
                                                 : fmt::format("{:.1f} s", written.seconds);
  return fmt::format("{}, {}: {} {}, {} of weights, {}\n", written.xml, written.bin,
                     with_separators(written.layers), written.layers == 1 ? "layer" : "layers",
                     bytes_text(written.weights), time);
}

bool report(const Arguments& arguments, const std::optional<Diagnostic>& problem) {
  if (problem) print(arguments, {*problem});
  return problem.has_value();
}

std::optional<std::string> write_to_standard_output(std::string_view text) {
  errno = 0;
  std::cout << text << std::flush;
  if (std::cout.good()) return std::nullopt;
  return errno == 0 ? "it is closed" : std::generic_category().message(errno);
}

int print_result(std::string_view text) {
  const auto reason = write_to_standard_output(text);
  if (!reason) return kDone;
  std::cerr << "onnx2ir: standard output cannot be written: " << *reason << '\n';
  return kModelError;
}

int or_failure(int code, const std::function<int()>& work) {
  try {
    return work();
  } catch (const std::runtime_error& error) {
    std::cerr << "onnx2ir: " << error.what() << '\n';
    return code;
  }
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::ranges::find(diagnostics, Severity::error, &Diagnostic::severity) != diagnostics.end();
}

int exit_code_of(const std::vector<Diagnostic>& diagnostics) {
  if (!has_errors(diagnostics)) return kDone;
  return contains(diagnostics, DiagnosticCode::bad_target_runtime) ? kUsage : kModelError;
}

void add_memory_hints(const std::optional<std::uint64_t>& most, std::vector<Diagnostic>& diagnostics) {
  if (most == 0) return;
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.code == DiagnosticCode::out_of_memory)
      diagnostic.hint = "--max-memory limits it; raise the limit, for example --max-memory 4G";
  }
}

Diagnostic error_of(DiagnosticCode code, std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  return diagnostic;
}

void print(const Arguments& arguments, std::vector<Diagnostic> diagnostics, std::string_view model) {
  add_memory_hints(arguments.options.max_memory, diagnostics);
  if (contains(diagnostics, DiagnosticCode::internal_error)) is_internal_error_printed = true;
  if (model.empty() && arguments.models.size() == 1) model = arguments.models[0];
  if (arguments.diagnostics_format == DiagnosticsFormat::json) {
    std::cerr << to_json(diagnostics) << '\n';
    return;
  }
  if (arguments.diagnostics_format == DiagnosticsFormat::sarif) {
    std::cerr << sarif_text(diagnostics, model) << '\n';
    return;
  }
  std::vector<Diagnostic> shown;
  std::ranges::copy_if(diagnostics, std::back_inserter(shown), [&](const Diagnostic& diagnostic) {
    return !arguments.quiet || diagnostic.severity == Severity::error;
  });
  if (arguments.diagnostics_format == DiagnosticsFormat::github) {
    std::cerr << github_text(shown, model);
  } else if (!shown.empty()) {
    const std::string text = to_string(shown) + '\n';
    std::cerr << (has_color(arguments.color) ? colored(text) : text);
  }
}

}  // namespace onnx2ir::cli
