// The protobuf classes of ONNX. All other files include this header, which is precompiled.
#pragma once

#include <onnx/onnx_pb.h>  // IWYU pragma: export
