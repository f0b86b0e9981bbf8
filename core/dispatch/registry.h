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

/// What one step changed: collected under the lock, finished after it.
class Changes {
 public:
  Changes() = default;
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  /// The operator's table must be built again.
  void touch(tenon_op* op) noexcept;
  void retire(base::Retired* node) noexcept;
  /// Names what drain() waits for, for all that is to be freed so far.
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
  /// The process's registry. Leaked: other libraries' registrations may outlive static destructors.
  static Registry& get();

  /// Locks for writing and for reading what writers change. No foreign code runs while it is held.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // Below: the caller holds the lock.
  OperatorTable& ops() { return ops_; }
  FallbackTable& fallbacks() { return fallbacks_; }
  std::map<std::string_view, const tenon_library*>& namespaces() { return namespaces_; }
  ListenersPtr& listeners() { return listeners_; }
  /// For removals, which may not fail: while someone listens, there is at least one for each
  /// operator that is defined.
  std::vector<EventPtr>& spare_events() { return spare_events_; }
  EventPtr take_spare_event() noexcept;

  /// Where a kernel is that of a built-in fallback: which. NULL for all others.
  const BuiltIn* find_built_in(const Kernel& kernel) const noexcept;

  /// Shortens the list of listeners; where memory is short, removed ones stay in it, unused.
  void drop_removed_listeners() noexcept;

  /// Builds and publishes the tables of what was touched, all or (throwing) none.
  void publish(Changes& changes);
  /// Takes back what was touched but not published.
  static void forget(Changes& changes) noexcept;
  /// The same for steps that may not fail: an operator whose table cannot be built, for want of
  /// memory, is left without one.
  void publish_anyway(Changes& changes) noexcept;

  /// Gives a functionality without fallbacks one that skips it, until another is registered.
  void skip_by_default(uint32_t functionality);

  /// After unlocking: frees what was replaced, or leaves it to reclamation.
  static void finish(Changes& changes) noexcept { base::retire(changes.retired_); }
  /// The same for steps that only replace tables: many of them share one barrier.
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

/// Counts the tables that were replaced: what was resolved once is looked at again when it moves.
extern std::atomic<uint64_t> registry_version;

/// Tells what happened to an operator, unless a thread is at it, which then tells this too. No lock
/// is held.
void tell_events(const tenon_op* op) noexcept;

/// Declares a functionality; see tenon_functionality_register.
tenon_key register_functionality(std::string_view name, std::string_view anchor, uint32_t flags);

}  // namespace tenon::dispatch
