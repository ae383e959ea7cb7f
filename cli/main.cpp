// The command line: options, reports, exit codes.
#include <malloc.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>

#include "cli/progress_bar.hpp"
#include "cli/temporary_files.hpp"

namespace {

constexpr int kDone = 0;
constexpr int kModelError = 1;
constexpr int kUsage = 2;
constexpr int kInternal = 3;

struct Arguments {
  std::filesystem::path model;
  std::string output;
  bool verbose = false;
  bool quiet = false;
  std::string diagnostics_format = "text";
  std::vector<std::string> print_after;
  std::string target_runtime;
  std::string stop_after;
  std::vector<std::string> skip_passes;
  bool unroll_loops = false;
  bool compress_to_fp16 = false;
  unsigned threads = 0;
  std::uint64_t max_function_nodes = onnx2ir::Options{}.max_function_nodes;
  std::uint64_t max_memory = 0;  ///< 0: no limit
  onnx2ir::SaveOptions save;
  std::filesystem::path checked;
};

/// FILE.xml as given; in a folder, or without -o in the current one, the model's name with .xml.
std::filesystem::path xml_path(const Arguments& arguments) {
  std::filesystem::path named = arguments.model.filename().replace_extension(".xml");
  if (arguments.output.empty()) return named;
  std::filesystem::path output = arguments.output;
  if (std::filesystem::is_directory(output) || !output.has_filename()) return output / named;
  return output;
}

void print(const Arguments& arguments, const std::vector<onnx2ir::Diagnostic>& diagnostics) {
  if (arguments.diagnostics_format == "json") {
    std::cerr << onnx2ir::to_json(diagnostics) << '\n';
    return;
  }
  for (const onnx2ir::Diagnostic& diagnostic : diagnostics) {
    if (arguments.quiet && diagnostic.severity != onnx2ir::Severity::error) continue;
    std::cerr << onnx2ir::to_string(diagnostic) << '\n';
  }
}

bool has_code(const std::vector<onnx2ir::Diagnostic>& diagnostics, std::string_view code) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [&](const auto& diagnostic) { return diagnostic.code == code; });
}

int exit_code_of_errors(const std::vector<onnx2ir::Diagnostic>& diagnostics) {
  if (has_code(diagnostics, "bad-target-runtime")) return kUsage;
  return has_code(diagnostics, "internal-error") ? kInternal : kModelError;
}

onnx2ir::Options options_of(const Arguments& arguments, onnx2ir::cli::ProgressBar& bar) {
  onnx2ir::Options options;
  options.target_runtime = arguments.target_runtime;
  options.print_after = arguments.print_after;
  options.stop_after = arguments.stop_after;
  options.skip_passes = arguments.skip_passes;
  options.unroll_loops = arguments.unroll_loops;
  options.compress_to_fp16 = arguments.compress_to_fp16;
  options.threads = arguments.threads;
  options.max_function_nodes = arguments.max_function_nodes;
  options.keep_source = true;
  options.progress = [&bar](std::string_view stage, double fraction) { bar.show(stage, fraction); };
  options.dump = [](std::string_view pass, std::string_view text) {
    std::cerr << "// after " << pass << '\n' << text;
  };
  if (arguments.verbose) {
    options.pass_finished = [](std::string_view pass, double seconds, bool modified) {
      std::fprintf(stderr, "%-32.*s %9.3f ms%s\n", static_cast<int>(pass.size()), pass.data(), seconds * 1e3,
                   modified ? "  changed" : "");
    };
  }
  return options;
}

/// Makes allocations beyond `bytes` fail. Not RLIMIT_AS, which counts code and files as well.
void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, bytes);
  ::setrlimit(RLIMIT_DATA, &limit);
}

/// Names the option if it is the reason.
void explain_memory_limit(const Arguments& arguments, std::vector<onnx2ir::Diagnostic>& diagnostics) {
  if (arguments.max_memory == 0) return;
  for (onnx2ir::Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.code == "out-of-memory") diagnostic.hint = "--max-memory limits it; raise the limit";
  }
}

