// The same conversion by OpenVINO itself: its ONNX front end and its serializer. The bench measures us beside
// it.
#include <exception>
#include <iostream>
#include <openvino/openvino.hpp>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    ov::Core core;
    ov::serialize(core.read_model(argv[1]), argv[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
