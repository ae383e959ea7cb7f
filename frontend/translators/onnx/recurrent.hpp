// LSTM, for operators that are an LSTM with other products.
#pragma once

#include "frontend/graph/node_context.hpp"
#include "frontend/translators/onnx/recurrent_cell.hpp"

namespace onnx2ir::frontend {

/// LSTM of any version, with the attributes and the inputs of `node`. With `products`, a Loop over the steps
/// computes it: the weights W and R (inputs 1 and 2) give the sizes only.
Values translate_lstm(NodeContext& node, const QuantizedProducts& products);

}  // namespace onnx2ir::frontend
