// SPDX-License-Identifier: Apache-2.0
#include "tensor/device_provider.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/check.h"
#include "base/read_struct.h"
#include "tensor/allocator.h"
#include "tensor/device.h"

namespace tenon::tensor {

namespace {

tenon_status one_device(void*, int32_t* out_count) { return *out_count = 1, TENON_OK; }
tenon_status first_device(void*, int32_t* out_index) { return *out_index = 0, TENON_OK; }

// Providers may be called from C, so that no exception may leave them.
tenon_status allocate_on_cpu(void*, int32_t, int64_t nbytes, void** out_data) {
  *out_data = nullptr;
  try {
    *out_data = allocate_cpu(nbytes);
    return TENON_OK;
  } catch (Error& error) {
    return base::set_current_error(error.release());
  }
}
void release_on_cpu(void*, int32_t, void* data) { free_cpu(data); }
tenon_status copy_on_cpu(void*, void* dst, const tenon_device*, const void* src,
                         const tenon_device*, int64_t nbytes, void*, int32_t) {
  if (nbytes > 0) std::memmove(dst, src, static_cast<size_t>(nbytes));
  return TENON_OK;
}
tenon_status default_stream(void*, int32_t, void** out_stream) {
  return *out_stream = nullptr, TENON_OK;
}
tenon_status stream_is_done(void*, int32_t, void*) { return TENON_OK; }

tenon_status allocate_nothing(void*, int32_t, int64_t, void** out_data) {
  return *out_data = nullptr, TENON_OK;
}
void release_nothing(void*, int32_t, void*) {}

constexpr tenon_device_provider built_in(int32_t device_type) {
  tenon_device_provider provider{};
  provider.struct_size = sizeof provider;
  provider.device_type = device_type;
  provider.device_count = one_device;
  provider.current_device = first_device;
  provider.current_stream = default_stream;
  provider.stream_synchronize = stream_is_done;
  const bool is_cpu = device_type == TENON_DEVICE_CPU;
  provider.allocate = is_cpu ? allocate_on_cpu : allocate_nothing;
  provider.release = is_cpu ? release_on_cpu : release_nothing;
  provider.copy = is_cpu ? copy_on_cpu : nullptr;
  return provider;
}

constinit const tenon_device_provider cpu_provider = built_in(TENON_DEVICE_CPU);
constinit const tenon_device_provider meta_provider = built_in(TENON_DEVICE_META);

// By device type. A provider is registered once and never freed: storages refer to it.
constinit std::atomic<const tenon_device_provider*> providers[kDeviceTypeCount] = {};
constinit std::atomic<ProviderLoader> provider_loader{nullptr};

// The size of the first version of the struct, and the size that this library knows.
constexpr size_t kFirstBytes = offsetof(tenon_device_provider, generator_new);
constexpr size_t kKnownBytes = offsetof(tenon_device_provider, reserved);
constexpr const char* kRegister = "tenon_device_provider_register";

void check_description(const tenon_device_provider& provider) {
  base::check_struct(kRegister, kFirstBytes, provider, kKnownBytes);
  TENON_CHECK(find_device_type_name(provider.device_type) != nullptr, TENON_ERROR_NOT_FOUND,
              kRegister, ": device_type must be one of ", list_device_types(), ", got number ",
              provider.device_type);
}

}  // namespace

void check_provider(tenon_status status, const char* function, int32_t device_type) {
  if (__builtin_expect(status == TENON_OK, 1)) return;
  base::ErrorPtr error = base::take_current_error();
  if (error != nullptr && error->code() == status) throw Error(std::move(error));
  fail(status, function, ": provider of ", device_type_name(device_type), " failed with status ",
       status);
}

void not_supported(const char* function, int32_t device_type) {
  fail(TENON_ERROR_NOT_SUPPORTED, function, ": device must support this operation, got ",
       device_type_name(device_type));
}

void register_provider(const tenon_device_provider& provider) {
  struct Owner {
    void* ctx;
    tenon_deleter deleter;
    ~Owner() {
      if (deleter != nullptr) deleter(ctx);
    }
  } owner{nullptr, nullptr};
  // A struct too short to hold ctx and deleter passes no ownership.
  if (provider.struct_size >= offsetof(tenon_device_provider, device_count)) {
    owner.ctx = provider.ctx;
    owner.deleter = provider.deleter;
  }
  check_description(provider);
  auto copy = std::make_unique<tenon_device_provider>();
  std::memcpy(copy.get(), &provider, std::min<size_t>(provider.struct_size, kKnownBytes));
  copy->struct_size = sizeof *copy;
  const tenon_device_provider* expected = nullptr;
  const bool taken = has_one_device(provider.device_type) ||
                     !providers[provider.device_type].compare_exchange_strong(
                         expected, copy.get(), std::memory_order_acq_rel);
  TENON_CHECK(!taken, TENON_ERROR_ALREADY_EXISTS, kRegister, ": device ",
              device_type_name(provider.device_type),
              " must not have a provider yet, got a second one");
  copy.release();
  owner.deleter = nullptr;
}

const tenon_device_provider* find_provider(int32_t device_type) noexcept {
  if (device_type == TENON_DEVICE_CPU) return &cpu_provider;
  if (device_type == TENON_DEVICE_META) return &meta_provider;
  if (device_type < 0 || device_type >= kDeviceTypeCount) return nullptr;
  return providers[device_type].load(std::memory_order_acquire);
}

const tenon_device_provider& require_provider(int32_t device_type) {
  if (const auto* provider = find_provider(device_type)) return *provider;
  const char* name = find_device_type_name(device_type);
  TENON_CHECK(name != nullptr, TENON_ERROR_NOT_FOUND,
              "tenon_device_provider_get: device type must be one of ", list_device_types(),
              ", got number ", device_type);
  if (const ProviderLoader load = provider_loader.load(std::memory_order_acquire)) {
    load(device_type, name);
    if (const auto* provider = find_provider(device_type)) return *provider;
  }
  fail(TENON_ERROR_NOT_FOUND, "tenon_device_provider_get: device ", name,
       " must have a provider, got none; load a plugin that registers one");
}

void set_provider_loader(ProviderLoader loader) noexcept {
  provider_loader.store(loader, std::memory_order_release);
}

int32_t device_count(int32_t device_type) {
  const tenon_device_provider* provider;
  try {
    provider = &require_provider(device_type);
  } catch (const Error&) {
    return 0;  // without a provider or driver there are no devices, which is not an error
  }
  if (provider->device_count == nullptr) return 0;
  int32_t count = 0;
  check_provider(provider->device_count(provider->ctx, &count), "tenon_device_count", device_type);
  return count;
}

int32_t current_index(int32_t device_type) {
  const tenon_device_provider& provider = require_provider(device_type);
  int32_t index = 0;
  if (provider.current_device == nullptr) return index;
  check_provider(provider.current_device(provider.ctx, &index), "current device", device_type);
  return index;
}

void* allocate_memory(const tenon_device_provider& provider, int32_t index, int64_t nbytes) {
  if (nbytes == 0) return nullptr;
  if (provider.allocate == nullptr) not_supported("allocate", provider.device_type);
  void* data = nullptr;
  check_provider(provider.allocate(provider.ctx, index, nbytes, &data), "allocate",
                 provider.device_type);
  return data;
}

void release_memory(const tenon_device_provider& provider, int32_t index, void* data) noexcept {
  if (data != nullptr && provider.release != nullptr) provider.release(provider.ctx, index, data);
}

void copy_bytes(void* dst, const tenon_device& dst_device, const void* src,
                const tenon_device& src_device, int64_t nbytes, bool blocking) {
  constexpr const char* kCopy = "tenon_device_copy";
  TENON_CHECK_ARG(nbytes >= 0, kCopy, ": nbytes must be >= 0, got ", nbytes);
  const bool dst_is_cpu = dst_device.type == TENON_DEVICE_CPU;
  const bool src_is_cpu = src_device.type == TENON_DEVICE_CPU;
  TENON_CHECK(dst_is_cpu || src_is_cpu || dst_device.type == src_device.type,
              TENON_ERROR_NOT_SUPPORTED, kCopy,
              ": devices must have the same type unless one is cpu, got ",
              device_type_name(src_device.type), " to ", device_type_name(dst_device.type));
  const tenon_device& side = dst_is_cpu ? src_device : dst_device;
  const tenon_device_provider& provider = require_provider(side.type);
  if (provider.copy == nullptr) not_supported(kCopy, side.type);
  if (nbytes == 0) return;
  const tenon_stream stream = current_stream(side);
  check_provider(provider.copy(provider.ctx, dst, &dst_device, src, &src_device, nbytes,
                               stream.handle, blocking ? 1 : 0),
                 kCopy, side.type);
}

tenon_stream current_stream(const tenon_device& device) {
  const tenon_device_provider& provider = require_provider(device.type);
  tenon_stream stream{nullptr, device};
  if (device.index < 0) stream.device.index = current_index(device.type);
  if (provider.current_stream == nullptr) return stream;
  check_provider(provider.current_stream(provider.ctx, stream.device.index, &stream.handle),
                 "tenon_stream_current", device.type);
  return stream;
}

void set_current_stream(const tenon_stream& stream) {
  const tenon_device_provider& provider = require_provider(stream.device.type);
  if (provider.set_current_stream == nullptr) {
    if (stream.handle == nullptr) return;  // the only stream
    not_supported("tenon_stream_set_current", stream.device.type);
  }
  check_provider(provider.set_current_stream(provider.ctx, stream.device.index, stream.handle),
                 "tenon_stream_set_current", stream.device.type);
}

tenon_stream new_stream(const tenon_device& device) {
  const tenon_device_provider& provider = require_provider(device.type);
  if (provider.stream_new == nullptr) not_supported("tenon_stream_new", device.type);
  tenon_stream stream{nullptr, device};
  if (device.index < 0) stream.device.index = current_index(device.type);
  check_provider(provider.stream_new(provider.ctx, stream.device.index, &stream.handle),
                 "tenon_stream_new", device.type);
  return stream;
}

void release_stream(const tenon_stream& stream) noexcept {
  const tenon_device_provider* provider = find_provider(stream.device.type);
  if (provider == nullptr || provider->stream_release == nullptr) return;
  provider->stream_release(provider->ctx, stream.device.index, stream.handle);
}

void synchronize_stream(const tenon_stream& stream) {
  const tenon_device_provider& provider = require_provider(stream.device.type);
  if (provider.stream_synchronize == nullptr) {
    not_supported("tenon_stream_synchronize", stream.device.type);
  }
  check_provider(provider.stream_synchronize(provider.ctx, stream.device.index, stream.handle),
                 "tenon_stream_synchronize", stream.device.type);
}

void order_after_current(const tenon_device& device, void* consumer) {
  if (has_one_device(device.type)) return;
  const tenon_stream current = current_stream(device);
  if (current.handle == consumer) return;
  const tenon_device_provider& provider = require_provider(device.type);
  if (provider.event_new == nullptr || provider.event_record == nullptr ||
      provider.event_wait == nullptr) {
    synchronize_stream(current);
    return;
  }
  constexpr const char* kOrder = "stream hand-over";
  void* event = nullptr;
  check_provider(provider.event_new(provider.ctx, device.index, &event), kOrder, device.type);
  struct EventOwner {
    const tenon_device_provider& provider;
    int32_t index;
    void* event;
    ~EventOwner() {
      if (provider.event_release != nullptr) provider.event_release(provider.ctx, index, event);
    }
  } owner{provider, device.index, event};
  check_provider(provider.event_record(provider.ctx, device.index, event, current.handle), kOrder,
                 device.type);
  check_provider(provider.event_wait(provider.ctx, device.index, event, consumer), kOrder,
                 device.type);
}

tenon_device resolve_device(const char* function, const tenon_device* device) {
  if (device == nullptr) return {TENON_DEVICE_CPU, 0};
  if (is_fake_device(*device) && find_device_type_name(device->type) != nullptr) return *device;
  if (has_one_device(device->type)) {
    TENON_CHECK_ARG(device->index == 0 || device->index == -1, function, ": device index of ",
                    device_type_name(device->type), " must be 0 or -1, got ", device->index);
    return {device->type, 0};
  }
  TENON_CHECK(find_device_type_name(device->type) != nullptr, TENON_ERROR_NOT_FOUND, function,
              ": device type must be one of ", list_device_types(), ", got number ", device->type);
  TENON_CHECK_ARG(device->index >= -1, function, ": device index must be >= -1, got ",
                  device->index);
  return device->index >= 0 ? *device : tenon_device{device->type, current_index(device->type)};
}

}  // namespace tenon::tensor
