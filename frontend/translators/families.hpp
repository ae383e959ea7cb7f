// The families of translators; each file of the folders beside this one holds one.
#pragma once

#include <vector>

#include "frontend/translators/registry.hpp"

namespace onnx2ir::frontend {

std::vector<TranslatorRow> if_translators();           ///< onnx/if.cpp
std::vector<TranslatorRow> loop_translators();         ///< onnx/loop.cpp
std::vector<TranslatorRow> elementwise_translators();  ///< onnx/elementwise.cpp

inline constexpr std::vector<TranslatorRow> (*kTranslatorFamilies[])() = {
    if_translators,
    loop_translators,
    elementwise_translators,
};

}  // namespace onnx2ir::frontend
