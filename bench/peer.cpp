// The same conversion by OpenVINO itself: its ONNX front end and its serializer, or its compression to fp16.
// The benchmarks compare onnx2ir with it.
#include <exception>
#include <iostream>
#include <openvino/openvino.hpp>
#include <string_view>

int main(int argc, char** argv) {
  const bool compress = argc == 4 && std::string_view(argv[3]) == "fp16";
  if (argc != 3 && !compress) return 2;
  try {
    ov::Core core;
    const auto model = core.read_model(argv[1]);
    if (compress) {
      ov::save_model(model, argv[2], true);
    } else {
      ov::serialize(model, argv[2]);
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
