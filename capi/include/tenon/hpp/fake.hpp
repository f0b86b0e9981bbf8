// SPDX-License-Identifier: Apache-2.0
// Fake tensors: modes in which operators make them. Library::register_fake registers kernels.
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

// What real tensors are in a mode, but for numbers (0-dim on the CPU), which always mix in.
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
  // Sizes that only elements tell become symbols of `env`, those of shipped operators as well.
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

  // A fake tensor like a real one, the same for the same tensor; views become views.
  Tensor from(const Tensor& tensor) const {
    tenon_tensor* made = nullptr;
    check(tenon_tensor_copy_fake(tensor.get(), mode_, &made));
    return Tensor(made);
  }

  // Where sizes that only elements tell are made, with the guards on them.
  ShapeEnv shape_env() const {
    tenon_shape_env* env = nullptr;
    check(tenon_fake_mode_shape_env(mode_, &env));
    return ShapeEnv(env);
  }

  // The same with symbols for sizes: an entry for each dim, none for its number, "" for a size of
  // its own, or a name that is the same size in all tensors of the mode. Without entries all stay.
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

  // What operators on this thread make is fake while it lives.
  class Scope {
   public:
    explicit Scope(const FakeMode& mode) { check(tenon_fake_mode_enter(mode.mode_, &guard_)); }
    ~Scope() {
      // Out of order the thread stays in the mode: a destructor cannot say so.
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

// The operator whose fake kernel runs on this thread on fake tensors, none outside of one.
inline std::optional<Op> running_fake() {
  const tenon_op* op = tenon_fake_running();
  return op != nullptr ? std::optional<Op>(Op(op)) : std::nullopt;
}

// A size from `min` to `max` that only elements tell, for the fake kernel that runs on fakes.
inline SymInt new_dynamic_size(int64_t min = 0, int64_t max = std::numeric_limits<int64_t>::max()) {
  tenon_value size{};
  check(tenon_fake_new_size(min, max, &size));
  return SymInt(Value(size));
}

}  // namespace tenon::inline hpp

#endif
