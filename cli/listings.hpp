// Lists that the command prints instead of converting.
#pragma once

#include <string>

namespace onnx2ir::cli {

std::string operator_list();
std::string pass_list();
std::string fault_list();
std::string diagnostic_list();

}  // namespace onnx2ir::cli
