#include "cli/progress_bar.hpp"

#include <cstdio>
#include <string>

#include "platform/process.hpp"

namespace onnx2ir::cli {

ProgressBar::ProgressBar()
    : start_(std::chrono::steady_clock::now()), is_terminal_(platform::is_error_stream_a_terminal()) {}

void ProgressBar::show(std::string_view stage, double fraction) {
  constexpr std::size_t kWidth = 30;
  constexpr std::chrono::seconds kDelay{1};
  if (!is_terminal_ || std::chrono::steady_clock::now() - start_ < kDelay) return;
  std::string bar(kWidth, '.');
  bar.replace(0, static_cast<std::size_t>(fraction * kWidth), static_cast<std::size_t>(fraction * kWidth),
              '#');
  std::fprintf(stderr, "\r\x1b[K[%s] %.*s", bar.c_str(), static_cast<int>(stage.size()), stage.data());
  drawn_ = true;
}

void ProgressBar::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace onnx2ir::cli
