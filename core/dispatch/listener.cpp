// SPDX-License-Identifier: Apache-2.0
#include "dispatch/listener.h"

#include <utility>

#include "base/check.h"
#include "base/fork.h"

namespace tenon::dispatch {

void EventQueue::add(EventPtr event, uint32_t what, const ListenersPtr& listeners) noexcept {
  TENON_DCHECK(event != nullptr && event->next == nullptr && !listeners->empty());
  event->what = what;
  event->listeners = listeners;
  EventPtr* end = &first_;
  while (*end != nullptr) end = &(*end)->next;
  *end = std::move(event);
}

Event* EventQueue::begin() noexcept {
  // A thread of the parent process that was delivering at the fork does not exist in the child.
  const uint32_t here = 1 + base::fork_generation();
  if (first_ == nullptr || first_->teller == here) return nullptr;
  first_->teller = here;
  return first_.get();
}

Event* EventQueue::next() noexcept {
  TENON_DCHECK(first_->teller == 1 + base::fork_generation() && first_->listeners == nullptr);
  first_ = std::move(first_->next);
  return begin();
}

}  // namespace tenon::dispatch
