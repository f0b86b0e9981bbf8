// SPDX-License-Identifier: Apache-2.0
// The write path: calls of operators that write an argument, and calls whose slot holds no kernel
// of the table.
//
// An operator that writes bumps versions at ADInplaceOrView. If only the built-in fallback serves
// that key, the call itself does what the fallback would do (see bump_versions), in one dispatch
// instead of two: it bumps versions before the kernel runs, and excludes the key for the calls that
// the kernel makes. A typed caller or a binding leaves its frame by a single store, which cannot
// restore the thread's keys. Its calls take this path only for kernels that call no operators
// (TENON_KERNEL_LEAF) and get the fallback for all others. Profiled calls get the fallback, too, so
// that the profile shows it.
#include <bit>

#include "dispatch/call_path.h"
#include "dispatch/fallback.h"
#include "dispatch/key_tls.h"

namespace tenon::dispatch {

namespace {

constexpr tenon_keyset kWriteBit = functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);

// Returns true if ADInplaceOrView is the highest key of a call and its built-in fallback serves it.
// Stores the remaining keys in `out_below`.
[[gnu::always_inline]] inline bool is_counted(const Snapshot& snapshot, tenon_keyset keys,
                                              tenon_keyset* out_below) noexcept {
  *out_below = keys ^ kWriteBit;
  return (snapshot.flags & kCountsWrites) != 0 && *out_below < kWriteBit;
}

// Returns the kernel below the fallback, NULL if the table has none for it.
[[gnu::always_inline]] inline const Kernel* kernel_below(const Snapshot& snapshot,
                                                         tenon_keyset below) noexcept {
  if (below == snapshot.below) [[likely]] {
    return snapshot.kernel(snapshot.below_number);
  }
  return slot_kernel(snapshot, below);
}

[[gnu::always_inline]] inline tenon_status run_writer(const tenon_op* op, const Kernel* kernel,
                                                      tenon_keyset keys, tenon_stack* stack,
                                                      RunningPlace* place,
                                                      decltype(finish_call)* finish) {
  TENON_DCHECK((keys & kWriteBit) == 0 && keys < kWriteBit);
  base::set_running(place, kernel);
  bump_written(op, stack->args, stack->nargs);
  tenon_status status;
  {
    const KeyGuard guard = KeyGuard::exclude(base::record_of(place), kWriteBit);
    status = kernel->entry.boxed(kernel->entry.ctx, op, keys, stack);
  }
  return finish(op, stack, place, status);
}

[[gnu::always_inline]] inline const tenon_entry* enter(const tenon_op* op, const Kernel* kernel,
                                                       tenon_keyset keys, RunningPlace* place,
                                                       tenon_frame* frame) noexcept {
  base::set_running(place, kernel);
  return fill_frame(op, kernel, keys, base::record_of(place), place, frame);
}

void count_write(const tenon_tensor* tensor) noexcept {
  if (tensor != nullptr) const_cast<tenon_tensor*>(tensor)->count_write();
}

// Begins a typed call whose written tensors are preceded by arguments that are not plain tensors.
[[gnu::noinline]] const tenon_entry* begin_late_writer(
    const tenon_op* op, const Kernel* kernel, tenon_keyset keys, const tenon_tensor* const* tensors,
    int64_t count, RunningPlace* place, const Snapshot& snapshot, tenon_frame* frame) noexcept {
  const ArgumentPlan* plan = snapshot.plans();
  const ArgumentPlan* const end = plan + snapshot.nargs();
  for (int64_t number = 0; plan != end && number < count; ++plan) {
    if ((*plan & kCarriesKeys) == 0) continue;
    if ((*plan & kWritten) != 0) count_write(tensors[number]);
    ++number;
  }
  return enter(op, kernel, keys, place, frame);
}

// Begins a typed call whose written tensors are identified by their numbers (kWritesByNumber is
// set). A caller may still use an earlier definition of the operator, with other arguments.
[[gnu::always_inline]] inline const tenon_entry* begin_writer(
    const tenon_op* op, const Kernel* kernel, tenon_keyset keys, const tenon_tensor* const* tensors,
    int64_t count, RunningPlace* place, const Snapshot& snapshot, tenon_frame* frame) noexcept {
  uint64_t written = op->written.load(std::memory_order_relaxed);
  // Among the leading plain tensors, a tensor's number is its position.
  if (snapshot.front > 62 || written >> snapshot.front != 0) [[unlikely]] {
    return begin_late_writer(op, kernel, keys, tensors, count, place, snapshot, frame);
  }
  for (; written != 0; written &= written - 1) {
    const int number = __builtin_ctzll(written);
    if (number < count) count_write(tensors[number]);
  }
  return enter(op, kernel, keys, place, frame);
}

[[gnu::always_inline]] inline bool is_leaf(const Kernel* kernel) noexcept {
  return kernel != nullptr && (kernel->entry.flags & TENON_KERNEL_LEAF) != 0;
}

// Begins a typed call with the kernel that pick() finds: the ADInplaceOrView fallback for kernels
// that may call operators, or a shared fallback. Without a kernel, takes the slow path.
[[gnu::noinline]] const tenon_entry* begin_pick(const tenon_op* op, tenon_keyset keys,
                                                tenon_keyset carried, tenon_frame* frame,
                                                RunningPlace* place, const Snapshot& snapshot) {
  const Pick picked = pick(snapshot, keys);
  if (picked.kernel != nullptr) return enter(op, picked.kernel, picked.keys, place, frame);
  base::leave(base::record_of(place), place);
  return begin_slow(op, carried, 0, frame, BeginKind::kCall);
}

// Continues a typed call that has been entered and is dispatched to `keys`; its tensors carry
// `carried`.
[[gnu::always_inline]] inline const tenon_entry* begin_with(
    const tenon_op* op, tenon_keyset keys, tenon_keyset carried, const tenon_tensor* const* tensors,
    int64_t count, tenon_frame* frame, RunningPlace* place, const Snapshot& snapshot) {
  ThreadRecord* thread = base::record_of(place);
  if ((snapshot.flags & (kCountsWrites | kHasUserAutograd)) == 0) {
    const Kernel* kernel = slot_kernel(snapshot, keys);
    if (kernel != nullptr) [[likely]] {
      return enter(op, kernel, keys, place, frame);
    }
    return begin_pick(op, keys, carried, frame, place, snapshot);
  }
  keys |= user_autograd_key(snapshot, *thread);
  tenon_keyset below;
  if (is_counted(snapshot, keys, &below)) {
    const Kernel* kernel = kernel_below(snapshot, below);
    if ((snapshot.flags & kWritesByNumber) != 0 && is_leaf(kernel)) [[likely]] {
      return begin_writer(op, kernel, below, tensors, count, place, snapshot, frame);
    }
  } else if (const Kernel* kernel = slot_kernel(snapshot, keys)) [[likely]] {
    return enter(op, kernel, keys, place, frame);
  }
  return begin_pick(op, keys, carried, frame, place, snapshot);
}

// Like begin_with(), for tensors that carry Autograd: continues without the key if none is tracked.
[[gnu::noinline]] const tenon_entry* begin_tracked(const tenon_op* op, tenon_keyset keys,
                                                   tenon_keyset carried,
                                                   const tenon_tensor* const* tensors,
                                                   int64_t count, tenon_frame* frame,
                                                   RunningPlace* place, const Snapshot& snapshot) {
  keys = without_untracked_autograd(snapshot, *base::record_of(place), keys,
                                    [&] { return any_tracked(tensors, count); });
  if (keys == snapshot.plain) return enter(op, snapshot.kernel(-1), keys, place, frame);
  return begin_with(op, keys, carried, tensors, count, frame, place, snapshot);
}

[[gnu::always_inline]] inline const tenon_entry* begin_entered(
    const tenon_op* op, tenon_keyset carried, const tenon_tensor* const* tensors, int64_t count,
    tenon_frame* frame, RunningPlace* place, const Snapshot& snapshot) {
  const tenon_keyset keys = fast_keys(snapshot, *base::record_of(place), carried);
  if ((keys & base::kAutogradBit) != 0) [[unlikely]] {
    return begin_tracked(op, keys, carried, tensors, count, frame, place, snapshot);
  }
  return begin_with(op, keys, carried, tensors, count, frame, place, snapshot);
}

// Returns true if the thread or the operator removes Override from its calls. An argument may have
// carried it; only the slow path can find out.
bool may_lose_override(const Snapshot& snapshot, const ThreadRecord& thread) noexcept {
  return (thread.keep & snapshot.mask & kOverrideBit) == 0;
}

// Calls the kernel that pick() finds, for calls that do not go to the ADInplaceOrView fallback or
// for which the table has no kernel below it.
[[gnu::noinline]] tenon_status call_pick(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                                         RunningPlace* place, const Snapshot* snapshot) {
  ThreadRecord* thread = base::record_of(place);
  const Pick picked = pick(*snapshot, keys);
  if (picked.kernel == nullptr || may_lose_override(*snapshot, *thread)) {
    return call_entered(op, stack, thread, place, snapshot);
  }
  return run_kernel(op, picked.kernel, picked.keys, stack, place, finish_call);
}

// Dispatches a call whose final key set is `keys`, apart from user_autograd_key().
[[gnu::always_inline]] inline tenon_status call_with(const tenon_op* op, tenon_keyset keys,
                                                     tenon_stack* stack, RunningPlace* place,
                                                     const Snapshot* snapshot) {
  keys |= user_autograd_key(*snapshot, *base::record_of(place));
  tenon_keyset below;
  if (is_counted(*snapshot, keys, &below)) [[likely]] {
    if (const Kernel* kernel = kernel_below(*snapshot, below)) [[likely]] {
      return run_writer(op, kernel, below, stack, place, finish_call);
    }
  }
  return call_pick(op, keys, stack, place, snapshot);
}

// Like call_with(), for arguments that carry Autograd: continues without the key if none is
// tracked.
[[gnu::noinline]] tenon_status call_tracked(const tenon_op* op, tenon_keyset keys,
                                            tenon_stack* stack, RunningPlace* place,
                                            const Snapshot* snapshot) {
  const ThreadRecord* thread = base::record_of(place);
  keys = without_untracked_autograd(*snapshot, *thread, keys,
                                    [&] { return any_tracked(*snapshot, stack->args); });
  if ((keys & base::kAutogradBit) == 0 && keys != snapshot->plain) {
    return call_with(op, keys, stack, place, snapshot);
  }
  const Kernel* kernel = slot_kernel(*snapshot, keys);
  if (kernel == nullptr || may_lose_override(*snapshot, *thread)) {
    return call_pick(op, keys, stack, place, snapshot);
  }
  return run_kernel(op, kernel, keys, stack, place, finish_call);
}

[[gnu::noinline]] tenon_status redispatch_pick(const tenon_op* op, tenon_keyset keys,
                                               tenon_stack* stack, RunningPlace* place,
                                               const Snapshot* snapshot) {
  const Pick picked = pick(*snapshot, keys);
  if (picked.kernel == nullptr) {
    return redispatch_entered(op, keys, stack, base::record_of(place), place, snapshot);
  }
  return run_kernel(op, picked.kernel, picked.keys, stack, place, finish_redispatch);
}

}  // namespace

