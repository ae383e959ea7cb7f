// A program with its own protobuf, whose messages clash with those of ONNX. Usage: main MODEL
#include <onnx2ir/onnx2ir.h>

#include <cstdio>
#include <string>

#include "onnx-ml.pb.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  onnx::ModelProto before;
  before.set_title("own");
  before.add_numbers(-5);
  onnx2ir_conversion* const conversion = onnx2ir_convert_file(argv[1], nullptr);
  const bool is_converted = onnx2ir_conversion_status(conversion) == ONNX2IR_OK;
  std::fputs(onnx2ir_conversion_text(conversion), stderr);
  onnx2ir_conversion_delete(conversion);
  onnx::ModelProto after;
  const bool is_same = after.ParseFromString(before.SerializeAsString()) && after.title() == "own" &&
                       after.numbers(0) == -5 && after.GetDescriptor()->full_name() == "onnx.ModelProto" &&
                       after.GetDescriptor()->field_count() == 2;
  std::printf("%s %s\n", is_converted ? "converted" : "failed",
              is_same ? "own messages work" : "own messages are broken");
  return is_converted && is_same ? 0 : 1;
}
