// SPDX-License-Identifier: Apache-2.0
// Autocast: regions, casts for handwritten kernels, and cast rules.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/autocast.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tenon/autocast.h"
#include "tenon/device.h"
#include "tenon/hpp/keys.hpp"
#include "tenon/hpp/library.hpp"
#include "tenon/hpp/tensor.hpp"
#include "tenon/hpp/value.hpp"

// Usage:
//
//   {
//     const tenon::autocast::Region region(TENON_DEVICE_CPU, tenon::Dtype::BF16);
//     y = aten::mm(x, w);  // computed in bfloat16
//   }

namespace tenon::inline hpp {

// Excludes Autocast from this thread's calls while the guard lives. For kernels on Autocast that
// call other operators.
class AutoDispatchBelowAutocast : detail::KeyGuard {
 public:
  AutoDispatchBelowAutocast() {
    entered(tenon_key_guard_exclude(detail::functionality(TENON_FUNCTIONALITY_AUTOCAST), &guard_));
  }
};

namespace autocast {

namespace detail {

inline tenon_autocast_state state_of(int32_t device_type) {
  tenon_autocast_state state{};
  state.struct_size = sizeof state;
  check(tenon_autocast_get(device_type, &state));
  return state;
}

inline void change(tenon_autocast_state* state, uint32_t bit, bool wanted) {
  state->flags = wanted ? state->flags | bit : state->flags & ~bit;
}

}  // namespace detail

// Returns true if autocast is enabled for this thread's calls on a device type.
inline bool is_autocast_enabled(int32_t device_type) {
  return (detail::state_of(device_type).flags & TENON_AUTOCAST_ENABLED) != 0;
}
inline Dtype get_autocast_dtype(int32_t device_type) {
  return static_cast<Dtype>(detail::state_of(device_type).dtype);
}
inline bool is_autocast_cache_enabled() {
  return (detail::state_of(TENON_DEVICE_CPU).flags & TENON_AUTOCAST_CACHE) != 0;
}
inline void set_autocast_enabled(int32_t device_type, bool enabled) {
  tenon_autocast_state state = detail::state_of(device_type);
  detail::change(&state, TENON_AUTOCAST_ENABLED, enabled);
  check(tenon_autocast_set(device_type, &state));
}
inline void set_autocast_dtype(int32_t device_type, Dtype dtype) {
  tenon_autocast_state state = detail::state_of(device_type);
  state.dtype = static_cast<tenon_dtype>(dtype);
  check(tenon_autocast_set(device_type, &state));
}
inline void set_autocast_cache_enabled(bool enabled) {
  tenon_autocast_state state = detail::state_of(TENON_DEVICE_CPU);
  detail::change(&state, TENON_AUTOCAST_CACHE, enabled);
  check(tenon_autocast_set(TENON_DEVICE_CPU, &state));
}
inline void clear_cache() { tenon_autocast_clear_cache(); }

// A region of a device type on this thread, which lasts as long as the object. If it is not
// enabled, it suspends an outer region of its device type. Without a dtype it uses the thread's
// lower precision.
class Region {
 public:
  explicit Region(int32_t device_type, std::optional<Dtype> dtype = {}, bool enabled = true,
                  std::optional<bool> caches = {}) {
    tenon_autocast_state state = detail::state_of(device_type);
    detail::change(&state, TENON_AUTOCAST_ENABLED, enabled);
    if (caches) detail::change(&state, TENON_AUTOCAST_CACHE, *caches);
    if (dtype) state.dtype = static_cast<tenon_dtype>(*dtype);
    check(tenon_autocast_enter(device_type, &state, &guard_));
  }
  ~Region() {
    // A destructor cannot report an error: if regions are left out of order, this one stays active.
    if (tenon_autocast_leave(&guard_) != TENON_OK) tenon_error_release(tenon_error_take());
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  tenon_autocast_guard guard_{};
};

// Converts a tensor that is eligible: on the device type, and with a floating dtype other than
// float64. Casts of float32 leaves that require grad to the region's dtype are cached until the
// outermost region ends. A Tensor without handle is returned unchanged.
inline Tensor cached_cast(Dtype dtype, const Tensor& tensor,
                          int32_t device_type = TENON_DEVICE_CUDA) {
  if (!tensor) return tensor;
  const tenon_value given = tenon_value_of_tensor(tensor.get());
  tenon_value cast;
  check(tenon_autocast_cast(device_type, static_cast<tenon_dtype>(dtype), &given, &cast));
  return Tensor(cast.as.tensor);
}
// Returns a Tensor without handle if `tensor` is absent.
inline Tensor cached_cast(Dtype dtype, const OptionalTensor& tensor,
                          int32_t device_type = TENON_DEVICE_CUDA) {
  return tensor ? cached_cast(dtype, *tensor, device_type) : Tensor();
}
inline std::vector<Tensor> cached_cast(Dtype dtype, const std::vector<Tensor>& tensors,
                                       int32_t device_type = TENON_DEVICE_CUDA) {
  std::vector<Tensor> casts;
  casts.reserve(tensors.size());
  for (const Tensor& tensor : tensors) casts.push_back(cached_cast(dtype, tensor, device_type));
  return casts;
}
template <class T>
requires(!std::is_convertible_v<T, Tensor> && !std::is_convertible_v<T, OptionalTensor> &&
         !std::is_convertible_v<T, std::vector<Tensor>>) T
    cached_cast(Dtype, T value, int32_t = TENON_DEVICE_CUDA) {
  return value;
}

// Returns the widest dtype among `initial` and the dtypes of eligible tensors in `args`, which are
// tensors and vectors of tensors.
template <class... Args>
Dtype promote_type(Dtype initial, int32_t device_type, const Args&... args) {
  const Value values[] = {Value(args)..., Value()};
  tenon_value borrowed[sizeof...(Args) + 1];
  for (size_t i = 0; i < sizeof...(Args); ++i) borrowed[i] = values[i].get();
  tenon_dtype widest = TENON_DTYPE_NONE;
  check(tenon_autocast_promote(device_type, static_cast<tenon_dtype>(initial), borrowed,
                               static_cast<int64_t>(sizeof...(Args)), &widest));
  return static_cast<Dtype>(widest);
}

}  // namespace autocast

// Cast rules of operators in regions.
enum class CastPolicy : uint32_t {
  LowerPrecisionFp = TENON_CAST_LOWER,         // to the region's dtype
  Fp32 = TENON_CAST_FP32,                      // to float32
  Fp32SetOptDtype = TENON_CAST_FP32_DTYPE,     // adds `dtype=float32` if none is given
  Fp32AppendDtype = TENON_CAST_FP32_OVERLOAD,  // the overload with a dtype, which is float32
  Promote = TENON_CAST_PROMOTE,                // to the widest of the arguments' dtypes
  Banned = TENON_CAST_BANNED,                  // the call fails
};

// Applies a rule to all device types that have no rule of their own.
inline constexpr int32_t kAllDeviceTypes = -1;

namespace detail {

inline Registration register_cast_rule(const Library& library, const std::string& name,
                                       uint32_t kind, tenon_dtype dtype, int32_t device_type,
                                       const char* advice, Site site) {
  tenon_cast_rule rule{};
  rule.struct_size = sizeof rule;
  rule.kind = kind;
  rule.device_type = device_type;
  rule.dtype = dtype;
  rule.advice = advice;
  rule.language = TENON_LANGUAGE_CPP;
  rule.file = site.file;
  rule.line = site.line;
  tenon_registration* registration = nullptr;
  check(tenon_library_register_autocast(library.get(), name.c_str(), &rule, &registration));
  return Registration(registration);
}

}  // namespace detail

// Registers an operator's cast rule by policy. `advice` tells the user what to do instead of a
// banned call.
inline Registration register_autocast(const Library& library, const std::string& name,
                                      CastPolicy policy, int32_t device_type = kAllDeviceTypes,
                                      const char* advice = nullptr, Site site = Site::here()) {
  return detail::register_cast_rule(library, name, static_cast<uint32_t>(policy), TENON_DTYPE_NONE,
                                    device_type, advice, site);
}
// Registers a rule that casts all eligible arguments to one dtype.
inline Registration register_autocast(const Library& library, const std::string& name, Dtype dtype,
                                      int32_t device_type = kAllDeviceTypes,
                                      Site site = Site::here()) {
  return detail::register_cast_rule(library, name, TENON_CAST_TO, static_cast<tenon_dtype>(dtype),
                                    device_type, nullptr, site);
}

}  // namespace tenon::inline hpp

#endif