tenon_status call_write(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                        RunningPlace* place, const Snapshot* snapshot) {
  if ((keys & base::kAutogradBit) != 0) [[unlikely]] {
    return call_tracked(op, keys, stack, place, snapshot);
  }
  return call_with(op, keys, stack, place, snapshot);
}
tenon_status redispatch_write(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                              RunningPlace* place, const Snapshot* snapshot) {
  tenon_keyset below;
  if (is_counted(*snapshot, keys, &below)) [[likely]] {
    if (const Kernel* kernel = kernel_below(*snapshot, below)) [[likely]] {
      return run_writer(op, kernel, below, stack, place, finish_redispatch);
    }
  }
  return redispatch_pick(op, keys, stack, place, snapshot);
}

const tenon_entry* begin1_write(const tenon_op* op, const tenon_tensor* a, tenon_frame* frame,
                                RunningPlace* place, const Snapshot* snapshot) {
  return begin_entered(op, tensor_keys(a), &a, 1, frame, place, *snapshot);
}

const tenon_entry* begin2_write(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                tenon_frame* frame, RunningPlace* place, const Snapshot* snapshot) {
  const tenon_tensor* const tensors[] = {a, b};
  return begin_entered(op, tensor_keys(a) | tensor_keys(b), tensors, 2, frame, place, *snapshot);
}

