// Registers a benchmark for each stage of a conversion.
#pragma once

#include <string>

/// Reading, importing (reading and translating), inference, passes, weights and XML of the model at path
/// `model`.
void register_stages(const std::string& model);
