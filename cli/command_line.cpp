#include "cli/command_line.hpp"

#include <algorithm>
#include <onnx2ir/onnx2ir.hpp>

namespace onnx2ir::cli {
namespace {

/// An option on the command line with its value, as written.
struct GivenOption {
  std::string option;  ///< "--threads"
  std::optional<std::string> value;
};

class CommandLine {
 public:
  CommandLine(std::span<const std::string> arguments, std::span<const Option> options,
              std::vector<std::string>& words)
      : arguments_(arguments), options_(options), words_(words) {}

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
  std::optional<std::string> take_long(const std::string& argument) {
    const auto equals = argument.find('=');
    GivenOption written{argument.substr(0, equals), std::nullopt};
    if (equals != std::string::npos) written.value = argument.substr(equals + 1);
    std::string name = written.option.substr(2);
    std::ranges::replace(name, '_', '-');
    const auto option = std::ranges::find(options_, name, &Option::name);
    if (option != options_.end()) return take(*option, std::move(written));
    std::vector<std::string> known;
    for (const Option& one : options_) {
      if (!one.group.empty()) known.push_back(one.name);
    }
    const std::string nearest = nearest_name(name, known);
    return "there is no option " + written.option +
           (nearest.empty() ? "; --help lists the options" : "; did you mean --" + nearest + "?");
  }

  std::optional<std::string> take_short(const std::string& argument) {
    const auto option = std::ranges::find(options_, argument[1], &Option::letter);
    if (option == options_.end())
      return "there is no option " + argument.substr(0, 2) + "; --help lists the options";
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
    if (auto problem = option.set(*written.value)) return written.option + ": " + *problem;
    return std::nullopt;
  }

  std::span<const std::string> arguments_;
  std::span<const Option> options_;
  std::vector<std::string>& words_;
  std::size_t at_ = 0;
};

}  // namespace

Option flag(std::string name, std::string summary, std::string group, CommandSet commands, bool& target) {
  const auto set = [&target](std::string_view value) { return set_flag(target, value); };
  return {std::move(name), 0, "", std::move(summary), std::move(group), set, commands};
}

std::optional<std::string> parse(std::span<const std::string> arguments, std::span<const Option> options,
                                 std::vector<std::string>& words) {
  return CommandLine(arguments, options, words).parse();
}

}  // namespace onnx2ir::cli
