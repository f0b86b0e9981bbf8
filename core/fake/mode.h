// SPDX-License-Identifier: Apache-2.0
// Mode: in it operators make fake tensors. Keeps what it made of real ones.
#pragma once

#include <mutex>
#include <unordered_map>

#include "base/intrusive_ptr.h"
#include "dispatch/key_set.h"
#include "symbol/shape_env.h"
#include "tenon/fake.h"
#include "tensor/tensor.h"

/// A mode. May be in use on several threads.
struct tenon_fake_mode final : tenon::base::RefCounted<tenon_fake_mode> {
  explicit tenon_fake_mode(uint32_t flags) noexcept;
  ~tenon_fake_mode();

  const uint32_t flags;  // TENON_FAKE_*

  /// What a real tensor was made before, empty where it was not.
  tenon::tensor::TensorPtr find(const tenon::tensor::Tensor& real);
  /// The environment of sizes that only elements tell, made when first asked for.
  tenon::symbol::ShapeEnvPtr shape_env();
  /// Throws TENON_ERROR_STATE where there is one.
  void set_shape_env(tenon::symbol::ShapeEnvPtr env);
  /// The same, as if it had been set.
  tenon::symbol::ShapeEnvPtr give_env();
  /// The one that was set; empty without.
  tenon::symbol::ShapeEnvPtr given_env();
  /// Keeps it. Where another thread came first, returns what that one keeps.
  tenon::tensor::TensorPtr keep(tenon::tensor::Tensor& real, tenon::tensor::TensorPtr fake);

 private:
  // The header of what is held weakly stays, so that no other tensor gets its address.
  struct Entry {
    tenon::tensor::WeakTensor of;
    tenon::tensor::TensorPtr fake;
  };
  void drop_dead_locked();

  std::mutex mutex_;
  std::unordered_map<const tenon::tensor::Tensor*, Entry> entries_;
  tenon::symbol::ShapeEnvPtr shape_env_;
  bool is_given_ = false;
  size_t sweep_at_ = 64;  // so many entries, and those of dead tensors are dropped
};

namespace tenon::fake {

using Mode = ::tenon_fake_mode;
using ModePtr = base::IntrusivePtr<Mode>;

constexpr tenon_keyset kFake = dispatch::functionality_bit(TENON_FUNCTIONALITY_FAKE);

/// The mode that the calling thread is in, NULL outside of any. Thread states carry it.
Mode* thread_mode() noexcept;
/// Puts another one in its place, which is returned. The first on a thread throws std::bad_alloc.
ModePtr exchange_thread_mode(ModePtr mode);

/// The environment of that mode, outside of any of the thread itself. Throws std::bad_alloc.
symbol::ShapeEnvPtr thread_shape_env();

/// The operator whose fake kernel runs on the calling thread, NULL where none does.
const tenon_op* running() noexcept;

/// Notes while it lives that the fake kernel of an operator runs on fakes. Throws std::bad_alloc.
class Running {
 public:
  explicit Running(const tenon_op& op);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  const tenon_op* const outer_;
};

}  // namespace tenon::fake
