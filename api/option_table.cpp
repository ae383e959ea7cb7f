// The options by name. Each row has the name, the help text, a function that checks and sets the value, and
// one that gives the value as text for the IR.
#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <span>

#include "api/provenance.hpp"
#include "base/ascii_case.hpp"
#include "base/joined.hpp"
#include "base/nearest_name.hpp"
#include "base/number_text.hpp"
#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

/// What is wrong with a value; no value if it was set.
using Reason = std::optional<std::string>;

template <typename Target>
struct Row {
  OptionInfo info;
  Reason (*set)(Target& options, std::string_view value);
  /// The value as text, empty if it is the default one: the IR records it. Null: the
  /// option does not change the IR.
  std::string (*fact)(const Target& options) = nullptr;
};

std::string in_quotes(std::string_view text) {
  return "'" + std::string(text) + "'";
}

template <std::unsigned_integral Number>
Reason set_number(Number& number, std::string_view value, Number most) {
  const auto read = base::parse_number<Number>(value);
  if (!read || *read > most) return in_quotes(value) + " is not a number from 0 to " + std::to_string(most);
  number = *read;
  return std::nullopt;
}

/// A number of bytes, with K, M, G or T for powers of 1024 ("2G", "2GB", "2GiB").
Reason set_size(std::uint64_t& size, std::string_view value) {
  std::uint64_t read = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
  std::string unit = base::lower_case(value.substr(static_cast<std::size_t>(end - value.data())));
  for (const std::string_view ending : {"ib", "b"}) {
    if (unit.ends_with(ending)) {
      unit.resize(unit.size() - ending.size());
      break;
    }
  }
  constexpr std::string_view kUnits = "kmgt";
  const auto power = unit.empty() ? 0 : kUnits.find(unit) + 1;
  const bool is_unit = unit.empty() || (unit.size() == 1 && kUnits.find(unit) != std::string_view::npos);
  if (error == std::errc::invalid_argument || !is_unit)
    return in_quotes(value) + " is not a size such as 500M or 2G";
  if (error != std::errc() || read > (UINT64_MAX >> (10 * power)))
    return in_quotes(value) + " is too large: sizes have 64 bits";
  size = read << (10 * power);
  return std::nullopt;
}

Reason set_max_memory(Options& options, std::string_view value) {
  if (value == "auto") {
    options.max_memory.reset();
    return std::nullopt;
  }
  std::uint64_t most = 0;
  Reason problem = set_size(most, value);
  if (!problem) options.max_memory = most;
  return problem;
}

/// Splits a list of names with commas between them (a backslash keeps a comma), and adds them to `names`.
template <typename Name>
Reason add_names(std::vector<Name>& names, std::string_view value) {
  std::vector<std::string> found(1);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == ',') {
      found.emplace_back();
    } else {
      if (value[i] == '\\' && i + 1 < value.size()) ++i;
      found.back() += value[i];
    }
  }
  for (std::string& name : found) {
    const auto first = name.find_first_not_of(' ');
    name = first == std::string::npos ? "" : name.substr(first, name.find_last_not_of(' ') - first + 1);
    if (name.empty()) return in_quotes(value) + " has an empty name";
  }
  names.insert(names.end(), found.begin(), found.end());
  return std::nullopt;
}

Reason set_inputs(Options& options, std::string_view value) {
  auto inputs = parse_inputs(value);
  if (!inputs) return std::move(inputs.error().message);
  options.inputs.insert(options.inputs.end(), inputs->begin(), inputs->end());
  return std::nullopt;
}

/// Whether a pass has this name, or it is one of `others`.
Reason pass_problem(std::string_view name, std::initializer_list<std::string_view> others = {}) {
  std::vector<std::string> known(others.begin(), others.end());
  for (const PassInfo& pass : list_passes()) known.emplace_back(pass.name);
  if (std::ranges::find(known, name) != known.end()) return std::nullopt;
  const std::string nearest = base::suggestion(name, known, "; ");
  return "there is no pass " + in_quotes(name) + (nearest.empty() ? ": see --list-passes" : nearest);
}

// The names of choices, in the order of their enumerations.
constexpr std::array<std::string_view, 3> kSyncChoices{"replaced", "always", "never"};
constexpr std::array<std::string_view, 2> kQuantizations{"fast", "exact"};
constexpr std::array<std::string_view, 3> kDynamicQuantizations{"auto", "never", "always"};

using Kind = OptionInfo::Kind;

