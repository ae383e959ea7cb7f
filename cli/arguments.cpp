#include "cli/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "cli/documentation.hpp"
#include "cli/explain.hpp"

namespace onnx2ir::cli {
namespace {

using Reason = std::optional<std::string>;

const CommandSet kWriting{Command::convert, Command::legalize};
/// The commands that convert ONNX models.
const CommandSet kConverting{Command::convert, Command::show, Command::diff, Command::stats};
const CommandSet kAll{Command::convert, Command::show, Command::diff,
                      Command::stats,   Command::lint, Command::legalize};

/// The commands that take an option of conversions.
CommandSet commands_of(std::string_view name) {
  constexpr std::array<std::string_view, 4> kOfAll{"target_runtime", "dynamic_quantization", "threads",
                                                   "max_memory"};
  if (std::ranges::find(kOfAll, name) != kOfAll.end()) return kAll;
  return name == "print_after" ? CommandSet{Command::convert} : kConverting;
}

std::string help_for(const Arguments& arguments) {
  Arguments unused;
  unused.command = arguments.command;
  if (arguments.command == Command::convert) return help_text(all_options(unused));
  return command_help(info_of(arguments.command), option_table(unused));
}

std::string version_line(const Arguments& /*arguments*/) {
  return "onnx2ir " + std::string(version()) + '\n';
}

/// A list that does not depend on the arguments.
template <std::string (*kList)()>
std::string fixed(const Arguments& /*arguments*/) {
  return kList();
}

/// A flag that prints a list instead of converting.
Option listing(std::string name, std::string summary, Listing what, Arguments& arguments, char letter = 0) {
  const auto set = [&arguments, what](std::string_view value) -> Reason {
    bool is_requested = false;
    Reason reason = set_flag(is_requested, value);
    if (is_requested) arguments.listing = what;
    return reason;
  };
  return {std::move(name), letter, "", std::move(summary), "Information", set, kAll};
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
                    "", "", [advice = foreign.second](std::string_view) { return Reason(advice); },
                    kConverting});
  }
}

Reason set_jobs(Arguments& arguments, std::string_view value) {
  constexpr unsigned kMax = 64;
  unsigned jobs = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), jobs);
  if (error != std::errc() || end != value.data() + value.size() || jobs < 1 || jobs > kMax)
    return "'" + std::string(value) + "' is not a number from 1 to " + std::to_string(kMax);
  arguments.jobs = jobs;
  return std::nullopt;
}

template <typename Enum, std::size_t kCount>
Option choice(std::string name, std::string value_name, std::string summary, std::string group,
              CommandSet commands, const std::array<std::string_view, kCount>& names, Enum& target) {
  return {std::move(name),
          0,
          std::move(value_name),
          std::move(summary),
          std::move(group),
          [&names, &target](std::string_view value) { return set_choice(target, value, names); },
          commands,
          {names.begin(), names.end()}};
}

Reason set_documentation(Arguments& arguments, std::string_view value) {
  arguments.listing = [](const Arguments& given) {
    Arguments unused;
    return documentation(given.documentation, all_options(unused));
  };
  return set_choice(arguments.documentation, value, kDocumentationForms);
}

Reason add_sizes(StatsOptions& options, std::string_view value) {
  const auto sizes = parse_sizes(value);
  if (!sizes) return sizes.error().message;
  options.sizes.insert(options.sizes.end(), sizes->begin(), sizes->end());
  return std::nullopt;
}

}  // namespace