/// Writes the model, and removes temporary files when a signal ends the process.
std::optional<onnx2ir::Diagnostic> save(const onnx2ir::Model& model, const std::filesystem::path& xml,
                                        const Arguments& arguments) {
  onnx2ir::SaveOptions options = arguments.save;
  options.temporary = onnx2ir::cli::note_temporary;
  return model.save(xml, {}, options);
}

int convert(const Arguments& arguments) {
  const std::filesystem::path xml = xml_path(arguments);
  if (xml.extension() != ".xml") {
    std::cerr << "onnx2ir: the output must be a folder or end in .xml: '" << xml.string() << "'\n";
    return kUsage;
  }
  limit_memory(arguments.max_memory);
  onnx2ir::cli::ProgressBar bar;
  // Never destroyed: to give millions of nodes back one by one takes as long as to write them, and the
  // process ends. See Options::keep_source.
  static onnx2ir::Conversion& conversion =
      *std::make_unique<onnx2ir::Conversion>(
           onnx2ir::convert_file(arguments.model, options_of(arguments, bar)))
           .release();
  if (conversion.model) {
    bar.show("writing", 1);
    if (auto problem = save(*conversion.model, xml, arguments))
      conversion.diagnostics.push_back(*std::move(problem));
  }
  bar.clear();
  explain_memory_limit(arguments, conversion.diagnostics);
  print(arguments, conversion.diagnostics);
  const auto errors =
      std::count_if(conversion.diagnostics.begin(), conversion.diagnostics.end(),
                    [](const auto& diagnostic) { return diagnostic.severity == onnx2ir::Severity::error; });
  if (errors == 0) {
    if (arguments.verbose) std::cerr << "wrote '" << xml.string() << "'\n";
    return kDone;
  }
  if (arguments.diagnostics_format == "text") {
    std::cerr << "onnx2ir: '" << arguments.model.string() << "' was not converted: " << errors
              << (errors == 1 ? " error\n" : " errors\n");
  }
  return exit_code_of_errors(conversion.diagnostics);
}

/// Whether FILE.xml and FILE.bin belong together.
int check(const Arguments& arguments) {
  const auto problem = onnx2ir::check_files(arguments.checked);
  if (!problem) return kDone;
  print(arguments, {*problem});
  return kModelError;
}

int list_operators() {
  for (const onnx2ir::OperatorInfo& row : onnx2ir::supported_operators()) {
    std::cout << (row.domain.empty() ? "" : row.domain + ".") << row.name << "  ";
    for (std::size_t i = 0; i < row.versions.size(); ++i) std::cout << (i == 0 ? "" : ",") << row.versions[i];
    std::cout << "  " << row.lowering;
    if (const auto& [cases, passed] = row.suite; cases != 0) {
      std::cout << "  suite: " << passed.as_they_are << ',' << passed.with_dynamic_shapes << ','
                << passed.with_constants << " of " << cases;
    }
    if (!row.limits.empty()) std::cout << "  not: " << row.limits;
    std::cout << '\n';
  }
  return kDone;
}

/// What CLI11 is to say about the name of a pass: nothing when it is one.
std::string unknown_pass(const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  return "no pass is called '" + name + "': see --list-passes";
}

int list_all_passes() {
  for (const onnx2ir::PassInfo& pass : onnx2ir::list_passes()) {
    std::cout << pass.name << "  " << pass.summary << '\n';
  }
  return kDone;
}

int list_all_faults() {
  for (const onnx2ir::FaultInfo& fault : onnx2ir::list_faults()) {
    std::cout << fault.name << "  " << fault.first_release << ".." << fault.last_release << "  "
              << (fault.instruction_sets.empty() ? "all" : fault.instruction_sets) << "  " << fault.summary
              << '\n';
  }
  return kDone;
}

