// What the IR says about its conversion.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "onnx2ir/options.hpp"
#include "target/target.hpp"

namespace onnx2ir {

/// The compiler's version, the framework, and the options that change the IR: (name, value). No path and no
/// time, so that the same model gives the same files everywhere.
std::vector<std::pair<std::string, std::string>> provenance(const Options& options,
                                                            const target::Target& target);

}  // namespace onnx2ir
