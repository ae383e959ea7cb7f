// onnx2ir-opt: runs passes on a model and prints the result. A tool for developers of passes; it is not
// installed. docs/text-ir.md has examples.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>

#include "base/number_text.hpp"
#include "cli/documentation.hpp"
#include "ir/text/printer.hpp"
#include "ir/verifier.hpp"
#include "opt/model_files.hpp"
#include "passes/pipeline.hpp"
#include "platform/process.hpp"
#include "target/faults.hpp"

namespace {

using namespace onnx2ir;

using cli::kDone;
using cli::kInternal;
using cli::kModelError;
using cli::kUsage;

struct Arguments {
  opt::Input input;
  std::filesystem::path output;
  std::vector<std::string> passes;
  bool runs_pipeline = false;
  bool checks_idempotence = false;
  unsigned row_order = 0;
  bool lists_passes = false;
  bool describes_passes = false;
  bool helps = false;
  Options options;
};

void verify(std::string_view when, const ir::Model& model) {
  const auto problems = ir::verify(model.graph);
  if (!problems.empty()) throw base::InternalError(fmt::format("{}: {}", when, problems.front()));
}

/// Checks that a second run changes nothing. It may report the same diagnostics twice.
template <typename Run>
void check_again(std::string_view name, ir::Model& model, passes::PassContext context, Run run) {
  DiagnosticSink second;
  context.sink = &second;
  const std::string before = ir::text(model);
  run(context);
  if (ir::text(model) != before)
    throw base::InternalError(fmt::format("pass {} changes the model again when it is run twice", name));
}

/// Runs the pipeline, and each pass again where it stands.
void run_pipeline_and_again(ir::Model& model, passes::PassContext& context) {
  passes::PipelinePosition position;
  while (position.pass() != nullptr) {
    const passes::Pass& pass = *position.pass();
    if (position.advance(passes::run_pass_once(model, pass, context))) {
      check_again(pass.name, model, context,
                  [&](passes::PassContext& with) { passes::run_pass(model, pass, with); });
    }
  }
}

void run_passes(const Arguments& arguments, ir::Model& model, passes::PassContext& context) {
  verify("before the passes", model);
  if (arguments.runs_pipeline && arguments.checks_idempotence) {
    run_pipeline_and_again(model, context);
  } else if (arguments.runs_pipeline) {
    passes::run_pipeline(model, context);
  }
  for (const std::string& name : arguments.passes) {
    const auto run = [&](passes::PassContext& with) {
      if (const auto* const workaround = passes::find_workaround(name))
        passes::run_workaround(model, *workaround, with);
      else
        passes::run_pass(model, *passes::find_pass(name), with);
    };
    run(context);
    if (arguments.checks_idempotence) check_again(name, model, context, run);
  }
}

void print(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) std::cerr << to_string(diagnostic) << '\n';
}

int work(const Arguments& arguments, const target::Target& target) {
  DiagnosticSink sink;
  passes::PassContext context;
  context.sink = &sink;
  context.target = target;
  context.checks = true;
  context.row_order = arguments.row_order;
  context.options = &arguments.options;
  const auto model = opt::read_model(arguments.input, target, sink);
  if (model != nullptr) run_passes(arguments, *model, context);
  const bool failed = sink.has_errors() || model == nullptr;
  print(sink.take());
  if (failed) return kModelError;
  if (const auto problem = opt::write_model(*model, arguments.output)) {
    std::cerr << "onnx2ir-opt: " << *problem << '\n';
    return kModelError;
  }
  return kDone;
}

int list_all_passes() {
  const auto print = [](std::string_view heading, const passes::PropertySet& properties) {
    const auto names = names_of(properties);
    if (!names.empty()) std::cout << fmt::format("  {}: {}", heading, fmt::join(names, ", "));
  };
  for (const passes::Pass& pass : passes::pipeline()) {
    std::cout << pass.name << "  " << pass.summary;
    print("requires", pass.required);
    print("ensures", pass.ensured);
    std::cout << '\n';
    for (const passes::Workaround& workaround : passes::workarounds()) {
      if (workaround.stages.front().stage == pass.stage)
        std::cout << "  " << workaround.name << "  " << workaround.summary << '\n';
    }
  }
  return kDone;
}

