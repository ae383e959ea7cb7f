// An OpenCL library that lets OpenVINO's GPU plugin run on a machine without an Intel GPU. It presents the
// CPU device of pocl, whose library is "libRealOpenCL.so.1", as a Meteor Lake GPU. Programs are not compiled
// and kernels compute nothing: that the plugin builds and runs a graph, and its sizes, mean something, values
// do not. Memory starts as zeros.
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view kExtensions =
    " cl_khr_fp16 cl_khr_subgroups cl_intel_subgroups cl_intel_subgroups_short cl_intel_subgroups_char "
    "cl_intel_required_subgroup_size cl_intel_device_attribute_query cl_intel_unified_shared_memory";

/// The function `name` of pocl.
template <typename Function>
Function* real(const char* name) {
  static void* const library = dlopen("libRealOpenCL.so.1", RTLD_NOW);
  return reinterpret_cast<Function*>(library == nullptr ? nullptr : dlsym(library, name));
}

cl_int give_bytes(const void* value, std::size_t bytes, std::size_t room, void* out, std::size_t* needed) {
  if (needed != nullptr) *needed = bytes;
  if (out == nullptr) return CL_SUCCESS;
  if (room < bytes) return CL_INVALID_VALUE;
  std::memcpy(out, value, bytes);
  return CL_SUCCESS;
}

/// What a query returns: a value of the type that the specification gives.
template <typename T>
cl_int give(T value, std::size_t room, void* out, std::size_t* needed) {
  return give_bytes(&value, sizeof value, room, out, needed);
}

cl_int give_text(const std::string& text, std::size_t room, void* out, std::size_t* needed) {
  return give_bytes(text.c_str(), text.size() + 1, room, out, needed);
}

struct Program {
  cl_context context;
  std::vector<std::string> kernels;  // in the order of the source
};

struct Kernel {
  Program* program;
  std::string name;
};

Program* program_of(cl_program handle) {
  return reinterpret_cast<Program*>(handle);
}
Kernel* kernel_of(cl_kernel handle) {
  return reinterpret_cast<Kernel*>(handle);
}

/// The names of the kernels of a source, which the plugin defines as "#define KERNEL(name) ... void NAME".
void add_kernels(std::string_view source, std::vector<std::string>& kernels) {
  constexpr std::string_view kDefinition = "#define KERNEL(name)";
  constexpr std::string_view kResult = "void ";
  constexpr std::string_view kWord = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t at = source.find(kDefinition); at != std::string_view::npos;
       at = source.find(kDefinition, at + 1)) {
    const std::size_t result = source.find(kResult, at);
    if (result == std::string_view::npos) return;
    const std::string_view rest = source.substr(result + kResult.size());
    const std::string name(rest.substr(0, rest.find_first_not_of(kWord)));
    if (!name.empty() && std::find(kernels.begin(), kernels.end(), name) == kernels.end())
      kernels.push_back(name);
  }
}

/// An event that is complete as soon as those before it are.
cl_int mark(cl_command_queue queue, cl_uint count, const cl_event* before, cl_event* event) {
  if (event == nullptr) return CL_SUCCESS;
  return real<decltype(clEnqueueMarkerWithWaitList)>("clEnqueueMarkerWithWaitList")(queue, count, before,
                                                                                    event);
}

// Unified shared memory: memory of the host, by its first byte.
struct Allocation {
  std::size_t bytes;
  cl_unified_shared_memory_type_intel type;
};

std::map<char*, Allocation>& allocations() {
  static std::map<char*, Allocation> all;
  return all;
}

void* allocate(std::size_t bytes, cl_unified_shared_memory_type_intel type, cl_int* error) {
  constexpr std::size_t kPage = 4096;
  const std::size_t room = (bytes + kPage - 1) / kPage * kPage;
  void* const memory = bytes == 0 ? nullptr : std::aligned_alloc(kPage, room);
  if (error != nullptr)
    *error = bytes == 0 ? CL_INVALID_BUFFER_SIZE : memory == nullptr ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
  if (memory == nullptr) return nullptr;
  std::memset(memory, 0, room);
  allocations()[static_cast<char*>(memory)] = {bytes, type};
  return memory;
}