const tenon_entry* begin3_write(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                const tenon_tensor* c, tenon_frame* frame, RunningPlace* place,
                                const Snapshot* snapshot) {
  const tenon_tensor* const tensors[] = {a, b, c};
  const tenon_keyset carried = tensor_keys(a) | tensor_keys(b) | tensor_keys(c);
  return begin_entered(op, carried, tensors, 3, frame, place, *snapshot);
}

const tenon_entry* begin_n_write(const tenon_op* op, const tenon_tensor* const* tensors,
                                 int64_t count, tenon_frame* frame, RunningPlace* place,
                                 const Snapshot* snapshot) {
  return begin_entered(op, tensors_keys(tensors, count), tensors, count, frame, place, *snapshot);
}

const tenon_entry* begin_absent(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                const tenon_tensor* c, tenon_frame* frame) {
  const tenon_tensor* const tensors[] = {a, b, c};
  return begin_n(op, tensors, 3, frame);
}

const tenon_entry* begin_keys_pick(const tenon_op* op, tenon_keyset keys, tenon_frame* frame,
                                   RunningPlace* place, const Snapshot* snapshot) {
  if (const Pick picked = pick(*snapshot, keys); picked.kernel != nullptr) [[likely]] {
    return enter(op, picked.kernel, picked.keys, place, frame);
  }
  base::leave(base::record_of(place), place);
  return begin_slow(op, keys, 0, frame, BeginKind::kRedispatch);
}

