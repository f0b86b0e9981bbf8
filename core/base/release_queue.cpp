// SPDX-License-Identifier: Apache-2.0
#include "base/release_queue.h"

#include "base/check.h"
#include "base/thread.h"

namespace tenon::base {

// Those that wait on a thread, first come first; on the stack of the call that ends the first one.
struct ReleaseQueue {
  Ending* first = nullptr;
  Ending* last = nullptr;

  void push(Ending* ending) noexcept {
    ending->next = nullptr;
    (first == nullptr ? first : last->next) = ending;
    last = ending;
  }
  Ending* pop() noexcept {
    Ending* ending = first;
    if (ending != nullptr) first = ending->next;
    return ending;
  }
};

void end_in_turn(Ending* ending, void (*run)(Ending* ending) noexcept) noexcept {
  ending->run = run;
  ThreadRecord* thread = own_thread_record();
  // Without memory for a record there is no place for a queue: what this one owns ends inside.
  if (thread == nullptr) return run(ending);
  if (thread->endings != nullptr) return thread->endings->push(ending);
  ReleaseQueue queue;
  thread->endings = &queue;
  for (; ending != nullptr; ending = queue.pop()) ending->run(ending);
  TENON_DCHECK(thread->endings == &queue && current_thread() == thread);
  thread->endings = nullptr;
}

}  // namespace tenon::base
