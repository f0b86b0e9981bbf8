// SPDX-License-Identifier: Apache-2.0
// Device providers: they supply memory, copies, streams and events of a device type.
#pragma once

#include <cstdint>

#include "tenon/device.h"
#include "tenon/device_provider.h"
#include "tenon/stream.h"

namespace tenon::tensor {

/// Registers a copy of a provider. CPU and Meta are built in. Takes over its ctx, even if this
/// throws. Throws like tenon_device_provider_register.
void register_provider(const tenon_device_provider& provider);

/// Returns the provider of a device type, NULL if there is none. Loads nothing.
const tenon_device_provider* find_provider(int32_t device_type) noexcept;
/// Like find_provider(), but first loads the plugin that ships for the device. Throws
/// TENON_ERROR_NOT_FOUND, or the reason why loading failed. Blocks while a plugin loads.
const tenon_device_provider& require_provider(int32_t device_type);

/// Loads the plugin that provides a device, or throws. Set by the plugin layer, which is above this
/// one.
using ProviderLoader = void (*)(int32_t device_type, const char* device_name);
void set_provider_loader(ProviderLoader loader) noexcept;

/// Turns a provider's failure into an exception: the provider's error, or a new one that names
/// `function` and the device.
void check_provider(tenon_status status, const char* function, int32_t device_type);
/// Throws TENON_ERROR_NOT_SUPPORTED because the device's provider lacks the function.
[[noreturn]] void not_supported(const char* function, int32_t device_type);

/// Returns the number of devices of a type; 0 without a provider.
int32_t device_count(int32_t device_type);
/// Returns the index of the calling thread's current device.
int32_t current_index(int32_t device_type);
/// Resolves a device to one with a definite index; NULL is the CPU. Throws TENON_ERROR_NOT_FOUND or
/// TENON_ERROR_INVALID_ARGUMENT naming `function`.
tenon_device resolve_device(const char* function, const tenon_device* device);

/// Allocates memory of a device; returns NULL for 0 bytes.
void* allocate_memory(const tenon_device_provider& provider, int32_t index, int64_t nbytes);
void release_memory(const tenon_device_provider& provider, int32_t index, void* data) noexcept;

/// Copies bytes, ordered on the current stream of the side that is not the CPU. Throws like
/// tenon_device_copy.
void copy_bytes(void* dst, const tenon_device& dst_device, const void* src,
                const tenon_device& src_device, int64_t nbytes, bool blocking);

/// See tenon/device.h.
tenon_stream current_stream(const tenon_device& device);
void set_current_stream(const tenon_stream& stream);
tenon_stream new_stream(const tenon_device& device);
void release_stream(const tenon_stream& stream) noexcept;
void synchronize_stream(const tenon_stream& stream);
/// Makes later work on `consumer`, a stream of the device, wait for the work queued so far on the
/// current stream. Does nothing on the CPU, or if both are the same stream.
void order_after_current(const tenon_device& device, void* consumer);

}  // namespace tenon::tensor
