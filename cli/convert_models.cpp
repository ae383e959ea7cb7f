// Converts the models of a command line and reports the results.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <system_error>
#include <thread>

#include "cli/command_functions.hpp"
#include "cli/messages.hpp"
#include "cli/output_files.hpp"
#include "cli/stage_times.hpp"
#include "json/json.hpp"
#include "platform/process.hpp"

namespace onnx2ir::cli {
namespace {

/// A model on the command line, and its output path.
struct Job {
  std::string model;
  std::filesystem::path xml;
};

/// The result of a job.
struct Outcome {
  std::vector<Diagnostic> diagnostics;
  std::string json;  ///< of the conversion, for the report
  std::string log;   ///< output before the diagnostics; buffered if models are converted together
  StageTimes times;
  std::size_t layers = 0;  ///< of the IR, if its summary is printed
  double seconds = 0;
  bool keeps_report = false;  ///< writing the report, or another file, would overwrite a file of the model

  std::ptrdiff_t error_count() const {
    return std::ranges::count(diagnostics, Severity::error, &Diagnostic::severity);
  }
};

/// The models with their outputs. A problem if -o is invalid or two of them have the same output.
Result<std::vector<Job>> jobs_of(const Arguments& arguments) {
  std::vector<Job> jobs;
  const bool is_folder = arguments.models.size() > 1;
  if (auto problem = output_name_problem(arguments.output_model, is_folder))
    return Problem{DiagnosticCode::cannot_write, *std::move(problem)};
  std::set<std::filesystem::path> outputs;
  for (const std::string& model : arguments.models) {
    Job job{model, xml_path(model, arguments.output_model, is_folder)};
    if (!outputs.insert(job.xml.lexically_normal()).second) {
      return Problem{DiagnosticCode::cannot_write,
                     "two of the models would be written to '" + job.xml.string() +
                         "': models that are converted together need different names"};
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

/// Adds hints that name options of the command line.
void add_hints(const Arguments& arguments, std::vector<Diagnostic>& diagnostics) {
  const bool has_file_as_output = std::ranges::any_of(
      arguments.options.outputs, [](const std::string& name) { return name.ends_with(".xml"); });
  add_memory_hints(arguments.options.max_memory, diagnostics);
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.code == DiagnosticCode::bad_interface && has_file_as_output)
      diagnostic.hint = "--output is for names of tensors; use -o or --output-model for the file";
  }
}

/// A progress bar for long conversions. Draws on standard error, only if that is a terminal and the work has
/// taken longer than a second.
class ProgressBar {
 public:
  void show(std::string_view stage, double fraction) {
    constexpr std::size_t kWidth = 30;
    constexpr std::chrono::seconds kDelay{1};
    if (!is_terminal_ || std::chrono::steady_clock::now() - start_ < kDelay) return;
    std::string bar(kWidth, '.');
    bar.replace(0, static_cast<std::size_t>(fraction * kWidth), static_cast<std::size_t>(fraction * kWidth),
                '#');
    std::fprintf(stderr, "\r\x1b[K[%s] %.*s", bar.c_str(), static_cast<int>(stage.size()), stage.data());
    drawn_ = true;
  }
  /// Removes the bar.
  void clear() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
    drawn_ = false;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool is_terminal_ = platform::is_error_stream_a_terminal();
  bool drawn_ = false;
};

/// Converts the models one by one, or several at the same time.
class Run {
 public:
  Run(const Arguments& arguments, std::vector<Job> jobs)
      : arguments_(arguments),
        jobs_(std::move(jobs)),
        files_(arguments),
        outcomes_(jobs_.size()),
        done_(jobs_.size()) {
    for (const Job& job : jobs_) {
      if (!arguments.only_checks) files_.add_pair(job.xml);
    }
  }

  int convert_all() {
    if (report(arguments_, output_problem_before())) return kModelError;
    if (jobs_.size() == 1) {
      convert_only_model();
    } else {
      std::vector<std::jthread> threads;
      const std::size_t most = std::min<std::size_t>(arguments_.jobs, jobs_.size());
      start_workers(threads, most);
      if (threads.empty()) run_worker();
      // In the order of the models, whichever is done first.
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        done_[i].wait(false);
        print_outcome(i);
      }
    }
    int code = kDone;
    for (const Outcome& outcome : outcomes_) code = std::max(code, exit_code_of(outcome.diagnostics));
    // The graphs of --print-after go to standard error, so that a failure cannot be reported.
    if (!arguments_.options.debug.print_after.empty() && !std::cerr.good())
      code = std::max(code, kModelError);
    if (!arguments_.report.empty() && !write_report()) code = std::max(code, kModelError);
    return code;
  }

 private:
  /// The reason why nothing may be written, as far as it is known before the first conversion. One model may
  /// be written over the external data of the next one.
  std::optional<Diagnostic> output_problem_before() {
    if (jobs_.size() == 1) return files_.problem_before_reading();
    auto problem = files_.problem();
    if (problem || !files_.replaces_any()) return problem;
    for (const Job& job : jobs_) {
      if (job.model != kStandardStream)
        files_.add_read(external_files(job.model, arguments_.options.external_data_folder), job.model);
    }
    return files_.problem();
  }

  /// If there is only one model, the process ends after it. The model is never destroyed, because freeing
  /// millions of nodes takes as long as writing them. See Options::keep_source.
  void convert_only_model() {
    ProgressBar bar;
    Options options = options_of(outcomes_[0]);
    options.keep_source = true;
    options.progress = [&bar](std::string_view stage, double fraction) { bar.show(stage, fraction); };
    static Conversion& conversion = *std::make_unique<Conversion>().release();
    const auto start = std::chrono::steady_clock::now();
    conversion = convert_model(jobs_[0].model, options);
    if (conversion.model) bar.show("writing", 1);
    finish(jobs_[0], conversion, outcomes_[0], start);
    bar.clear();
    print_outcome(0);
  }

  /// Starts fewer threads if there is no memory for more.
  void start_workers(std::vector<std::jthread>& threads, std::size_t most) {
    try {
      for (std::size_t i = 0; i < most; ++i) threads.emplace_back([this] { run_worker(); });
    } catch (const std::system_error&) {
      return;
    }
  }

  void run_worker() {
    for (std::size_t i = next_++; i < jobs_.size(); i = next_++) {
      const auto start = std::chrono::steady_clock::now();
      try {
        Conversion conversion = convert_model(jobs_[i].model, options_of(outcomes_[i]));
        finish(jobs_[i], conversion, outcomes_[i], start);
      } catch (const std::bad_alloc&) {
        outcomes_[i].diagnostics.push_back(
            error_of(DiagnosticCode::out_of_memory, "the conversion needs more memory than is available"));
      }
      done_[i].test_and_set();
      done_[i].notify_one();
    }
  }

  /// Graphs are printed at once, or with the outcome if several models are converted at the same time.
  Options options_of(Outcome& outcome) const {
    Options options = arguments_.options;
    options.debug.dump = [this, &outcome](std::string_view pass, std::string_view text) {
      const std::string graph = fmt::format("// after {}\n{}", pass, text);
      if (jobs_.size() == 1) {
        std::cerr << graph;
      } else {
        outcome.log += graph;
      }
    };
    if (arguments_.verbose) {
      options.debug.pass_finished = [&outcome](std::string_view stage, double seconds, bool modified) {
        outcome.times.add(stage, seconds, modified);
      };
    }
    return options;
  }

  /// The reason why the IR, or without a model the report, must not be written now that the files of the
  /// model are known. Of many models, most were compared before the first conversion.
  std::optional<Diagnostic> output_problem_after(const Job& job, const Conversion& conversion,
                                                 Outcome& outcome) const {
    if (jobs_.size() > 1 && files_.knows(conversion.files)) return std::nullopt;
    WrittenFiles files = files_;
    files.add_read(conversion.files, job.model);
    WrittenFiles others(arguments_);
    others.add_read(conversion.files, job.model);
    outcome.keeps_report = others.problem().has_value();
    return conversion.model ? files.problem() : others.problem();
  }

  void finish(const Job& job, Conversion& conversion, Outcome& outcome,
              std::chrono::steady_clock::time_point start) const {
    auto refused = output_problem_after(job, conversion, outcome);
    if (!refused && conversion.model && !arguments_.html.empty())
      refused = write_html_page(arguments_.html, [&] { return conversion.model->html(); });
    if (refused) {
      conversion.diagnostics.push_back(*std::move(refused));
    } else if (conversion.model && !arguments_.only_checks) {
      const auto before = std::chrono::steady_clock::now();
      if (auto problem = save_pair(*conversion.model, job.xml, arguments_.saving)) {
        conversion.diagnostics.push_back(*std::move(problem));
      } else if (arguments_.verbose) {
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - before;
        outcome.times.add_writing(time.count());
      }
    }
    if (conversion.model && has_summary(arguments_)) outcome.layers = conversion.model->layer_count();
    add_hints(arguments_, conversion.diagnostics);
    if (!arguments_.report.empty()) outcome.json = to_json(conversion);
    outcome.diagnostics = conversion.diagnostics;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    outcome.seconds = time.count();
  }

  void print_outcome(std::size_t index) const {
    const Outcome& outcome = outcomes_[index];
    const Job& job = jobs_[index];
    std::cerr << outcome.log;
    print(arguments_, outcome.diagnostics, job.model);
    if (is_for_programs(arguments_.diagnostics_format)) return;
    if (const auto errors = outcome.error_count(); errors != 0) {
      std::cerr << "onnx2ir: '" << job.model << "' was not converted: " << errors
                << (errors == 1 ? " error\n" : " errors\n");
      return;
    }
    if (arguments_.verbose) std::cerr << outcome.times.text(jobs_.size() == 1 ? "" : job.model + ": ");
    if (!has_summary(arguments_)) return;
    if (arguments_.only_checks) {
      std::cerr << "would write '" << job.xml.string() << "'\n";
      return;
    }
    const auto bin = std::filesystem::path(job.xml).replace_extension(".bin");
    std::error_code no_error;
    std::cerr << summary_text({job.xml.string(), bin.string(), outcome.layers,
                               std::filesystem::file_size(bin, no_error), outcome.seconds});
  }

  std::string report_text() const {
    Json models = Json::array();
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Outcome& outcome = outcomes_[i];
      const bool is_converted = outcome.error_count() == 0;
      const bool is_written = is_converted && !arguments_.only_checks;
      Json one{{"model", jobs_[i].model},
               {"converted", is_converted},
               {"xml", is_written ? Json(jobs_[i].xml.string()) : Json(nullptr)},
               {"seconds", outcome.seconds}};
      one.update(outcome.json.empty() ? Json{{"diagnostics", Json::parse(to_json(outcome.diagnostics))}}
                                      : Json::parse(outcome.json));
      models.push_back(std::move(one));
    }
    return indented_text({{"onnx2ir", version()}, {"models", std::move(models)}}) + '\n';
  }

  bool write_report() const {
    if (std::ranges::any_of(outcomes_, &Outcome::keeps_report)) return false;
    if (arguments_.report == kStandardStream) return print_result(report_text()) == kDone;
    const auto reason = write_text(arguments_.report, report_text());
    if (reason)
      std::cerr << "onnx2ir: the report '" << arguments_.report << "' cannot be written: " << *reason << '\n';
    return !reason;
  }

  const Arguments& arguments_;
  std::vector<Job> jobs_;
  WrittenFiles files_;
  std::vector<Outcome> outcomes_;
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::atomic_flag> done_;  ///< for each job: its outcome is complete
};

}  // namespace

Conversion convert_model(const std::string& model, const Options& options) {
  if (model != kStandardStream) return convert_file(model, options);
  const std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  return convert_bytes(std::as_bytes(std::span(bytes)), options);
}

int convert_models(const Arguments& arguments) {
  auto jobs = jobs_of(arguments);
  if (!jobs) {
    std::cerr << "onnx2ir: " << jobs.error().message << '\n';
    return kUsage;
  }
  return Run(arguments, *std::move(jobs)).convert_all();
}

}  // namespace onnx2ir::cli
