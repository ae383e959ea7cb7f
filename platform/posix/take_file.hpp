// From descriptors to files that can be read.
#pragma once

#include <sys/types.h>

#include <optional>

#include "platform/handle.hpp"
#include "platform/read_file.hpp"

namespace onnx2ir::platform::posix {

FileKind kind_of(mode_t mode);

/// The file of an open handle, if it is a regular one.
std::optional<ReadFile> take_file(Handle handle, OpenFailure& failure);

}  // namespace onnx2ir::platform::posix
