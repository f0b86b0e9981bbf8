// SPDX-License-Identifier: Apache-2.0
#include "dispatch/trace.h"

#include "base/thread.h"
#include "dispatch/key_set.h"

namespace tenon::dispatch {

namespace {

void clear_tracer(base::ThreadRecord* thread) noexcept {
  thread->places[base::kPlaceTracer] = nullptr;
  thread->places[base::kPlaceTracerContext] = nullptr;
}

// Silences the tracer while it runs, also when a forced unwind goes through it.
class Silence {
 public:
  explicit Silence(base::ThreadRecord* thread) : thread_(thread) {
    base::request_slow_calls(base::kSlowTrace, false);
  }
  ~Silence() {
    if (thread_->places[base::kPlaceTracer] != nullptr) {
      base::request_slow_calls(base::kSlowTrace, true);
    }
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  base::ThreadRecord* thread_;
};

}  // namespace

void set_tracer(tenon_tracer tracer, void* ctx) {
  base::ThreadRecord* thread = base::require_thread_record();
  base::add_thread_exit_hook(&clear_tracer);
  thread->places[base::kPlaceTracer] = reinterpret_cast<void*>(tracer);
  thread->places[base::kPlaceTracerContext] = ctx;
  base::request_slow_calls(base::kSlowTrace, tracer != nullptr);
}

void trace_dispatch(const tenon_op* op, tenon_keyset keys, const Kernel& kernel, bool redispatch,
                    int32_t depth) {
  base::ThreadRecord* thread = base::current_thread();
  const auto tracer = reinterpret_cast<tenon_tracer>(thread->places[base::kPlaceTracer]);
  if (tracer == nullptr) return;
  tenon_trace_event event{};
  event.op = op;
  event.key = highest_key(keys);
  event.redispatch = redispatch ? 1 : 0;
  event.keys = keys;
  event.depth = depth;
  event.language = kernel.entry.language;
  event.kernel = kernel.name.c_str();
  const Silence silence(thread);
  tracer(thread->places[base::kPlaceTracerContext], &event);
}

}  // namespace tenon::dispatch
