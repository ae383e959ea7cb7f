// Preloaded with AddressSanitizer: TBB opens libraries with RTLD_DEEPBIND, which the sanitizer refuses.
#include <dlfcn.h>

extern "C" void* dlopen(const char* path, int flags) {
  using Open = void* (*)(const char*, int);
  static const auto kOpen = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));  // NOLINT
  return kOpen(path, flags & ~RTLD_DEEPBIND);
}
