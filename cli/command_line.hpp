// Options of a command line. Parsing and documentation use the same table.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"

namespace onnx2ir::cli {

struct Option {
  std::string name;        ///< "target-runtime", without --; underscores are equivalent to hyphens
  char letter = 0;         ///< 'o' for -o
  std::string value_name;  ///< "RELEASES"; empty for flags
  std::string summary;     ///< one sentence without a full stop
  std::string group;       ///< heading in the help; empty: not listed
  /// Sets the value ("true" or "false" for a flag). Returns the reason if it is invalid.
  std::function<std::optional<std::string>(std::string_view value)> set;
  CommandSet commands = {Command::convert};  ///< that take the option
  std::vector<std::string> choices = {};     ///< the valid values, for completions

  bool is_flag() const { return value_name.empty(); }
};

/// Parses `arguments`, without the program's name. Words that are not options are added to `words`. Returns
/// the reason of an error.
std::optional<std::string> parse(std::span<const std::string> arguments, std::span<const Option> options,
                                 std::vector<std::string>& words);

}  // namespace onnx2ir::cli
