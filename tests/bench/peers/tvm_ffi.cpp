// SPDX-License-Identifier: Apache-2.0
// Peers from tvm-ffi: its C call, its lookup by name and its errors.
#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "peer.h"

namespace {

int noop(void*, const TVMFFIAny*, int32_t, TVMFFIAny*) { return 0; }

int fails(void*, const TVMFFIAny*, int32_t, TVMFFIAny*) {
  TVMFFIErrorSetRaisedFromCStr("IndexError", "as asked");
  return -1;
}

TVMFFIObjectHandle function(TVMFFISafeCallType call) {
  TVMFFIObjectHandle handle = nullptr;
  if (TVMFFIFunctionCreate(nullptr, call, nullptr, &handle) != 0) abort();
  return handle;
}

TVMFFIAny tensor() {
  static float data = 1;
  static int64_t size = 1;
  static int64_t stride = 1;
  auto* managed = new DLManagedTensor{};
  managed->dl_tensor.data = &data;
  managed->dl_tensor.device = {kDLCPU, 0};
  managed->dl_tensor.ndim = 1;
  managed->dl_tensor.dtype = {kDLFloat, 32, 1};
  managed->dl_tensor.shape = &size;
  managed->dl_tensor.strides = &stride;
  managed->deleter = [](DLManagedTensor* self) { delete self; };
  TVMFFIObjectHandle handle = nullptr;
  if (TVMFFITensorFromDLPack(managed, 0, 0, &handle) != 0) abort();
  TVMFFIAny value{};
  value.type_index = kTVMFFITensor;
  value.v_obj = static_cast<TVMFFIObject*>(handle);
  return value;
}

void call_2_tensors(int64_t calls) {
  static TVMFFIObjectHandle handle = function(&noop);
  static TVMFFIAny args[2] = {tensor(), tensor()};
  for (int64_t i = 0; i < calls; ++i) {
    TVMFFIAny result{};
    if (TVMFFIFunctionCall(handle, args, 2, &result) != 0) abort();
  }
}

void lookup(int64_t calls) {
  static const TVMFFIByteArray name = [] {
    static const char text[] = "tenon_bench.noop";
    const TVMFFIByteArray bytes{text, sizeof(text) - 1};
    if (TVMFFIFunctionSetGlobal(&bytes, function(&noop), 1) != 0) abort();
    return bytes;
  }();
  for (int64_t i = 0; i < calls; ++i) {
    TVMFFIObjectHandle handle = nullptr;
    if (TVMFFIFunctionGetGlobal(&name, &handle) != 0) abort();
    TVMFFIObjectDecRef(handle);
  }
}

// Looks up registered functions in random order, in a registry of the size of many_operators'.
void lookup_any(int64_t calls) {
  static const std::vector<std::array<char, 32>> names = [] {
    std::vector<std::array<char, 32>> made(kTenonBenchNames);
    for (size_t i = 0; i < made.size(); ++i) {
      const std::string name = "many.operator_" + std::to_string(i);
      name.copy(made[i].data(), name.size());
      const TVMFFIByteArray bytes{name.data(), name.size()};
      if (TVMFFIFunctionSetGlobal(&bytes, function(&noop), 1) != 0) abort();
    }
    std::shuffle(made.begin(), made.end(), std::mt19937(1));
    return made;
  }();
  static size_t next = 0;
  for (int64_t i = 0; i < calls; ++i) {
    const char* name = names[next].data();
    next = next + 1 < names.size() ? next + 1 : 0;
    const TVMFFIByteArray bytes{name, strlen(name)};
    TVMFFIObjectHandle handle = nullptr;
    if (TVMFFIFunctionGetGlobal(&bytes, &handle) != 0) abort();
    TVMFFIObjectDecRef(handle);
  }
}

void throw_and_catch(int64_t calls) {
  for (int64_t i = 0; i < calls; ++i) {
    try {
      TVM_FFI_THROW(IndexError) << "as asked";
    } catch (const tvm::ffi::Error&) {
    }
  }
}

void error_in_c(int64_t calls) {
  static TVMFFIObjectHandle handle = function(&fails);
  for (int64_t i = 0; i < calls; ++i) {
    TVMFFIAny result{};
    if (TVMFFIFunctionCall(handle, nullptr, 0, &result) == 0) abort();
    TVMFFIObjectHandle error = nullptr;
    TVMFFIErrorMoveFromRaised(&error);
    TVMFFIObjectDecRef(error);
  }
}

const tenon_bench_peer peers[] = {
    {"tvm_ffi/call_2_tensors", &call_2_tensors}, {"tvm_ffi/lookup_by_name", &lookup},
    {"tvm_ffi/lookup_any", &lookup_any},         {"tvm_ffi/throw_and_catch", &throw_and_catch},
    {"tvm_ffi/failing_function", &error_in_c},   {nullptr, nullptr},
};

}  // namespace

const tenon_bench_peer* tenon_bench_peers() { return peers; }
