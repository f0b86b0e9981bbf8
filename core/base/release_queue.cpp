// SPDX-License-Identifier: Apache-2.0
#include "base/release_queue.h"

#include "base/check.h"
#include "base/thread.h"

namespace tenon::base {

// A thread's waiting objects, in order; on the stack of the call that destroys the first one.
struct ReleaseQueue {
  ReleaseLink* first = nullptr;
  ReleaseLink* last = nullptr;

  void push(ReleaseLink* ending) noexcept {
    ending->next = nullptr;
    (first == nullptr ? first : last->next) = ending;
    last = ending;
  }
  ReleaseLink* pop() noexcept {
    ReleaseLink* ending = first;
    if (ending != nullptr) first = ending->next;
    return ending;
  }
};

void release_in_order(ReleaseLink* ending, void (*run)(ReleaseLink* ending) noexcept) noexcept {
  ending->run = run;
  ThreadRecord* thread = own_thread_record();
  // A thread without a record cannot have a queue. Destroy the object at once, and recursively
  // those that it owns.
  if (thread == nullptr) return run(ending);
  if (thread->endings != nullptr) return thread->endings->push(ending);
  ReleaseQueue queue;
  thread->endings = &queue;
  for (; ending != nullptr; ending = queue.pop()) ending->run(ending);
  TENON_DCHECK(thread->endings == &queue && current_thread() == thread);
  thread->endings = nullptr;
}

}  // namespace tenon::base
