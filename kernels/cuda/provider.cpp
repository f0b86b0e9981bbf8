// SPDX-License-Identifier: Apache-2.0
// The device provider: memory, copies, streams and events of CUDA devices for the core.
//
// Streams are created as blocking streams, so that work on the default stream waits for all work
// queued on them before. Memory is freed on the default stream and therefore reused only after
// every stream has finished with it, no matter which thread releases the last tensor.
#include "kernels/cuda/provider.h"

#include <array>
#include <atomic>
#include <string>

#include "kernels/cuda/guarded.h"
#include "kernels/cuda/random/generator.h"
#include "kernels/cuda/runtime.h"

namespace tenon::kernels::cuda {
namespace {

constexpr int32_t kMaxDevices = 64;

// The current stream of each device; NULL is the default stream.
thread_local std::array<Stream, kMaxDevices> thread_streams{};

cudaStream_t as_stream(Stream stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t as_event(void* event) { return static_cast<cudaEvent_t>(event); }

int32_t settled_index(int32_t index) {
  if (index < 0) {
    int current = 0;
    check_cuda(cudaGetDevice(&current), "cudaGetDevice");
    index = current;
  }
  if (index >= kMaxDevices) {
    throw Error(TENON_ERROR_INVALID_ARGUMENT, "cuda: device index must be below " +
                                                  std::to_string(kMaxDevices) + ", got " +
                                                  std::to_string(index));
  }
  return index;
}

tenon_status device_count(void*, int32_t* out_count) {
  return guarded([&] {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    // A missing driver or device is reported as a count of 0, not as an error.
    if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
      cudaGetLastError();
      count = 0;
    } else {
      check_cuda(status, "cudaGetDeviceCount");
    }
    *out_count = count;
  });
}

tenon_status current_device(void*, int32_t* out_index) {
  return guarded([&] { *out_index = settled_index(-1); });
}

tenon_status set_current_device(void*, int32_t index) {
  return guarded([&] { check_cuda(cudaSetDevice(index), "cudaSetDevice"); });
}

// Makes a device's memory pool keep its memory. By default it returns memory to the driver at each
// synchronization, and the next allocation has to map it again.
void keep_memory(int32_t index) {
  static std::array<std::atomic<bool>, kMaxDevices> kept{};
  auto& done = kept[static_cast<size_t>(index)];
  if (done.load(std::memory_order_relaxed)) return;
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaDeviceGetDefaultMemPool(&pool, index), "cudaDeviceGetDefaultMemPool");
  uint64_t all = UINT64_MAX;
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
             "cudaMemPoolSetAttribute");
  done.store(true, std::memory_order_relaxed);
}

tenon_status allocate(void*, int32_t index, int64_t nbytes, void** out_data) {
  return guarded([&] {
    const DeviceGuard guard(index);
    *out_data = nullptr;
    if (nbytes == 0) return;
    keep_memory(settled_index(index));
    const Stream stream = current_stream(Device(TENON_DEVICE_CUDA, index));
    const cudaError_t status =
        cudaMallocAsync(out_data, static_cast<size_t>(nbytes), as_stream(stream));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw Error(TENON_ERROR_OUT_OF_MEMORY,
                  "cuda: out of memory: device " + std::to_string(settled_index(index)) +
                      " must have " + std::to_string(nbytes) + " bytes free, got fewer");
    }
    check_cuda(status, "cudaMallocAsync");
  });
}

void release(void*, int32_t index, void* data) {
  int previous = 0;
  // At process exit the driver may have shut down already, and the memory with it.
  if (cudaGetDevice(&previous) != cudaSuccess) return;
  if (index >= 0 && previous != index) cudaSetDevice(index);
  cudaFreeAsync(data, nullptr);
  if (index >= 0 && previous != index) cudaSetDevice(previous);
}

