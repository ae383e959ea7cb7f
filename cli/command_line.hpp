// Options of a command line: one row each, from which it is parsed and documented.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir::cli {

struct Option {
  std::string name;        ///< "target-runtime", without --; underscores do for the hyphens
  char letter = 0;         ///< 'o' for -o
  std::string value_name;  ///< "RELEASES"; empty for flags
  std::string summary;     ///< one sentence without a full stop
  std::string group;       ///< heading in the help; empty: not listed
  /// Takes the value, of a flag "true" or "false"; returns what is wrong with it.
  std::function<std::optional<std::string>(std::string_view value)> set;
  std::vector<std::string> choices = {};  ///< the values that there are, for completions

  bool is_flag() const { return value_name.empty(); }
};

/// Applies `arguments`, without the program's name. Words that are no options go to `words`. Returns what is
/// wrong.
std::optional<std::string> parse(std::span<const std::string> arguments, std::span<const Option> options,
                                 std::vector<std::string>& words);

}  // namespace onnx2ir::cli
