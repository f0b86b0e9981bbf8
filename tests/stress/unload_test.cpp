// SPDX-License-Identifier: Apache-2.0
// Some threads remove and add registrations of every kind, while others call the operator in every
// way. Each call must succeed or report what was missing at that moment, no callback may run after
// its deleter, and every deleter must run once.
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <regex>
#include <set>
#include <thread>

#include "core/dispatch/support.h"
#include "stress.h"

namespace tenon::test {
namespace {

constexpr int kChurners = 2;
constexpr int kCallers = 6;
constexpr const char* kNamespace = "stress_unload";
constexpr const char* kSchema = "f(Tensor x) -> Tensor";

std::atomic<int64_t> made{0}, deleted{0}, after_the_end{0};

// The context of a registered callback. Its deleter overwrites the mark, by which a callback that
// runs later is noticed.
struct Context {
  std::atomic<uint32_t> mark{0x600dbeef};
};
void* new_context() {
  made.fetch_add(1);
  return new Context;
}
void touch(void* ctx) {
  if (static_cast<Context*>(ctx)->mark.load() != 0x600dbeef) after_the_end.fetch_add(1);
}
void delete_context(void* ctx) {
  touch(ctx);
  static_cast<Context*>(ctx)->mark.store(0xdeadbeef);
  deleted.fetch_add(1);
  delete static_cast<Context*>(ctx);
}

tenon_value owned(tenon_tensor* tensor) { return tenon_value_give(tenon_value_of_tensor(tensor)); }

// ---- What is registered -------------------------------------------------------------------------

// Makes zeros like the first argument, after checking `ctx`, if there is one.
tenon_status like_first(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  if (ctx != nullptr) touch(ctx);
  const tenon_tensor* first = stack->args[0].as.tensor;
  tenon_tensor* result = nullptr;
  void* data = nullptr;
  const tenon_status status =
      tenon_tensor_new_like(first, tenon_tensor_dtype(first), &result, &data);
  if (status != TENON_OK) return status;
  if (data != nullptr) std::memset(data, 0, 8 * static_cast<size_t>(tenon_tensor_numel(result)));
  stack->rets[0] = owned(result);
  if (ctx != nullptr) touch(ctx);
  return TENON_OK;
}

tenon_status keep_state(const void* state, void* const*) {
  touch(const_cast<void*>(state));
  return TENON_OK;
}
tenon_status plan(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                  tenon_bound* out_bound) {
  const tenon_status status = like_first(ctx, op, keys, stack);
  if (status == TENON_OK) *out_bound = {&keep_state, ctx, nullptr};
  return status;
}

tenon_status pass_gradient(const tenon_backward_call* call) {
  touch(call->ctx);
  call->out_grads[0] = call->needs[0] != 0 ? tenon_tensor_retain(call->grads[0]) : nullptr;
  return TENON_OK;
}
tenon_status pass_tangent(void* ctx, tenon_function_context*, const tenon_value* tangents,
                          tenon_value* out_tangents) {
  touch(ctx);
  if (tangents[0].tag == TENON_TAG_TENSOR) {
    out_tangents[0] = owned(tenon_tensor_retain(tangents[0].as.tensor));
  }
  return TENON_OK;
}
tenon_status map_call(void* ctx, const tenon_op* op, const tenon_vmap_info*, const int64_t* in_dims,
                      tenon_stack* stack, tenon_value* out_dims) {
  touch(ctx);
  *out_dims = tenon_value_of_int(in_dims[0]);
  return tenon_op_call_fast(op, stack);
}

// ---- Operators that layers call -----------------------------------------------------------------

tenon_status alias(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  const tenon_tensor* self = stack->args[0].as.tensor;
  tenon_tensor_info info;
  tenon_tensor* result = nullptr;
  tenon_status status = tenon_tensor_describe(self, &info);
  if (status == TENON_OK) {
    status = tenon_tensor_new_alias(self, info.ndim, info.sizes, info.strides, info.storage_offset,
                                    &result);
  }
  if (status == TENON_OK) stack->rets[0] = owned(result);
  return status;
}
tenon_status select(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  const int64_t sizes[] = {2};
  tenon_tensor* result = nullptr;
  const tenon_status status =
      tenon_tensor_new(TENON_DTYPE_F64, nullptr, 1, sizes, nullptr, &result);
  if (status == TENON_OK) stack->rets[0] = owned(result);
  return status;
}
tenon_status leave_alone(void*, const tenon_op*, tenon_keyset, tenon_stack*) { return TENON_OK; }
tenon_status stack_up(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  const int64_t sizes[] = {2, 2};
  tenon_tensor* result = nullptr;
  const tenon_status status =
      tenon_tensor_new(TENON_DTYPE_F64, nullptr, 2, sizes, nullptr, &result);
  if (status == TENON_OK) stack->rets[0] = owned(result);
  return status;
}

// Minimal versions of the operators that layers call for this program's tensors, because the
// shipped kernels are not linked here. They are never removed: the library caches their handles.
class Operators : public testing::Environment {
 public:
  void SetUp() override {
    TENON_ASSERT_OK(tenon_library_new(TENON_LIBRARY_FRAGMENT, "aten", TENON_KEY_NONE, __FILE__,
                                      __LINE__, &library_));
    add("alias(Tensor(a) self) -> Tensor(a)", "alias", &alias);
    add("select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)", "select.int", &select);
    add("stack(Tensor[] tensors, int dim=0) -> Tensor", "stack", &stack_up);
    add("zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
        "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
        "zeros_like", &like_first);
    add("empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? "
        "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
        "empty_strided", &stack_up);
    add("copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)", "copy_",
        &leave_alone);
    add("zero_(Tensor(a!) self) -> Tensor(a!)", "zero_", &leave_alone);
    add("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", "clone", &like_first);
  }
  void TearDown() override { tenon_library_release(library_); }

