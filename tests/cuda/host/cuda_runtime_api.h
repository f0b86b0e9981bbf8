// SPDX-License-Identifier: Apache-2.0
// The part of CUDA's runtime that kernels/cuda uses, for one device with host memory. All work is
// complete when a call returns.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>

// The names are CUDA's.
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600,
};
enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
enum { cudaEventDisableTiming = 2 };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
};
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
using cudaMemPool_t = char*;
using cudaStream_t = char*;
using cudaEvent_t = char*;

inline const char* cudaGetErrorName(cudaError_t status) {
  return status == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "an error";
}
inline const char* cudaGetErrorString(cudaError_t status) { return cudaGetErrorName(status); }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }

inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

// A small device, so that each thread has several elements to process.
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  return *value = which == cudaDevAttrMultiProcessorCount ? 1 : 512, cudaSuccess;
}

inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int) { return cudaSuccess; }
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return cudaSuccess;
}

inline cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
  // Aligned as on a GPU, so that the same vectorized loads are used.
  constexpr size_t kAlignment = 256;
  *memory = bytes > (size_t{1} << 40)
                ? nullptr
                : std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) & ~(kAlignment - 1));
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  std::free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return *stream = new char(), cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { return delete stream, cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) {
  return cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = new char(), cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
