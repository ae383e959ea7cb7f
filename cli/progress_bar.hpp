// A progress bar on the terminal for long conversions.
#pragma once

#include <chrono>
#include <string_view>

namespace onnx2ir::cli {

/// Draws on standard error, only if that is a terminal and the work has taken longer than a second.
class ProgressBar {
 public:
  ProgressBar();
  void show(std::string_view stage, double fraction);
  /// Removes the bar.
  void clear();

 private:
  std::chrono::steady_clock::time_point start_;
  bool is_terminal_;
  bool drawn_ = false;
};

}  // namespace onnx2ir::cli
