// Names of operators and attributes that the converter supports.
#pragma once

#include <string>
#include <vector>

#include "mutator/random.hpp"

namespace onnx2ir::fuzz {

struct Operator {
  std::string domain;
  std::string name;
};

/// One of the operators that are converted.
const Operator& random_operator(Random& random);

std::string random_attribute_name(Random& random);

}  // namespace onnx2ir::fuzz