void* host_memory(cl_context, const cl_mem_properties_intel*, std::size_t bytes, cl_uint, cl_int* error) {
  return allocate(bytes, CL_MEM_TYPE_HOST_INTEL, error);
}
void* device_memory(cl_context, cl_device_id, const cl_mem_properties_intel*, std::size_t bytes, cl_uint,
                    cl_int* error) {
  return allocate(bytes, CL_MEM_TYPE_DEVICE_INTEL, error);
}
void* shared_memory(cl_context, cl_device_id, const cl_mem_properties_intel*, std::size_t bytes, cl_uint,
                    cl_int* error) {
  return allocate(bytes, CL_MEM_TYPE_SHARED_INTEL, error);
}

cl_int free_memory(cl_context, void* memory) {
  if (allocations().erase(static_cast<char*>(memory)) != 0) std::free(memory);
  return CL_SUCCESS;
}

cl_int set_argument(cl_kernel, cl_uint, const void*) {
  return CL_SUCCESS;
}

cl_int copy(cl_command_queue queue, cl_bool, void* to, const void* from, std::size_t bytes, cl_uint count,
            const cl_event* before, cl_event* event) {
  std::memmove(to, from, bytes);
  return mark(queue, count, before, event);
}

cl_int fill(cl_command_queue queue, void* to, const void* pattern, std::size_t size, std::size_t bytes,
            cl_uint count, const cl_event* before, cl_event* event) {
  for (std::size_t i = 0; i < bytes; ++i)
    static_cast<char*>(to)[i] = static_cast<const char*>(pattern)[i % size];
  return mark(queue, count, before, event);
}

cl_int set(cl_command_queue queue, void* to, cl_int value, std::size_t bytes, cl_uint count,
           const cl_event* before, cl_event* event) {
  std::memset(to, value, bytes);
  return mark(queue, count, before, event);
}

cl_int memory_info(cl_context, const void* memory, cl_mem_info_intel query, std::size_t room, void* out,
                   std::size_t* needed) {
  char* const address = const_cast<char*>(static_cast<const char*>(memory));
  auto found = allocations().upper_bound(address);
  if (found != allocations().begin()) --found;
  const bool is_ours =
      found != allocations().end() && address >= found->first && address < found->first + found->second.bytes;
  switch (query) {
    case CL_MEM_ALLOC_TYPE_INTEL:
      return give(
          is_ours ? found->second.type : cl_unified_shared_memory_type_intel{CL_MEM_TYPE_UNKNOWN_INTEL}, room,
          out, needed);
    case CL_MEM_ALLOC_BASE_PTR_INTEL:
      return give<void*>(is_ours ? found->first : nullptr, room, out, needed);
    case CL_MEM_ALLOC_SIZE_INTEL:
      return give<std::size_t>(is_ours ? found->second.bytes : 0, room, out, needed);
    default:
      return CL_INVALID_VALUE;
  }
}

}  // namespace

