// SPDX-License-Identifier: Apache-2.0
// Hook: a function that runs as gradients flow through a node, see tenon/hooks.h.
#pragma once

#include <span>
#include <vector>

#include "autograd/node/node.h"
#include "base/intrusive_ptr.h"
#include "base/spin_guard.h"
#include "tenon/hooks.h"

/// A hook that was added to a node. Removing it takes what it calls away from it.
struct tenon_hook final : tenon::base::RefCounted<tenon_hook> {
 public:
  /// What a hook calls: stays while a run is under way.
  struct Target final : tenon::base::RefCounted<Target> {
    Target(tenon_hook_fn the_fn, void* the_ctx, tenon_deleter the_deleter, uint32_t the_language)
        : fn(the_fn), ctx(the_ctx), deleter(the_deleter), language(the_language) {}
    ~Target() {
      if (deleter != nullptr) deleter(ctx);
    }
    const tenon_hook_fn fn;
    void* const ctx;
    const tenon_deleter deleter;
    const uint32_t language;
  };
  using TargetPtr = tenon::base::IntrusivePtr<Target>;

  /// `output` is the node's that a GRAD hook is for.
  tenon_hook(uint32_t kind, uint32_t output, TargetPtr target) noexcept;
  static void destroy(tenon_hook* hook) noexcept;

  uint32_t kind() const noexcept { return kind_; }
  uint32_t output() const noexcept { return output_; }
  /// Empty once the hook was removed.
  TargetPtr target() const noexcept {
    const tenon::base::SpinGuard guard(locked_);
    return target_;
  }
  void remove() noexcept;

 private:
  ~tenon_hook() = default;

  const uint32_t kind_;
  const uint32_t output_;
  mutable std::atomic<bool> locked_{false};
  TargetPtr target_;
};

namespace tenon::autograd {

using Hook = ::tenon_hook;
using HookPtr = base::IntrusivePtr<Hook>;

/// The hooks of a node in the order in which they were added. Never changes: adding one makes
/// another list.
struct HookList final : base::RefCounted<HookList> {
  std::vector<HookPtr> hooks;
};
using HookListPtr = base::IntrusivePtr<HookList>;

/// Runs the hooks of a kind, for one output of the node where they are GRAD hooks: each gets what
/// the one before it left. `grads` are owned, and replaced. Throws what a hook raised, and
/// TENON_ERROR_TYPE for a gradient that cannot take another's place.
void run_grad_hooks(const HookList& list, Node& node, uint32_t output, tensor::Tensor** grad);
void run_hooks_before(const HookList& list, Node& node, std::span<tensor::Tensor*> grads);
void run_hooks_after(const HookList& list, Node& node, std::span<tensor::Tensor*> grads,
                     std::span<tensor::Tensor* const> outputs);
void run_accumulated_hooks(const HookList& list, Node& leaf);

}  // namespace tenon::autograd
