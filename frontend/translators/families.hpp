// The families of translators; each file of the folders beside this one holds one.
#pragma once

#include <vector>

#include "frontend/translators/registry.hpp"

namespace onnx2ir::frontend {

std::vector<TranslatorRow> if_translators();
std::vector<TranslatorRow> loop_translators();
std::vector<TranslatorRow> scan_translators();
std::vector<TranslatorRow> sequence_translators();
std::vector<TranslatorRow> optional_translators();
std::vector<TranslatorRow> elementwise_translators();

inline constexpr std::vector<TranslatorRow> (*kTranslatorFamilies[])() = {
    if_translators,       loop_translators,     scan_translators,
    sequence_translators, optional_translators, elementwise_translators,
};

}  // namespace onnx2ir::frontend