extern "C" {

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info query, std::size_t room, void* out,
                       std::size_t* needed) {
  constexpr cl_uint kIntel = 0x8086;
  constexpr cl_uint kMeteorLake = 0x7d55;
  constexpr cl_version kMeteorLakeVersion = (12U << 22U) | (70U << 14U) | 4U;
  auto* const ask = real<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
  switch (query) {
    case CL_DEVICE_TYPE:
      return give<cl_device_type>(CL_DEVICE_TYPE_GPU, room, out, needed);
    case CL_DEVICE_VENDOR_ID:
      return give(kIntel, room, out, needed);
    case CL_DEVICE_EXTENSIONS: {
      std::vector<char> text(8192);
      const cl_int error = ask(device, query, text.size(), text.data(), nullptr);
      return error != CL_SUCCESS ? error
                                 : give_text(text.data() + std::string(kExtensions), room, out, needed);
    }
    case CL_DEVICE_HALF_FP_CONFIG:
      return give<cl_device_fp_config>(0x3f, room, out, needed);
    case CL_DEVICE_IP_VERSION_INTEL:
      return give(kMeteorLakeVersion, room, out, needed);
    case CL_DEVICE_ID_INTEL:
      return give(kMeteorLake, room, out, needed);
    case CL_DEVICE_NUM_SLICES_INTEL:
      return give<cl_uint>(8, room, out, needed);
    case CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL:
      return give<cl_uint>(4, room, out, needed);
    case CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL:
      return give<cl_uint>(16, room, out, needed);
    case CL_DEVICE_NUM_THREADS_PER_EU_INTEL:
      return give<cl_uint>(8, room, out, needed);
    case CL_DEVICE_FEATURE_CAPABILITIES_INTEL:
      return give<cl_device_feature_capabilities_intel>(CL_DEVICE_FEATURE_FLAG_DP4A_INTEL, room, out, needed);
    case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
      return give<cl_device_unified_shared_memory_capabilities_intel>(
          CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL, room, out,
          needed);
    case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
      return give<cl_device_unified_shared_memory_capabilities_intel>(0, room, out, needed);
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL: {
      const std::size_t sizes[] = {8, 16, 32};
      return give_bytes(sizes, sizeof sizes, room, out, needed);
    }
    default:
      return ask(device, query, room, out, needed);
  }
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char** strings,
                                     const std::size_t* lengths, cl_int* error) {
  auto* const program = new Program{context, {}};
  for (cl_uint i = 0; i < count; ++i) {
    const std::size_t length = lengths != nullptr && lengths[i] != 0 ? lengths[i] : std::strlen(strings[i]);
    add_kernels({strings[i], length}, program->kernels);
  }
  if (error != nullptr) *error = CL_SUCCESS;
  return reinterpret_cast<cl_program>(program);
}

/// The "binary" of a program is its address: see CL_PROGRAM_BINARIES.
cl_program clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id*, const std::size_t* lengths,
                                     const unsigned char** binaries, cl_int* status, cl_int* error) {
  const bool is_ours = lengths != nullptr && lengths[0] == sizeof(Program*);
  if (error != nullptr) *error = is_ours ? CL_SUCCESS : CL_INVALID_BINARY;
  if (!is_ours) return nullptr;
  if (status != nullptr) *status = CL_SUCCESS;
  Program* program = nullptr;
  std::memcpy(&program, binaries[0], sizeof program);
  return reinterpret_cast<cl_program>(program);
}

cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id*, const char*, void (*)(cl_program, void*),
                      void*) {
  return CL_SUCCESS;
}
cl_int clRetainProgram(cl_program) {
  return CL_SUCCESS;
}
cl_int clReleaseProgram(cl_program) {
  return CL_SUCCESS;
}  // programs stay: other programs may be their "binaries"

cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info query, std::size_t room,
                             void* out, std::size_t* needed) {
  if (query == CL_PROGRAM_BUILD_STATUS) return give<cl_build_status>(CL_BUILD_SUCCESS, room, out, needed);
  return give_text("", room, out, needed);
}

cl_int clGetProgramInfo(cl_program handle, cl_program_info query, std::size_t room, void* out,
                        std::size_t* needed) {
  Program* const program = program_of(handle);
  switch (query) {
    case CL_PROGRAM_REFERENCE_COUNT:
    case CL_PROGRAM_NUM_DEVICES:
      return give<cl_uint>(1, room, out, needed);
    case CL_PROGRAM_CONTEXT:
      return give(program->context, room, out, needed);
    case CL_PROGRAM_DEVICES:
      return real<decltype(clGetContextInfo)>("clGetContextInfo")(program->context, CL_CONTEXT_DEVICES, room,
                                                                  out, needed);
    case CL_PROGRAM_BINARY_SIZES:
      return give(sizeof(Program*), room, out, needed);
    case CL_PROGRAM_BINARIES:
      if (needed != nullptr) *needed = sizeof(Program*);
      if (out != nullptr) std::memcpy(*static_cast<void**>(out), &program, sizeof program);
      return CL_SUCCESS;
    case CL_PROGRAM_NUM_KERNELS:
      return give(program->kernels.size(), room, out, needed);
    case CL_PROGRAM_KERNEL_NAMES: {
      std::string names;
      for (const std::string& name : program->kernels) names += (names.empty() ? "" : ";") + name;
      return give_text(names, room, out, needed);
    }
    default:
      return CL_INVALID_VALUE;
  }
}

