// Whether the process has a dynamic linker.
#pragma once

namespace onnx2ir::platform::posix {

/// Whether the program was linked dynamically. A static program may have dlopen(), too, but that of glibc
/// needs the shared libraries of the same release at run time.
bool has_dynamic_section();

}  // namespace onnx2ir::platform::posix
