#include "cli/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "cli/documentation.hpp"

namespace onnx2ir::cli {
namespace {

using Problem = std::optional<std::string>;

/// Rows for the library's own options.
template <typename Target>
void add_library_rows(const std::vector<OptionInfo>& infos, Target& target, std::vector<Option>& rows) {
  for (const OptionInfo& info : infos) {
    std::string name(info.name);
    std::ranges::replace(name, '_', '-');
    Option row{
        std::move(name),
        0,
        std::string(info.value_name),
        std::string(info.summary),
        std::string(info.group),
        [&target, name = info.name](std::string_view value) { return set_option(target, name, value); }};
    row.choices.assign(info.choices.begin(), info.choices.end());
    rows.push_back(std::move(row));
  }
}

Problem read_flag(std::string_view value, bool& flag) {
  if (const std::optional<bool> read = parse_flag(value)) {
    flag = *read;
    return std::nullopt;
  }
  return "'" + std::string(value) + "' is neither True nor False";
}

Option flag(std::string name, std::string summary, std::string group, bool& target) {
  return {std::move(name), 0, "", std::move(summary), std::move(group), [&target](std::string_view value) {
            return read_flag(value, target);
          }};
}

/// A flag that prints a list instead of converting.
Option listing(std::string name, std::string summary, Listing what, Arguments& arguments) {
  return {std::move(name),
          0,
          "",
          std::move(summary),
          "Information",
          [&arguments, what](std::string_view value) -> Problem {
            bool is_set = false;
            if (Problem problem = read_flag(value, is_set)) return problem;
            if (is_set) arguments.listing = what;
            return std::nullopt;
          }};
}

/// Options of ovc and mo that onnx2ir does not have, with a hint for each. --help does not list them.
void add_foreign_options(std::vector<Option>& rows) {
  constexpr std::string_view kRecipe = "`onnx2ir explain from-ovc` shows how to add preprocessing to an IR";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kForeign{{
      {"input-model", "pass the model without an option: onnx2ir MODEL"},
      {"output-dir", "write --output-model FOLDER/"},
      {"model-name", "write --output-model NAME"},
      {"input-shape", "pass the shapes with --input: --input [1,3,224,224]"},
      {"freeze-placeholder-with-value", "pass the values with --input: --input \"rate->16000\""},
      {"data-type", "use --compress_to_fp16 for constants in half precision"},
      {"mean-values", kRecipe},
      {"scale-values", kRecipe},
      {"layout", kRecipe},
      {"reverse-input-channels", kRecipe},
      {"batch", "pass the shapes with --input: --input \"x[8,3,224,224]\""},
      {"framework", "leave it out: the format of the model is recognised"},
      {"log-level", "use --verbose for more messages and --quiet for fewer"},
      {"silent", "use --quiet"},
  }};
  for (const auto& foreign : kForeign) {
    const std::string_view name = foreign.first;
    rows.push_back({std::string(name), 0, name == "reverse-input-channels" || name == "silent" ? "" : "VALUE",
                    "", "", [advice = foreign.second](std::string_view) { return Problem(advice); }});
  }
}

template <typename Text>
Option text(std::string name, std::string value_name, std::string summary, std::string group, Text& target) {
  return {std::move(name),
          0,
          std::move(value_name),
          std::move(summary),
          std::move(group),
          [&target](std::string_view value) -> Problem {
            if (value.empty()) return "the value is empty";
            target = value;
            return std::nullopt;
          }};
}

Problem set_jobs(Arguments& arguments, std::string_view value) {
  constexpr unsigned kMax = 64;
  unsigned jobs = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), jobs);
  if (error != std::errc() || end != value.data() + value.size() || jobs < 1 || jobs > kMax)
    return "'" + std::string(value) + "' is not a number from 1 to " + std::to_string(kMax);
  arguments.jobs = jobs;
  return std::nullopt;
}

Problem set_diagnostics_format(Arguments& arguments, std::string_view value) {
  const auto* const found = std::ranges::find(kDiagnosticsFormats, value);
  if (found == kDiagnosticsFormats.end()) {
    const std::string nearest = nearest_name(value, {kDiagnosticsFormats.begin(), kDiagnosticsFormats.end()});
    return "'" + std::string(value) + "' is not one of text, json, github, sarif" +
           (nearest.empty() ? std::string() : "; did you mean '" + nearest + "'?");
  }
  arguments.diagnostics_format = static_cast<DiagnosticsFormat>(found - kDiagnosticsFormats.begin());
  return std::nullopt;
}

Problem set_documentation(Arguments& arguments, std::string_view value) {
  const auto forms = documentation_forms();
  if (std::ranges::find(forms, value) == forms.end())
    return "'" + std::string(value) + "' is not a format of the documentation";
  arguments.listing = Listing::documentation;
  arguments.documentation = value;
  return std::nullopt;
}

