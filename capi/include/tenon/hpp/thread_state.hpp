// SPDX-License-Identifier: Apache-2.0
// ThreadState: state that affects a thread's calls (keys, modes, transforms), to carry to threads
// that work for it.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/thread_state.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <type_traits>
#include <utility>

#include "tenon/hpp/error.hpp"
#include "tenon/thread.h"

// Usage:
//
//   const tenon::ThreadState state = tenon::ThreadState::capture();
//   auto task = state.bind([] { y = aten::relu(x); });  // runs with the keys of this thread
//   task();

namespace tenon::inline hpp {

// A captured state. Cheap to copy.
class ThreadState {
 public:
  // Captures the calling thread's state.
  static ThreadState capture() {
    tenon_thread_state* state = nullptr;
    check(tenon_thread_state_capture(&state));
    return ThreadState(state);
  }
  ThreadState(const ThreadState& other) noexcept
      : state_(tenon_thread_state_retain(other.state_)) {}
  ThreadState(ThreadState&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  ThreadState& operator=(ThreadState other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~ThreadState() { tenon_thread_state_release(state_); }

  // Enters the state on the calling thread while the object lives, and then restores the thread's
  // own state.
  class Scope {
   public:
    explicit Scope(const ThreadState& state) {
      check(tenon_thread_state_enter(state.state_, &previous_));
    }
    ~Scope() {
      // A destructor cannot report an error: if states are left out of order, the thread keeps its
      // state.
      if (tenon_thread_state_leave(previous_) != TENON_OK) {
        tenon_error_release(tenon_error_take());
        tenon_thread_state_release(previous_);
      }
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    tenon_thread_state* previous_ = nullptr;
  };

  // Returns a callable that runs `task` under this state, wherever it is called:
  // std::thread(tenon::ThreadState::capture().bind(work)).
  template <class F>
  auto bind(F task) const {
    return [state = *this, task = std::move(task)](auto&&... arguments) mutable -> decltype(auto) {
      const Scope scope(state);
      return task(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  explicit ThreadState(tenon_thread_state* state) noexcept : state_(state) {}

  tenon_thread_state* state_;
};

}  // namespace tenon::inline hpp

#endif
