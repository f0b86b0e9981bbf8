// SPDX-License-Identifier: Apache-2.0
#include "dispatch/fallback.h"

#include <atomic>

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_errors.h"
#include "dispatch/call_path.h"
#include "dispatch/key_tls.h"
#include "dispatch/multi_output_view.h"

namespace tenon::dispatch {

namespace {

uint64_t next_number() {
  static constinit std::atomic<uint64_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

// Set while the registry is constructed, before there is any operator.
const Kernel* shared_kernels[kFunctionalityCount] = {};

void bump_argument(const tenon_value& value) noexcept {
  if (value.tag == TENON_TAG_TENSOR) {
    value.as.tensor->count_write();
  } else if (value.tag == TENON_TAG_TENSOR_LIST) {
    const auto* tensors = static_cast<tenon_tensor* const*>(value.as.list.data);
    for (uint32_t i = 0; i < value.count; ++i) {
      if (tensors[i] != nullptr) tensors[i]->count_write();
    }
  }
}

// Bumps the written arguments from position 63 on, which share one bit, by the schema.
[[gnu::cold]] void bump_late_arguments(const tenon_op* op, const tenon_value* args,
                                       uint32_t nargs) noexcept {
  const SnapshotGuard guard(op);
  if (guard.get() == nullptr || guard.get()->schema == nullptr) return;
  const auto& arguments = guard.get()->schema->arguments();
  for (size_t i = 63; i < arguments.size() && i < nargs; ++i) {
    if (arguments[i].is_written()) bump_argument(args[i]);
  }
}

}  // namespace

Fallback::Fallback() noexcept : number(next_number()) {}

FallbackTable::FallbackTable() : places_(slot_count()) {}

void FallbackTable::install(Fallback* fallback) {
  TENON_DCHECK(!fallback->keys.empty() && fallback->kernel != nullptr);
  if (places_.size() < slot_count()) places_.resize(slot_count());
  if (fallback->select != nullptr && fallback->built_in == nullptr) selective_.push_back(fallback);
  for (const tenon_key key : fallback->keys) {
    FallbackEntry& place = places_[slot_of_key(key)];
    TENON_DCHECK((fallback->built_in != nullptr ? place.built_in : place.registered) == nullptr);
    (fallback->built_in != nullptr ? place.built_in : place.registered) = fallback;
  }
  const Kernel* kernel = fallback->kernel.get();
  if (fallback->built_in != nullptr && !kernel->is_fallthrough()) {
    // Functionalities with a slot per backend store the kernel in tables, where calls find it
    // directly.
    const tenon_key key = fallback->keys.front();
    fallback->shared = !slot_infos()[slot_of_key(key)].per_backend;
    if (fallback->shared) shared_kernels[functionality_of(key)] = kernel;
  }
  compare_rows();
}

void FallbackTable::remove(const Fallback* fallback) noexcept {
  for (const tenon_key key : fallback->keys) {
    const uint32_t slot = slot_of_key(key);
    if (slot < places_.size() && places_[slot].registered == fallback) {
      places_[slot].registered = nullptr;
    }
  }
  std::erase(selective_, fallback);
  compare_rows();
}

void FallbackTable::compare_rows() noexcept {
  const SlotInfo* infos = slot_infos();
  for (size_t row = 0; row < places_.size();) {
    const size_t end = row + (infos[row].per_backend ? kBackendCount : 1);
    places_[row].uniform = true;
    for (size_t slot = row; slot < end; ++slot) {
      if (places_[slot].active() != places_[row].active()) places_[row].uniform = false;
    }
    row = end;
  }
}

const Kernel* shared_kernel(uint32_t functionality) noexcept {
  return shared_kernels[functionality];
}

const Kernel* kernel_of_slot(const Snapshot& snapshot, uint32_t slot) noexcept {
  const int8_t number = slot < snapshot.nslots ? snapshot.slots[slot] : kMissing;
  if (number < 0) return snapshot.kernel(number);
  return number == kShared ? shared_kernel(functionality_of(key_of_slot(slot))) : nullptr;
}

namespace {

// keys_below() of a functionality known at compile time.
constexpr tenon_keyset below(uint32_t functionality) {
  return functionality_bit(functionality) - 1;
}

const tenon_device* first_device(const tenon_value* args, uint32_t nargs) noexcept {
  for (uint32_t i = 0; i < nargs; ++i) {
    if (args[i].tag == TENON_TAG_DEVICE) return &args[i].as.device;
  }
  return nullptr;
}

}  // namespace

tenon_keyset choose_backend(tenon_keyset keys, const tenon_value* args, uint32_t nargs) noexcept {
  constexpr tenon_keyset kSelect = functionality_bit(TENON_FUNCTIONALITY_BACKEND_SELECT);
  if ((keys & kSelect) == 0) return keys;
  const tenon_device* device = first_device(args, nargs);
  if (device != nullptr && !is_backend(device->type)) return keys;  // select_backend will refuse
  return (keys & ~kSelect) | dense_keys(device);
}

tenon_status select_backend(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const tenon_device* device = first_device(stack->args, stack->nargs);
  if (device != nullptr && !is_backend(device->type)) {
    base::ErrorPtr error = device_error(*op, *device);
    const tenon_status status = error->code();
    stack->error = error.detach();
    return status;
  }
  return redispatch(op, (keys & below(TENON_FUNCTIONALITY_BACKEND_SELECT)) | dense_keys(device),
                    stack);
}

void bump_others(const tenon_op* op, const tenon_value* args, uint32_t nargs,
                 uint64_t left) noexcept {
  constexpr uint64_t kLate = uint64_t{1} << 63;
  if ((left & kLate) != 0) bump_late_arguments(op, args, nargs);
  for (left &= ~kLate; left != 0; left &= left - 1) {
    const auto position = static_cast<uint32_t>(__builtin_ctzll(left));
    if (position < nargs) bump_argument(args[position]);
  }
}

namespace {

// Marks multi-output views among the results. Does nothing for composite kernels: the operators
// that they call have made the views and marked them.
void mark_results(const tenon_op* op, tenon_keyset keys, const tenon_stack& stack) noexcept {
  const SnapshotGuard guard(op);
  const Snapshot* snapshot = guard.get();
  if (snapshot == nullptr || (snapshot->traits & kReturnsViews) == 0) return;
  const Kernel* kernel = kernel_of_slot(*snapshot, slot_of(keys & snapshot->mask));
  if (kernel == nullptr || kernel->key == TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD) return;
  mark_multi_output_views(*snapshot->schema, stack);
}

}  // namespace

tenon_status bump_versions(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  // Bump before the kernel runs: a kernel that fails half-way has written already, and a kernel may
  // move arguments out of the stack.
  bump_written(op, stack->args, stack->nargs);
  const KeyGuard guard =
      KeyGuard::exclude(functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW));
  keys &= below(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
  const tenon_status status = redispatch(op, keys, stack);
  if (status == TENON_OK) mark_results(op, keys, *stack);
  return status;
}

}  // namespace tenon::dispatch
