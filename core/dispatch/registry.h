// SPDX-License-Identifier: Apache-2.0
// The registry: operators, fallbacks, listeners, and the one lock that writers hold.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fork.h"
#include "dispatch/built_in.h"
#include "dispatch/fallback.h"
#include "dispatch/operator_table.h"

struct tenon_library;

namespace tenon::dispatch {

/// The changes of one registration or removal: collected under the lock, finished after it.
class Changes {
 public:
  Changes() = default;
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  /// Marks an operator whose table must be rebuilt.
  void touch(tenon_op* op) noexcept;
  void retire(base::Retired* node) noexcept;
  /// Sets the group that drain() waits for, for everything retired so far.
  void set_group(const void* group) noexcept;

 private:
  friend class Registry;
  static tenon_op* next(const tenon_op* op) noexcept;
  tenon_op* take() noexcept;
  tenon_op* ops_ = nullptr;
  base::Retired* retired_ = nullptr;
};

class Registry {
 public:
  /// Returns the process's registry. Leaked because registrations of other libraries may outlive
  /// static destructors.
  static Registry& get();

  /// Locks for writing, and for reading what writers change. No foreign code may run while it is
  /// held.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // Below: the caller holds the lock.
  OperatorTable& ops() { return ops_; }
  FallbackTable& fallbacks() { return fallbacks_; }
  std::map<std::string_view, const tenon_library*>& namespaces() { return namespaces_; }
  ListenersPtr& listeners() { return listeners_; }
  /// Preallocated events for removals, which must not fail. While there are listeners, the list has
  /// at least one event for each defined operator.
  std::vector<EventPtr>& spare_events() { return spare_events_; }
  EventPtr take_spare_event() noexcept;

  /// Returns the built-in fallback that a kernel belongs to, NULL for all other kernels.
  const BuiltIn* find_built_in(const Kernel& kernel) const noexcept;

  /// Erases removed listeners from the list. If memory is short, they stay in it, unused.
  void drop_removed_listeners() noexcept;

  /// Builds and publishes the tables of all touched operators, or throws and publishes none.
  void publish(Changes& changes);
  /// Forgets the touched operators that have not been published.
  static void forget(Changes& changes) noexcept;
  /// Like publish(), for steps that must not fail. An operator whose table cannot be built because
  /// memory is short has no kernels until its next registration.
  void publish_noexcept(Changes& changes) noexcept;

  /// Installs a fallthrough fallback for a functionality, unless it has a fallback. Registered
  /// fallbacks take precedence over it.
  void skip_by_default(uint32_t functionality);

  /// Frees what was replaced, or leaves it to reclamation. Called after unlocking.
  static void finish(Changes& changes) noexcept { base::retire(changes.retired_); }
  /// Like finish(), for steps that only replace tables: many of them share one barrier.
  static void finish_later(Changes& changes) noexcept { base::retire_later(changes.retired_); }

 private:
  template <typename T, base::ForkOrder place>
  friend T& base::singleton();
  Registry();
  void install_built_ins(std::span<const BuiltIn> built_ins);
  void install(Changes& changes, tenon_op* op, const Snapshot* snapshot) noexcept;

  std::mutex mutex_;
  OperatorTable ops_;
  FallbackTable fallbacks_;
  std::vector<std::unique_ptr<Fallback>> built_ins_;
  std::map<std::string_view, const tenon_library*> namespaces_;  // of DEF libraries
  ListenersPtr listeners_;
  std::vector<EventPtr> spare_events_;
};

/// Number of tables replaced so far. A cached lookup is stale once this number has changed.
extern std::atomic<uint64_t> registry_version;

/// Delivers an operator's pending events, unless another thread is already delivering them. No lock
/// is held.
void notify_listeners(const tenon_op* op) noexcept;

/// Declares a functionality; see tenon_functionality_register.
tenon_key register_functionality(std::string_view name, std::string_view anchor, uint32_t flags);

}  // namespace tenon::dispatch
