// SPDX-License-Identifier: Apache-2.0
// Listeners, who are told of definitions, and the events that wait to be told.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "tenon/library.h"

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
using ListenersPtr = std::shared_ptr<const Listeners>;

/// What happened to an operator, for those who listened then.
struct Event {
  uint32_t what = 0;            // TENON_EVENT_*
  uint32_t teller = 0;          // 1 + the fork generation of who tells it, see base/fork.h
  ListenersPtr listeners;       // NULL once someone tells it
  std::unique_ptr<Event> next;  // of its operator
};
using EventPtr = std::unique_ptr<Event>;

/// The events of one operator that have not been told. They are told in the order in which they
/// happened, by one thread at a time: by the one that caused them, or by one that is at it already.
class EventQueue {
 public:
  // Below: the caller holds the registry's lock.
  void add(EventPtr event, uint32_t what, const ListenersPtr& listeners) noexcept;
  /// The first event, which the caller is to tell. NULL: there is none, or a thread is at it and
  /// tells the others, too.
  Event* begin() noexcept;
  /// Frees the first event, which the caller has told; the next one, as begin().
  Event* next() noexcept;

 private:
  EventPtr first_;
};

}  // namespace tenon::dispatch
