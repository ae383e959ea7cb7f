#include "passes/emitters.hpp"

#include <cstddef>
#include <string>

#include "passes/legality/workaround.hpp"

namespace onnx2ir::passes {
namespace {

void add_fault(ir::Emitter& emitter, const target::FaultDescription& fault) {
  emitter.faults.emplace_back(fault.name, fault.summary);
}

/// What the workarounds with a row for `fault` do.
std::string summary_of(Fault fault) {
  std::string text;
  for (const Workaround& workaround : workarounds()) {
    if (!faults_of(workaround).contains(fault)) continue;
    if (!text.empty()) text += "; ";
    text += workaround.summary;
  }
  return text;
}

}  // namespace

std::uint16_t emitter_of(const Pass& pass) {
  const Pass* const listed = find_pass(pass.name);
  return listed == nullptr ? 0 : static_cast<std::uint16_t>(listed - pipeline().data() + 1);
}

std::uint16_t emitter_of(Fault fault) {
  return static_cast<std::uint16_t>(1 + pipeline().size() + static_cast<std::size_t>(fault));
}

std::vector<ir::Emitter> emitters() {
  std::vector<ir::Emitter> list{{"conversion of the ONNX node", "", {}}};
  for (const Pass& pass : pipeline()) {
    ir::Emitter& emitter = list.emplace_back();
    emitter.name = "pass " + std::string(pass.name);
    emitter.summary = pass.summary;
    for (const target::FaultDescription& fault : target::all_faults()) {
      if (pass.faults.contains(fault.fault)) add_fault(emitter, fault);
    }
  }
  for (const target::FaultDescription& fault : target::all_faults()) {
    ir::Emitter& emitter = list.emplace_back();
    emitter.name = "workaround";
    emitter.summary = summary_of(fault.fault);
    add_fault(emitter, fault);
  }
  return list;
}

}  // namespace onnx2ir::passes
