#include "cli/stage_times.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace onnx2ir::cli {

void StageTimes::add(std::string_view stage, double seconds, bool modified) {
  if (stage == "import") {
    import_ += seconds;
    return;
  }
  auto pass = std::ranges::find(passes_, stage, &Pass::name);
  if (pass == passes_.end()) pass = passes_.insert(pass, Pass{.name = std::string(stage)});
  pass->seconds += seconds;
  ++pass->runs;
  if (modified) ++pass->changes;
}

std::string StageTimes::text(std::string_view prefix) const {
  constexpr double kShare = 0.05;
  double seconds = 0;
  std::size_t changing = 0;
  for (const Pass& pass : passes_) {
    seconds += pass.seconds;
    if (pass.changes != 0) ++changing;
  }
  std::string text;
  const auto line = [&](std::string_view name, double time, std::string_view remark) {
    text += fmt::format("{}{:<40} {:9.3f} ms{}{}\n", prefix, name, time * 1e3, remark.empty() ? "" : "  ",
                        remark);
  };
  if (import_ != 0) line("import", import_, "");
  line("passes", seconds, fmt::format("{} of {} have changed the model", changing, passes_.size()));
  for (const Pass& pass : passes_) {
    if (pass.changes == 0 && pass.seconds < kShare * (import_ + seconds + writing_)) continue;
    line("  " + pass.name, pass.seconds,
         pass.changes == 0 ? std::string()
         : pass.runs == 1  ? std::string("changed")
                           : fmt::format("changed in {} of {} runs", pass.changes, pass.runs));
  }
  if (writing_ != 0) line("write", writing_, "");
  return text;
}

}  // namespace onnx2ir::cli
