#include "cli/listings.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <onnx2ir/onnx2ir.hpp>

#include "cli/explain.hpp"

namespace onnx2ir::cli {

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

}  // namespace onnx2ir::cli
