// Makes a CPU with AVX-512 or AMX look like one that has AVX2 and none of them, for the process that loads
// this library with LD_PRELOAD and for its children.
//
// ONEDNN_MAX_CPU_ISA alone limits oneDNN. Other parts of OpenVINO's CPU plugin ask the CPU, and then mix
// AVX-512 with kernels that must not use it: MVN crashes and DFT gives wrong values on 2026.4. Linux can make
// the CPUID instruction fail in a process (arch_prctl, "CPUID faulting"); the handler here answers it without
// these features. Where the CPU or the kernel cannot, nothing changes: see tests/isa/__init__.py.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <initializer_list>

namespace {

constexpr int kSetCpuidEnabled = 0x1012;  // ARCH_SET_CPUID

long enable_cpuid(bool enabled) {
  return syscall(SYS_arch_prctl, kSetCpuidEnabled, enabled ? 1L : 0L);
}

constexpr std::uint32_t bits(std::initializer_list<int> numbers) {
  std::uint32_t mask = 0;
  for (const int number : numbers) mask |= std::uint32_t{1} << number;
  return mask;
}

struct Registers {
  std::uint32_t eax, ebx, ecx, edx;
};

/// Takes AVX-512, AMX, AVX-VNNI and AVX10 out of the answer to a leaf of CPUID.
void hide_features(std::uint32_t leaf, std::uint32_t subleaf, Registers& answer) {
  if (leaf != 7) return;
  if (subleaf == 0) {
    answer.ebx &= ~bits({16, 17, 21, 26, 27, 28, 30, 31});  // F, DQ, IFMA, PF, ER, CD, BW, VL
    answer.ecx &= ~bits({1, 6, 11, 12, 14});                // VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ
    answer.edx &= ~bits({2, 3, 8, 22, 23, 24, 25});         // VP2INTERSECT, FP16, AMX
  } else if (subleaf == 1) {
    answer.eax &= ~bits({4, 5, 21, 23});  // AVX-VNNI, BF16, AMX-FP16, AVX-IFMA
    answer.edx &=
        ~bits({4, 5, 8, 10, 19});  // AVX-VNNI-INT8, AVX-NE-CONVERT, AMX-COMPLEX, AVX-VNNI-INT16, AVX10
  }
}

using SetAction = int (*)(int, const struct sigaction*, struct sigaction*);

SetAction original_sigaction() {
  static const auto original = reinterpret_cast<SetAction>(dlsym(RTLD_NEXT, "sigaction"));
  return original;
}

/// What the process wants to do about SIGSEGV that has nothing to do with CPUID.
struct sigaction wanted_action;

void pass_on(int signal_number, siginfo_t* info, void* context) {
  if ((wanted_action.sa_flags & SA_SIGINFO) != 0) {
    wanted_action.sa_sigaction(signal_number, info, context);
  } else if (wanted_action.sa_handler != SIG_DFL && wanted_action.sa_handler != SIG_IGN) {
    wanted_action.sa_handler(signal_number);
  } else {
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    original_sigaction()(signal_number, &standard,
                         nullptr);  // the instruction fails again and ends the process
  }
}

void answer_cpuid(int signal_number, siginfo_t* info, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* const instruction = reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]);
  const bool is_protection_fault = info->si_code == SI_KERNEL;  // not an address that cannot be read
  if (!is_protection_fault || instruction[0] != 0x0f || instruction[1] != 0xa2) {
    pass_on(signal_number, info, context);
    return;
  }
  const auto leaf = static_cast<std::uint32_t>(registers[REG_RAX]);
  const auto subleaf = static_cast<std::uint32_t>(registers[REG_RCX]);
  Registers answer{leaf, 0, subleaf, 0};
  enable_cpuid(true);
  __asm__ volatile("cpuid" : "+a"(answer.eax), "=b"(answer.ebx), "+c"(answer.ecx), "=d"(answer.edx));
  enable_cpuid(false);
  hide_features(leaf, subleaf, answer);
  registers[REG_RAX] = answer.eax;
  registers[REG_RBX] = answer.ebx;
  registers[REG_RCX] = answer.ecx;
  registers[REG_RDX] = answer.edx;
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) void start() {
  struct sigaction action = {};
  action.sa_sigaction = answer_cpuid;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  original_sigaction()(SIGSEGV, &action, &wanted_action);
  enable_cpuid(false);
}

}  // namespace

/// Keeps the handler when others, such as Python's faulthandler, set one for SIGSEGV.
extern "C" __attribute__((visibility("default"))) int sigaction(int signal_number,
                                                                const struct sigaction* action,
                                                                struct sigaction* old_action) {
  if (signal_number != SIGSEGV) return original_sigaction()(signal_number, action, old_action);
  if (old_action != nullptr) *old_action = wanted_action;
  if (action != nullptr) wanted_action = *action;
  return 0;
}
