// Many threads convert and save at once, models of their own and one model together. Run under
// ThreadSanitizer by
// `./dev build tsan && build/tsan/onnx2ir_unit_tests "[threads]"`.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <onnx2ir/onnx2ir.hpp>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "temporary_folder.hpp"

namespace {

using onnx2ir::check_files;
using onnx2ir::convert_file;

constexpr std::size_t kThreads = 8;

/// Models with loops, branches, functions and weights.
std::vector<std::filesystem::path> models() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ONNX2IR_TESTS_DIR "/models")) {
    if (entry.path().extension().string().starts_with(".onnx")) paths.push_back(entry.path());
  }
  return paths;
}

template <typename Work>
void in_threads(Work work) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back([=] { work(i); });
}

}  // namespace

TEST_CASE("threads convert and save at once", "[threads]") {
  const TemporaryFolder folder("threads_test");
  const auto paths = models();
  REQUIRE(paths.size() > 5);
  std::atomic<int> saved{0};
  std::atomic<int> problems{0};
  in_threads([&](std::size_t thread) {
    for (std::size_t i = thread; i < paths.size() + thread; i += 4) {
      onnx2ir::Options options;
      options.compress_to_fp16 = thread % 2 == 0;
      options.threads = 2;
      const auto conversion = convert_file(paths[i % paths.size()], options);
      if (!conversion.model) continue;
      const auto xml = folder / (std::to_string(thread) + ".xml");
      if (conversion.model->save(xml) || check_files(xml)) ++problems;
      ++saved;
    }
  });
  CHECK(problems == 0);
  CHECK(saved > 10);
  CHECK(folder.files() == 2 * kThreads);
}

TEST_CASE("threads save, print and inspect one model", "[threads]") {
  const TemporaryFolder folder("one_model_test");
  const auto conversion = convert_file(ONNX2IR_TESTS_DIR "/models/powers.onnxtxt");
  REQUIRE(conversion.model);
  const std::string xml = conversion.model->xml();
  const auto weights = conversion.model->weights();
  std::atomic<int> problems{0};
  in_threads([&](std::size_t thread) {
    for (int i = 0; i < 20; ++i) {
      // All of them write the same pair.
      if (thread % 2 == 0 && conversion.model->save(folder / "one.xml")) ++problems;
      if (conversion.model->xml() != xml || conversion.model->weights() != weights) ++problems;
      if (conversion.model->text().empty() || conversion.model->inputs().empty()) ++problems;
    }
  });
  CHECK(problems == 0);
  CHECK_FALSE(check_files(folder / "one.xml"));
  CHECK(folder.files() == 2);
}

TEST_CASE("threads write different models to one pair", "[threads]") {
  const TemporaryFolder folder("one_pair_test");
  const auto paths = models();
  std::atomic<int> problems{0};
  in_threads([&](std::size_t thread) {
    const auto conversion = convert_file(paths[thread % paths.size()]);
    if (!conversion.model) return;
    for (int i = 0; i < 20; ++i) {
      if (conversion.model->save(folder / "pair.xml") || check_files(folder / "pair.xml")) ++problems;
    }
  });
  CHECK(problems == 0);
  CHECK(folder.files() == 2);
}