cl_kernel clCreateKernel(cl_program handle, const char* name, cl_int* error) {
  Program* const program = program_of(handle);
  const bool is_known =
      std::find(program->kernels.begin(), program->kernels.end(), name) != program->kernels.end();
  if (error != nullptr) *error = is_known ? CL_SUCCESS : CL_INVALID_KERNEL_NAME;
  return is_known ? reinterpret_cast<cl_kernel>(new Kernel{program, name}) : nullptr;
}

cl_int clCreateKernelsInProgram(cl_program handle, cl_uint room, cl_kernel* kernels, cl_uint* count) {
  const auto& names = program_of(handle)->kernels;
  if (count != nullptr) *count = static_cast<cl_uint>(names.size());
  for (cl_uint i = 0; kernels != nullptr && i < room && i < names.size(); ++i)
    kernels[i] = clCreateKernel(handle, names[i].c_str(), nullptr);
  return CL_SUCCESS;
}

cl_int clRetainKernel(cl_kernel) {
  return CL_SUCCESS;
}
cl_int clReleaseKernel(cl_kernel) {
  return CL_SUCCESS;
}

cl_int clGetKernelInfo(cl_kernel handle, cl_kernel_info query, std::size_t room, void* out,
                       std::size_t* needed) {
  constexpr cl_uint kArguments = 16;
  Kernel* const kernel = kernel_of(handle);
  switch (query) {
    case CL_KERNEL_FUNCTION_NAME:
      return give_text(kernel->name, room, out, needed);
    case CL_KERNEL_NUM_ARGS:
      return give(kArguments, room, out, needed);
    case CL_KERNEL_REFERENCE_COUNT:
      return give<cl_uint>(1, room, out, needed);
    case CL_KERNEL_CONTEXT:
      return give(kernel->program->context, room, out, needed);
    case CL_KERNEL_PROGRAM:
      return give(kernel->program, room, out, needed);
    case CL_KERNEL_ATTRIBUTES:
      return give_text("", room, out, needed);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int clSetKernelArg(cl_kernel, cl_uint, std::size_t, const void*) {
  return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel, cl_uint, const std::size_t*,
                              const std::size_t*, const std::size_t*, cl_uint count, const cl_event* before,
                              cl_event* event) {
  return mark(queue, count, before, event);
}

void* clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char* name) {
  static const std::map<std::string_view, void*> functions = {
      {"clHostMemAllocINTEL", reinterpret_cast<void*>(host_memory)},
      {"clDeviceMemAllocINTEL", reinterpret_cast<void*>(device_memory)},
      {"clSharedMemAllocINTEL", reinterpret_cast<void*>(shared_memory)},
      {"clMemFreeINTEL", reinterpret_cast<void*>(free_memory)},
      {"clMemBlockingFreeINTEL", reinterpret_cast<void*>(free_memory)},
      {"clSetKernelArgMemPointerINTEL", reinterpret_cast<void*>(set_argument)},
      {"clEnqueueMemcpyINTEL", reinterpret_cast<void*>(copy)},
      {"clEnqueueMemFillINTEL", reinterpret_cast<void*>(fill)},
      {"clEnqueueMemsetINTEL", reinterpret_cast<void*>(set)},
      {"clGetMemAllocInfoINTEL", reinterpret_cast<void*>(memory_info)},
  };
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

void* clGetExtensionFunctionAddress(const char* name) {
  return clGetExtensionFunctionAddressForPlatform(nullptr, name);
}

}  // extern "C"
