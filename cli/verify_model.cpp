// The command verify.
#include <filesystem>
#include <iostream>
#include <system_error>

#include "cli/command_functions.hpp"
#include "platform/process.hpp"

namespace onnx2ir::cli {
namespace {

// Python would search the current folder for modules first.
constexpr const char* kProgram = R"(import sys
if sys.path[:1] == ['']: del sys.path[0]
try:
    from onnx2ir.verify.__main__ import main
except ModuleNotFoundError as error:
    if error.name.split(".")[0] == "onnx2ir":
        print(f"onnx2ir: verify needs the Python module of onnx2ir, which {sys.executable} does not have: install the wheel there", file=sys.stderr)
    else:
        print(f"onnx2ir: verify needs the Python package {error.name}: {sys.executable} -m pip install numpy onnx onnxruntime openvino", file=sys.stderr)
    sys.exit(2)
sys.exit(main(sys.argv[1:]))
)";

/// The interpreter of the environment that this tool is installed in, or the one in PATH.
std::string interpreter() {
  std::error_code failed;
  const std::filesystem::path tool = platform::program_path();
  const std::filesystem::path beside = tool.parent_path() / platform::python_name();
  return !tool.empty() && std::filesystem::exists(beside, failed) ? beside.string() : platform::python_name();
}

}  // namespace

int verify_model(const std::vector<std::string>& words) {
  std::vector<std::string> command = {interpreter(), "-c", kProgram};
  command.insert(command.end(), words.begin(), words.end());
  platform::run_instead(command);
  std::cerr << "onnx2ir: verify needs Python, and '" << command[0] << "' cannot be started\n";
  return kUsage;
}

}  // namespace onnx2ir::cli
