#include "platform/file_identity.hpp"

namespace onnx2ir::platform {

bool is_same_file(const FileIdentity& a, const FileIdentity& b) {
  const bool created_differs = a.created != 0 && b.created != 0 && a.created != b.created;
  return a.device == b.device && a.inode == b.inode && !created_differs;
}

}  // namespace onnx2ir::platform
