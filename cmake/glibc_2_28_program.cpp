// The start of a program that is linked with a newer glibc and runs with 2.28. Since 2.34, glibc runs the
// constructors of a program, and the start files that the linker adds rely on it; before, the start files ran
// them. Releases from 2.34 on do not run them if the program passes its own function, as older ones do
// (csu/libc-start.c in https://sourceware.org/git/glibc.git).
// NOLINTBEGIN(readability-identifier-naming): the names are those of glibc and of the linker.
extern "C" {

using Main = int(int, char**, char**);
using Initializer = void (*)(int, char**, char**);

// The linker defines them.
[[gnu::visibility("hidden")]] extern const Initializer __init_array_start[];
[[gnu::visibility("hidden")]] extern const Initializer __init_array_end[];

int older_start_main(Main* main, int argc, char** argv, Main* init, void (*fini)(), void (*rtld_fini)(),
                     void* stack_end);
__asm__(".symver older_start_main,__libc_start_main@GLIBC_2.2.5");

static int run_constructors(int argc, char** argv, char** variables) {
  for (const Initializer* next = __init_array_start; next != __init_array_end; ++next)
    (*next)(argc, argv, variables);
  return 0;
}

int __libc_start_main(Main* main, int argc, char** argv, Main*, void (*)(), void (*rtld_fini)(),
                      void* stack_end) {
  return older_start_main(main, argc, argv, run_constructors, nullptr, rtld_fini, stack_end);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
