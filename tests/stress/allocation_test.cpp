// SPDX-License-Identifier: Apache-2.0
// Fails each allocation of a scripted scenario in turn. Every function must succeed or report out
// of memory, and at the end of the scenario nothing may be leaked or lost.
#include <dlfcn.h>

#include <cerrno>
#include <cstddef>
#include <new>

#include "core/dispatch/support.h"
#include "stress.h"

// ---- Allocation, with a countdown for the thread that is armed ---------------------------------

namespace {

thread_local bool armed = false;
thread_local int64_t countdown = 0;     // allocations until the first that fails
thread_local int64_t failing_left = 0;  // how many fail from there on

bool fails() {
  if (!armed) return false;
  if (countdown > 0) {
    --countdown;
    return false;
  }
  if (failing_left == 0) return false;
  --failing_left;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* memory, size_t size) {
  return fails() ? nullptr : __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** out_memory, size_t alignment, size_t size) {
  if (fails()) return ENOMEM;
  *out_memory = __libc_memalign(alignment, size);
  return *out_memory != nullptr ? 0 : ENOMEM;
}
}

namespace tenon::test {
namespace {

// ---- The scenario ------------------------------------------------------------------------------

// Results of one run. Nothing here allocates.
struct Run {
  int made = 0;                 // kernels handed over
  int deleted = 0;              // of them
  int refused = 0;              // number of functions that returned TENON_ERROR_OUT_OF_MEMORY
  tenon_status odd = TENON_OK;  // any other failure
  const char* where = "";

