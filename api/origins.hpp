// Where the layers of a converted model come from (ir/origins.hpp).
#pragma once

#include "api/model.hpp"
#include "ir/origins.hpp"

namespace onnx2ir {

/// The origins of the layers of `written`, a copy of the model of `converted`. The operators of ONNX are
/// known if the ONNX model was kept (Options::keep_source); for a model that was read from an IR, nothing is
/// known.
ir::Origins origins_of(const Model::Implementation& converted, const ir::Model& written);

}  // namespace onnx2ir
