// SPDX-License-Identifier: Apache-2.0
// Recording: what writes a thread's calls into a graph, at Tracer or at Wrapper.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "base/intrusive_ptr.h"
#include "dispatch/built_in.h"
#include "dispatch/key_tls.h"
#include "graph/frames.h"
#include "graph/graph.h"
#include "value/object.h"

namespace tenon::graph {

/// What gets calls in the place of their being made.
class CallTaker {
 public:
  virtual tenon_status take(const tenon_op* op, tenon_stack* stack) = 0;

 protected:
  ~CallTaker() = default;
};

class Recording final : public base::RefCounted<Recording> {
 public:
  /// With a taker it records nothing.
  Recording(uint32_t flags, GraphPtr graph, base::IntrusivePtr<Recording> outer,
            CallTaker* taker = nullptr)
      : flags_(flags), graph_(std::move(graph)), outer_(std::move(outer)), taker_(taker) {}

  Graph& graph() const noexcept { return *graph_; }
  /// The one that was on when it began; NULL.
  const base::IntrusivePtr<Recording>& outer() const noexcept { return outer_; }
  bool is_below_autograd() const noexcept { return (flags_ & TENON_GRAPH_BELOW_AUTOGRAD) != 0; }
  CallTaker* taker() const noexcept { return taker_; }
  bool is_on() const noexcept { return on_.load(std::memory_order_acquire); }
  void end() noexcept { on_.store(false, std::memory_order_release); }
  /// Gives the graph what was asked of symbols. Throws std::bad_alloc.
  void take_guards();

  /// Makes a call by `below()`, which gives its status, and records it. A call that fails leaves
  /// nothing.
  template <class Below>
  tenon_status record(const tenon_op* op, tenon_stack* stack, Below&& below) {
    StagedCall call = stage(op, *stack);
    const base::ErrorPtr frames = (flags_ & TENON_GRAPH_FRAMES) != 0 ? frames_here() : nullptr;
    const tenon_status status = below();
    if (status == TENON_OK) commit(std::move(call), *stack, frames.get());
    return status;
  }

  /// As the graph's; the tensor stands for the value from then on.
  uint32_t add_input(tenon_tensor* tensor, std::string_view name);
  uint32_t add_attribute(tenon_tensor& tensor, std::string_view name);
  void add_output(const tenon_value& value);
  /// A layer made an alias of a tensor: it is the same value, as soon as the tensor is one.
  void add_alias(tenon_tensor& tensor, tenon_tensor& alias);
  /// A kernel whose calls are recorded has resized a tensor by itself: a call of `aten::empty.out`
  /// stands for that, where the tensor is a value.
  void add_resize(tenon_tensor& tensor);

 private:
  // Held weakly, so that their addresses are not used again.
  struct Alias {
    Alias(tenon_tensor& of, tenon_tensor& made)
        : tensor(of), alias(made), kept_tensor(&of), kept_alias(&made) {}

    tenon_tensor& tensor;
    tenon_tensor& alias;
    tensor::WeakTensor kept_tensor;
    tensor::WeakTensor kept_alias;
  };

  StagedCall stage(const tenon_op* op, const tenon_stack& stack);
  void commit(StagedCall call, const tenon_stack& stack, const base::ErrorObject* frames);
  bool sees_calls() const noexcept;
  void check_new(const char* function, const tenon_tensor& tensor) const;
  void check_strict(const tenon_op* op, const tenon_stack& stack) const;

  const uint32_t flags_;
  const GraphPtr graph_;
  const base::IntrusivePtr<Recording> outer_;
  CallTaker* const taker_;
  std::atomic<bool> on_{true};
  std::atomic<bool> locked_{false};  // what is below, and the graph; backward may use many threads
  KnownValues known_;
  // Of results of the call that runs, which is recorded when it has returned.
  std::vector<Alias> aliases_;
};

using RecordingPtr = base::IntrusivePtr<Recording>;

/// The calling thread's calls go to a taker while this lives; what the taker calls is made.
class TakeCalls {
 public:
  explicit TakeCalls(CallTaker& taker);
  ~TakeCalls();
  TakeCalls(const TakeCalls&) = delete;
  TakeCalls& operator=(const TakeCalls&) = delete;

 private:
  RecordingPtr recording_;
};

/// The calling thread's innermost recording; NULL without one.
Recording* current_recording() noexcept;
/// Begins one. Throws TENON_ERROR_INVALID_ARGUMENT for unknown flags.
Recording& begin_recording(uint32_t flags);
/// Ends one, which is the innermost.
void end_recording(Recording& recording) noexcept;
/// The recording that writes to a graph; NULL for a graph that no recording of the calling thread
/// writes to.
Recording* recording_of(const Graph& graph) noexcept;

/// The mode that a recording below autograd is on a thread's stack of modes.
value::ObjectPtr new_mode(Recording& recording);

/// The fallback at Tracer.
std::span<const dispatch::BuiltIn> built_ins() noexcept;

}  // namespace tenon::graph
