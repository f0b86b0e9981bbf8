// SPDX-License-Identifier: Apache-2.0
#include "dispatch/listener.h"

#include <utility>

#include "base/check.h"
#include "base/fork.h"

namespace tenon::dispatch {

void EventQueue::add(EventPtr event, const ListenersPtr& listeners) noexcept {
  if (listeners->empty()) return;
  TENON_DCHECK(event != nullptr && event->next == nullptr);
  event->listeners = listeners;
  EventPtr* end = &first_;
  while (*end != nullptr) end = &(*end)->next;
  *end = std::move(event);
}

bool EventQueue::begin() noexcept {
  // A thread of the parent's that was telling when this process was forked is not here to end it.
  const uint32_t here = 1 + base::fork_generation();
  if (first_ == nullptr || teller_ == here) return false;
  teller_ = here;
  return true;
}

EventPtr EventQueue::take() noexcept {
  TENON_DCHECK(teller_ == 1 + base::fork_generation());
  EventPtr event = std::move(first_);
  if (event != nullptr) first_ = std::move(event->next);
  return event;
}

}  // namespace tenon::dispatch