/// Sets an option that may be any text or path.
template <auto kText>
Reason set_text(Options& options, std::string_view value) {
  options.*kText = value;
  return std::nullopt;
}

/// A row of a flag that changes the IR.
template <bool Options::*kFlag>
constexpr Row<Options> flag(std::string_view name, std::string_view summary, std::string_view group) {
  return {{name, "", summary, group, Kind::flag},
          [](Options& options, std::string_view value) { return set_flag(options.*kFlag, value); },
          [](const Options& options) { return std::string(options.*kFlag ? "true" : ""); }};
}

/// A row of a choice that changes the IR. `kNames`: in the order of the enumeration.
template <auto kChoice, const auto& kNames>
constexpr Row<Options> choice(std::string_view name, std::string_view value_name, std::string_view summary) {
  return {
      {name, value_name, summary, "IR", Kind::text, kNames},
      [](Options& options, std::string_view value) { return set_choice(options.*kChoice, value, kNames); },
      [](const Options& options) {
        if (options.*kChoice == Options().*kChoice) return std::string();
        return std::string(kNames.at(static_cast<std::size_t>(options.*kChoice)));
      }};
}

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

std::span<const Row<Options>> conversion_rows() {
  static constexpr auto kRows = std::to_array<Row<Options>>({
      {{"input", "INPUTS",
        "inputs of the converted model, separated by commas: the name of a tensor, followed by a shape, a "
        "type or a constant value (\"x[1,3,?,1..8]{f16},rate->16000\"); without names, in the model's order",
        "Model", Kind::list},
       set_inputs,
       [](const Options& options) {
         return base::joined(options.inputs, ",", [](const InputSpec& input) { return text_of(input); });
       }},
      {{"output", "TENSORS",
        "tensors that become the outputs of the converted model, separated by commas; nodes that they do "
        "not depend on are removed",
        "Model", Kind::list},
       [](Options& options, std::string_view value) { return add_names(options.outputs, value); },
       [](const Options& options) { return base::joined(options.outputs, ","); }},
      {{"external_data_folder", "FOLDER",
        "the folder of the model's external data; default: the folder of the model's file", "Model"},
       set_text<&Options::external_data_folder>},
      {{"operator_map", "FILE.json",
        "rules that convert operators to operations of the IR, before those of onnx2ir", "Operators"},
       set_text<&Options::operator_map>,
       [](const Options& options) { return options.operator_map.filename().string(); }},
      {{"extension", "LIBRARIES",
        "libraries with translators of operators, separated by commas, which come before those of onnx2ir",
        "Operators", Kind::list},
       [](Options& options, std::string_view value) { return add_names(options.extensions, value); },
       [](const Options& options) {
         return base::joined(options.extensions, ",", [](const std::filesystem::path& library) {
           return library.filename().string();
         });
       }},
      flag<&Options::keep_unknown>(
          "keep_unknown",
          "keep operators that cannot be converted as layers for an extension of OpenVINO, which the program "
          "that runs the IR loads",
          "Operators"),
      flag<&Options::compress_to_fp16>("compress_to_fp16",
                                       "store floating-point constants in half precision if they fit", "IR"),
      {{"target_runtime", "RELEASES",
        "the OpenVINO releases that must be able to run the IR, for example 2025.4 or 2025.0..2026.0; all "
        "supported releases by default",
        "IR"},
       set_text<&Options::target_runtime>},
      flag<&Options::unroll_loops>(
          "unroll_loops", "unroll loops with few, statically known iterations and a small body", "IR"),
      flag<&Options::stateful>(
          "stateful", "keep the caches of a language model in variables, as OpenVINO GenAI expects", "IR"),
      choice<&Options::quantization, kQuantizations>(
          "quantization", "HOW",
          "how quantised models are computed: fast (integer kernels, with the error of onnxruntime against "
          "the model before quantisation; the default) or exact (in f32, with the rounding of onnxruntime)"),
      choice<&Options::dynamic_quantization, kDynamicQuantizations>(
          "dynamic_quantization", "WHEN",
          "when the CPU plugin may round the inputs of products with quantised weights to 8 bits, up to "
          "twice as fast with an error of about 1 %: auto (if onnxruntime rounds, too; the default), never "
          "or always"),
      {{"threads", "N", "threads that process large constants; 0: as many as the machine has", "Limits"},
       [](Options& options, std::string_view value) { return set_number(options.threads, value, 1024U); }},
      {{"max_function_nodes", "N",
        "the most nodes that calls of the model's functions may add; default 1000000", "Limits"},
       [](Options& options, std::string_view value) {
         return set_number(options.max_function_nodes, value, UINT64_MAX);
       }},
      {{"max_memory", "BYTES",
        "the most memory that the conversion may use, for example 2G; 0: no limit; by default 512M and a "
        "multiple of the size of the model's files, on the command line also three quarters of the available "
        "memory",
        "Limits"},
       set_max_memory},
      {{"print_after", "PASS", "print the graph after this pass, after import, or after all", "Compiler",
        Kind::list},
       [](Options& options, std::string_view value) {
         if (Reason problem = pass_problem(value, {"import", "all"})) return problem;
         options.debug.print_after.emplace_back(value);
         return Reason();
       }},
      {{"stop_after", "PASS", "the last pass to run", "Compiler"},
       [](Options& options, std::string_view value) {
         if (Reason problem = pass_problem(value)) return problem;
         options.debug.stop_after = value;
         return Reason();
       },
       [](const Options& options) { return options.debug.stop_after; }},
      {{"skip_pass", "PASS", "skip this pass, to measure its effect", "Compiler", Kind::list},
       [](Options& options, std::string_view value) {
         if (Reason problem = pass_problem(value)) return problem;
         options.debug.skip_passes.emplace_back(value);
         return Reason();
       },
       [](const Options& options) { return base::joined(options.debug.skip_passes, ","); }},
  });
  return kRows;
}

