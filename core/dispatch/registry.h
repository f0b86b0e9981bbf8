// SPDX-License-Identifier: Apache-2.0
// The registry: operators, fallbacks, listeners, and the one lock that writers hold.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fork.h"
#include "dispatch/fallback.h"
#include "dispatch/operator_table.h"

struct tenon_library;

namespace tenon::dispatch {

/// Someone who is told of definitions. Freed after the last telling that began before its removal.
struct Listener {
  tenon_registry_listener tell;
  void* ctx;
  tenon_deleter deleter;
  mutable std::atomic<bool> removed{false};
  Listener(tenon_registry_listener tell_function, void* context, tenon_deleter context_deleter)
      : tell(tell_function), ctx(context), deleter(context_deleter) {}
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() {
    if (deleter != nullptr) deleter(ctx);
  }
};
using ListenerPtr = std::shared_ptr<const Listener>;
using Listeners = std::vector<ListenerPtr>;

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

  /// Locks for writing and for reading what writers change. Throws TENON_ERROR_STATE inside of a
  /// selector, which is asked with the lock held.
  std::unique_lock<std::mutex> lock();

  // Below: the caller holds the lock.
  OperatorTable& ops() { return ops_; }
  FallbackTable& fallbacks() { return fallbacks_; }
  std::map<std::string_view, const tenon_library*>& namespaces() { return namespaces_; }
  std::shared_ptr<const Listeners>& listeners() { return listeners_; }

  /// Shortens the list of listeners; where memory is short, removed ones stay in it, unused.
  void drop_removed_listeners() noexcept;

  /// Asks a fallback's selector whether it concerns an operator of this schema.
  bool ask(const Fallback& fallback, const schema::Schema& schema);
  /// Asks the selective fallbacks about an operator that gets this schema.
  base::CompactVector<FallbackChoice> ask_fallbacks(const schema::Schema& schema);

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
  void install_built_ins();
  void install(Changes& changes, tenon_op* op, const Snapshot* snapshot) noexcept;

  std::mutex mutex_;
  std::atomic<std::thread::id> asking_{};  // the thread that is in a selector
  OperatorTable ops_;
  FallbackTable fallbacks_;
  std::vector<std::unique_ptr<Fallback>> built_ins_;
  std::map<std::string_view, const tenon_library*> namespaces_;  // of DEF libraries
  std::shared_ptr<const Listeners> listeners_;
};

/// Tells all listeners. No lock is held.
void tell_listeners(const Listeners& listeners, uint32_t event, const tenon_op* op) noexcept;

/// Declares a functionality; see tenon_functionality_register.
tenon_key register_functionality(std::string_view name, std::string_view anchor, uint32_t flags);

}  // namespace tenon::dispatch
