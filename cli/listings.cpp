#include "cli/listings.hpp"

#include <onnx2ir/onnx2ir.hpp>
#include <sstream>

#include "cli/explain.hpp"

namespace onnx2ir::cli {

std::string operator_list() {
  std::ostringstream list;
  for (const OperatorInfo& row : supported_operators()) {
    list << (row.domain.empty() ? "" : row.domain + ".") << row.name << "  ";
    for (std::size_t i = 0; i < row.versions.size(); ++i) list << (i == 0 ? "" : ",") << row.versions[i];
    list << "  " << row.lowering;
    if (!row.limits.empty()) list << "  not: " << row.limits;
    list << '\n';
  }
  return list.str();
}

std::string pass_list() {
  std::ostringstream list;
  const auto add = [&](std::string_view heading, const std::vector<std::string_view>& properties) {
    for (std::size_t i = 0; i < properties.size(); ++i) list << (i == 0 ? heading : ", ") << properties[i];
  };
  for (const PassInfo& pass : list_passes()) {
    list << pass.name << "  " << pass.summary;
    add("  requires: ", pass.required);
    add("  ensures: ", pass.ensured);
    list << '\n';
  }
  return list.str();
}

std::string fault_list() {
  std::ostringstream list;
  for (const FaultInfo& fault : list_faults()) {
    list << fault.name << "  " << fault.first_release << ".." << fault.last_release << "  "
         << (fault.instruction_sets.empty() ? "all" : fault.instruction_sets) << "  " << fault.summary
         << '\n';
  }
  return list.str();
}

std::string diagnostic_list() {
  std::ostringstream list;
  for (const DiagnosticCodeInfo& code : kDiagnosticCodes)
    list << code.name << "  " << code.meaning << "  " << with_commands(std::string(code.remedy)) << '\n';
  return list.str();
}

}  // namespace onnx2ir::cli
