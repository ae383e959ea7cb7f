// Defines symbols that glibc added or gave a new version after 2.28, so that a library linked with a newer
// glibc runs with 2.28. Includes only types, because the headers of newer releases redirect some of the
// symbols.
#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#error "The versions of the names are those of x86-64."
#endif

// NOLINTBEGIN(readability-identifier-naming): the names are those of glibc and of the linker.
extern "C" {

long syscall(long number, ...);

// 0: the process may have several threads.
char __libc_single_threaded = 0;

// Before 2.33 they were inline functions. On x86-64 the kernel's struct stat is glibc's. The numbers are
// those of https://github.com/torvalds/linux/blob/master/arch/x86/entry/syscalls/syscall_64.tbl.
namespace {
constexpr long kFstat = 5;
constexpr long kNewfstatat = 262;
constexpr long kGetrandom = 318;
constexpr int kCurrentFolder = -100;
constexpr int kNoFollow = 0x100;
}  // namespace

int stat(const char* path, void* status) {
  return static_cast<int>(syscall(kNewfstatat, kCurrentFolder, path, status, 0));
}
int lstat(const char* path, void* status) {
  return static_cast<int>(syscall(kNewfstatat, kCurrentFolder, path, status, kNoFollow));
}
int fstat(int descriptor, void* status) {
  return static_cast<int>(syscall(kFstat, descriptor, status));
}
int fstat64(int descriptor, void* status) {
  return static_cast<int>(syscall(kFstat, descriptor, status));
}
int fstatat(int folder, const char* path, void* status, int flags) {
  return static_cast<int>(syscall(kNewfstatat, folder, path, status, flags));
}

std::uint32_t arc4random() {
  std::uint32_t number = 0;
  while (syscall(kGetrandom, &number, sizeof number, 0) != static_cast<long>(sizeof number)) {
  }
  return number;
}

// The older versions differ only in errno (pow, log, log2) or in their library (libpthread, libdl). The table
// gives result, name, parameters and arguments.
#define ONNX2IR_OLDER(result, name, parameters, arguments)  \
  result name##_2_2_5 parameters;                           \
  __asm__(".symver " #name "_2_2_5," #name "@GLIBC_2.2.5"); \
  result name parameters {                                  \
    return name##_2_2_5 arguments;                          \
  }

ONNX2IR_OLDER(double, pow, (double base, double exponent), (base, exponent))
ONNX2IR_OLDER(double, log, (double number), (number))
ONNX2IR_OLDER(double, log2, (double number), (number))
ONNX2IR_OLDER(int, pthread_once, (int* control, void (*routine)()), (control, routine))
ONNX2IR_OLDER(int, pthread_create,
              (unsigned long* thread, const void* how, void* (*start)(void*), void* data),
              (thread, how, start, data))
ONNX2IR_OLDER(int, pthread_detach, (unsigned long thread), (thread))
ONNX2IR_OLDER(int, pthread_join, (unsigned long thread, void** result), (thread, result))
ONNX2IR_OLDER(int, pthread_key_create, (unsigned* key, void (*destroy)(void*)), (key, destroy))
ONNX2IR_OLDER(int, pthread_key_delete, (unsigned key), (key))
ONNX2IR_OLDER(int, pthread_rwlock_rdlock, (void* lock), (lock))
ONNX2IR_OLDER(int, pthread_rwlock_wrlock, (void* lock), (lock))
ONNX2IR_OLDER(int, pthread_rwlock_unlock, (void* lock), (lock))
ONNX2IR_OLDER(void*, pthread_getspecific, (unsigned key), (key))
ONNX2IR_OLDER(int, pthread_setspecific, (unsigned key, const void* value), (key, value))
ONNX2IR_OLDER(void*, dlopen, (const char* path, int mode), (path, mode))
ONNX2IR_OLDER(void*, dlsym, (void* library, const char* name), (library, name))
ONNX2IR_OLDER(char*, dlerror, (), ())
// libstdc++ looks for this one to see whether there are threads.
ONNX2IR_OLDER(int, __pthread_key_create, (unsigned* key, void (*destroy)(void*)), (key, destroy))

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
