#include "platform/process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace onnx2ir::platform {

void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  // RLIMIT_AS is not used because it includes code and mapped files.
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, bytes);
  ::setrlimit(RLIMIT_DATA, &limit);
}

std::vector<std::string> arguments(int count, char** values) {
  return {values + std::min(count, 1), values + count};
}

void use_plain_streams() {}

bool is_error_stream_a_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

std::filesystem::path standard_input_path() {
  return "/dev/stdin";
}

std::string python_name() {
  return "python3";
}

void run_instead(std::vector<std::string> words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
}

}  // namespace onnx2ir::platform
