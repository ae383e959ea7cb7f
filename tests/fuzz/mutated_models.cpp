// Converts mutated models, each in a separate process, and counts the outcomes.
//
//     onnx2ir_mutated_models [--count N] [--first N] [--jobs N] [--keep FOLDER] MODEL...
//
// Case i mutates model i modulo the number of models, with the seed i. A case is bad if it crashes, ends as a
// fault of onnx2ir, or takes more than 10 s of processor time or 1 GiB; --keep writes its model to FOLDER.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <onnx2ir/onnx2ir.hpp>
#include <span>
#include <string>
#include <vector>

#include "mutator/external_files.hpp"
#include "mutator/mutate.hpp"

namespace {

using namespace onnx2ir;

constexpr double kMaxSeconds = 10;
constexpr std::int64_t kMaxMemory = std::int64_t{1} << 30U;
constexpr int kDone = 0;
constexpr int kRefused = 1;
constexpr int kInternal = 3;

struct Arguments {
  std::uint64_t count = 1000;
  std::uint64_t first = 0;
  std::size_t jobs = 1;
  std::filesystem::path kept;
  std::vector<std::string> models;
};

struct Counts {
  std::uint64_t converted = 0;
  std::uint64_t refused = 0;
  std::uint64_t crashes = 0;
  std::uint64_t faults = 0;
  std::uint64_t slow = 0;
  std::uint64_t large = 0;
  double slowest = 0;
  std::int64_t largest = 0;

  std::uint64_t bad() const { return crashes + faults + slow + large; }
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Run {
 public:
  explicit Run(const Arguments& arguments) : arguments_(arguments) {
    for (const std::string& path : arguments.models) models_.push_back(read_file(path));
  }

  Counts all() {
    for (std::uint64_t i = arguments_.first; i < arguments_.first + arguments_.count; ++i) {
      if (running_.size() == arguments_.jobs) wait_for_one();
      start(i);
    }
    while (!running_.empty()) wait_for_one();
    return counts_;
  }

 private:
  std::string mutated(std::uint64_t index) const {
    fuzz::Random random(index);
    return fuzz::mutated_model(models_[index % models_.size()], random);
  }

  /// What the process of a case does; its exit code.
  int convert(std::uint64_t index) const {
    const std::string model = mutated(index);
    Options options;
    options.external_data_folder = files_.folder();
    const Conversion conversion = convert_bytes(std::as_bytes(std::span(model)), options);
    for (const Diagnostic& diagnostic : conversion.diagnostics) {
      if (diagnostic.code == onnx2ir::DiagnosticCode::internal_error) return kInternal;
    }
    if (!conversion.model) return kRefused;
    const auto xml = files_.folder() / (std::to_string(index) + ".xml");
    const auto problem = conversion.model->save(xml);
    std::filesystem::remove(xml);
    std::filesystem::remove(std::filesystem::path(xml).replace_extension(".bin"));
    return problem ? kRefused : kDone;
  }

  void start(std::uint64_t index) {
    const pid_t child = ::fork();
    if (child < 0) {
      std::perror("onnx2ir_mutated_models: fork");
      std::exit(2);
    }
    if (child > 0) {
      running_.emplace(child, index);
      return;
    }
    // Higher than the limit, so that the excess is measured.
    const rlimit seconds{static_cast<rlim_t>(2 * kMaxSeconds), static_cast<rlim_t>(2 * kMaxSeconds)};
    const rlimit bytes{4 * kMaxMemory, 4 * kMaxMemory};
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CPU, &seconds);
    ::setrlimit(RLIMIT_AS, &bytes);
    ::setrlimit(RLIMIT_CORE, &no_core);
    int code = kRefused;
    try {
      code = convert(index);
    } catch (const std::bad_alloc&) {
      code = kRefused;
    }
    ::_exit(code);
  }

  void wait_for_one() {
    int status = 0;
    rusage usage{};
    const pid_t child = ::wait4(-1, &status, 0, &usage);
    const auto found = running_.find(child);
    if (found == running_.end()) return;
    const std::uint64_t index = found->second;
    running_.erase(found);
    const auto seconds_of = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    count(index, status, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
          static_cast<std::int64_t>(usage.ru_maxrss) * 1024);
  }

  void count(std::uint64_t index, int status, double seconds, std::int64_t memory) {
    counts_.slowest = std::max(counts_.slowest, seconds);
    counts_.largest = std::max(counts_.largest, memory);
    std::string why;
    if (seconds > kMaxSeconds) {
      ++counts_.slow;
      why = "slow";
    } else if (memory > kMaxMemory) {
      ++counts_.large;
      why = "large";
    } else if (!WIFEXITED(status)) {
      ++counts_.crashes;
      why = "signal " + std::to_string(WTERMSIG(status));
    } else if (WEXITSTATUS(status) == kDone) {
      ++counts_.converted;
    } else if (WEXITSTATUS(status) == kRefused) {
      ++counts_.refused;
    } else {
      ++counts_.faults;
      why = "exit code " + std::to_string(WEXITSTATUS(status));
    }
    if (!why.empty()) report(index, why, seconds, memory);
  }

  void report(std::uint64_t index, const std::string& why, double seconds, std::int64_t memory) const {
    std::cout << fmt::format("case {} of '{}': {}, {:.1f} s, {} MiB\n", index,
                             arguments_.models[index % models_.size()], why, seconds, memory >> 20)
              << std::flush;
    if (!arguments_.kept.empty())
      std::ofstream(arguments_.kept / (std::to_string(index) + ".onnx"), std::ios::binary) << mutated(index);
  }

  const Arguments& arguments_;
  const fuzz::ExternalFiles files_;
  std::vector<std::string> models_;
  std::map<pid_t, std::uint64_t> running_;
  Counts counts_;
};

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (has_value && words[i] == "--count") {
      arguments.count = std::stoull(words[++i]);
    } else if (has_value && words[i] == "--first") {
      arguments.first = std::stoull(words[++i]);
    } else if (has_value && words[i] == "--jobs") {
      arguments.jobs = std::max<std::size_t>(1, std::stoull(words[++i]));
    } else if (has_value && words[i] == "--keep") {
      arguments.kept = words[++i];
    } else {
      arguments.models.push_back(words[i]);
    }
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse({argv + 1, argv + argc});
  if (arguments.models.empty()) {
    std::fputs("onnx2ir_mutated_models: no model is given\n", stderr);
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const Counts counts = Run(arguments).all();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::cout << fmt::format(
      "{} mutated models (of {}): {} converted, {} refused, {} crashes, {} faults of onnx2ir, {} over 10 s, "
      "{} over 1 GiB\nslowest {:.2f} s, largest {} MiB; {:.0f} s in all\n",
      arguments.count, arguments.models.size(), counts.converted, counts.refused, counts.crashes,
      counts.faults, counts.slow, counts.large, counts.slowest, counts.largest >> 20, time.count());
  return counts.bad() == 0 ? 0 : 1;
}