int run(int argc, char** argv) {
  Arguments arguments;
  bool list_ops = false;
  bool list_passes = false;
  bool list_faults = false;
  std::vector<std::string> passes;
  for (const onnx2ir::PassInfo& pass : onnx2ir::list_passes()) passes.emplace_back(pass.name);
  std::vector<std::string> places = passes;
  places.insert(places.end(), {"import", "all"});
  CLI::App app("onnx2ir: converts an ONNX model to OpenVINO IR");
  app.set_version_flag("--version", "onnx2ir " + std::string(onnx2ir::version()));
  app.add_option("MODEL", arguments.model, "the model: ONNX protobuf or ONNX text");
  app.add_option("-o,--output", arguments.output, "FILE.xml, or a folder; the weights go beside it");
  app.add_option("--target-runtime", arguments.target_runtime,
                 "the OpenVINO releases that have to run the IR, for example 2025.4 or 2024.6..2026.4; all "
                 "supported releases by default")
      ->type_name("RELEASES");
  app.add_flag("--verbose", arguments.verbose, "say what is done and how long it takes");
  app.add_flag("--quiet", arguments.quiet, "no warnings");
  app.add_option("--diagnostics-format", arguments.diagnostics_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--print-after", arguments.print_after,
                 "print the graph after this pass, after import, or after all")
      ->type_name("PASS")
      ->allow_extra_args(false)
      ->check([places](const std::string& name) { return unknown_pass(name, places); });
  app.add_option("--stop-after", arguments.stop_after, "the last pass to run")
      ->type_name("PASS")
      ->check([passes](const std::string& name) { return unknown_pass(name, passes); });
  app.add_option("--skip-pass", arguments.skip_passes, "leave this pass out, to measure what it brings")
      ->type_name("PASS")
      ->allow_extra_args(false)
      ->check([passes](const std::string& name) { return unknown_pass(name, passes); });
  app.add_flag("--compress_to_fp16", arguments.compress_to_fp16,
               "keep floating-point constants in half precision where they fit");
  app.add_option("--threads", arguments.threads,
                 "threads that work on large constants; 0: as many as the machine runs")
      ->check(CLI::Range(0, 1024));
  app.add_option("--max-function-nodes", arguments.max_function_nodes,
                 "the most nodes that calls of the model's functions may add; 1000000 without the option")
      ->type_name("N");
  const std::map<std::string, onnx2ir::SaveOptions::Sync> syncs{
      {"replaced", onnx2ir::SaveOptions::Sync::replaced},
      {"always", onnx2ir::SaveOptions::Sync::always},
      {"never", onnx2ir::SaveOptions::Sync::never}};
  app.add_option("--sync", arguments.save.sync,
                 "when to wait until the files are on the disk: replaced (if a file is replaced, the "
                 "default), always or never")
      ->type_name("WHEN")
      ->transform(CLI::Transformer(syncs))
      ->option_text("WHEN");
  app.add_option("--max-memory", arguments.max_memory,
                 "the most memory that the conversion may take, for example 2G; no limit without the option")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--max-xml-size", arguments.save.max_xml_size,
                 "the largest XML that is written; 4G without the option")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--check", arguments.checked, "say whether FILE.xml and FILE.bin were written together")
      ->type_name("FILE.xml");
  app.add_flag("--unroll-loops", arguments.unroll_loops,
               "replace loops of few, known iterations and a small body by their iterations");
  app.add_flag("--list-ops", list_ops, "list the operators that are converted");
  app.add_flag("--list-passes", list_passes, "list the passes in the order they run");
  app.add_flag("--list-faults", list_faults, "list the faults of OpenVINO's runtime that are worked around");
  try {
    app.parse(argc, argv);
    if (!list_ops && !list_passes && !list_faults && arguments.checked.empty() && arguments.model.empty())
      throw CLI::RequiredError("MODEL");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  if (list_ops) return list_operators();
  if (list_passes) return list_all_passes();
  if (list_faults) return list_all_faults();
  if (!arguments.checked.empty()) return check(arguments);
  return convert(arguments);
}

/// A conversion makes tables as large as the model, one after the other. Memory of one that is gone serves
/// the next, instead of going back to the system, which fills new pages with zeros: a tenth of all pages.
void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, -1);
  ::mallopt(M_TOP_PAD, 1 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  onnx2ir::cli::handle_signals();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("onnx2ir: the conversion needs more memory than there is, or than --max-memory allows\n",
               stderr);
    return kModelError;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "onnx2ir: %s\n", fault.what());
    return kInternal;
  }
}
