// SPDX-License-Identifier: Apache-2.0
// Recording: writes a thread's calls into a graph, at Tracer or at Wrapper.
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

/// Receives the calls of a thread in place of their kernels.
class CallInterceptor {
 public:
  virtual tenon_status take(const tenon_op* op, tenon_stack* stack) = 0;

 protected:
  ~CallInterceptor() = default;
};

class Recording final : public base::RefCounted<Recording> {
 public:
  /// If `taker` is not NULL, it receives the calls, and nothing is recorded.
  Recording(uint32_t flags, GraphPtr graph, base::IntrusivePtr<Recording> outer,
            CallInterceptor* taker = nullptr)
      : flags_(flags), graph_(std::move(graph)), outer_(std::move(outer)), taker_(taker) {}

  Graph& graph() const noexcept { return *graph_; }
  /// The recording that was active when this one began, or NULL.
  const base::IntrusivePtr<Recording>& outer() const noexcept { return outer_; }
  bool is_below_autograd() const noexcept { return (flags_ & TENON_GRAPH_BELOW_AUTOGRAD) != 0; }
  CallInterceptor* taker() const noexcept { return taker_; }
  bool is_on() const noexcept { return on_.load(std::memory_order_acquire); }
  void end() noexcept { on_.store(false, std::memory_order_release); }
  /// Adds the guards of symbols to the graph. Throws std::bad_alloc.
  void take_guards();

  /// Makes a call by `below()`, which returns its status, and records the call if it succeeded.
  template <class Below>
  tenon_status record(const tenon_op* op, tenon_stack* stack, Below&& below) {
    StagedCall call = stage(op, *stack);
    const base::ErrorPtr frames = (flags_ & TENON_GRAPH_FRAMES) != 0 ? frames_here() : nullptr;
    const tenon_status status = below();
    if (status == TENON_OK) commit(std::move(call), *stack, frames.get());
    return status;
  }

  /// Like the functions of the graph with the same names. In later calls, the tensor refers to the
  /// new value.
  uint32_t add_input(tenon_tensor* tensor, std::string_view name);
  uint32_t add_attribute(tenon_tensor& tensor, std::string_view name);
  void add_output(const tenon_value& value);
  /// Records that a layer has made an alias of a tensor: it refers to the same value. If the tensor
  /// is not a value yet, this holds as soon as it becomes one.
  void add_alias(tenon_tensor& tensor, tenon_tensor& alias);
  /// Records that a kernel whose own calls are recorded has resized a tensor, as a call of
  /// `aten::empty.out` or `aten::empty_strided.out`. Does nothing if the tensor is not a value.
  void add_resize(tenon_tensor& tensor);

 private:
  // References are weak; they keep the addresses from being reused.
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
  CallInterceptor* const taker_;
  std::atomic<bool> on_{true};
  std::atomic<bool> locked_{false};  // guards the fields below and the graph
  KnownValues known_;
  // Aliases of results of the running call, which become values only after the call has returned.
  std::vector<Alias> aliases_;
};

using RecordingPtr = base::IntrusivePtr<Recording>;

/// RAII: passes the calling thread's calls to a taker. Calls that the taker itself makes run as
/// usual.
class InterceptCalls {
 public:
  explicit InterceptCalls(CallInterceptor& taker);
  ~InterceptCalls();
  InterceptCalls(const InterceptCalls&) = delete;
  InterceptCalls& operator=(const InterceptCalls&) = delete;

 private:
  RecordingPtr recording_;
};

/// Returns the calling thread's innermost recording, NULL if there is none.
Recording* current_recording() noexcept;
/// Begins a recording. Throws TENON_ERROR_INVALID_ARGUMENT for unknown flags.
Recording& begin_recording(uint32_t flags);
/// Ends a recording, which must be the innermost.
void end_recording(Recording& recording) noexcept;
/// Returns the calling thread's recording that writes to a graph, NULL if there is none.
Recording* recording_of(const Graph& graph) noexcept;

/// Makes the mode that represents a recording below autograd on a thread's stack of modes.
value::ObjectPtr new_mode(Recording& recording);

/// Returns the fallback at Tracer.
std::span<const dispatch::BuiltIn> built_ins() noexcept;

}  // namespace tenon::graph