tenon_status copy(void*, void* dst, const tenon_device* dst_device, const void* src,
                  const tenon_device* src_device, int64_t nbytes, void* stream, int32_t blocking) {
  return guarded([&] {
    const tenon_device& cuda = dst_device->type == TENON_DEVICE_CUDA ? *dst_device : *src_device;
    const DeviceGuard guard(cuda.index);
    check_cuda(cudaMemcpyAsync(dst, src, static_cast<size_t>(nbytes), cudaMemcpyDefault,
                               as_stream(stream)),
               "cudaMemcpyAsync");
    if (blocking != 0)
      check_cuda(cudaStreamSynchronize(as_stream(stream)), "cudaStreamSynchronize");
  });
}

tenon_status get_current_stream(void*, int32_t index, void** out_stream) {
  return guarded([&] { *out_stream = thread_streams[static_cast<size_t>(settled_index(index))]; });
}

tenon_status set_current_stream(void*, int32_t index, void* stream) {
  return guarded([&] { thread_streams[static_cast<size_t>(settled_index(index))] = stream; });
}

tenon_status stream_new(void*, int32_t index, void** out_stream) {
  return guarded([&] {
    const DeviceGuard guard(index);
    cudaStream_t stream = nullptr;
    check_cuda(cudaStreamCreate(&stream), "cudaStreamCreate");
    *out_stream = stream;
  });
}

void stream_release(void*, int32_t, void* stream) { cudaStreamDestroy(as_stream(stream)); }

tenon_status stream_synchronize(void*, int32_t index, void* stream) {
  return guarded([&] {
    const DeviceGuard guard(index);
    check_cuda(cudaStreamSynchronize(as_stream(stream)), "cudaStreamSynchronize");
  });
}

tenon_status event_new(void*, int32_t index, void** out_event) {
  return guarded([&] {
    const DeviceGuard guard(index);
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
    *out_event = event;
  });
}

void event_release(void*, int32_t, void* event) { cudaEventDestroy(as_event(event)); }

tenon_status event_record(void*, int32_t index, void* event, void* stream) {
  return guarded([&] {
    const DeviceGuard guard(index);
    check_cuda(cudaEventRecord(as_event(event), as_stream(stream)), "cudaEventRecord");
  });
}

tenon_status event_wait(void*, int32_t index, void* event, void* stream) {
  return guarded([&] {
    const DeviceGuard guard(index);
    check_cuda(cudaStreamWaitEvent(as_stream(stream), as_event(event), 0), "cudaStreamWaitEvent");
  });
}

tenon_status event_query(void*, int32_t index, void* event, int32_t* out_done) {
  return guarded([&] {
    const DeviceGuard guard(index);
    const cudaError_t status = cudaEventQuery(as_event(event));
    *out_done = status == cudaSuccess ? 1 : 0;
    if (status == cudaErrorNotReady) {
      cudaGetLastError();
    } else {
      check_cuda(status, "cudaEventQuery");
    }
  });
}

}  // namespace

void register_provider() {
  tenon_device_provider provider{};
  provider.struct_size = sizeof(provider);
  provider.device_type = TENON_DEVICE_CUDA;
  provider.device_count = &device_count;
  provider.current_device = &current_device;
  provider.allocate = &allocate;
  provider.release = &release;
  provider.copy = &copy;
  provider.current_stream = &get_current_stream;
  provider.set_current_stream = &set_current_stream;
  provider.stream_new = &stream_new;
  provider.stream_release = &stream_release;
  provider.stream_synchronize = &stream_synchronize;
  provider.event_new = &event_new;
  provider.event_release = &event_release;
  provider.event_record = &event_record;
  provider.event_wait = &event_wait;
  provider.event_query = &event_query;
  provider.set_current_device = &set_current_device;
  provide_generators(provider);
  // The provider is registered for the whole process: it still frees the memory of tensors that are
  // alive when its plugin's libraries are unloaded.
  const tenon_status status = tenon_device_provider_register(&provider);
  if (status == TENON_ERROR_ALREADY_EXISTS) {
    tenon_error_release(tenon_error_take());  // loaded again after an unload
  } else {
    check(status);
  }
}

Stream current_stream(const Device& device) {
  tenon_stream stream{};
  check(tenon_stream_current(&device, &stream));
  return stream.handle;
}

Device settled(const Device& device) { return Device(device.type, settled_index(device.index)); }

}  // namespace tenon::kernels::cuda
