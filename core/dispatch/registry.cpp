// SPDX-License-Identifier: Apache-2.0
#include "dispatch/registry.h"

#include <sched.h>

#include "base/check.h"
#include "base/fork.h"
#include "dispatch/argument_check.h"
#include "dispatch/key_set.h"
#include "dispatch/slot_resolver.h"

namespace tenon::dispatch {

namespace {

uint64_t written_positions(const schema::Schema& schema) {
  uint64_t positions = 0;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    if (schema.arguments()[i].is_written()) positions |= uint64_t{1} << (i < 63 ? i : 63);
  }
  return positions;
}

std::unique_ptr<Fallback> make_fallback(const BuiltIn& built_in, std::vector<tenon_key> keys) {
  auto fallback = std::make_unique<Fallback>();
  fallback->kernel = std::make_unique<Kernel>();
  fallback->kernel->entry.boxed = built_in.kernel;
  fallback->kernel->entry.language = TENON_LANGUAGE_CPP;
  if (built_in.kernel == nullptr) fallback->kernel->entry.flags = TENON_KERNEL_FALLTHROUGH;
  fallback->kernel->key = keys.front();
  fallback->kernel->name = base::InternedString(built_in.name);
  fallback->select = built_in.select;
  fallback->keys = std::move(keys);
  fallback->built_in = &built_in;
  return fallback;
}

constexpr BuiltIn kSkipUntilUsed{"skip_until_used", TENON_KEY_NONE, nullptr, nullptr, nullptr};

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
  TENON_DCHECK(node->next == nullptr && node->reclaim != nullptr);
  node->next = retired_;
  retired_ = node;
}

void Changes::set_group(const void* group) noexcept {
  for (base::Retired* node = retired_; node != nullptr; node = node->next) node->group = group;
}

Registry& Registry::get() { return base::singleton<Registry, base::ForkOrder::kRegistry>(); }

Registry::Registry() : listeners_(std::make_shared<const Listeners>()) {
  install_built_ins(built_ins());
  for (const std::span<const BuiltIn> handed_in : layers().built_ins) install_built_ins(handed_in);
  base::hold_across_fork(mutex_, base::ForkOrder::kRegistry);
}

void Registry::install_built_ins(std::span<const BuiltIn> built_ins) {
  for (const BuiltIn& each : built_ins) {
    std::vector<tenon_key> keys = expand_key(each.key);
    TENON_DCHECK(fallbacks_.at(slot_of_key(keys.front())) == nullptr);
    built_ins_.push_back(make_fallback(each, std::move(keys)));
    fallbacks_.install(built_ins_.back().get());
  }
}

const BuiltIn* Registry::find_built_in(const Kernel& kernel) const noexcept {
  for (const auto& fallback : built_ins_) {
    if (fallback->kernel.get() == &kernel) return fallback->built_in;
  }
  return nullptr;
}

EventPtr Registry::take_spare_event() noexcept {
  TENON_DCHECK(!spare_events_.empty());
  EventPtr event = std::move(spare_events_.back());
  spare_events_.pop_back();
  return event;
}

void Registry::drop_removed_listeners() noexcept {
  try {
    Listeners left = *listeners_;
    std::erase_if(left, [](const ListenerPtr& listener) { return listener->removed.load(); });
    listeners_ = std::make_shared<const Listeners>(std::move(left));
    if (listeners_->empty()) std::vector<EventPtr>().swap(spare_events_);
  } catch (const std::bad_alloc&) {
  }
}

constinit std::atomic<uint64_t> registry_version{0};

void Registry::install(Changes& changes, tenon_op* op, const Snapshot* snapshot) noexcept {
  const Definition* definition = op->definition();
  TENON_DCHECK((snapshot->schema != nullptr) == (snapshot != empty_snapshot()));
  TENON_DCHECK(op->next_changed() == nullptr);
  const bool callable = snapshot != empty_snapshot();
  if (!callable) op->results.store(kUnknownResults, std::memory_order_relaxed);
  op->written.store(definition != nullptr ? written_positions(*definition->schema) : 0,
                    std::memory_order_relaxed);
  const Snapshot* before = op->snapshot.exchange(snapshot, std::memory_order_acq_rel);
  registry_version.fetch_add(1, std::memory_order_release);
  // Stored after the snapshot: a thread that reads this word can call the operator.
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

void Registry::publish_noexcept(Changes& changes) noexcept {
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

void notify_listeners(const tenon_op* op) noexcept {
  auto lock = Registry::get().lock();
  EventQueue& events = op->events();
  for (Event* event = events.begin(); event != nullptr; event = events.next()) {
    ListenersPtr listeners = std::move(event->listeners);
    if (listeners == nullptr) continue;  // a thread of the parent process delivered it
    lock.unlock();
    for (const ListenerPtr& listener : *listeners) {
      if (listener->removed.load(std::memory_order_acquire)) continue;
      listener->tell(listener->ctx, event->what, op);
    }
    listeners.reset();  // may be a listener's last reference: its deleter runs here
    lock.lock();
  }
}

void Registry::skip_by_default(uint32_t functionality) {
  const uint32_t backends = is_per_backend(functionality) ? kBackendCount : 1;
  std::vector<tenon_key> keys;
  for (uint32_t i = 0; i < backends; ++i) keys.push_back(make_key(functionality, i));
  if (fallbacks_.at(slot_of_key(keys.front())) != nullptr) return;
  built_ins_.push_back(make_fallback(kSkipUntilUsed, std::move(keys)));
  fallbacks_.install(built_ins_.back().get());
}

namespace {

// Adds the slots of a reserved functionality to all tables, then makes it usable.
void open_functionality(Registry& registry, uint32_t functionality, uint32_t flags) {
  // The tables built so far have no slots for the new key, so its bit must not be in any set while
  // a call still picks from one of them. The address of kOldTables is their group, so that drain()
  // can wait for them.
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
  while (base::drain(&kOldTables, -1, &blocker) != base::DrainResult::kDone) sched_yield();
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
  // A key excluded by default must be excluded before it can be used; a key included by default
  // must be usable before it is included. Several threads may run these steps at the same time,
  // which is safe because each step may be repeated.
  const tenon_keyset bit = functionality_bit(functionality);
  if ((flags & TENON_KEY_FLAG_EXCLUDED) != 0) base::add_thread_default(bit, false);
  if (!is_functionality(functionality)) open_functionality(registry, functionality, flags);
  if ((flags & TENON_KEY_FLAG_INCLUDED) != 0) base::add_thread_default(bit, true);
  return make_key(functionality, 0);
}

}  // namespace tenon::dispatch
