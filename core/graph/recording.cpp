// SPDX-License-Identifier: Apache-2.0
#include "graph/recording.h"

#include "base/check.h"
#include "base/spin_guard.h"
#include "dispatch/alias_notice.h"
#include "dispatch/call_path.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/key_tls.h"
#include "dispatch/lookup.h"
#include "dispatch/thread_slot.h"
#include "dispatch/thread_state.h"
#include "graph/operators.h"
#include "graph/references.h"
#include "tenon/mode.h"
#include "tensor/layout.h"

namespace tenon::graph {

namespace {

constexpr tenon_keyset kTracer = dispatch::functionality_bit(TENON_FUNCTIONALITY_TRACER);
// All keys below Tracer: those from Tracer on have run already.
constexpr tenon_keyset kBelowTracer = kTracer - 1;

tenon_status copy_recording(void* word, void** out_word) noexcept {
  *out_word = nullptr;
  if (static_cast<Recording*>(word)->taker() != nullptr) return TENON_OK;  // of this thread only
  static_cast<Recording*>(word)->retain();
  *out_word = word;
  return TENON_OK;
}

void drop_recording(void* word) noexcept { static_cast<Recording*>(word)->release(); }

constinit dispatch::OwnSlot recording_slot("tenon.graph", &copy_recording, &drop_recording);

// Replaces the thread's current recording; `recording` may be NULL.
void set_recording(void** word, RecordingPtr recording) noexcept {
  dispatch::KeyState state = dispatch::key_state();
  const bool at_tracer = recording && !recording->is_below_autograd();
  state.include = at_tracer ? state.include | kTracer : state.include & ~kTracer;
  dispatch::set_key_state(state);
  const auto before = RecordingPtr::adopt(static_cast<Recording*>(*word));
  *word = recording.detach();
}

// Returns true if a result is a number, which the operator may have read from a tensor.
bool gives_number(const tenon_stack& stack) noexcept {
  for (uint32_t i = 0; i < stack.nrets; ++i) {
    if (is_number(stack.rets[i].tag)) return true;
  }
  return false;
}

// Passes a call to the taker of the thread's calls.
tenon_status give_to_taker(RecordingPtr recording, const tenon_op* op, tenon_stack* stack) {
  void** const word = recording_slot.place();
  set_recording(word, recording->outer());
  const tenon_status status = recording->taker()->take(op, stack);
  set_recording(word, std::move(recording));
  return status;
}

// The kernel at Tracer.
tenon_status record_at_tracer(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&] {
    const auto recording = RecordingPtr::share(current_recording());
    if (recording && recording->taker() != nullptr) return give_to_taker(recording, op, stack);
    const auto guard = dispatch::KeyGuard::exclude(kTracer);
    const auto below = [&] { return dispatch::redispatch(op, keys & kBelowTracer, stack); };
    if (!recording || !recording->is_on()) return below();
    return recording->record(op, stack, below);
  });
}

// The mode's handler. The mode itself and inner modes are off while it runs.
tenon_status record_in_mode(void* self, const tenon_op* op, tenon_keyset, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&] {
    Recording& recording = *static_cast<Recording*>(self);
    const auto below = [&] { return dispatch::call(op, stack); };
    if (!recording.is_on() || current_recording() != &recording) return below();
    return recording.record(op, stack, below);
  });
}

constexpr tenon_object_type kModeType = [] {
  tenon_object_type type{};
  type.struct_size = sizeof type;
  type.language = TENON_LANGUAGE_CPP;
  type.name = "tenon.GraphRecording";
  type.retain = [](void* self) { static_cast<Recording*>(self)->retain(); };
  type.release = [](void* self) { static_cast<Recording*>(self)->release(); };
  type.dispatch = &record_in_mode;
  return type;
}();

// Called when a layer has made an alias itself. Formulas, for example, get an alias of a saved
// result and compute gradients from it.
void notice_alias(tensor::Tensor& tensor, tensor::Tensor& alias) {
  Recording* recording = current_recording();
  if (recording != nullptr && recording->is_on()) recording->add_alias(tensor, alias);
}

void notice_resize(tensor::Tensor& tensor) {
  Recording* recording = current_recording();
  if (recording != nullptr && recording->is_on()) recording->add_resize(tensor);
}

dispatch::Explanation explain_tracer(const dispatch::Arguments*) {
  return {"it records the call in the thread's graph and redispatches", false};
}

constexpr dispatch::BuiltIn kBuiltIns[] = {
    {"record_graph", TENON_KEY_TRACER, &record_at_tracer, nullptr, &explain_tracer},
};

}  // namespace

std::span<const dispatch::BuiltIn> built_ins() noexcept { return kBuiltIns; }

InterceptCalls::InterceptCalls(CallInterceptor& taker) {
  base::require_thread_record();
  void** const word = recording_slot.place();
  recording_ = base::make_intrusive<Recording>(0, base::make_intrusive<Graph>(),
                                               RecordingPtr::share(current_recording()), &taker);
  set_recording(word, recording_);
}

InterceptCalls::~InterceptCalls() { end_recording(*recording_); }

Recording* current_recording() noexcept { return static_cast<Recording*>(recording_slot.word()); }

