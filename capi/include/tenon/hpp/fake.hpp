// SPDX-License-Identifier: Apache-2.0
// Fake modes, in which operators create fake tensors. Fake kernels: Library::register_fake.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/fake.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tenon/fake.h"
#include "tenon/hpp/error.hpp"
#include "tenon/hpp/op.hpp"
#include "tenon/hpp/symbol.hpp"
#include "tenon/hpp/tensor.hpp"

// Usage:
//
//   const tenon::FakeMode mode;
//   const tenon::FakeMode::Scope scope(mode);
//   y = aten::ones({1 << 20, 1 << 20});  // sizes and dtype, and no memory

namespace tenon::inline hpp {

// How a mode treats real tensors, except 0-dim CPU tensors, which are always accepted as numbers.
enum class RealTensors : uint32_t {
  Refused = 0,
  MadeFake = TENON_FAKE_ALLOW_REAL,
};

// A fake mode. Cheap to copy.
class FakeMode {
 public:
  explicit FakeMode(RealTensors real = RealTensors::Refused) {
    check(tenon_fake_mode_new(static_cast<uint32_t>(real), &mode_));
  }
  // Data-dependent sizes become symbols of `env`, also for operators that ship with Tenon.
  explicit FakeMode(const ShapeEnv& env, RealTensors real = RealTensors::Refused) : FakeMode(real) {
    check(tenon_fake_mode_set_shape_env(mode_, env.get()));
  }
  FakeMode(const FakeMode& other) noexcept : mode_(tenon_fake_mode_retain(other.mode_)) {}
  FakeMode(FakeMode&& other) noexcept : mode_(std::exchange(other.mode_, nullptr)) {}
  FakeMode& operator=(FakeMode other) noexcept {
    std::swap(mode_, other.mode_);
    return *this;
  }
  ~FakeMode() { tenon_fake_mode_release(mode_); }

  tenon_fake_mode* get() const noexcept { return mode_; }

  // Makes a fake tensor like a real one. The same real tensor always gives the same fake one, and
  // views become views.
  Tensor from(const Tensor& tensor) const {
    tenon_tensor* made = nullptr;
    check(tenon_tensor_copy_fake(tensor.get(), mode_, &made));
    return Tensor(made);
  }

  // Returns the environment of data-dependent sizes, with the guards on them.
  ShapeEnv shape_env() const {
    tenon_shape_env* env = nullptr;
    check(tenon_fake_mode_shape_env(mode_, &env));
    return ShapeEnv(env);
  }

  // Makes a fake tensor with symbolic sizes. `dims` has an entry for each dim: none keeps the
  // number, "" makes a new symbol, and a name is the same size in all tensors of the mode. If
  // `dims` is empty, all sizes stay numbers.
  Tensor from(const Tensor& tensor, const std::vector<std::optional<std::string>>& dims) const {
    if (!dims.empty() && static_cast<int64_t>(dims.size()) != tensor.ndim()) {
      throw Error(TENON_ERROR_INVALID_ARGUMENT,
                  "FakeMode::from: dims must be as many as the tensor has, " +
                      std::to_string(tensor.ndim()) + ", got " + std::to_string(dims.size()));
    }
    std::vector<const char*> names(static_cast<size_t>(tensor.ndim()), nullptr);
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d]) names[d] = dims[d]->c_str();
    }
    tenon_tensor* made = nullptr;
    check(tenon_fake_mode_copy_dynamic(mode_, tensor.get(), names.data(), &made));
    return Tensor(made);
  }

  // While a Scope lives, operators on its thread create fake tensors.
  class Scope {
   public:
    explicit Scope(const FakeMode& mode) { check(tenon_fake_mode_enter(mode.mode_, &guard_)); }
    ~Scope() {
      // A destructor cannot report an error: if modes are left out of order, the thread stays in
      // this one.
      if (tenon_fake_mode_leave(&guard_) != TENON_OK) tenon_error_release(tenon_error_take());
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    tenon_fake_guard guard_;
  };

 private:
  tenon_fake_mode* mode_ = nullptr;
};

// Returns the operator whose fake kernel runs on fake tensors on this thread, if any.
inline std::optional<Op> running_fake() {
  const tenon_op* op = tenon_fake_running();
  return op != nullptr ? std::optional<Op>(Op(op)) : std::nullopt;
}

// Creates a data-dependent size from `min` to `max`, for the fake kernel that runs on fake tensors.
inline SymInt new_dynamic_size(int64_t min = 0, int64_t max = std::numeric_limits<int64_t>::max()) {
  tenon_value size{};
  check(tenon_fake_new_size(min, max, &size));
  return SymInt(Value(size));
}

}  // namespace tenon::inline hpp

#endif
