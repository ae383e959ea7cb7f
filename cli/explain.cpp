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

void add_codes(std::vector<Subject>& subjects) {
  for (const DiagnosticCodeInfo& code : kDiagnosticCodes)
    subjects.push_back({std::string(code.name), std::string(code.name) +
                                                    ": the code of an error, a warning or a remark\n\n" +
                                                    sentence(code.meaning) +
                                                    "\nWhat to do: " + with_commands(sentence(code.remedy))});
}

void add_faults(std::vector<Subject>& subjects) {
  for (const FaultInfo& fault : list_faults()) {
    const std::string last = fault.last_release.empty() ? "the newest supported release" : fault.last_release;
    subjects.push_back({std::string(fault.name),
                        std::string(fault.name) + ": a fault of OpenVINO's CPU plugin\n\n" +
                            sentence(fault.summary) + "\nreleases: " + fault.first_release + " to " + last +
                            "\ninstruction sets: " +
                            std::string(fault.instruction_sets.empty() ? "all" : fault.instruction_sets) +
                            "\nThe IR has a workaround unless --target-runtime excludes these releases.\n"});
  }
}

/// The numbers become texts first: the library of fmt (cmake/fmt) lacks what a list of numbers needs.
std::string versions_of(const OperatorInfo& row, std::string_view separator) {
  std::vector<std::string> versions;
  for (const int version : row.versions) versions.push_back(std::to_string(version));
  return fmt::format("{}", fmt::join(versions, separator));
}

void add_operators(std::vector<Subject>& subjects) {
  for (const OperatorInfo& row : supported_operators()) {
    const std::string domain = row.domain.empty() ? "ai.onnx" : row.domain;
    const std::string text =
        row.name + ": an operator of " + domain + "\n\nversions: " + versions_of(row, ", ") +
        "\nconverted by: " +
        (row.lowering == "translator" ? "a translator of onnx2ir" : "the function body that ONNX defines") +
        "\nnot converted: " + (row.limits.empty() ? "nothing is excluded" : row.limits) + '\n';
    subjects.push_back({row.name, text});
    subjects.push_back({domain + '.' + row.name, text});
  }
}

void add_options(std::vector<Subject>& subjects) {
  Arguments arguments;
  const std::vector<Option> options = all_options(arguments);
  for (const Option& option : options) {
    if (option.group.empty()) continue;
    const std::string value = option.is_flag() ? "" : ' ' + option.value_name;
    std::string text = "--" + option.name + value + ": an option (" + option.group + ")\n\n" +
                       sentence(documented_summary(option));
    if (!option.choices.empty())
      text += "\nvalues: " + fmt::format("{}", fmt::join(option.choices, ", ")) + '\n';
    subjects.push_back({"--" + option.name, text});
    subjects.push_back({option.name, text});
  }
}

void add_passes(std::vector<Subject>& subjects) {
  for (const PassInfo& pass : list_passes())
    subjects.push_back({std::string(pass.name),
                        std::string(pass.name) + ": a pass of the compiler\n\n" + sentence(pass.summary)});
}

std::vector<Subject> all_subjects() {
  std::vector<Subject> subjects;
  add_codes(subjects);
  add_faults(subjects);
  add_operators(subjects);
  add_options(subjects);
  add_passes(subjects);
  for (const ManualTopic& topic : manual_topics())
    subjects.push_back({std::string(topic.name), std::string(topic.text)});
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
