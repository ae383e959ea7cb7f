#include "api/provenance.hpp"

#include "base/joined.hpp"
#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

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

}  // namespace

std::vector<std::pair<std::string, std::string>> provenance(const Options& options,
                                                            const target::Target& target) {
  std::vector<std::pair<std::string, std::string>> facts{{"version", std::string(version())},
                                                         {"framework", "onnx"}};
  facts.emplace_back("target_runtime", to_string(target.releases()));
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

}  // namespace onnx2ir