 private:
  void add(const char* schema, const char* name, tenon_kernel_fn fn) {
    TENON_ASSERT_OK(tenon_library_define(library_, schema, nullptr, nullptr));
    const tenon_kernel kernel = kernel_of(fn);
    TENON_ASSERT_OK(tenon_library_impl(library_, name, TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
                                       &kernel, nullptr));
  }
  tenon_library* library_ = nullptr;
};
const testing::Environment* const kOperators = testing::AddGlobalTestEnvironment(new Operators);

// ---- What comes and goes ------------------------------------------------------------------------

void define(tenon_library* library) {
  TENON_EXPECT_OK(tenon_library_define(library, kSchema, nullptr, nullptr));
}
void add_kernel(tenon_library* library) {
  tenon_kernel kernel = kernel_of(&like_first, new_context(), "like_first");
  kernel.deleter = &delete_context;
  kernel.bind = &plan;
  TENON_EXPECT_OK(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, nullptr));
}
void add_formula(tenon_library* library) {
  tenon_formula formula{};
  formula.struct_size = sizeof formula;
  formula.backward = &pass_gradient;
  formula.jvp = &pass_tangent;
  formula.saves = "x";
  formula.ctx = new_context();
  formula.deleter = &delete_context;
  TENON_EXPECT_OK(tenon_library_register_autograd(library, "f", &formula, nullptr));
}
void add_rules(tenon_library* library) {
  tenon_vmap_rule rule{};
  rule.struct_size = sizeof rule;
  rule.fn = &map_call;
  rule.ctx = new_context();
  rule.deleter = &delete_context;
  TENON_EXPECT_OK(tenon_library_register_vmap(library, "f", &rule, nullptr));
  tenon_cast_rule cast{};
  cast.struct_size = sizeof cast;
  cast.kind = TENON_CAST_PROMOTE;
  cast.device_type = -1;
  cast.dtype = TENON_DTYPE_NONE;
  TENON_EXPECT_OK(tenon_library_register_autocast(library, "f", &cast, nullptr));
}
void add_policy(tenon_library* library) {
  TENON_EXPECT_OK(tenon_library_set_gradient_policy(library, "f", TENON_GRADIENT_STOP, nullptr));
}
void add_fake(tenon_library* library) {
  tenon_kernel kernel = kernel_of(&like_first, new_context(), "fake");
  kernel.deleter = &delete_context;
  // The other thread may already have registered one.
  if (tenon_library_register_fake(library, "f", &kernel, nullptr) != TENON_OK) take_error();
}
void add_all(tenon_library* library) {
  define(library);
  add_kernel(library);
  add_formula(library);
  add_rules(library);
  add_fake(library);
}

tenon_library* open(uint32_t kind) {
  tenon_library* library = nullptr;
  EXPECT_EQ(tenon_library_new(kind, kNamespace, TENON_KEY_NONE, __FILE__, __LINE__, &library),
            TENON_OK)
      << take_error();
  return library;
}

// A registration that some threads remove and add again, and the registrations that stay.
struct Registration {
  const char* name;
  void (*stays)(tenon_library*);
  void (*comes)(tenon_library*);
};
constexpr Registration kRegistrations[] = {
    {"Kernel",
     [](tenon_library* library) {
       define(library);
       add_formula(library);
       add_rules(library);
       add_fake(library);
     },
     &add_kernel},
    {"Formula",
     [](tenon_library* library) {
       define(library);
       add_kernel(library);
       add_rules(library);
       add_fake(library);
     },
     &add_formula},
    {"Rule",
     [](tenon_library* library) {
       define(library);
       add_kernel(library);
       add_formula(library);
       add_fake(library);
     },
     &add_rules},
    {"Policy",
     [](tenon_library* library) {
       define(library);
       add_kernel(library);
       add_rules(library);
       add_fake(library);
     },
     &add_policy},
    {"Fake",
     [](tenon_library* library) {
       define(library);
       add_kernel(library);
       add_formula(library);
       add_rules(library);
     },
     &add_fake},
    {"Library", nullptr, &add_all},
    {"Plugin", nullptr, nullptr},
};

// Waits so that calls can use what was added before it is removed again.
void linger() {
  static thread_local uint32_t turn = 0;
  if (++turn % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

// Adds and removes one registration.
void churn(const Registration& registration) {
  if (registration.comes == nullptr) {
    tenon_plugin* plugin = nullptr;
    TENON_EXPECT_OK(tenon_plugin_load(UNLOAD_PLUGIN, &plugin));
    linger();
    if (plugin != nullptr && tenon_plugin_unload(plugin, -1) != TENON_OK) {
      ADD_FAILURE() << take_error();
    }
    return;
  }
  tenon_library* library =
      open(registration.stays != nullptr ? TENON_LIBRARY_IMPL : TENON_LIBRARY_FRAGMENT);
  registration.comes(library);
  linger();
  tenon_library_close(library);
  tenon_library_release(library);
}

// ---- How the operator is called -----------------------------------------------------------------

class Tensor {
 public:
  Tensor() {
    const int64_t sizes[] = {2, 2};
    EXPECT_EQ(tenon_tensor_new(TENON_DTYPE_F64, nullptr, 2, sizes, nullptr, &handle_), TENON_OK);
    void* data = nullptr;
    EXPECT_EQ(tenon_tensor_data(handle_, &data), TENON_OK);
    std::memset(data, 0, 4 * sizeof(double));
  }
  explicit Tensor(tenon_tensor* given) : handle_(given) {}
  ~Tensor() { tenon_tensor_release(handle_); }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  tenon_tensor* get() const { return handle_; }
  tenon_tensor** out() { return &handle_; }

 private:
  tenon_tensor* handle_ = nullptr;
};

// Calls the operator; returns the result, or NULL with the error in the slot.
tenon_tensor* call_f(const tenon_op* op, tenon_tensor* x) {
  tenon_value arg = tenon_value_of_tensor(x), ret = tenon_value_of_none();
  return tenon_op_call_named(op, &arg, 1, nullptr, nullptr, 0, &ret, 1) == TENON_OK ? ret.as.tensor
                                                                                    : nullptr;
}

// Runs a backward pass with a gradient of ones.
tenon_status run_backward(tenon_tensor* output, tenon_tensor* input) {
  const Tensor seed;
  tenon_tensor* const outputs[] = {output};
  tenon_tensor* const seeds[] = {seed.get()};
  tenon_tensor* const inputs[] = {input};
  tenon_backward_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_BACKWARD_ALLOW_UNUSED;
  options.outputs = outputs;
  options.grads = seeds;
  options.inputs = inputs;
  options.noutputs = options.ninputs = 1;
  Tensor grad(nullptr);
  return tenon_grad(&options, grad.out());
}

tenon_status call_plain(const tenon_op* op) {
  const Tensor x;
  const Tensor y(call_f(op, x.get()));
  return y.get() != nullptr ? TENON_OK : TENON_ERROR_RUNTIME;
}

tenon_status call_tracked(const tenon_op* op) {
  const Tensor x;
  TENON_EXPECT_OK(tenon_tensor_set_requires_grad(x.get(), 1));
  const Tensor y(call_f(op, x.get()));
  if (y.get() == nullptr) return TENON_ERROR_RUNTIME;
  std::this_thread::yield();  // a recorded node may outlive a removal that happens here
  return tenon_tensor_requires_grad(y.get()) != 0 ? run_backward(y.get(), x.get()) : TENON_OK;
}

tenon_status call_dual(const tenon_op* op) {
  int64_t level = 0;
  TENON_EXPECT_OK(tenon_dual_enter(&level));
  tenon_status status = TENON_ERROR_RUNTIME;
  {
    const Tensor x, v;
    Tensor dual(nullptr);
    TENON_EXPECT_OK(tenon_dual_make(level, x.get(), v.get(), dual.out()));
    const Tensor y(call_f(op, dual.get()));
    if (y.get() != nullptr) status = TENON_OK;
  }
  tenon_error* kept = tenon_error_take();
  TENON_EXPECT_OK(tenon_dual_leave(level));
  if (kept != nullptr) static_cast<void>(tenon_error_set(kept));
  return status;
}

// Makes calls in a layer that `enter` enters.
template <class Enter, class Body>
tenon_status in_layer(Enter enter, Body body) {
  tenon_layer* layer = nullptr;
  TENON_EXPECT_OK(enter(&layer));
  const tenon_status status = body(layer);
  tenon_error* kept = tenon_error_take();
  TENON_EXPECT_OK(tenon_layer_leave(layer));
  tenon_layer_release(layer);
  if (kept != nullptr) static_cast<void>(tenon_error_set(kept));
  return status;
}

tenon_status call_in_grad(const tenon_op* op) {
  return in_layer(&tenon_grad_enter, [&](tenon_layer* layer) {
    const Tensor x;
    Tensor inside(nullptr);
    TENON_EXPECT_OK(tenon_layer_wrap(layer, x.get(), TENON_DIM_NONE, inside.out()));
    const Tensor y(call_f(op, inside.get()));
    if (y.get() == nullptr) return tenon_status{TENON_ERROR_RUNTIME};
    if (tenon_tensor_requires_grad(y.get()) == 0) return tenon_status{TENON_OK};
    return run_backward(y.get(), inside.get());
  });
}

tenon_status call_in_vmap(const tenon_op* op) {
  const auto enter = [](tenon_layer** out) {
    return tenon_vmap_enter(2, TENON_RANDOMNESS_ERROR, out);
  };
  return in_layer(enter, [&](tenon_layer* layer) {
    const Tensor x;
    Tensor inside(nullptr);
    TENON_EXPECT_OK(tenon_layer_wrap(layer, x.get(), 0, inside.out()));
    const Tensor y(call_f(op, inside.get()));
    return y.get() != nullptr ? tenon_status{TENON_OK} : tenon_status{TENON_ERROR_RUNTIME};
  });
}

tenon_status call_in_autocast(const tenon_op* op) {
  tenon_autocast_guard guard;
  TENON_EXPECT_OK(tenon_autocast_enter(TENON_DEVICE_CPU, nullptr, &guard));
  const tenon_status status = call_tracked(op);
  tenon_error* kept = tenon_error_take();
  TENON_EXPECT_OK(tenon_autocast_leave(&guard));
  if (kept != nullptr) static_cast<void>(tenon_error_set(kept));
  return status;
}

tenon_status call_fake(const tenon_op* op) {
  tenon_fake_mode* mode = nullptr;
  TENON_EXPECT_OK(tenon_fake_mode_new(0, &mode));
  const Tensor x;
  Tensor fake(nullptr);
  TENON_EXPECT_OK(tenon_tensor_copy_fake(x.get(), mode, fake.out()));
  TENON_EXPECT_OK(tenon_tensor_set_requires_grad(fake.get(), 1));
  const Tensor y(call_f(op, fake.get()));
  tenon_fake_mode_release(mode);
  return y.get() != nullptr ? TENON_OK : TENON_ERROR_RUNTIME;
}

// Records a call and returns the graph, or NULL if the call failed.
tenon_graph* trace(const tenon_op* op) {
  tenon_graph* graph = nullptr;
  TENON_EXPECT_OK(tenon_graph_begin(0, &graph));
  const Tensor x;
  TENON_EXPECT_OK(tenon_graph_add_input(graph, x.get(), "x", nullptr));
  const Tensor y(call_f(op, x.get()));
  tenon_status status = y.get() != nullptr ? TENON_OK : TENON_ERROR_RUNTIME;
  if (status == TENON_OK) {
    const tenon_value output = tenon_value_of_tensor(y.get());
    status = tenon_graph_add_output(graph, &output);
  }
  tenon_error* kept = tenon_error_take();
  TENON_EXPECT_OK(tenon_graph_end(graph));
  if (kept != nullptr) static_cast<void>(tenon_error_set(kept));
  if (status == TENON_OK) return graph;
  tenon_graph_release(graph);
  return nullptr;
}

tenon_status run_graph(tenon_graph* graph, bool tracked) {
  const Tensor x;
  TENON_EXPECT_OK(tenon_tensor_set_requires_grad(x.get(), tracked ? 1 : 0));
  Call one({tenon_value_of_tensor(x.get())}, 1);
  return tenon_graph_run(graph, one.stack());
}

tenon_status call_traced(const tenon_op* op) {
  tenon_graph* graph = trace(op);
  if (graph == nullptr) return TENON_ERROR_RUNTIME;
  const tenon_status status = run_graph(graph, true);
  tenon_graph_release(graph);
  return status;
}

tenon_status call_bound(const tenon_op* op) {
  tenon_graph* graph = trace(op);
  if (graph == nullptr) return TENON_ERROR_RUNTIME;
  const Tensor x;
  const tenon_value input = tenon_value_of_tensor(x.get());
  tenon_buffer* reason = nullptr;
  tenon_status status = tenon_graph_bind(graph, &input, 1, &reason);
  tenon_buffer_release(reason);
  for (int run = 0; run < 4 && status == TENON_OK; ++run) status = run_graph(graph, false);
  tenon_graph_release(graph);
  return status;
}

// Goes on without the mode.
tenon_status go_on(void*, const tenon_op* op, tenon_keyset, tenon_stack* stack) {
  return tenon_op_call_fast(op, stack);
}

tenon_status call_overridden(const tenon_op* op) {
  static const tenon_object_type type = [] {
    tenon_object_type made_type{};
    made_type.struct_size = sizeof made_type;
    made_type.language = TENON_LANGUAGE_CPP;
    made_type.name = "stress.Mode";
    made_type.override = &go_on;
    return made_type;
  }();
  tenon_object* mode = nullptr;
  TENON_EXPECT_OK(tenon_object_new(&type, nullptr, &mode));
  TENON_EXPECT_OK(tenon_mode_push(TENON_MODE_OVERRIDE, mode));
  const tenon_status status = call_tracked(op);
  tenon_error* kept = tenon_error_take();
  TENON_EXPECT_OK(tenon_mode_pop(TENON_MODE_OVERRIDE, mode));
  tenon_object_release(mode);
  if (kept != nullptr) static_cast<void>(tenon_error_set(kept));
  return status;
}

tenon_status call_profiled(const tenon_op* op) {
  tenon_profile* profile = nullptr;
  TENON_EXPECT_OK(tenon_profile_begin(0, &profile));
  const tenon_status status = call_tracked(op);
  tenon_error* kept = tenon_error_take();
  TENON_EXPECT_OK(tenon_profile_end(profile));
  int64_t count = 0, dropped = 0;
  TENON_EXPECT_OK(tenon_profile_span_count(profile, &count, &dropped));
  for (int64_t i = 0; i < count; ++i) {
    tenon_profile_span span{};
    span.struct_size = sizeof span;
    TENON_EXPECT_OK(tenon_profile_get_span(profile, i, &span));
  }
  tenon_profile_release(profile);
  if (kept != nullptr) static_cast<void>(tenon_error_set(kept));
  return status;
}

struct CallKind {
  const char* name;
  tenon_status (*call)(const tenon_op* op);
};
constexpr CallKind kCalls[] = {
    {"Plain", &call_plain},         {"Tracked", &call_tracked},   {"ForwardMode", &call_dual},
    {"Grad", &call_in_grad},        {"Vmap", &call_in_vmap},      {"Autocast", &call_in_autocast},
    {"Fake", &call_fake},           {"Traced", &call_traced},     {"BoundGraph", &call_bound},
    {"Override", &call_overridden}, {"Profiled", &call_profiled},
};

// ---- What may be answered -----------------------------------------------------------------------

// Returns true if an error names something that may be missing at some moment, without
// contradicting itself.
bool makes_sense(const std::string& error) {
  // "key must have a kernel, got CPU; kernels: CPU" would.
  static const std::regex missing("key must have a kernel, got (\\w+); kernels: ([\\w, ]+)");
  std::smatch found;
  if (std::regex_search(error, found, missing)) {
    const std::string list = ", " + found[2].str() + ",";
    return list.find(", " + found[1].str() + ",") == std::string::npos;
  }
  // The operator, its formula, tangent or fake kernel is gone at that moment.
  static const char* const kAnswers[] = {
      "operator must be defined, got none",
      "operator must have a gradient formula to be differentiated, got none",
      "operator must have a tangent or a gradient formula to be used with forward AD, got neither",
      "operator must have a fake kernel or a Meta kernel to run on fake tensors, got neither",
      "must have the schema that it had when it was recorded, got none",
      "must have a schema with a fixed number of arguments and results, got none",
  };
  for (const char* answer : kAnswers) {
    if (error.find(answer) != std::string::npos) return true;
  }
  return false;
}

class Unload : public testing::TestWithParam<std::tuple<Registration, CallKind>> {};

TEST_P(Unload, CallsEndWellOrSayWhatIsMissing) {
  const auto& [registration, kind] = GetParam();
  const LeakCheck nothing_left;
  const int64_t made_before = made, deleted_before = deleted;
  tenon_library* base = nullptr;
  if (registration.stays != nullptr) {
    base = open(TENON_LIBRARY_FRAGMENT);
    registration.stays(base);
  } else {
    // Defines the operator once, so that its handle stays valid.
    tenon_library* once = open(TENON_LIBRARY_FRAGMENT);
    define(once);
    tenon_library_close(once);
    tenon_library_release(once);
  }
  const tenon_op* op = nullptr;
  {
    tenon_library* definition = base == nullptr ? open(TENON_LIBRARY_FRAGMENT) : nullptr;
    if (definition != nullptr) define(definition);
    ASSERT_EQ(tenon_op_find("stress_unload::f", &op), TENON_OK) << take_error();
    tenon_library_release(definition);
  }
  std::atomic<bool> stop{false};
  std::atomic<int64_t> good{0}, refused{0}, rounds{0};
  std::mutex mutex;
  std::set<std::string> senseless;
  std::mutex one_churner;  // an operator is defined once, and a plugin loaded once
  std::vector<std::thread> threads;
  for (int i = 0; i < kChurners; ++i) {
    threads.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        std::unique_lock<std::mutex> lock(one_churner, std::defer_lock);
        if (registration.stays == nullptr) lock.lock();
        churn(registration);
        rounds.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (int i = 0; i < kCallers; ++i) {
    threads.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        if (kind.call(op) == TENON_OK) {
          good.fetch_add(1, std::memory_order_relaxed);
          continue;
        }
        refused.fetch_add(1, std::memory_order_relaxed);
        const std::string error = take_error();
        if (makes_sense(error)) continue;
        const std::lock_guard lock(mutex);
        senseless.insert(error);
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(scaled(50, 10'000)));
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  if (base != nullptr) {
    tenon_library_close(base);
    EXPECT_EQ(tenon_library_drain(base, -1), TENON_OK) << take_error();
    tenon_library_release(base);
  }
  tenon_registry_reap();
  EXPECT_EQ(made - made_before, deleted - deleted_before);
  EXPECT_EQ(after_the_end, 0) << "a callback ran after its deleter";
  for (const std::string& error : senseless) ADD_FAILURE() << error;
  std::printf("%lld calls, %lld refused, %lld times removed and added\n",
              static_cast<long long>(good + refused), static_cast<long long>(refused),
              static_cast<long long>(rounds));
}

INSTANTIATE_TEST_SUITE_P(
    All, Unload, testing::Combine(testing::ValuesIn(kRegistrations), testing::ValuesIn(kCalls)),
    [](const auto& info) {
      return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
    });

}  // namespace
}  // namespace tenon::test

// Called by unload_plugin.c when it is loaded.
extern "C" TENON_EXPORT tenon_library* stress_unload_open(void) {
  tenon_library* library = tenon::test::open(TENON_LIBRARY_FRAGMENT);
  tenon::test::add_all(library);
  return library;
}
