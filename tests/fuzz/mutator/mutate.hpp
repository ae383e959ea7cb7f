// Mutates the structure of models, not bytes: the results parse, and most of them pass the first checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/reader/onnx_proto.hpp"
#include "mutator/random.hpp"

namespace onnx2ir::fuzz {

/// One random change.
void mutate(onnx::ModelProto& model, Random& random);

/// `bytes` with one to eight changes; no value if it is not a ModelProto.
std::string mutated_model(std::string_view bytes, Random& random);

/// Nodes of `other` in `model`; no value if one of them is not a ModelProto.
std::string joined_models(std::string_view model, std::string_view other, Random& random);

}  // namespace onnx2ir::fuzz
