// SPDX-License-Identifier: Apache-2.0
// Registry listeners, and the queue of events that have not been delivered to them.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "tenon/library.h"

namespace tenon::dispatch {

/// A registry listener. Destroyed after the last notification that started before its removal.
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
using ListenersPtr = std::shared_ptr<const Listeners>;

/// Something that happened to an operator, with the listeners registered at that time.
struct Event {
  uint32_t what = 0;            // TENON_EVENT_*
  uint32_t teller = 0;          // 1 + fork generation of the notifying process, 0 if none
  ListenersPtr listeners;       // NULL once its delivery has begun
  std::unique_ptr<Event> next;  // next event of the same operator
};
using EventPtr = std::unique_ptr<Event>;

/// The undelivered events of one operator. They are delivered in the order in which they happened,
/// by one thread at a time: the thread that caused them, or one that is delivering already.
class EventQueue {
 public:
  // Below: the caller holds the registry's lock.
  void add(EventPtr event, uint32_t what, const ListenersPtr& listeners) noexcept;
  /// Returns the first event, which the caller must deliver. Returns NULL if there is none, or if
  /// another thread is delivering and will deliver the following events, too.
  Event* begin() noexcept;
  /// Frees the first event, which the caller has delivered. Returns the next one, like begin().
  Event* next() noexcept;

 private:
  EventPtr first_;
};

}  // namespace tenon::dispatch
