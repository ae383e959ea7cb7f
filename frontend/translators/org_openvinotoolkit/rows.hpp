// The inputs and rows of OpenVINO's own operators. Old exporters of OpenVINO and NNCF also wrote them without
// a domain.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "frontend/graph/translator_table.hpp"

namespace onnx2ir::frontend {

inline constexpr std::string_view kOpenvino = "org.openvinotoolkit";

/// The first `count` inputs, all of which must be present, for an IR operation that has the same.
Values take_inputs(const NodeContext& node, std::size_t count);

/// `rows` in OpenVINO's domain, and in ONNX's own.
std::vector<TranslatorRow> openvino_rows(std::vector<TranslatorRow> rows);

}  // namespace onnx2ir::frontend
