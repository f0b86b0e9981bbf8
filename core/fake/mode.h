// SPDX-License-Identifier: Apache-2.0
// Mode: while a thread is in it, operators create fake tensors. Caches the fake of each real
// tensor.
#pragma once

#include <mutex>
#include <unordered_map>

#include "base/intrusive_ptr.h"
#include "dispatch/key_set.h"
#include "symbol/shape_env.h"
#include "tenon/fake.h"
#include "tensor/tensor.h"

/// A fake mode. Several threads may use it.
struct tenon_fake_mode final : tenon::base::RefCounted<tenon_fake_mode> {
  explicit tenon_fake_mode(uint32_t flags) noexcept;
  ~tenon_fake_mode();

  const uint32_t flags;  // TENON_FAKE_*

  /// Returns the cached fake of a real tensor, or NULL.
  tenon::tensor::TensorPtr find(const tenon::tensor::Tensor& real);
  /// Returns the shape environment for data-dependent sizes, created on first use.
  tenon::symbol::ShapeEnvPtr shape_env();
  /// Throws TENON_ERROR_STATE if the mode has one already.
  void set_shape_env(tenon::symbol::ShapeEnvPtr env);
  /// Returns the shape environment, and marks it as set by the user.
  tenon::symbol::ShapeEnvPtr give_env();
  /// Returns the environment that the user set; NULL if none.
  tenon::symbol::ShapeEnvPtr given_env();
  /// Caches `fake` for `real`. Returns the existing fake if another thread was first.
  tenon::tensor::TensorPtr keep(tenon::tensor::Tensor& real, tenon::tensor::TensorPtr fake);

 private:
  // The weak reference keeps the tensor's header allocated, so its address cannot be reused as a
  // key.
  struct CachedFake {
    tenon::tensor::WeakTensor of;
    tenon::tensor::TensorPtr fake;
  };
  void drop_dead_locked();

  std::mutex mutex_;
  std::unordered_map<const tenon::tensor::Tensor*, CachedFake> entries_;
  tenon::symbol::ShapeEnvPtr shape_env_;
  bool is_given_ = false;
  size_t sweep_at_ = 64;  // number of entries at which entries of dead tensors are dropped
};

namespace tenon::fake {

using Mode = ::tenon_fake_mode;
using ModePtr = base::IntrusivePtr<Mode>;

constexpr tenon_keyset kFake = dispatch::functionality_bit(TENON_FUNCTIONALITY_FAKE);

/// Returns the calling thread's mode; NULL outside a mode. Thread states carry it.
Mode* thread_mode() noexcept;
/// Replaces the calling thread's mode and returns the old one. May throw std::bad_alloc on first
/// use.
ModePtr exchange_thread_mode(ModePtr mode);

/// Returns the environment of the thread's mode; outside a mode, an environment of the thread
/// itself. Throws std::bad_alloc.
symbol::ShapeEnvPtr thread_shape_env();

/// Returns the operator whose fake kernel runs on the calling thread; NULL if none.
const tenon_op* running() noexcept;

/// RAII: marks that the fake kernel of an operator runs on fake tensors. Throws std::bad_alloc.
class RunningFakeKernel {
 public:
  explicit RunningFakeKernel(const tenon_op& op);
  ~RunningFakeKernel();
  RunningFakeKernel(const RunningFakeKernel&) = delete;
  RunningFakeKernel& operator=(const RunningFakeKernel&) = delete;

 private:
  const tenon_op* const outer_;
};

}  // namespace tenon::fake