std::vector<Option> all_options(Arguments& arguments) {
  std::vector<Option> rows;
  rows.push_back(
      text("output-model", "PATH",
           "FILE.xml, a name, or a folder (one that exists, or any name with / at its end); folders "
           "are created, and the weights are next to the XML; default: the model's name in the "
           "current folder; legalize has no default",
           "IR", kWriting, arguments.output_model));
  rows.back().letter = 'o';
  for (const OptionInfo& info : list_options())
    rows.push_back(library_option(info, commands_of(info.name), arguments.options));
  for (const OptionInfo& info : list_save_options())
    rows.push_back(library_option(info, kWriting, arguments.saving));
  rows.push_back(flag("check", "convert, but write no IR", "Run", {Command::convert}, arguments.only_checks));
  rows.push_back({"jobs",
                  'j',
                  "N",
                  "models that are converted at the same time; default 1",
                  "Run",
                  [&arguments](std::string_view value) { return set_jobs(arguments, value); },
                  {Command::convert}});
  rows.push_back(
      text("report", "FILE.json",
           "write the results, inputs, outputs and diagnostics as JSON to this file; - is standard "
           "output",
           "Run", {Command::convert}, arguments.report));
  rows.push_back(
      text("html", "FILE.html",
           "write the graph of the IR as a page for web browsers, with the bodies of Loop and If; "
           "diff: both graphs side by side; stats: with a chart of the counts; - is standard output",
           "Run", {Command::convert, Command::show, Command::diff, Command::stats}, arguments.html));
  rows.push_back(flag("json", "print the result as JSON", "Run",
                      {Command::lint, Command::diff, Command::stats}, arguments.has_json_output));
  rows.push_back(flag("ignore-names",
                      "compare no names of layers and tensors; inputs and outputs are matched by their order",
                      "Run", {Command::diff}, arguments.ignores_names));
  rows.push_back(
      flag("origins",
           "a comment before each layer with the ONNX node and the pass that it comes from, the faults of "
           "OpenVINO that the pass works around, and the names of its dynamic sizes",
           "Run", {Command::show}, arguments.has_origins));
  rows.push_back({"dim",
                  0,
                  "NAME=SIZE",
                  "the size of a dynamic dimension of the ONNX model's inputs, for the costs of its layers; "
                  "several are separated by commas",
                  "Run",
                  [&arguments](std::string_view value) { return add_sizes(arguments.stats, value); },
                  {Command::stats}});
  rows.push_back(flag("verbose", "print the time of each stage, and which passes have changed the model",
                      "Messages", kWriting, arguments.verbose));
  rows.push_back(flag("quiet", "no warnings, no remarks, and no summary", "Messages", kAll, arguments.quiet));
  rows.push_back(choice("color", "WHEN",
                        "colours of errors and warnings: auto (on a terminal, unless NO_COLOR is set; the "
                        "default), always or never",
                        "Messages", kAll, kColors, arguments.color));
  rows.push_back(choice("diagnostics-format", "FORMAT",
                        "format of errors and warnings: text, github (commands of a workflow), json or sarif "
                        "(an array, and a log in SARIF 2.1.0, of one model)",
                        "Messages", kAll, kDiagnosticsFormats, arguments.diagnostics_format));
  rows.push_back(listing("help", "print this help", help_for, arguments, 'h'));
  rows.push_back(listing("version", "print the version", version_line, arguments));
  rows.push_back(text("check-files", "FILE.xml", "check whether FILE.xml and FILE.bin were written together",
                      "Information", {Command::convert}, arguments.checked_files));
  rows.push_back(
      listing("list-ops", "list the operators that are converted", fixed<operator_list>, arguments));
  rows.push_back(
      listing("list-passes", "list the passes in the order they run", fixed<pass_list>, arguments));
  rows.push_back(listing("list-faults", "list the faults of OpenVINO's runtime that have a workaround",
                         fixed<fault_list>, arguments));
  rows.push_back(listing("list-diagnostics", "list the codes of errors and warnings, with advice",
                         fixed<diagnostic_list>, arguments));
  rows.push_back(
      {"documentation",
       0,
       "FORM",
       "print the options as a manual page (man), as completions of a shell (bash, zsh, fish) or as "
       "markdown",
       "Information",
       [&arguments](std::string_view value) { return set_documentation(arguments, value); },
       kAll,
       {kDocumentationForms.begin(), kDocumentationForms.end()}});
  add_foreign_options(rows);
  return rows;
}

std::vector<Option> option_table(Arguments& arguments) {
  std::vector<Option> rows = all_options(arguments);
  std::erase_if(rows, [&](const Option& option) { return !option.commands.contains(arguments.command); });
  return rows;
}

}  // namespace onnx2ir::cli
