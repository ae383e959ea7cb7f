// The times of the stages of a conversion, and which passes have changed the model: for --verbose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir::cli {

class StageTimes {
 public:
  /// A stage or a pass is finished. A pass can run several times.
  void add(std::string_view stage, double seconds, bool modified);
  void add_writing(double seconds) { writing_ += seconds; }

  /// A line for each stage, and for each pass that has changed the model or taken a twentieth of the time.
  /// `prefix` is put before each line.
  std::string text(std::string_view prefix) const;

 private:
  struct Pass {
    std::string name;
    double seconds = 0;
    unsigned runs = 0;
    unsigned changes = 0;
  };
  double import_ = 0;
  double writing_ = 0;
  std::vector<Pass> passes_;  ///< in the order of their first runs
};

}  // namespace onnx2ir::cli
