#include "api/provenance.hpp"

#include <algorithm>
#include <sstream>

#include "base/joined.hpp"
#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

// The names of the facts that list releases.
constexpr const char* kConvertedFor = "target_runtime";
constexpr const char* kLegalizedFor = "legalized_for";

std::string text_of(const DimensionBounds& bounds) {
  if (bounds.min == bounds.max) return std::to_string(bounds.min);
  if (bounds.min == 0 && bounds.max < 0) return "?";
  return std::to_string(bounds.min) + ".." + (bounds.max < 0 ? "" : std::to_string(bounds.max));
}

/// As on the command line: "x[1,?]{f16}", "rate->16000".
std::string text_of(const InputSpec& input) {
  std::string text = input.name;
  if (input.shape)
    text += '[' + base::joined(*input.shape, ",", [](const auto& size) { return text_of(size); }) + ']';
  if (!input.element_type.empty()) text += '{' + input.element_type + '}';
  if (input.value) text += "->" + *input.value;
  return text;
}

/// The parts of "A,B,C".
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream list(text);
  for (std::string part; std::getline(list, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

Provenance provenance(const Options& options, const target::Target& target) {
  Provenance facts{{"version", std::string(version())}, {"framework", "onnx"}};
  facts.emplace_back(kConvertedFor, to_string(target.releases()));
  if (!options.inputs.empty())
    facts.emplace_back("input",
                       base::joined(options.inputs, ",", [](const auto& input) { return text_of(input); }));
  if (!options.outputs.empty()) facts.emplace_back("output", base::joined(options.outputs, ","));
  if (!options.operator_map.empty())
    facts.emplace_back("operator_map", options.operator_map.filename().string());
  if (!options.extensions.empty())
    facts.emplace_back("extension",
                       base::joined(options.extensions, ",", [](const std::filesystem::path& library) {
                         return library.filename().string();
                       }));
  if (options.keep_unknown) facts.emplace_back("keep_unknown", "true");
  if (options.compress_to_fp16) facts.emplace_back("compress_to_fp16", "true");
  if (options.unroll_loops) facts.emplace_back("unroll_loops", "true");
  if (options.stateful) facts.emplace_back("stateful", "true");
  if (options.quantization == Quantization::exact) facts.emplace_back("quantization", "exact");
  if (options.dynamic_quantization != DynamicQuantization::automatic) {
    const bool is_always = options.dynamic_quantization == DynamicQuantization::always;
    facts.emplace_back("dynamic_quantization", is_always ? "always" : "never");
  }
  if (!options.debug.stop_after.empty()) facts.emplace_back("stop_after", options.debug.stop_after);
  if (!options.debug.skip_passes.empty())
    facts.emplace_back("skip_pass", base::joined(options.debug.skip_passes, ","));
  return facts;
}

void record_legalization(Provenance& facts, const target::Target& target) {
  const std::string releases = to_string(target.releases());
  const auto known = std::ranges::find(facts, kLegalizedFor, &Provenance::value_type::first);
  if (known == facts.end()) {
    facts.emplace_back(kLegalizedFor, releases);
  } else if (const auto parts = parts_of(known->second); std::ranges::find(parts, releases) == parts.end()) {
    known->second += ',' + releases;
  }
}

std::vector<target::Target> recorded_targets(const Provenance& facts) {
  std::vector<target::Target> targets;
  for (const auto& [name, value] : facts) {
    if (name != kConvertedFor && name != kLegalizedFor) continue;
    for (const std::string& part : parts_of(value)) {
      const auto releases = target::parse_release_range(part);
      targets.push_back(releases ? target::Target(*releases) : target::Target());
    }
  }
  return targets;
}

}  // namespace onnx2ir
