// Options of a command line. Parsing and documentation use the same table.
#pragma once

#include <algorithm>
#include <functional>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  bool is_single = false;                    ///< two different values are an error

  bool is_flag() const { return value_name.empty(); }
};

/// A flag that sets `target`.
Option flag(std::string name, std::string summary, std::string group, CommandSet commands, bool& target);

/// An option whose value is a text or a path.
template <typename Text>
Option text(std::string name, std::string value_name, std::string summary, std::string group,
            CommandSet commands, Text& target) {
  const auto set = [&target](std::string_view value) -> std::optional<std::string> {
    if (value.empty()) return "the value is empty";
    target = value;
    return std::nullopt;
  };
  return {std::move(name),
          0,
          std::move(value_name),
          std::move(summary),
          std::move(group),
          set,
          commands,
          {},
          true};
}

/// An option of the library, which sets a field of `target`.
template <typename Target>
Option library_option(const OptionInfo& info, CommandSet commands, Target& target) {
  std::string name(info.name);
  std::ranges::replace(name, '_', '-');
  return {std::move(name),
          0,
          std::string(info.value_name),
          std::string(info.summary),
          std::string(info.group),
          [&target, name = info.name](std::string_view value) { return set_option(target, name, value); },
          commands,
          {info.choices.begin(), info.choices.end()}};
}

/// Parses `arguments` of `command`, without the program's name. Words that are not options are added to
/// `words`. Returns the reason of an error. `options`: those of all commands; one of another command is an
/// error that names its commands.
std::optional<std::string> parse(std::span<const std::string> arguments, std::span<const Option> options,
                                 std::vector<std::string>& words, Command command = Command::convert);

}  // namespace onnx2ir::cli
