// SPDX-License-Identifier: Apache-2.0
// Device providers: who gives a device memory, copies, streams and events.
#pragma once

#include <cstdint>

#include "tenon/device.h"
#include "tenon/device_provider.h"
#include "tenon/stream.h"

namespace tenon::tensor {

/// Registers a provider (copied). CPU and Meta are built in. Takes over its ctx, also when this
/// throws. Throws as tenon_device_provider_register.
void register_provider(const tenon_device_provider& provider);

/// The provider of a device type; NULL without one. Loads nothing.
const tenon_device_provider* find_provider(int32_t device_type) noexcept;
/// The same, but loads the plugin that ships for the device first. Throws TENON_ERROR_NOT_FOUND, or
/// why loading failed. Blocks while a plugin loads.
const tenon_device_provider& require_provider(int32_t device_type);

/// Loads the plugin that provides a device, or throws. Set by the plugin layer, which is above
/// this.
using ProviderLoader = void (*)(int32_t device_type, const char* device_name);
void set_provider_loader(ProviderLoader loader) noexcept;

/// Turns what a provider raised into an exception: its own error, or one that names `function` and
/// the device.
void check_provider(tenon_status status, const char* function, int32_t device_type);
/// Throws TENON_ERROR_NOT_SUPPORTED for what the device's provider has no function for.
[[noreturn]] void not_supported(const char* function, int32_t device_type);

/// How many devices of a type there are; 0 without provider.
int32_t device_count(int32_t device_type);
/// Index of the calling thread's current device.
int32_t current_index(int32_t device_type);
/// The device with an index that names one device; NULL is the CPU. Throws TENON_ERROR_NOT_FOUND or
/// TENON_ERROR_INVALID_ARGUMENT naming `function`.
tenon_device resolve_device(const char* function, const tenon_device* device);

/// Memory of a device; NULL for 0 bytes.
void* allocate_memory(const tenon_device_provider& provider, int32_t index, int64_t nbytes);
void release_memory(const tenon_device_provider& provider, int32_t index, void* data) noexcept;

/// Copies bytes, ordered on the current stream of the side that is not the CPU. Throws as
/// tenon_device_copy.
void copy_bytes(void* dst, const tenon_device& dst_device, const void* src,
                const tenon_device& src_device, int64_t nbytes, bool blocking);

/// See tenon/device.h.
tenon_stream current_stream(const tenon_device& device);
void set_current_stream(const tenon_stream& stream);
tenon_stream new_stream(const tenon_device& device);
void release_stream(const tenon_stream& stream) noexcept;
void synchronize_stream(const tenon_stream& stream);
/// Makes later work on `consumer`, a stream of the device, wait for what is queued now on the
/// current stream. Does nothing on the CPU and where both are one stream.
void order_after_current(const tenon_device& device, void* consumer);

}  // namespace tenon::tensor
