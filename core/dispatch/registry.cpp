// SPDX-License-Identifier: Apache-2.0
#include "dispatch/registry.h"

#include <sched.h>

#include "base/check.h"
#include "base/fork.h"
#include "dispatch/argument_check.h"
#include "dispatch/key_set.h"
#include "dispatch/layer_fallbacks.h"
#include "dispatch/slot_resolver.h"
#include "dispatch/transform.h"

namespace tenon::dispatch {

namespace {

uint64_t written_positions(const schema::Schema& schema) {
  uint64_t positions = 0;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    if (schema.arguments()[i].is_written()) positions |= uint64_t{1} << (i < 63 ? i : 63);
  }
  return positions;
}

std::unique_ptr<Fallback> built_in(const char* name, tenon_kernel_fn boxed,
                                   tenon_fallback_select select, std::vector<tenon_key> keys) {
  auto fallback = std::make_unique<Fallback>();
  fallback->kernel = std::make_unique<Kernel>();
  fallback->kernel->entry.boxed = boxed;
  fallback->kernel->entry.language = TENON_LANGUAGE_CPP;
  if (boxed == nullptr) fallback->kernel->entry.flags = TENON_KERNEL_FALLTHROUGH;
  fallback->kernel->key = keys.front();
  fallback->kernel->name = base::InternedString(name);
  fallback->select = select;
  fallback->keys = std::move(keys);
  fallback->built_in = true;
  return fallback;
}

bool may_hold_tensors(const schema::Type& type) {
  switch (type.kind) {
    case TENON_TYPE_TENSOR:
    case TENON_TYPE_ANY:
    case TENON_TYPE_VARIABLE:
    case TENON_TYPE_CLASS:
      return true;
    default:
      for (const schema::Type* element : type.elements) {
        if (may_hold_tensors(*element)) return true;
      }
      return false;
  }
}

int32_t concerns_factories(void*, const tenon_schema* schema) {
  if (schema->is_vararg()) return TENON_SELECT_FALLTHROUGH;
  for (const schema::Argument& argument : schema->arguments()) {
    if (may_hold_tensors(*argument.type)) return TENON_SELECT_FALLTHROUGH;
  }
  return TENON_SELECT_KERNEL;
}

int32_t concerns_writers(void*, const tenon_schema* schema) {
  return schema->is_mutable() ? TENON_SELECT_KERNEL : TENON_SELECT_FALLTHROUGH;
}

}  // namespace

void Changes::touch(tenon_op* op) noexcept {
  if (op->next_changed() != nullptr) return;
  op->next_changed() = ops_ != nullptr ? ops_ : op;
  ops_ = op;
}

tenon_op* Changes::next(const tenon_op* op) noexcept {
  return op->next_changed() != op ? op->next_changed() : nullptr;
}

tenon_op* Changes::take() noexcept {
  tenon_op* op = ops_;
  ops_ = next(op);
  op->next_changed() = nullptr;
  return op;
}

void Changes::retire(base::Retired* node) noexcept {
  node->next = retired_;
  retired_ = node;
}

void Changes::set_group(const void* group) noexcept {
  for (base::Retired* node = retired_; node != nullptr; node = node->next) node->group = group;
}

Registry& Registry::get() { return base::singleton<Registry, base::ForkOrder::kRegistry>(); }

Registry::Registry() : listeners_(std::make_shared<const Listeners>()) {
  install_built_ins();
  base::hold_across_fork(mutex_, base::ForkOrder::kRegistry);
}

// What stands in for the layers that are not loaded: skipping, except where a key has work to do
// without any layer.
void Registry::install_built_ins() {
  built_ins_.push_back(built_in("skip_autograd", nullptr, nullptr, expand_key(TENON_KEY_AUTOGRAD)));
  built_ins_.push_back(built_in("skip_autocast", nullptr, nullptr, expand_key(TENON_KEY_AUTOCAST)));
  built_ins_.push_back(built_in("skip_profiler", nullptr, nullptr, {TENON_KEY_TRACER}));
  built_ins_.push_back(
      built_in("bump_versions", &bump_versions, &concerns_writers, {TENON_KEY_AD_INPLACE_OR_VIEW}));
  built_ins_.push_back(
      built_in("select_backend", &select_backend, &concerns_factories, {TENON_KEY_BACKEND_SELECT}));
  built_ins_.push_back(built_in("run_overrides", &run_overrides, nullptr, {TENON_KEY_OVERRIDE}));
  built_ins_.push_back(built_in("run_wrappers", &run_wrappers, nullptr, {TENON_KEY_WRAPPER}));
  built_ins_.push_back(
      built_in("transform_front", &transform_front, nullptr, {TENON_KEY_TRANSFORM_FRONT}));
  built_ins_.push_back(
      built_in("transform_back", &transform_back, nullptr, {TENON_KEY_TRANSFORM_BACK}));
  for (const auto& fallback : built_ins_) fallbacks_.install(fallback.get());
}

