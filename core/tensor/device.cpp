// SPDX-License-Identifier: Apache-2.0
#include "tensor/device.h"

#include <atomic>
#include <charconv>
#include <mutex>

#include "base/check.h"
#include "base/interned_string.h"

namespace tenon::tensor {

namespace {

// Names by device type. Written once each, under the mutex; read without it.
constinit std::atomic<const char*> names[kDeviceTypeCount] = {};
constinit std::mutex names_mutex;

const char* built_in_name(int32_t type) noexcept {
  switch (type) {
    case TENON_DEVICE_CPU:
      return "cpu";
    case TENON_DEVICE_CUDA:
      return "cuda";
    case TENON_DEVICE_META:
      return "meta";
    default:
      return nullptr;
  }
}

bool is_lower_identifier(std::string_view name) noexcept {
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return false;
  for (char letter : name) {
    const bool good =
        (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
    if (!good) return false;
  }
  return true;
}

}  // namespace

const char* find_device_type_name(int32_t type) noexcept {
  if (const char* name = built_in_name(type)) return name;
  if (type < 0 || type >= kDeviceTypeCount) return nullptr;
  return names[type].load(std::memory_order_acquire);
}

const char* device_type_name(int32_t type) noexcept {
  const char* name = find_device_type_name(type);
  return name != nullptr ? name : "unknown";
}

int32_t find_device_type(std::string_view name) noexcept {
  for (int32_t type = 0; type < kDeviceTypeCount; ++type) {
    const char* known = find_device_type_name(type);
    if (known != nullptr && name == known) return type;
  }
  return -1;
}

std::string list_device_types() {
  std::string list;
  for (int32_t type = 0; type < kDeviceTypeCount; ++type) {
    const char* name = find_device_type_name(type);
    if (name == nullptr) continue;
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list;
}

int32_t register_backend_name(std::string_view name) {
  TENON_CHECK_ARG(is_lower_identifier(name),
                  "tenon_backend_register: name must be a lower-case identifier, got '", name, "'");
  std::lock_guard lock(names_mutex);
  const int32_t known = find_device_type(name);
  if (known >= 0) return known;
  for (int32_t type = TENON_DEVICE_CUDA + 1; type < TENON_DEVICE_META; ++type) {
    if (names[type].load(std::memory_order_relaxed) != nullptr) continue;
    names[type].store(base::intern(name).data(), std::memory_order_release);
    return type;
  }
  fail(TENON_ERROR_STATE, "tenon_backend_register: all ", TENON_DEVICE_META - TENON_DEVICE_CUDA - 1,
       " backend numbers are taken, got '", name, "'");
}

tenon_device parse_device(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  int32_t index = -1;
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const char* end = digits.data() + digits.size();
    // from_chars takes a sign, and "cuda:01" would be a second spelling of "cuda:1".
    const bool plain = !digits.empty() && digits[0] >= '0' && digits[0] <= '9' &&
                       (digits[0] != '0' || digits.size() == 1);
    const auto parsed = std::from_chars(digits.data(), end, index);
    TENON_CHECK_ARG(plain && parsed.ec == std::errc() && parsed.ptr == end,
                    "tenon_device_parse: device must be <type> or <type>:<index>, got '", text,
                    "'");
  }
  TENON_CHECK_ARG(!name.empty(),
                  "tenon_device_parse: device must be <type> or <type>:<index>, got '", text, "'");
  const int32_t type = find_device_type(name);
  TENON_CHECK(type >= 0, TENON_ERROR_NOT_FOUND, "tenon_device_parse: device type must be one of ",
              list_device_types(), ", got '", name, "'");
  TENON_CHECK_ARG(index < TENON_DEVICE_FAKE, "tenon_device_parse: index must be below ",
                  TENON_DEVICE_FAKE, ", got '", text, "'");
  if (has_one_device(type)) {
    TENON_CHECK_ARG(index <= 0, "tenon_device_parse: index of ", name, " must be 0, got ", index);
    index = 0;
  }
  return {type, index};
}

std::string print_device(const tenon_device& device) {
  std::string text = device_type_name(device.type);
  if (device.index >= 0 && !has_one_device(device.type)) {
    base::append(text, ':');
    base::append(text, claimed_device(device).index);
  }
  return text;
}

}  // namespace tenon::tensor
