#include "platform/handle.hpp"

#include <unistd.h>

#include "platform/posix/system.hpp"

namespace onnx2ir::platform {

Handle::~Handle() {
  if (is_open()) ::close(posix::descriptor(*this));
}

}  // namespace onnx2ir::platform