const tenon_entry* begin_boxed_write(const tenon_op* op, const tenon_value* args,
                                     tenon_frame* frame, RunningPlace* place,
                                     const Snapshot* snapshot, tenon_keyset keys) {
  ThreadRecord* thread = base::record_of(place);
  keys = without_untracked_autograd(*snapshot, *thread, keys,
                                    [&] { return any_tracked(*snapshot, args); });
  keys |= user_autograd_key(*snapshot, *thread);
  tenon_keyset below;
  const bool counted = is_counted(*snapshot, keys, &below);
  const Pick picked = counted ? Pick{kernel_below(*snapshot, below), below} : pick(*snapshot, keys);
  const bool serves = picked.kernel != nullptr &&
                      (counted ? is_leaf(picked.kernel) : !may_lose_override(*snapshot, *thread));
  if (!serves) [[unlikely]] {
    const int64_t nargs = snapshot->nargs();
    base::leave(base::record_of(place), place);
    return begin_boxed_slow(op, args, nargs, frame);
  }
  if (counted) bump_written(op, args, snapshot->nargs());
  const tenon_entry* entry = enter(op, picked.kernel, picked.keys, place, frame);
  frame->state = kArgumentsChecked;
  if (!picked.kernel->passes_on) return entry;
  const tenon_keyset under = picked.keys & (std::bit_floor(picked.keys) - 1) & ~kWriteBit;
  const Kernel* next = kernel_below(*snapshot, under);
  return next != nullptr ? entry_above(*picked.kernel, *next) : entry;
}

}  // namespace tenon::dispatch
