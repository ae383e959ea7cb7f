// What the IR records of its conversion.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "onnx2ir/options.hpp"
#include "target/target.hpp"

namespace onnx2ir {

/// (name, value). No path and no time, so that the same model gives the same files everywhere.
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// The compiler's version, the framework, and the options that change the IR.
Provenance provenance(const Options& options, const target::Target& target);

/// The options that are not the default ones and change the IR, apart from target_runtime: in
/// option_table.cpp.
Provenance option_facts(const Options& options);

/// Adds the releases of `target` to those that the IR was legalised for.
void record_legalization(Provenance& facts, const target::Target& target);

/// The releases that an IR was converted or legalised for; none if onnx2ir did neither. All supported ones if
/// this version does not support them.
std::vector<target::Target> recorded_targets(const Provenance& facts);

}  // namespace onnx2ir