std::string_view name_of(passes::PassKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"normalize", "optimize", "legalize"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string list(const std::vector<std::string_view>& names) {
  return names.empty() ? std::string() : fmt::format("`{}`", fmt::join(names, "`, `"));
}

std::string names_of(const target::FaultSet& faults) {
  std::vector<std::string_view> names;
  for (const target::FaultDescription& fault : target::all_faults()) {
    if (faults.contains(fault.fault)) names.push_back(fault.name);
  }
  return list(names);
}

std::string listed_faults(const passes::Pass& pass) {
  if (pass.stage) return "see workarounds";
  const std::string consulted = names_of(pass.consulted);
  return consulted.empty() ? names_of(pass.faults) : fmt::format("{} ({})", names_of(pass.faults), consulted);
}

/// The link to the source file of a pass.
std::string source_of(const passes::Pass& pass) {
  if (pass.stage) return "../passes/legality/legalize_nodes.cpp";
  return fmt::format("../passes/{}/{}.cpp", name_of(pass.kind), pass.name);
}

/// The passes that are the first to apply rows of the workaround.
std::string passes_of(const passes::Workaround& workaround) {
  std::vector<std::string_view> names;
  for (const passes::RowsOfStage& rows : workaround.stages)
    names.push_back(
        std::ranges::find(passes::pipeline(), std::optional(rows.stage), &passes::Pass::stage)->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_required(passes::Property property) {
  return std::ranges::any_of(passes::pipeline(),
                             [&](const passes::Pass& pass) { return pass.required.contains(property); });
}

std::string passes_that_break(passes::Property property) {
  if (passes::lasting_properties().contains(property)) return "no pass";
  if (!is_required(property)) return "any later pass";
  std::vector<std::string_view> names;
  for (const passes::Pass& pass : passes::pipeline()) {
    if (pass.broken.contains(property)) names.push_back(pass.name);
  }
  const bool is_normal_form = passes::kNormalForm.contains(property);
  return list(names) + (is_normal_form ? ", and all of kind legalize" : "");
}

/// The rows of the tables in docs/passes.md, with an empty line between two tables.
std::string rows_of_document() {
  std::string text;
  for (const passes::Pass& pass : passes::pipeline()) {
    text += fmt::format("| [{}]({}) | {} | {} | {} | {} | {} |\n", pass.name, source_of(pass),
                        name_of(pass.kind), pass.summary, list(names_of(pass.required)),
                        list(names_of(pass.ensured)), listed_faults(pass));
  }
  text += '\n';
  for (const passes::Workaround& workaround : passes::workarounds()) {
    text += fmt::format("| [{0}](../passes/workarounds/{0}.cpp) | {1} | {2} | {3} |\n", workaround.name,
                        passes_of(workaround), workaround.summary, names_of(faults_of(workaround)));
  }
  text += '\n';
  for (const passes::PropertyInfo& info : passes::all_properties())
    text += fmt::format("| `{}` | {} | {} |\n", info.name, info.meaning, passes_that_break(info.property));
  text += '\n';
  for (const passes::Pass& pass : passes::pipeline()) {
    if (!pass.repeats_from.empty()) text += fmt::format("| `{}` | `{}` |\n", pass.name, pass.repeats_from);
  }
  return text;
}

std::optional<std::string> add_pass(Arguments& arguments, std::string_view name) {
  if (passes::find_pass(name) == nullptr && passes::find_workaround(name) == nullptr)
    return "there is no pass '" + std::string(name) + "': see --list-passes";
  arguments.passes.emplace_back(name);
  return std::nullopt;
}

std::optional<std::string> set_row_order(Arguments& arguments, std::string_view value) {
  const auto number = base::parse_number<unsigned>(value);
  if (!number) return "'" + std::string(value) + "' is not a number";
  arguments.row_order = *number;
  return std::nullopt;
}

/// The command of all options: onnx2ir-opt has only one.
const cli::CommandSet kCommand{cli::Command::convert};

std::vector<cli::Option> option_table(Arguments& arguments) {
  const auto flag = [](std::string name, std::string summary, std::string group, bool& target) {
    return cli::flag(std::move(name), std::move(summary), std::move(group), kCommand, target);
  };
  std::vector<cli::Option> rows{
      cli::text("weights", "FILE.bin",
                "the weights file of text IR or XML; by default, MODEL with the extension .bin", "Model",
                kCommand, arguments.input.weights),
      cli::text("output", "FILE",
                "FILE.xml, or any other name for text IR; the weights are next to it. Text IR goes to "
                "standard output without this option",
                "Run", kCommand, arguments.output),
      {"pass", 0, "PASS", "run this pass, or the rows of this workaround; may be repeated", "Run",
       [&arguments](std::string_view name) { return add_pass(arguments, name); }},
      flag("pipeline", "run all passes", "Run", arguments.runs_pipeline),
      flag("check-idempotence", "run each pass twice; it is an error if the second run changes the model",
           "Run", arguments.checks_idempotence),
      {"row-order", 0, "N", "try the rows of workarounds in another order, which follows from this number",
       "Run", [&arguments](std::string_view value) { return set_row_order(arguments, value); }},
      flag("list-passes", "list the passes in the order they run", "Information", arguments.lists_passes),
      flag("describe-passes", "print the rows of docs/passes.md", "Information", arguments.describes_passes),
      flag("help", "print this help", "Information", arguments.helps)};
  rows[1].letter = 'o';
  rows.back().letter = 'h';
  for (const OptionInfo& info : list_options()) {
    if (info.group == "IR") rows.push_back(cli::library_option(info, kCommand, arguments.options));
  }
  return rows;
}

constexpr std::string_view kUsageText =
    "usage: onnx2ir-opt MODEL [options]\n\nRuns passes on a model. MODEL: text IR (.ir, or - for standard "
    "input), IR XML (.xml), ONNX text (.onnxtxt) or ONNX\n";

int run(const std::vector<std::string>& words) {
  Arguments arguments;
  const std::vector<cli::Option> options = option_table(arguments);
  std::vector<std::string> models;
  std::optional<std::string> problem = cli::parse(words, options, models);
  if (!problem && arguments.helps) {
    std::cout << kUsageText << cli::option_help(options);
    return kDone;
  }
  if (!problem && arguments.lists_passes) return list_all_passes();
  if (!problem && arguments.describes_passes) {
    std::cout << rows_of_document();
    return kDone;
  }
  if (!problem && arguments.runs_pipeline && !arguments.passes.empty())
    problem = "--pipeline runs all passes: leave out --pass";
  if (!problem && models.size() != 1) problem = "one model is needed; see --help";
  if (problem) {
    std::cerr << "onnx2ir-opt: " << *problem << '\n';
    return kUsage;
  }
  arguments.input.model = models.front();
  if (arguments.options.target_runtime.empty()) return work(arguments, target::Target());
  const auto releases = target::parse_release_range(arguments.options.target_runtime);
  if (!releases) {
    std::cerr << "onnx2ir-opt: '" << arguments.options.target_runtime
              << "' is not a supported OpenVINO release or a range of them\n";
    return kUsage;
  }
  return work(arguments, target::Target(*releases));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(platform::arguments(argc, argv));
  } catch (const base::Failure& failure) {
    std::cerr << failure.what() << '\n';
    return kModelError;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "onnx2ir-opt: %s\n", fault.what());
    return kInternal;
  }
}