std::span<const Row<SaveOptions>> saving_rows() {
  static constexpr auto kRows = std::to_array<Row<SaveOptions>>({
      {{"sync", "WHEN",
        "when to wait until the files are on the disk: replaced (if a file is replaced, the default), always "
        "or never",
        "IR", Kind::text, kSyncChoices},
       [](SaveOptions& options, std::string_view value) {
         return set_choice(options.sync, value, kSyncChoices);
       }},
      {{"max_xml_size", "BYTES", "the largest XML that is written; default 4G", "Limits"},
       [](SaveOptions& options, std::string_view value) { return set_size(options.max_xml_size, value); }},
  });
  return kRows;
}

template <typename Target>
std::vector<OptionInfo> infos(std::span<const Row<Target>> rows) {
  std::vector<OptionInfo> infos;
  for (const Row<Target>& row : rows) infos.push_back(row.info);
  return infos;
}

template <typename Target>
Reason set_in(std::span<const Row<Target>> rows, Target& options, std::string_view name,
              std::string_view value) {
  std::string normalized(name);
  std::ranges::replace(normalized, '-', '_');
  std::vector<std::string> known;
  for (const Row<Target>& row : rows) {
    if (row.info.name == normalized) return row.set(options, value);
    known.emplace_back(row.info.name);
  }
  return "there is no option " + in_quotes(name) + base::suggestion(normalized, known, "; ");
}

}  // namespace

std::optional<bool> parse_flag(std::string_view text) {
  const std::string word = base::lower_case(text);
  if (word == "true") return true;
  if (word == "false") return false;
  return std::nullopt;
}

std::optional<std::string> set_flag(bool& flag, std::string_view text) {
  const std::optional<bool> read = parse_flag(text);
  if (!read) return in_quotes(text) + " is neither True nor False";
  flag = *read;
  return std::nullopt;
}

Result<std::size_t> parse_choice(std::string_view text, std::span<const std::string_view> choices) {
  const auto found = std::ranges::find(choices, text);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  const std::vector<std::string> known(choices.begin(), choices.end());
  return Problem{DiagnosticCode::bad_interface, in_quotes(text) + " is not one of " +
                                                    base::joined(choices, ", ") +
                                                    base::suggestion(text, known, "; ")};
}

std::vector<OptionInfo> list_options() {
  return infos(conversion_rows());
}
std::vector<OptionInfo> list_save_options() {
  return infos(saving_rows());
}

Provenance option_facts(const Options& options) {
  Provenance facts;
  for (const Row<Options>& row : conversion_rows()) {
    if (row.fact == nullptr) continue;
    if (std::string text = row.fact(options); !text.empty())
      facts.emplace_back(row.info.name, std::move(text));
  }
  return facts;
}

std::optional<std::string> set_option(Options& options, std::string_view name, std::string_view value) {
  return set_in(conversion_rows(), options, name, value);
}
std::optional<std::string> set_option(SaveOptions& options, std::string_view name, std::string_view value) {
  return set_in(saving_rows(), options, name, value);
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  return std::string(base::nearest_name(name, known));
}

}  // namespace onnx2ir