  // Returns true if a function succeeded; records any error other than out of memory.
  bool good(tenon_status status, const char* what) {
    tenon_error* error = tenon_error_take();
    if (status == TENON_OK) {
      if (error != nullptr) note(TENON_ERROR_INTERNAL, what);
    } else if (status == TENON_ERROR_OUT_OF_MEMORY && error != nullptr &&
               tenon_error_code(error) == status) {
      ++refused;
    } else {
      note(status, what);
    }
    tenon_error_release(error);
    return status == TENON_OK;
  }
  void note(tenon_status status, const char* what) {
    if (odd != TENON_OK) return;
    odd = status;
    where = what;
  }
};

void count_deletion(void* ctx) { ++static_cast<Run*>(ctx)->deleted; }

tenon_kernel kernel_for(Run* run) {
  ++run->made;
  tenon_kernel kernel = kernel_of(&return_first, nullptr, "scenario");
  kernel.boxed = [](void*, const tenon_op*, tenon_keyset, tenon_stack* stack) -> tenon_status {
    return tenon_value_copy(&stack->args[0], &stack->rets[0]);
  };
  kernel.ctx = run;
  kernel.deleter = &count_deletion;
  kernel.schema = "(Tensor _0, int[] _1) -> Tensor";
  return kernel;
}

void use_values(Run* run, tenon_tensor* tensor) {
  const int64_t numbers[3] = {1, 2, 3};
  tenon_value elements[3] = {}, list{}, copy{}, text{};
  elements[0].tag = TENON_TAG_TENSOR;
  elements[0].as.tensor = tensor;
  elements[1] = list_value(TENON_TAG_INT_LIST, numbers, 3);
  elements[2] = string_value("a text that is longer than what fits in place");
  if (run->good(tenon_value_new_list(TENON_TAG_TUPLE, elements, 3, &list), "new_list")) {
    run->good(tenon_value_copy(&list, &copy), "copy");
    tenon_buffer* printed = nullptr;
    run->good(tenon_value_print(&list, &printed), "print");
    tenon_buffer_release(printed);
  }
  run->good(tenon_value_new_string("text", 4, &text), "new_string");
  tenon_value_clear(&list);
  tenon_value_clear(&copy);
  tenon_value_clear(&text);
}

void use_errors(Run* run) {
  tenon_error* error = tenon_error_new(TENON_ERROR_INDEX, nullptr, "an error of our own");
  tenon_error_add_note(error, "with a note");
  tenon_error_add_frame(error, TENON_LANGUAGE_C, "f", "f.c", 1);
  tenon_error_set_cause(error, tenon_error_new(TENON_ERROR_TYPE, "Kind", "the cause"));
  if (tenon_error_format(error) == nullptr) run->note(TENON_ERROR_INTERNAL, "format");
  tenon_error_release(error);
}

void use_schemas(Run* run) {
  tenon_schema* schema = nullptr;
  if (!run->good(
          tenon_schema_parse("ns::f.o(Tensor(a!) x, int[2] d=[1, 2], str s='q', *, Dict(str, "
                             "int)? e=None) -> (Tensor(a!), Tensor[])",
                             -1, &schema),
          "schema_parse")) {
    return;
  }
  tenon_argument_info info{};
  info.struct_size = sizeof info;
  run->good(tenon_schema_get_argument(schema, 1, &info), "get_argument");
  // Without memory for it the text is "", and the reason stays in the slot.
  const bool written = tenon_schema_text(schema)[0] != '\0';
  run->good(written ? TENON_OK : TENON_ERROR_OUT_OF_MEMORY, "schema_text");
  run->good(tenon_schema_check_compatible(schema, schema, 1), "check_compatible");
  tenon_schema_release(schema);
}

void use_library(Run* run, tenon_tensor* tensor) {
  tenon_library *library = nullptr, *wildcard = nullptr;
  if (!run->good(tenon_library_new(TENON_LIBRARY_FRAGMENT, "scarce", TENON_KEY_NONE, "scenario.c",
                                   1, &library),
                 "library_new")) {
    return;
  }
  const tenon_op* op = nullptr;
  const bool defined = run->good(
      tenon_library_define(library, "x(Tensor a, int[] b=[1, 2]) -> Tensor", nullptr, &op),
      "define");
  const tenon_kernel kernel = kernel_for(run), autograd = kernel_for(run), every = kernel_for(run);
  tenon_registration* registration = nullptr;
  const bool implemented =
      run->good(tenon_library_impl(library, "x", TENON_KEY_CPU, &kernel, &registration), "impl");
  run->good(tenon_library_impl(library, "x", TENON_KEY_AUTOGRAD, &autograd, nullptr), "impl alias");
  if (run->good(tenon_library_new(TENON_LIBRARY_IMPL, "_", TENON_KEY_NONE, nullptr, 0, &wildcard),
                "library_new _")) {
    tenon_kernel plain = every;
    plain.schema = nullptr;
    run->good(tenon_library_fallback(wildcard, TENON_KEY_WRAPPER, &plain, nullptr, nullptr),
              "fallback");
  } else {
    count_deletion(run);  // never handed over
  }
  if (defined && implemented) {
    const int64_t numbers[2] = {1, 2};
    tenon_value args[2] = {}, rets[1] = {};
    args[0].tag = TENON_TAG_TENSOR;
    args[0].as.tensor = tensor;
    args[1] = list_value(TENON_TAG_INT_LIST, numbers, 2);
    tenon_stack stack{};
    stack.args = args;
    stack.nargs = 2;
    stack.rets = rets;
    stack.nrets = 1;
    if (run->good(tenon_op_call_fast(op, &stack), "call") && rets[0].as.tensor != tensor) {
      run->note(TENON_ERROR_INTERNAL, "call's result");
    }
    tenon_value_clear(&rets[0]);
    tenon_buffer *dump = nullptr, *table = nullptr;
    run->good(tenon_introspect_dump(op, &dump), "dump");
    run->good(tenon_introspect_dump_table(op, &table), "dump_table");
    tenon_buffer_release(dump);
    tenon_buffer_release(table);
    tenon_registration_remove(registration);
  }
  tenon_registration_release(registration);
  tenon_library_release(wildcard);
  tenon_library_release(library);
}

void scenario(Run* run) {
  const int64_t sizes[3] = {2, 300, 2}, alias_sizes[1] = {5}, strides[1] = {1};
  tenon_tensor *tensor = nullptr, *alias = nullptr;
  if (run->good(tenon_tensor_new(TENON_DTYPE_F32, nullptr, 3, sizes, nullptr, &tensor), "tensor")) {
    if (run->good(tenon_tensor_new_alias(tensor, 1, alias_sizes, strides, 3, &alias), "alias")) {
      tenon_buffer* text = nullptr;
      run->good(tenon_tensor_print(alias, &text), "print tensor");
      tenon_buffer_release(text);
    }
    use_values(run, tensor);
    use_library(run, tensor);
  }
  use_errors(run);
  use_schemas(run);
  tenon_thread_state* state = nullptr;
  run->good(tenon_thread_state_capture(&state), "capture");
  tenon_thread_state_release(state);
  tenon_tensor_release(alias);
  tenon_tensor_release(tensor);
}

// ---- Failing each allocation in turn -----------------------------------------------------------

// Runs the scenario with `failing` allocations refused from number `first` on. Returns how many
// were refused.
int64_t run_with(int64_t first, int64_t failing, Run* run) {
  countdown = first;
  failing_left = failing;
  armed = true;
  scenario(run);
  armed = false;
  return failing - failing_left;
}

void fail_each(int64_t failing) {
  Run warm;
  run_with(INT64_MAX, 0, &warm);  // names are interned, records made
  ASSERT_EQ(warm.refused, 0);
  ASSERT_EQ(warm.odd, TENON_OK) << warm.where;
  int64_t survived = 0, told = 0;
  for (int64_t first = 0;; ++first) {
    const LeakCheck nothing_left;
    Run run;
    const int64_t refused = run_with(first, failing, &run);
    tenon_registry_reap();
    ASSERT_EQ(run.odd, TENON_OK) << run.where << ", allocation " << first;
    ASSERT_EQ(run.made, run.deleted) << "allocation " << first;
    TENON_ASSERT_OK(tenon_introspect_check(nullptr));
    if (refused == 0) break;
    survived += refused;
    told += run.refused;
  }
  EXPECT_GT(survived, 100);
  EXPECT_GT(told, 50);
  // Afterwards all works as before.
  Run after;
  run_with(INT64_MAX, 0, &after);
  EXPECT_EQ(after.refused, 0);
  EXPECT_EQ(after.odd, TENON_OK) << after.where;
  std::printf("%lld failed allocations survived, %lld errors told\n",
              static_cast<long long>(survived), static_cast<long long>(told));
}

TEST(Allocation, EachFailsOnce_EveryFunctionSaysSoOrSucceeds) { fail_each(1); }
TEST(Allocation, AllFailFromEachOn_EveryFunctionSaysSoOrSucceeds) { fail_each(INT32_MAX); }

}  // namespace
}  // namespace tenon::test