Recording& begin_recording(uint32_t flags) {
  constexpr uint32_t kKnown =
      TENON_GRAPH_BELOW_AUTOGRAD | TENON_GRAPH_STRICT | TENON_GRAPH_FRAMES | TENON_GRAPH_ANY_SIZES;
  TENON_CHECK_ARG((flags & ~kKnown) == 0,
                  "tenon_graph_begin: flags must be TENON_GRAPH_* bits, got ", flags);
  base::require_thread_record();
  dispatch::alias_notice.store(&notice_alias, std::memory_order_release);
  dispatch::resize_notice.store(&notice_resize, std::memory_order_release);
  void** word = recording_slot.place();
  auto recording = base::make_intrusive<Recording>(flags, base::make_intrusive<Graph>(),
                                                   RecordingPtr::share(current_recording()));
  Recording& begun = *recording;
  if ((flags & TENON_GRAPH_ANY_SIZES) == 0) begun.graph().fix_sizes();
  set_recording(word, std::move(recording));
  return begun;
}

void end_recording(Recording& recording) noexcept {
  TENON_DCHECK(current_recording() == &recording);
  recording.end();
  set_recording(recording_slot.place(), recording.outer());
}

Recording* recording_of(const Graph& graph) noexcept {
  for (Recording* each = current_recording(); each != nullptr; each = each->outer().get()) {
    if (&each->graph() == &graph) return each;
  }
  return nullptr;
}

value::ObjectPtr new_mode(Recording& recording) {
  return value::ObjectPtr::adopt(value::Object::make(&kModeType, &recording));
}

StagedCall Recording::stage(const tenon_op* op, const tenon_stack& stack) {
  const base::SpinGuard lock(locked_);
  return graph_->stage(op, {stack.args, stack.nargs}, &known_);
}

void Recording::commit(StagedCall call, const tenon_stack& stack, const base::ErrorObject* frames) {
  if ((flags_ & TENON_GRAPH_STRICT) != 0) check_strict(call.op, stack);
  const base::SpinGuard lock(locked_);
  graph_->commit(std::move(call), {stack.rets, stack.nrets}, &known_);
  if (frames != nullptr) add_frames(*graph_, graph_->nodes().size() - 1, *frames);
  for (const Alias& made : aliases_) {
    const uint32_t value = known_.tensors.find(made.tensor);
    if (value != IdentityMap::kUnknown) known_.tensors.set(made.alias, value);
  }
  aliases_.clear();
}

void Recording::add_alias(tenon_tensor& tensor, tenon_tensor& alias) {
  const base::SpinGuard lock(locked_);
  const uint32_t value = known_.tensors.find(tensor);
  if (value != IdentityMap::kUnknown) return known_.tensors.set(alias, value);
  aliases_.emplace_back(tensor, alias);
}

// Returns true if calls of the thread are recorded now; false inside of a recorded call.
bool Recording::sees_calls() const noexcept {
  const dispatch::KeyState state = dispatch::key_state();
  if (!is_below_autograd()) return (state.include & ~state.exclude & kTracer) != 0;
  const dispatch::ThreadStacks* stacks = dispatch::thread_stacks();
  for (size_t i = 0; stacks != nullptr && i < stacks->modes[TENON_MODE_WRAPPER].size(); ++i) {
    if (stacks->modes[TENON_MODE_WRAPPER].at(i)->self() == this) return true;
  }
  return false;
}

void Recording::add_resize(tenon_tensor& tensor) {
  if (!sees_calls()) return;
  const tensor::Dims sizes = tensor.size_span(), strides = tensor.stride_span();
  const bool is_usual = tensor::is_row_major(sizes, strides);
  const auto ints = [](tensor::Dims dims) {
    return tenon_value_of_ints(dims.data(), static_cast<uint32_t>(dims.size()));
  };
  const tenon_op* op =
      dispatch::find_operator(is_usual ? operators::kResize : operators::kResizeStrided);
  const tenon_value args[] = {ints(sizes), is_usual ? tenon_value_of_none() : ints(strides),
                              tenon_value_of_tensor(&tensor)};
  const tenon_value result = tenon_value_of_tensor(&tensor);
  const base::SpinGuard lock(locked_);
  if (known_.tensors.find(tensor) == IdentityMap::kUnknown) return;
  graph_->commit(graph_->stage(op, args, &known_), {&result, 1}, &known_);
}

void Recording::check_strict(const tenon_op* op, const tenon_stack& stack) const {
  TENON_CHECK(!gives_number(stack), TENON_ERROR_DATA_DEPENDENT, op->name(),
              ": a strict recording must not read numbers from tensors, as they would become "
              "constants of the graph, got ",
              value::print(stack.rets[0]));
}

// Throws if a tensor is a value already: two values with the same handle could not be
// distinguished.
void Recording::check_new(const char* function, const tenon_tensor& tensor) const {
  const uint32_t value = known_.tensors.find(tensor);
  TENON_CHECK_ARG(value == IdentityMap::kUnknown, function,
                  ": tensor must be new to the recording, got one that is already value ", value);
}

uint32_t Recording::add_input(tenon_tensor* tensor, std::string_view name) {
  const base::SpinGuard lock(locked_);
  const bool stands = tensor != nullptr && !tensor->is_undefined();
  if (stands) check_new("tenon_graph_add_input", *tensor);
  const uint32_t value = graph_->add_input(tensor, name, &known_);
  if (stands) known_.tensors.set(*tensor, value);
  return value;
}

uint32_t Recording::add_attribute(tenon_tensor& tensor, std::string_view name) {
  const base::SpinGuard lock(locked_);
  check_new("tenon_graph_add_attribute", tensor);
  const uint32_t value = graph_->add_attribute(tensor, name, &known_);
  known_.tensors.set(tensor, value);
  return value;
}

void Recording::take_guards() {
  if (!known_.environments.empty()) graph_->take_guards(&known_);
}

void Recording::add_output(const tenon_value& value) {
  const base::SpinGuard lock(locked_);
  graph_->add_output(value, &known_);
}

}  // namespace tenon::graph