void Registry::drop_removed_listeners() noexcept {
  try {
    Listeners left = *listeners_;
    std::erase_if(left, [](const ListenerPtr& listener) { return listener->removed.load(); });
    listeners_ = std::make_shared<const Listeners>(std::move(left));
  } catch (const std::bad_alloc&) {
  }
}

void Registry::install(Changes& changes, tenon_op* op, const Snapshot* snapshot) noexcept {
  const Definition* definition = op->definition();
  const bool callable = snapshot != empty_snapshot();
  if (!callable) op->results.store(kUnknownResults, std::memory_order_relaxed);
  op->written.store(definition != nullptr ? written_positions(*definition->schema) : 0,
                    std::memory_order_relaxed);
  const Snapshot* before = op->snapshot.exchange(snapshot, std::memory_order_acq_rel);
  // Who finds the operator defined, by this word, can call it.
  if (callable) {
    op->results.store(result_word(*definition->schema), std::memory_order_release);
  }
  if (before != empty_snapshot()) changes.retire(retired_node(before));
}

void Registry::forget(Changes& changes) noexcept {
  while (changes.ops_ != nullptr) changes.take();
}

void Registry::publish(Changes& changes) {
  std::vector<std::pair<tenon_op*, const Snapshot*>> built;
  try {
    for (tenon_op* op = changes.ops_; op != nullptr; op = Changes::next(op)) {
      built.emplace_back(op, nullptr);
      built.back().second = build_snapshot(*op, fallbacks_);
    }
  } catch (...) {
    for (const auto& [op, snapshot] : built) {
      if (snapshot != nullptr && snapshot != empty_snapshot()) free_snapshot(snapshot);
    }
    forget(changes);
    throw;
  }
  forget(changes);
  for (const auto& [op, snapshot] : built) install(changes, op, snapshot);
}

void Registry::publish_anyway(Changes& changes) noexcept {
  while (changes.ops_ != nullptr) {
    tenon_op* op = changes.take();
    const Snapshot* snapshot = empty_snapshot();
    try {
      snapshot = build_snapshot(*op, fallbacks_);
    } catch (const std::exception&) {
      // Out of memory. The operator has no kernels until its next registration.
    }
    install(changes, op, snapshot);
  }
}

void tell_events(const tenon_op* op) noexcept {
  auto lock = Registry::get().lock();
  EventQueue& events = op->events();
  if (!events.begin()) return;
  while (const EventPtr event = events.take()) {
    lock.unlock();
    for (const ListenerPtr& listener : *event->listeners) {
      if (listener->removed.load(std::memory_order_acquire)) continue;
      listener->tell(listener->ctx, event->what, op);
    }
    event->listeners.reset();  // may be a listener's last reference: its deleter runs here
    lock.lock();
  }
  events.end();
}

void Registry::skip_by_default(uint32_t functionality) {
  const uint32_t backends = is_per_backend(functionality) ? kBackendCount : 1;
  std::vector<tenon_key> keys;
  for (uint32_t i = 0; i < backends; ++i) keys.push_back(make_key(functionality, i));
  if (fallbacks_.at(slot_of_key(keys.front())) != nullptr) return;
  built_ins_.push_back(built_in("skip_until_used", nullptr, nullptr, std::move(keys)));
  fallbacks_.install(built_ins_.back().get());
}

namespace {

// Gives all tables the slots of a reserved functionality and opens it.
void open_functionality(Registry& registry, uint32_t functionality, uint32_t flags) {
  // The tables until now have no slots for the new key. Its bit may not be in any set while a call
  // still picks from one of them: this marks them, so that they can be waited for.
  static const char kOldTables = 0;
  Changes changes;
  {
    const auto lock = registry.lock();
    if ((flags & TENON_KEY_FLAG_INCLUDED) != 0) registry.skip_by_default(functionality);
    for (tenon_op* op : registry.ops().all()) {
      if (op->definition() != nullptr) changes.touch(op);
    }
    registry.publish(changes);
    changes.set_group(&kOldTables);
  }
  Registry::finish(changes);
  base::Blocker blocker;
  while (base::drain(&kOldTables, -1, &blocker) != base::Drained::kDone) sched_yield();
  publish_functionality(functionality);
}

}  // namespace

tenon_key register_functionality(std::string_view name, std::string_view anchor, uint32_t flags) {
  Registry& registry = Registry::get();
  uint32_t functionality;
  {
    const auto lock = registry.lock();
    reserve_functionality(name, anchor, flags, &functionality);
  }
  // Nobody may use an excluded key before it is excluded, nor have one included that is not open.
  // Another thread may be at any of these steps: each works again.
  const tenon_keyset bit = functionality_bit(functionality);
  if ((flags & TENON_KEY_FLAG_EXCLUDED) != 0) base::add_thread_default(bit, false);
  if (!is_functionality(functionality)) open_functionality(registry, functionality, flags);
  if ((flags & TENON_KEY_FLAG_INCLUDED) != 0) base::add_thread_default(bit, true);
  return make_key(functionality, 0);
}

}  // namespace tenon::dispatch
