#include "cli/explain.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <iterator>
#include <onnx2ir/onnx2ir.hpp>

#include "cli/arguments.hpp"
#include "cli/documentation.hpp"
#include "cli/messages.hpp"

namespace onnx2ir::cli {
namespace {

/// What a word can mean.
struct Subject {
  std::string name;
  std::string text;  ///< several lines
};

/// A sentence ends with a full stop.
std::string sentence(std::string_view text) {
  return std::string(text) + (text.ends_with('.') || text.ends_with(':') ? "\n" : ".\n");
}

/// The numbers become texts first: the library of fmt (cmake/fmt) lacks what a list of numbers needs.
std::string versions_of(const OperatorInfo& row, std::string_view separator) {
  std::vector<std::string> versions;
  for (const int version : row.versions) versions.push_back(std::to_string(version));
  return fmt::format("{}", fmt::join(versions, separator));
}

std::vector<Subject> all_subjects() {
  std::vector<Subject> subjects;
  const auto add = [&](std::string_view name, std::string_view text) {
    subjects.push_back({std::string(name), std::string(text)});
  };
  for (const DiagnosticCodeInfo& code : kDiagnosticCodes)
    add(code.name, fmt::format("{}: the code of an error, a warning or a remark\n\n{}\nWhat to do: {}",
                               code.name, sentence(code.meaning), with_commands(sentence(code.remedy))));
  for (const FaultInfo& fault : list_faults())
    add(fault.name,
        fmt::format("{}: a fault of OpenVINO's CPU plugin\n\n{}\nreleases: {} to {}\ninstruction sets: {}\n"
                    "The IR has a workaround unless --target-runtime excludes these releases.\n",
                    fault.name, sentence(fault.summary), fault.first_release,
                    fault.last_release.empty() ? "the newest supported release" : fault.last_release,
                    fault.instruction_sets.empty() ? "all" : fault.instruction_sets));
  for (const OperatorInfo& row : supported_operators()) {
    const std::string domain = row.domain.empty() ? "ai.onnx" : row.domain;
    const std::string text = fmt::format(
        "{}: an operator of {}\n\nversions: {}\nconverted by: {}\nnot converted: {}\n", row.name, domain,
        versions_of(row, ", "),
        row.lowering == "translator" ? "a translator of onnx2ir" : "the function body that ONNX defines",
        row.limits.empty() ? "nothing is excluded" : row.limits);
    add(row.name, text);
    add(domain + '.' + row.name, text);
  }
  Arguments arguments;
  for (const Option& option : all_options(arguments)) {
    if (option.group.empty()) continue;
    std::string text = fmt::format("--{}{}{}: an option ({})\n\n{}", option.name, option.is_flag() ? "" : " ",
                                   option.value_name, option.group, sentence(documented_summary(option)));
    if (!option.choices.empty()) text += fmt::format("\nvalues: {}\n", fmt::join(option.choices, ", "));
    add("--" + option.name, text);
    add(option.name, text);
  }
  for (const PassInfo& pass : list_passes())
    add(pass.name, fmt::format("{}: a pass of the compiler\n\n{}", pass.name, sentence(pass.summary)));
  for (const ManualTopic& topic : manual_topics()) add(topic.name, topic.text);
  return subjects;
}

/// For comparisons: names differ in capitals, and options also in hyphens and underscores.
std::string folded(std::string_view text) {
  std::string folded;
  for (const char letter : text)
    folded += letter == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return folded;
}

/// A code may be copied with its brackets.
std::string_view without_brackets(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']' ? word.substr(1, word.size() - 2)
                                                                      : word;
}

std::string overview() {
  std::vector<std::string_view> topics;
  for (const ManualTopic& topic : manual_topics()) topics.push_back(topic.name);
  return "onnx2ir explain WORD... explains\n"
         "  the code of an error or a warning, as in [undefined-name]: --list-diagnostics lists them\n"
         "  a fault of OpenVINO: --list-faults\n"
         "  an operator, Loop or com.microsoft.Attention: --list-ops\n"
         "  an option: --help\n"
         "  a pass: --list-passes\n"
         "  a topic, by printing its document: " +
         fmt::format("{}\n", fmt::join(topics, ", "));
}

}  // namespace

std::string with_commands(std::string text) {
  constexpr std::string_view kFolder = "docs/";
  constexpr std::string_view kEnd = ".md";
  for (std::size_t at = 0; (at = text.find(kFolder, at)) != std::string::npos;) {
    const std::size_t end = text.find(kEnd, at);
    if (end == std::string::npos) break;
    const std::string name = text.substr(at + kFolder.size(), end - at - kFolder.size());
    const std::string command = "`onnx2ir explain " + (name == "operators" ? "OPERATOR" : name) + '`';
    text.replace(at, end + kEnd.size() - at, command);
    at += command.size();
  }
  return text;
}

std::string operator_list() {
  std::string list;
  for (const OperatorInfo& row : supported_operators())
    list += fmt::format("{}{}{}  {}  {}{}{}\n", row.domain, row.domain.empty() ? "" : ".", row.name,
                        versions_of(row, ","), row.lowering, row.limits.empty() ? "" : "  not: ", row.limits);
  return list;
}

std::string pass_list() {
  std::string list;
  const auto properties = [](std::string_view heading, const std::vector<std::string_view>& names) {
    return names.empty() ? std::string() : fmt::format("  {}: {}", heading, fmt::join(names, ", "));
  };
  for (const PassInfo& pass : list_passes())
    list += fmt::format("{}  {}{}{}\n", pass.name, pass.summary, properties("requires", pass.required),
                        properties("ensures", pass.ensured));
  return list;
}

std::string fault_list() {
  std::string list;
  for (const FaultInfo& fault : list_faults())
    list += fmt::format("{}  {}..{}  {}  {}\n", fault.name, fault.first_release, fault.last_release,
                        fault.instruction_sets.empty() ? "all" : fault.instruction_sets, fault.summary);
  return list;
}

std::string diagnostic_list() {
  std::string list;
  for (const DiagnosticCodeInfo& code : kDiagnosticCodes)
    list += fmt::format("{}  {}  {}\n", code.name, code.meaning, with_commands(std::string(code.remedy)));
  return list;
}

int explain(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") return print_result(overview());
  const std::vector<Subject> subjects = all_subjects();
  std::string text;
  for (const std::string& word : words) {
    const std::string wanted = folded(without_brackets(word));
    std::vector<std::string> printed;
    for (const Subject& subject : subjects) {
      if (folded(subject.name) != wanted || std::ranges::find(printed, subject.text) != printed.end())
        continue;
      text += (text.empty() ? "" : "\n") + subject.text;
      printed.push_back(subject.text);
    }
    if (!printed.empty()) continue;
    std::vector<std::string> names;
    names.reserve(subjects.size());
    for (const Subject& subject : subjects) names.push_back(subject.name);
    const std::string nearest = nearest_name(without_brackets(word), names);
    print_result(text);
    std::cerr << "onnx2ir: there is no code, fault, operator, option, pass or topic '" << word << '\''
              << (nearest.empty() ? "; onnx2ir explain lists the topics"
                                  : "; did you mean '" + nearest + "'?")
              << '\n';
    return kUsage;
  }
  return print_result(text);
}

}  // namespace onnx2ir::cli