/// The options of lint and legalize, besides those that print a list or set the format of messages.
bool is_for_faults(Command command, const Option& option) {
  constexpr std::array<std::string_view, 4> kWriting{"output-model", "sync", "max-xml-size", "verbose"};
  constexpr std::array<std::string_view, 3> kBoth{"target-runtime", "dynamic-quantization", "threads"};
  if (option.name == "json") return command == Command::lint;
  if (std::ranges::find(kWriting, option.name) != kWriting.end()) return command == Command::legalize;
  if (option.group == "Messages") return true;
  if (option.group == "Information") return option.name != "check-files";
  return std::ranges::find(kBoth, option.name) != kBoth.end();
}

/// The other commands write no IR, take a fixed number of models, and print their result.
bool is_for(Command command, const Option& option) {
  if (command == Command::lint || command == Command::legalize) return is_for_faults(command, option);
  if (option.name == "json" || option.name == "ignore-names") return command == Command::diff;
  if (option.name == "origins") return command == Command::show;
  if (command == Command::convert) return true;
  if (option.name == "html") return command == Command::show || command == Command::diff;
  constexpr std::array<std::string_view, 9> kNames{"output-model", "sync",        "max-xml-size",
                                                   "check",        "jobs",        "report",
                                                   "verbose",      "check-files", "print-after"};
  return std::ranges::find(kNames, option.name) == kNames.end();
}

}  // namespace

std::vector<Option> option_table(Arguments& arguments) {
  std::vector<Option> rows;
  Option output =
      text("output-model", "PATH",
           "FILE.xml, a name, or a folder (one that exists, or any name with / at its end); folders "
           "are created, and the weights are next to the XML; default: the model's name in the "
           "current folder",
           "IR", arguments.output_model);
  output.letter = 'o';
  rows.push_back(std::move(output));
  add_library_rows(list_options(), arguments.options, rows);
  add_library_rows(list_save_options(), arguments.saving, rows);
  rows.push_back(flag("check", "convert, but write no IR", "Run", arguments.only_checks));
  rows.push_back({"jobs", 'j', "N", "models that are converted at the same time; default 1", "Run",
                  [&arguments](std::string_view value) { return set_jobs(arguments, value); }});
  rows.push_back(
      text("report", "FILE.json",
           "write the results, inputs, outputs and diagnostics as JSON to this file; - is standard "
           "output",
           "Run", arguments.report));
  rows.push_back(text("html", "FILE.html",
                      "write the graph of the IR as a page for web browsers, with the bodies of Loop and If; "
                      "diff: both graphs side by side; - is standard output",
                      "Run", arguments.html));
  rows.push_back(flag("json", "lint, diff: print the list as JSON", "Run", arguments.has_json_output));
  rows.push_back(flag("ignore-names",
                      "diff: compare no names of layers and tensors; inputs and outputs are matched by their "
                      "order",
                      "Run", arguments.ignores_names));
  rows.push_back(
      flag("origins",
           "show: a comment before each layer with the ONNX node and the pass that it comes from, and "
           "the faults of OpenVINO that the pass works around",
           "Run", arguments.has_origins));
  rows.push_back(flag("verbose", "print each step and its time", "Messages", arguments.verbose));
  rows.push_back(flag("quiet", "no warnings", "Messages", arguments.quiet));
  rows.push_back(
      {"diagnostics-format",
       0,
       "FORMAT",
       "format of errors and warnings: text, json, github (commands of a workflow) or sarif (a log "
       "in SARIF 2.1.0, for one model)",
       "Messages",
       [&arguments](std::string_view value) { return set_diagnostics_format(arguments, value); },
       {kDiagnosticsFormats.begin(), kDiagnosticsFormats.end()}});
  Option help = listing("help", "print this help", Listing::help, arguments);
  help.letter = 'h';
  rows.push_back(std::move(help));
  rows.push_back(listing("version", "print the version", Listing::version, arguments));
  rows.push_back(text("check-files", "FILE.xml", "check whether FILE.xml and FILE.bin were written together",
                      "Information", arguments.checked_files));
  rows.push_back(listing("list-ops", "list the operators that are converted", Listing::operators, arguments));
  rows.push_back(listing("list-passes", "list the passes in the order they run", Listing::passes, arguments));
  rows.push_back(listing("list-faults", "list the faults of OpenVINO's runtime that have a workaround",
                         Listing::faults, arguments));
  rows.push_back(listing("list-diagnostics", "list the codes of errors and warnings, with advice",
                         Listing::diagnostics, arguments));
  rows.push_back(
      {"documentation", 0, "FORM",
       "print the options as a manual page (man), as completions of a shell (bash, zsh, fish) or as "
       "markdown",
       "Information", [&arguments](std::string_view value) { return set_documentation(arguments, value); },
       documentation_forms()});
  add_foreign_options(rows);
  std::erase_if(rows, [&](const Option& option) { return !is_for(arguments.command, option); });
  return rows;
}

}  // namespace onnx2ir::cli
