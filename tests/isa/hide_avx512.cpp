// Loaded with LD_PRELOAD, makes OpenVINO detect a CPU with AVX2 and nothing newer.
//
// ONEDNN_MAX_CPU_ISA=AVX2 alone limits oneDNN and the kernels that ask oneDNN. Other kernels of the CPU
// plugin ask these functions of libopenvino.so, and then mix AVX-512 with AVX2: MVN crashes and DFT is wrong
// on 2026.4. The dynamic linker finds the definitions here first.

namespace ov {

#pragma GCC visibility push(default)

bool with_cpu_x86_avx2_vnni();
bool with_cpu_x86_avx2_vnni_2();
bool with_cpu_x86_avx512f();
bool with_cpu_x86_avx512_core();
bool with_cpu_x86_avx512_core_vnni();
bool with_cpu_x86_avx512_core_fp16();
bool with_cpu_x86_avx512_core_amx();
bool with_cpu_x86_avx512_core_amx_int8();
bool with_cpu_x86_avx512_core_amx_bf16();
bool with_cpu_x86_avx512_core_amx_fp16();
bool with_cpu_x86_bfloat16();

#pragma GCC visibility pop

bool with_cpu_x86_avx2_vnni() {
  return false;
}
bool with_cpu_x86_avx2_vnni_2() {
  return false;
}
bool with_cpu_x86_avx512f() {
  return false;
}
bool with_cpu_x86_avx512_core() {
  return false;
}
bool with_cpu_x86_avx512_core_vnni() {
  return false;
}
bool with_cpu_x86_avx512_core_fp16() {
  return false;
}
bool with_cpu_x86_avx512_core_amx() {
  return false;
}
bool with_cpu_x86_avx512_core_amx_int8() {
  return false;
}
bool with_cpu_x86_avx512_core_amx_bf16() {
  return false;
}
bool with_cpu_x86_avx512_core_amx_fp16() {
  return false;
}
bool with_cpu_x86_bfloat16() {
  return false;
}

}  // namespace ov
