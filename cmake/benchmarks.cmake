# The benchmarks. They compare onnx2ir with OpenVINO, which OpenVINO_DIR locates.
find_package(benchmark REQUIRED)
find_package(OpenVINO REQUIRED COMPONENTS Runtime)

add_executable(onnx2ir_benchmark bench/convert_benchmark.cpp bench/stages_benchmark.cpp)
target_link_libraries(onnx2ir_benchmark PRIVATE onnx2ir_settings onnx2ir_api onnx2ir_frontend onnx2ir_passes
  onnx2ir_backend_xml benchmark::benchmark)

add_executable(onnx2ir_peer bench/peer.cpp)
target_link_libraries(onnx2ir_peer PRIVATE openvino::runtime)
