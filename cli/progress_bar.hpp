// A line on the terminal that says how far a long conversion is.
#pragma once

#include <chrono>
#include <string_view>

namespace onnx2ir::cli {

/// Draws on standard error, only when that is a terminal and the work has taken longer than a second.
class ProgressBar {
 public:
  ProgressBar();
  void show(std::string_view stage, double fraction);
  /// Takes the line away again.
  void clear();

 private:
  std::chrono::steady_clock::time_point start_;
  bool is_terminal_;
  bool drawn_ = false;
};

}  // namespace onnx2ir::cli
