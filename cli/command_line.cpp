#include "cli/command_line.hpp"

#include <algorithm>
#include <map>
#include <onnx2ir/onnx2ir.hpp>
#include <utility>

namespace onnx2ir::cli {
namespace {

/// A command in a sentence about options: "conversions" or "diff".
std::string subject_of(Command command) {
  return command == Command::convert ? "conversions" : std::string(info_of(command).name);
}

/// "conversions, show and diff".
std::string text_of(const CommandSet& commands) {
  std::vector<std::string> names;
  for (const CommandInfo& info : kCommands) {
    if (commands.contains(info.command)) names.push_back(subject_of(info.command));
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

/// An option on the command line with its value, as written.
struct GivenOption {
  std::string option;  ///< "--threads"
  std::optional<std::string> value;
};

class CommandLine {
 public:
  CommandLine(std::span<const std::string> arguments, std::span<const Option> options, Command command,
              std::vector<std::string>& words)
      : arguments_(arguments), options_(options), command_(command), words_(words) {}

  std::optional<std::string> parse() {
    while (at_ < arguments_.size()) {
      const std::string& argument = arguments_[at_++];
      if (argument == "--") {
        words_.insert(words_.end(), arguments_.begin() + static_cast<std::ptrdiff_t>(at_), arguments_.end());
        return std::nullopt;
      }
      std::optional<std::string> problem;
      if (argument.starts_with("--")) {
        problem = take_long(argument);
      } else if (argument.size() > 1 && argument.front() == '-') {
        problem = take_short(argument);
      } else {
        words_.push_back(argument);
      }
      if (problem) return problem;
    }
    return std::nullopt;
  }

 private:
  bool is_accepted(const Option& option) const { return option.commands.contains(command_); }
  static bool is_documented(const Option& option) { return !option.group.empty(); }

  /// The error for an option that only other commands take. `written`: as on the command line.
  std::string text_of_other(const std::string& written, const Option& option) const {
    return written + " is an option of " + text_of(option.commands) + ", not of " + subject_of(command_);
  }

  std::optional<std::string> take_long(const std::string& argument) {
    const auto equals = argument.find('=');
    GivenOption written{argument.substr(0, equals), std::nullopt};
    if (equals != std::string::npos) written.value = argument.substr(equals + 1);
    std::string name = written.option.substr(2);
    std::ranges::replace(name, '_', '-');
    const auto option = std::ranges::find(options_, name, &Option::name);
    if (option != options_.end() && is_accepted(*option)) return take(*option, std::move(written));
    if (option != options_.end() && is_documented(*option)) return text_of_other(written.option, *option);
    std::vector<std::string> known;
    for (const Option& one : options_) {
      if (is_documented(one) && is_accepted(one)) known.push_back(one.name);
    }
    const std::string nearest = nearest_name(name, known);
    return "there is no option " + written.option +
           (nearest.empty() ? "; --help lists the options" : "; did you mean --" + nearest + "?");
  }

  std::optional<std::string> take_short(const std::string& argument) {
    const auto option = std::ranges::find(options_, argument[1], &Option::letter);
    if (option == options_.end())
      return "there is no option " + argument.substr(0, 2) + "; --help lists the options";
    if (!is_accepted(*option)) return text_of_other(argument.substr(0, 2), *option);
    GivenOption written{argument.substr(0, 2), std::nullopt};
    if (argument.size() > 2) written.value = argument.substr(argument[2] == '=' ? 3 : 2);
    return take(*option, std::move(written));
  }

  std::optional<std::string> take(const Option& option, GivenOption written) {
    if (!written.value && option.is_flag()) {
      // As in ovc: --compress_to_fp16 False.
      const bool has_truth_value = at_ < arguments_.size() && parse_flag(arguments_[at_]).has_value();
      written.value = has_truth_value ? arguments_[at_++] : "true";
    } else if (!written.value) {
      if (at_ == arguments_.size()) return written.option + " needs a value: " + option.value_name;
      written.value = arguments_[at_++];
    }
    if (option.is_single) {
      const auto [given, is_new] = single_.emplace(option.name, *written.value);
      if (!is_new && given->second != *written.value)
        return written.option + " is given twice: " + given->second + " and " + *written.value;
    }
    if (auto problem = option.set(*written.value)) return written.option + ": " + *problem;
    return std::nullopt;
  }

  std::span<const std::string> arguments_;
  std::span<const Option> options_;
  Command command_;
  std::vector<std::string>& words_;
  std::size_t at_ = 0;
  std::map<std::string, std::string> single_;  ///< the values of options that have one
};

}  // namespace

Option flag(std::string name, std::string summary, std::string group, CommandSet commands, bool& target) {
  const auto set = [&target](std::string_view value) { return set_flag(target, value); };
  return {std::move(name), 0, "", std::move(summary), std::move(group), set, std::move(commands)};
}

std::optional<std::string> parse(std::span<const std::string> arguments, std::span<const Option> options,
                                 std::vector<std::string>& words, Command command) {
  return CommandLine(arguments, options, command, words).parse();
}

}  // namespace onnx2ir::cli
