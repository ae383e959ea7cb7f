// Converts the first Loop example of the ONNX specification in memory and runs it with OpenVINO: both
// libraries in one process. Prints the results, so that the test can compare them.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <onnx2ir/onnx2ir.hpp>
#include <openvino/openvino.hpp>
#include <string_view>

namespace {

void print(std::string_view name, ov::Tensor tensor) {
  std::cout << name << ' ' << tensor.get_shape() << ':';
  for (std::size_t i = 0; i < tensor.get_size(); ++i) std::cout << ' ' << tensor.data<float>()[i];
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const onnx2ir::Conversion conversion = onnx2ir::convert_file(argv[1]);
  for (const auto& diagnostic : conversion.diagnostics) std::cerr << onnx2ir::to_string(diagnostic) << '\n';
  if (!conversion.model) return 1;
  const std::vector<std::byte> bytes = conversion.model->weights();
  ov::Tensor weights(ov::element::u8, {bytes.size()});
  std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(weights.data()));

  ov::Core core;
  ov::CompiledModel compiled = core.compile_model(core.read_model(conversion.model->xml(), weights), "CPU");
  ov::InferRequest request = compiled.create_infer_request();
  ov::Tensor trip_count(ov::element::i64, {});
  ov::Tensor condition(ov::element::boolean, {});
  ov::Tensor y(ov::element::f32, {1});
  *trip_count.data<std::int64_t>() = 5;
  *condition.data<bool>() = true;
  *y.data<float>() = -2;
  request.set_tensor("trip_count", trip_count);
  request.set_tensor("cond", condition);
  request.set_tensor("y", y);
  request.infer();
  print("res_y", request.get_tensor("res_y"));
  print("res_scan", request.get_tensor("res_scan"));
}
