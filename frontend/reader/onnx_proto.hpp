// The protobuf classes of ONNX. Every other file includes them through this one, which is precompiled.
#pragma once

#include <onnx/onnx_pb.h>  // IWYU pragma: export
