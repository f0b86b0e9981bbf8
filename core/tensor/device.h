// SPDX-License-Identifier: Apache-2.0
// Devices: type numbers, names (those of backends registered at run time included) and parsing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/device.h"
#include "tenon/key.h"

namespace tenon::tensor {

/// Number of device types: a type's number is its backend's bit in a key set.
constexpr int32_t kDeviceTypeCount = TENON_BACKEND_BITS;

/// Returns "cpu" and so on; NULL for a number that no backend has. Never freed.
const char* find_device_type_name(int32_t type) noexcept;
/// Like find_device_type_name(), but returns "unknown" instead of NULL.
const char* device_type_name(int32_t type) noexcept;
/// Returns the number of a device type by name, -1 if there is none.
int32_t find_device_type(std::string_view name) noexcept;
/// Lists the known names, such as "cpu, cuda, meta", for messages.
std::string list_device_types();

/// Assigns a number to a backend; a name that has one keeps it. Throws TENON_ERROR_INVALID_ARGUMENT
/// for a name that is no lower-case identifier and TENON_ERROR_STATE if all numbers are taken.
int32_t register_backend_name(std::string_view name);

/// Parses "cuda:1". CPU and Meta have one device and always get index 0; for other types without an
/// index, the index is -1, the current device. Throws like tenon_device_parse.
tenon_device parse_device(std::string_view text);
/// Writes "cpu", "cuda:1", or "cuda" for index -1.
std::string print_device(const tenon_device& device);

constexpr bool has_one_device(int32_t type) noexcept {
  return type == TENON_DEVICE_CPU || type == TENON_DEVICE_META;
}

/// Returns true if tensors on the device are fake: they claim the device and have no memory.
constexpr bool is_fake_device(const tenon_device& device) noexcept {
  return device.index >= TENON_DEVICE_FAKE;
}
/// Returns the device that a fake tensor claims; other devices unchanged.
constexpr tenon_device claimed_device(const tenon_device& device) noexcept {
  return is_fake_device(device) ? tenon_device{device.type, device.index - TENON_DEVICE_FAKE}
                                : device;
}
/// Returns the device of fake tensors that claim this one, whose index may be -1.
constexpr tenon_device fake_device(const tenon_device& device) noexcept {
  if (is_fake_device(device)) return device;
  return {device.type, (device.index < 0 ? 0 : device.index) + TENON_DEVICE_FAKE};
}

/// Returns true if two devices are the same; fake devices compare by what they claim.
inline bool same_device(const tenon_device& a, const tenon_device& b) noexcept {
  return a.type == b.type &&
         (claimed_device(a).index == claimed_device(b).index || has_one_device(a.type));
}

}  // namespace tenon::tensor
