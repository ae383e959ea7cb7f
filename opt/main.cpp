// onnx2ir-opt: runs passes on a model and prints the result. A tool for developers of passes; it is not
// installed. docs/text-ir.md has examples.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <onnx2ir/onnx2ir.hpp>
#include <span>

#include "ir/text/printer.hpp"
#include "ir/verifier.hpp"
#include "opt/input.hpp"
#include "opt/output.hpp"
#include "opt/pass_table.hpp"
#include "passes/pipeline.hpp"

namespace {

using namespace onnx2ir;

constexpr int kDone = 0;
constexpr int kModelError = 1;
constexpr int kUsage = 2;
constexpr int kInternal = 3;

struct Arguments {
  opt::Input input;
  std::filesystem::path output;
  std::vector<std::string> passes;
  bool runs_pipeline = false;
  bool checks_idempotence = false;
  unsigned row_order = 0;
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
      if (workaround.stage == pass.stage)
        std::cout << "  " << workaround.name << "  " << workaround.summary << '\n';
    }
  }
  return kDone;
}

std::string unknown_pass(const std::string& name) {
  return passes::find_pass(name) != nullptr || passes::find_workaround(name) != nullptr
             ? std::string{}
             : "there is no pass '" + name + "': see --list-passes";
}

/// Adds the options of a conversion that change the IR, under both spellings.
void add_conversion_options(CLI::App& app, Options& options) {
  for (const OptionInfo& option : list_options()) {
    if (option.group != "IR") continue;
    std::string names = "--" + std::string(option.name);
    std::ranges::replace(names, '_', '-');
    if (option.name.find('_') != std::string_view::npos) names += ",--" + std::string(option.name);
    const auto set = [&options, name = option.name](const std::string& value) {
      if (const auto problem = set_option(options, name, value))
        throw CLI::ValidationError(std::string(name), *problem);
    };
    const std::string summary(option.summary);
    if (option.kind == OptionInfo::Kind::flag) {
      app.add_flag_callback(
          names, [set] { set("true"); }, summary);
    } else {
      app.add_option_function<std::string>(names, set, summary)->type_name(std::string(option.value_name));
    }
  }
}

int run(int argc, char** argv) {
  Arguments arguments;
  bool lists_passes = false;
  bool describes_passes = false;
  CLI::App app("onnx2ir-opt: runs passes on a model");
  app.add_option("MODEL", arguments.input.model,
                 "text IR (.ir, or - for standard input), IR XML (.xml), ONNX text (.onnxtxt) or ONNX");
  app.add_option("--weights", arguments.input.weights,
                 "the weights file of text IR or XML; by default, MODEL with the extension .bin");
  app.add_option(
      "-o,--output", arguments.output,
      "FILE.xml, or any other name for text IR; the weights are next to it. Text IR goes to standard output "
      "without this option");
  auto* const pass = app.add_option("--pass", arguments.passes,
                                    "run this pass, or the rows of this workaround; may be repeated");
  pass->type_name("PASS")->allow_extra_args(false)->check(unknown_pass);
  app.add_flag("--pipeline", arguments.runs_pipeline, "run all passes")->excludes(pass);
  app.add_flag("--check-idempotence", arguments.checks_idempotence,
               "run each pass twice; it is an error if the second run changes the model");
  app.add_option("--row-order", arguments.row_order,
                 "try the rows of workarounds in another order, which follows from this number");
  add_conversion_options(app, arguments.options);
  app.add_flag("--list-passes", lists_passes, "list the passes in the order they run");
  app.add_flag("--describe-passes", describes_passes, "print the document docs/passes.md");
  try {
    app.parse(argc, argv);
    if (!lists_passes && !describes_passes && arguments.input.model.empty())
      throw CLI::RequiredError("MODEL");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  if (lists_passes) return list_all_passes();
  if (describes_passes) {
    std::cout << opt::pass_table();
    return kDone;
  }
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
    return run(argc, argv);
  } catch (const base::Failure& failure) {
    if (failure.code() == DiagnosticCode::invalid_node)
      std::cerr << "onnx2ir-opt: the model contradicts itself: ";
    std::cerr << failure.what() << '\n';
    return kModelError;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "onnx2ir-opt: %s\n", fault.what());
    return kInternal;
  }
}
