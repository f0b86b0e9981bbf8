// SPDX-License-Identifier: Apache-2.0
// Autocast from C: regions, cast rules of all kinds, the cache, handwritten wrappers, threads.
#include "support.h"

#include <pthread.h>

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

static tenon_tensor* apply(const char* name, const tenon_value* args, int64_t count) {
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(find(name), args, count, NULL, NULL, 0, &ret, 1));
  assert_int_equal(ret.tag, TENON_TAG_TENSOR);
  return ret.as.tensor;
}

static tenon_tensor* matrix(tenon_dtype dtype) {
  const int64_t sizes[2] = {2, 2};
  tenon_value args[5] = {tenon_value_of_ints(sizes, 2), tenon_value_of_dtype(dtype),
                         tenon_value_of_none(), tenon_value_of_none(), tenon_value_of_none()};
  tenon_value ret;
  assert_ok(call(find("aten::ones"), args, 5, &ret, 1));
  return ret.as.tensor;
}

// Returns the dtype of a result, which it releases.
static tenon_dtype dtype_of(tenon_tensor* tensor) {
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(tensor, &info));
  tenon_tensor_release(tensor);
  return info.dtype;
}

static tenon_tensor* product(tenon_tensor* a, tenon_tensor* b) {
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  return apply("aten::mm", args, 2);
}

static tenon_autocast_state state_of(uint32_t flags, tenon_dtype dtype) {
  tenon_autocast_state state = {.struct_size = sizeof state, .flags = flags, .dtype = dtype};
  return state;
}

static tenon_autocast_state now(void) {
  tenon_autocast_state state = {.struct_size = sizeof state};
  assert_ok(tenon_autocast_get(TENON_DEVICE_CPU, &state));
  return state;
}

#define BOTH (TENON_AUTOCAST_ENABLED | TENON_AUTOCAST_CACHE)

static void enter(tenon_dtype dtype, tenon_autocast_guard* guard) {
  const tenon_autocast_state state = state_of(BOTH, dtype);
  assert_ok(tenon_autocast_enter(TENON_DEVICE_CPU, &state, guard));
}

// ---- Regions ------------------------------------------------------------------------------------

static void Autocast_Default_IsOff(void** unused) {
  (void)unused;
  const tenon_autocast_state state = now();
  assert_int_equal(state.flags, TENON_AUTOCAST_CACHE);
  assert_int_equal(state.dtype, TENON_DTYPE_BF16);
  tenon_autocast_state cuda = {.struct_size = sizeof cuda};
  assert_ok(tenon_autocast_get(TENON_DEVICE_CUDA, &cuda));
  assert_int_equal(cuda.dtype, TENON_DTYPE_F16);
  tenon_tensor* a = matrix(TENON_DTYPE_F32);
  assert_int_equal(dtype_of(product(a, a)), TENON_DTYPE_F32);
  tenon_tensor_release(a);
}

static void Enter_WithoutState_CastsToTheDefault(void** unused) {
  (void)unused;
  tenon_autocast_guard guard;
  tenon_tensor* a = matrix(TENON_DTYPE_F32);
  assert_ok(tenon_autocast_enter(TENON_DEVICE_CPU, NULL, &guard));
  assert_int_equal(now().flags, BOTH);
  assert_int_equal(dtype_of(product(a, a)), TENON_DTYPE_BF16);
  assert_ok(tenon_autocast_leave(&guard));
  assert_int_equal(dtype_of(product(a, a)), TENON_DTYPE_F32);
  tenon_tensor_release(a);
}

static void Enter_Nested_RestoresEachOnLeave(void** unused) {
  (void)unused;
  tenon_autocast_guard outer, off, inner;
  tenon_tensor* a = matrix(TENON_DTYPE_F32);
  enter(TENON_DTYPE_F16, &outer);
  const tenon_autocast_state state = state_of(0, TENON_DTYPE_BF16);
  assert_ok(tenon_autocast_enter(TENON_DEVICE_CPU, &state, &off));
  assert_int_equal(now().flags, 0);
  assert_int_equal(dtype_of(product(a, a)), TENON_DTYPE_F32);
  enter(TENON_DTYPE_BF16, &inner);
  assert_int_equal(dtype_of(product(a, a)), TENON_DTYPE_BF16);
  assert_ok(tenon_autocast_leave(&inner));
  assert_int_equal(now().flags, 0);
  assert_ok(tenon_autocast_leave(&off));
  assert_int_equal(now().dtype, TENON_DTYPE_F16);
  assert_int_equal(dtype_of(product(a, a)), TENON_DTYPE_F16);
  assert_ok(tenon_autocast_leave(&outer));
  assert_int_equal(now().flags, TENON_AUTOCAST_CACHE);
  assert_int_equal(now().dtype, TENON_DTYPE_BF16);
  tenon_tensor_release(a);
}

static void Enter_OfAnotherDevice_LeavesThisOneAlone(void** unused) {
  (void)unused;
  tenon_autocast_guard cuda;
  tenon_tensor* a = matrix(TENON_DTYPE_F32);
  assert_ok(tenon_autocast_enter(TENON_DEVICE_CUDA, NULL, &cuda));
  assert_int_equal(now().flags, TENON_AUTOCAST_CACHE);
  assert_int_equal(dtype_of(product(a, a)), TENON_DTYPE_F32);
  assert_ok(tenon_autocast_leave(&cuda));
  tenon_tensor_release(a);
}

static void Enter_WhereAutocastIsExcluded_LeavesOtherDevicesOff(void** unused) {
  (void)unused;
  tenon_autocast_guard outer, cuda;
  tenon_key_guard excluded;
  tenon_keyset autocast = 0;
  assert_ok(tenon_keyset_from_key(TENON_KEY_AUTOCAST_CPU, &autocast));
  tenon_tensor* a = matrix(TENON_DTYPE_F32);
  enter(TENON_DTYPE_BF16, &outer);
  assert_ok(tenon_key_guard_exclude(autocast, &excluded));
  assert_int_equal(now().flags, TENON_AUTOCAST_CACHE);
  assert_ok(tenon_autocast_enter(TENON_DEVICE_CUDA, NULL, &cuda));
  assert_int_equal(now().flags, TENON_AUTOCAST_CACHE);
  assert_int_equal(dtype_of(product(a, a)), TENON_DTYPE_F32);
  assert_ok(tenon_autocast_leave(&cuda));
  assert_ok(tenon_key_guard_leave(&excluded));
  assert_int_equal(now().flags, BOTH);
  assert_ok(tenon_autocast_leave(&outer));
  tenon_tensor_release(a);
}

static void Leave_OutOfOrder_ChangesNothing(void** unused) {
  (void)unused;
  tenon_autocast_guard outer, inner;
  enter(TENON_DTYPE_F16, &outer);
  enter(TENON_DTYPE_BF16, &inner);
  assert_error(tenon_autocast_leave(&outer), TENON_ERROR_STATE, "innermost");
  assert_int_equal(now().dtype, TENON_DTYPE_BF16);
  assert_ok(tenon_autocast_leave(&inner));
  assert_ok(tenon_autocast_leave(&outer));
}

static void Set_LastsUntilItIsSetAgain(void** unused) {
  (void)unused;
  tenon_tensor* a = matrix(TENON_DTYPE_F32);
  const tenon_autocast_state on = state_of(TENON_AUTOCAST_ENABLED, TENON_DTYPE_F16);
  const tenon_autocast_state off = state_of(TENON_AUTOCAST_CACHE, TENON_DTYPE_BF16);
  assert_ok(tenon_autocast_set(TENON_DEVICE_CPU, &on));
  assert_int_equal(dtype_of(product(a, a)), TENON_DTYPE_F16);
  assert_int_equal(now().flags, TENON_AUTOCAST_ENABLED);
  assert_ok(tenon_autocast_set(TENON_DEVICE_CPU, &off));
  assert_int_equal(dtype_of(product(a, a)), TENON_DTYPE_F32);
  tenon_tensor_release(a);
}

// ---- Threads ------------------------------------------------------------------------------------

typedef struct elsewhere {
  tenon_thread_state* state;
  tenon_tensor* a;
  tenon_dtype plain, entered;
  tenon_status status;
} elsewhere;

static void* multiply_elsewhere(void* given) {
  elsewhere* job = given;
  tenon_thread_state* previous = NULL;
  job->plain = dtype_of(product(job->a, job->a));
  job->status = tenon_thread_state_enter(job->state, &previous);
  if (job->status != TENON_OK) return NULL;
  job->entered = dtype_of(product(job->a, job->a));
  job->status = tenon_thread_state_leave(previous);
  return NULL;
}

static void ThreadState_CarriesTheRegion(void** unused) {
  (void)unused;
  tenon_autocast_guard guard;
  elsewhere job = {.a = matrix(TENON_DTYPE_F32)};
  pthread_t thread;
  enter(TENON_DTYPE_F16, &guard);
  assert_ok(tenon_thread_state_capture(&job.state));
  assert_int_equal(pthread_create(&thread, NULL, &multiply_elsewhere, &job), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_ok(job.status);
  assert_int_equal(job.plain, TENON_DTYPE_F32);
  assert_int_equal(job.entered, TENON_DTYPE_F16);
  tenon_thread_state_release(job.state);
  assert_ok(tenon_autocast_leave(&guard));
  tenon_tensor_release(job.a);
}

// ---- Rules --------------------------------------------------------------------------------------

// Dtypes and flags of the last call of the test operators' kernel.
static tenon_dtype seen[3];
static uint32_t seen_flags;

static tenon_status note_dtypes(void* ctx, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  for (uint32_t i = 0; i < stack->nargs && i < 3; ++i) {
    const tenon_value* arg = &stack->args[i];
    seen[i] = TENON_DTYPE_NONE;
    if (arg->tag == TENON_TAG_TENSOR) seen[i] = tenon_tensor_dtype(arg->as.tensor);
    if (arg->tag == TENON_TAG_DTYPE) seen[i] = (tenon_dtype)arg->as.i;
    if (arg->tag == TENON_TAG_TENSOR_LIST) {
      seen[i] = tenon_tensor_dtype(((tenon_tensor* const*)arg->as.list.data)[0]);
    }
  }
  seen_flags = now().flags;
  stack->rets[0] = tenon_value_of_int(1);
  return TENON_OK;
}

static tenon_library* library_of(const char* name, const char* schema) {
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, name, TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, schema, NULL, NULL));
  const tenon_kernel kernel = {
      .struct_size = sizeof kernel, .boxed = &note_dtypes, .language = TENON_LANGUAGE_C};
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL));
  return library;
}

static tenon_registration* add_rule(tenon_library* library, uint32_t kind, int32_t device_type,
                                    tenon_dtype dtype, const char* advice) {
  const tenon_cast_rule rule = {.struct_size = sizeof rule,
                                .kind = kind,
                                .device_type = device_type,
                                .dtype = dtype,
                                .advice = advice,
                                .language = TENON_LANGUAGE_C};
  tenon_registration* registration = NULL;
  assert_ok(tenon_library_register_autocast(library, "f", &rule, &registration));
  return registration;
}

static tenon_status call_f(const char* name, tenon_value* args, uint32_t count) {
  tenon_value ret;
  return call(find(name), args, count, &ret, 1);
}

static void Rule_OfEachKind_DecidesTheDtypes(void** unused) {
  (void)unused;
  struct {
    uint32_t kind;
    tenon_dtype expected[3];
  } const cases[] = {
      {TENON_CAST_LOWER, {TENON_DTYPE_BF16, TENON_DTYPE_BF16, TENON_DTYPE_I64}},
      {TENON_CAST_FP32, {TENON_DTYPE_F32, TENON_DTYPE_F32, TENON_DTYPE_I64}},
      {TENON_CAST_PROMOTE, {TENON_DTYPE_F32, TENON_DTYPE_F32, TENON_DTYPE_I64}},
      {TENON_CAST_TO, {TENON_DTYPE_F16, TENON_DTYPE_F16, TENON_DTYPE_I64}},
  };
  tenon_library* library = library_of("casts_kinds", "f(Tensor a, Tensor b, Tensor i) -> int");
  tenon_tensor *full = matrix(TENON_DTYPE_F32), *half = matrix(TENON_DTYPE_BF16),
               *whole = matrix(TENON_DTYPE_I64);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tenon_registration* rule =
        add_rule(library, cases[i].kind, TENON_DEVICE_CPU, TENON_DTYPE_F16, NULL);
    tenon_value args[3] = {tenon_value_of_tensor(full), tenon_value_of_tensor(half),
                           tenon_value_of_tensor(whole)};
    assert_ok(call_f("casts_kinds::f", args, 3));
    assert_int_equal(seen[0], TENON_DTYPE_F32);  // outside nothing is cast
    tenon_autocast_guard guard;
    enter(TENON_DTYPE_BF16, &guard);
    assert_ok(call_f("casts_kinds::f", args, 3));
    for (int k = 0; k < 3; ++k) assert_int_equal(seen[k], cases[i].expected[k]);
    assert_int_equal(seen_flags, TENON_AUTOCAST_CACHE);  // autocast is off inside the operator
    assert_ok(tenon_autocast_leave(&guard));
    tenon_registration_remove(rule);
    tenon_registration_release(rule);
  }
  tenon_tensor_release(full);
  tenon_tensor_release(half);
  tenon_tensor_release(whole);
  tenon_library_release(library);
}

static void Rule_OfDoubles_LeavesThem(void** unused) {
  (void)unused;
  tenon_library* library = library_of("casts_doubles", "f(Tensor[] a, Tensor b) -> int");
  tenon_registration_release(add_rule(library, TENON_CAST_LOWER, -1, TENON_DTYPE_NONE, NULL));
  tenon_tensor *full = matrix(TENON_DTYPE_F32), *wide = matrix(TENON_DTYPE_F64);
  tenon_tensor* const list[1] = {full};
  tenon_value args[2] = {tenon_value_of_tensors(list, 1), tenon_value_of_tensor(wide)};
  tenon_autocast_guard guard;
  enter(TENON_DTYPE_BF16, &guard);
  assert_ok(call_f("casts_doubles::f", args, 2));
  assert_int_equal(seen[0], TENON_DTYPE_BF16);
  assert_int_equal(seen[1], TENON_DTYPE_F64);
  assert_ok(tenon_autocast_leave(&guard));
  tenon_tensor_release(full);
  tenon_tensor_release(wide);
  tenon_library_release(library);
}

static void Rule_WithDtype_GivesItWhereNoneIsGiven(void** unused) {
  (void)unused;
  tenon_library* library = library_of("casts_dtype", "f(Tensor a, ScalarType? dtype=None) -> int");
  tenon_registration_release(add_rule(library, TENON_CAST_FP32_DTYPE, -1, TENON_DTYPE_NONE, NULL));
  tenon_tensor *half = matrix(TENON_DTYPE_BF16), *whole = matrix(TENON_DTYPE_I64);
  tenon_autocast_guard guard;
  enter(TENON_DTYPE_BF16, &guard);
  tenon_value args[2] = {tenon_value_of_tensor(half), tenon_value_of_none()};
  assert_ok(call_f("casts_dtype::f", args, 2));
  assert_int_equal(seen[0], TENON_DTYPE_BF16);
  assert_int_equal(seen[1], TENON_DTYPE_F32);
  args[1] = tenon_value_of_dtype(TENON_DTYPE_F64);
  assert_ok(call_f("casts_dtype::f", args, 2));
  assert_int_equal(seen[1], TENON_DTYPE_F64);
  args[0] = tenon_value_of_tensor(whole);
  args[1] = tenon_value_of_none();
  assert_ok(call_f("casts_dtype::f", args, 2));
  assert_int_equal(seen[1], TENON_DTYPE_NONE);
  assert_ok(tenon_autocast_leave(&guard));
  tenon_tensor_release(half);
  tenon_tensor_release(whole);
  tenon_library_release(library);
}

static void Rule_WithOverload_CallsThatWithFloat32(void** unused) {
  (void)unused;
  tenon_library* library = library_of("casts_overload", "f(Tensor a, int p) -> int");
  const tenon_kernel kernel = {
      .struct_size = sizeof kernel, .boxed = &note_dtypes, .language = TENON_LANGUAGE_C};
  tenon_registration_release(
      add_rule(library, TENON_CAST_FP32_OVERLOAD, -1, TENON_DTYPE_NONE, NULL));
  tenon_tensor *half = matrix(TENON_DTYPE_BF16), *whole = matrix(TENON_DTYPE_I64);
  tenon_value args[2] = {tenon_value_of_tensor(half), tenon_value_of_int(2)};
  tenon_autocast_guard guard;
  enter(TENON_DTYPE_BF16, &guard);
  assert_error(call_f("casts_overload::f", args, 2), TENON_ERROR_NOT_FOUND, "overload");
  assert_ok(tenon_library_define(library, "f.dtype(Tensor a, int p, *, ScalarType dtype) -> int",
                                 NULL, NULL));
  assert_ok(
      tenon_library_impl(library, "f.dtype", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL));
  assert_ok(call_f("casts_overload::f", args, 2));
  assert_int_equal(seen[0], TENON_DTYPE_BF16);
  assert_int_equal(seen[2], TENON_DTYPE_F32);
  args[0] = tenon_value_of_tensor(whole);
  assert_ok(call_f("casts_overload::f", args, 2));
  assert_int_equal(seen[2], TENON_DTYPE_I64);
  assert_ok(tenon_autocast_leave(&guard));
  tenon_tensor_release(half);
  tenon_tensor_release(whole);
  tenon_library_release(library);
}

static void Rule_Banned_FailsWithTheAdvice(void** unused) {
  (void)unused;
  tenon_library* library = library_of("casts_banned", "f(Tensor a) -> int");
  tenon_registration_release(
      add_rule(library, TENON_CAST_BANNED, -1, TENON_DTYPE_NONE, "use g, which is safe"));
  tenon_tensor* full = matrix(TENON_DTYPE_F32);
  tenon_value args[1] = {tenon_value_of_tensor(full)};
  assert_ok(call_f("casts_banned::f", args, 1));
  tenon_autocast_guard guard;
  enter(TENON_DTYPE_BF16, &guard);
  assert_error(call_f("casts_banned::f", args, 1), TENON_ERROR_NOT_SUPPORTED,
               "autocast region of cpu; use g, which is safe");
  assert_ok(tenon_autocast_leave(&guard));
  tenon_tensor_release(full);
  tenon_library_release(library);
}

static void Rule_OfADeviceType_ComesBeforeThatOfAll(void** unused) {
  (void)unused;
  tenon_library* library = library_of("casts_devices", "f(Tensor a) -> int");
  tenon_registration_release(add_rule(library, TENON_CAST_LOWER, -1, TENON_DTYPE_NONE, NULL));
  tenon_registration* own =
      add_rule(library, TENON_CAST_TO, TENON_DEVICE_CPU, TENON_DTYPE_F16, NULL);
  tenon_tensor* full = matrix(TENON_DTYPE_F32);
  tenon_value args[1] = {tenon_value_of_tensor(full)};
  tenon_autocast_guard guard;
  enter(TENON_DTYPE_BF16, &guard);
  assert_ok(call_f("casts_devices::f", args, 1));
  assert_int_equal(seen[0], TENON_DTYPE_F16);
  tenon_registration_remove(own);
  assert_ok(call_f("casts_devices::f", args, 1));
  assert_int_equal(seen[0], TENON_DTYPE_BF16);
  assert_ok(tenon_autocast_leave(&guard));
  tenon_registration_release(own);
  tenon_tensor_release(full);
  tenon_library_release(library);
}

static tenon_status add_one(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  seen[1] = tenon_tensor_dtype(stack->args[1].as.tensor);
  const tenon_value args[2] = {stack->args[0], tenon_value_of_int(1)};
  tenon_value ret;
  const tenon_op* add = NULL;
  tenon_status status = tenon_op_find("aten::add_.Scalar", &add);
  if (status == TENON_OK) status = tenon_op_call_named(add, args, 2, NULL, NULL, 0, &ret, 1);
  if (status == TENON_OK) tenon_value_clear(&ret);
  return status;  // the result is the written argument
}

static void Rule_OfAWriter_LeavesWhatIsWritten(void** unused) {
  (void)unused;
  tenon_library* library = NULL;
  assert_ok(
      tenon_library_new(TENON_LIBRARY_DEF, "casts_writes", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, "f(Tensor(a!) a, Tensor b) -> Tensor(a!)", NULL, NULL));
  const tenon_kernel kernel = {
      .struct_size = sizeof kernel, .boxed = &add_one, .language = TENON_LANGUAGE_C};
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  tenon_registration_release(add_rule(library, TENON_CAST_LOWER, -1, TENON_DTYPE_NONE, NULL));
  tenon_tensor *written = matrix(TENON_DTYPE_F32), *other = matrix(TENON_DTYPE_F32);
  tenon_value args[2] = {tenon_value_of_tensor(written), tenon_value_of_tensor(other)}, ret;
  tenon_autocast_guard guard;
  enter(TENON_DTYPE_BF16, &guard);
  assert_ok(call(find("casts_writes::f"), args, 2, &ret, 1));
  assert_ok(tenon_autocast_leave(&guard));
  assert_ptr_equal(ret.as.tensor, written);
  assert_int_equal(seen[1], TENON_DTYPE_BF16);
  void* data = NULL;
  assert_ok(tenon_tensor_data(written, &data));
  assert_float_equal(((float*)data)[3], 2, 0);
  tenon_value_clear(&ret);
  tenon_tensor_release(written);
  tenon_tensor_release(other);
  tenon_library_release(library);
}

static void Explain_InARegion_TellsWhatIsCast(void** unused) {
  (void)unused;
  tenon_tensor* a = matrix(TENON_DTYPE_F32);
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(a)};
  tenon_autocast_guard guard;
  tenon_buffer* text = NULL;
  enter(TENON_DTYPE_F16, &guard);
  assert_ok(tenon_op_explain(find("aten::mm"), args, 2, &text));
  assert_ok(tenon_autocast_leave(&guard));
  const char* explained = tenon_buffer_data(text);
  assert_non_null(strstr(explained, "the highest key is AutocastCPU"));
  assert_non_null(strstr(explained, "cast to float16, the region's lower precision"));
  assert_non_null(strstr(explained, "below it, CPU"));
  tenon_buffer_release(text);
  tenon_tensor_release(a);
}

// ---- The cache ----------------------------------------------------------------------------------

static tenon_tensor* cast_of(tenon_tensor* tensor, tenon_dtype dtype) {
  const tenon_value given = tenon_value_of_tensor(tensor);
  tenon_value cast;
  assert_ok(tenon_autocast_cast(TENON_DEVICE_CPU, dtype, &given, &cast));
  assert_int_equal(cast.tag, TENON_TAG_TENSOR);
  return cast.as.tensor;
}

static tenon_tensor* parameter(void) {
  tenon_tensor* leaf = matrix(TENON_DTYPE_F32);
  assert_ok(tenon_tensor_set_requires_grad(leaf, 1));
  return leaf;
}

// Returns true if two equal casts in a row return the same tensor, because the cast is cached.
static int is_kept(tenon_tensor* tensor, tenon_dtype dtype) {
  tenon_tensor *first = cast_of(tensor, dtype), *second = cast_of(tensor, dtype);
  const int same = first == second;
  tenon_tensor_release(first);
  tenon_tensor_release(second);
  return same;
}

static void Cache_InARegion_KeepsCastsOfLeaves(void** unused) {
  (void)unused;
  tenon_tensor *leaf = parameter(), *plain = matrix(TENON_DTYPE_F32);
  assert_false(is_kept(leaf, TENON_DTYPE_BF16));
  tenon_autocast_guard outer, inner;
  enter(TENON_DTYPE_BF16, &outer);
  tenon_tensor* first = cast_of(leaf, TENON_DTYPE_BF16);
  enter(TENON_DTYPE_BF16, &inner);
  tenon_tensor* second = cast_of(leaf, TENON_DTYPE_BF16);
  assert_ok(tenon_autocast_leave(&inner));
  assert_ptr_equal(first, second);
  assert_true(tenon_tensor_requires_grad(first));
  assert_false(is_kept(plain, TENON_DTYPE_BF16));
  assert_false(is_kept(leaf, TENON_DTYPE_F16));
  tenon_autocast_clear_cache();
  tenon_tensor* third = cast_of(leaf, TENON_DTYPE_BF16);
  assert_ptr_not_equal(first, third);
  assert_ok(tenon_autocast_leave(&outer));
  assert_int_equal(tenon_tensor_use_count(third), 1);  // left to the caller
  tenon_tensor* const all[] = {first, second, third, leaf, plain};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tenon_tensor_release(all[i]);
}

static void Cache_OfAWrittenLeaf_CastsAnew(void** unused) {
  (void)unused;
  tenon_tensor* leaf = parameter();
  tenon_autocast_guard guard;
  tenon_key_guard quiet;
  enter(TENON_DTYPE_BF16, &guard);
  tenon_tensor* before = cast_of(leaf, TENON_DTYPE_BF16);
  assert_ok(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &quiet));
  const tenon_value args[2] = {tenon_value_of_tensor(leaf), tenon_value_of_int(3)};
  tenon_tensor_release(apply("aten::mul_.Scalar", args, 2));
  assert_ok(tenon_key_guard_leave(&quiet));
  tenon_tensor* after = cast_of(leaf, TENON_DTYPE_BF16);
  assert_ptr_not_equal(before, after);
  assert_ok(tenon_autocast_leave(&guard));
  tenon_tensor_release(before);
  tenon_tensor_release(after);
  tenon_tensor_release(leaf);
}

static void Cache_TurnedOff_KeepsNothing(void** unused) {
  (void)unused;
  tenon_tensor* leaf = parameter();
  tenon_autocast_guard guard;
  const tenon_autocast_state state = state_of(TENON_AUTOCAST_ENABLED, TENON_DTYPE_BF16);
  assert_ok(tenon_autocast_enter(TENON_DEVICE_CPU, &state, &guard));
  assert_false(is_kept(leaf, TENON_DTYPE_BF16));
  assert_ok(tenon_autocast_leave(&guard));
  tenon_tensor_release(leaf);
}

static void Cache_FilledInInferenceMode_ServesRecordedCalls(void** unused) {
  (void)unused;
  tenon_tensor* leaf = parameter();
  tenon_autocast_guard guard;
  tenon_key_guard inference;
  enter(TENON_DTYPE_BF16, &guard);
  assert_ok(tenon_grad_mode_enter(TENON_GRAD_MODE_INFERENCE, &inference));
  tenon_tensor* quiet = product(leaf, leaf);
  assert_ok(tenon_key_guard_leave(&inference));
  assert_false(tenon_tensor_requires_grad(quiet));
  tenon_tensor* recorded = product(leaf, leaf);
  assert_true(tenon_tensor_requires_grad(recorded));
  assert_ok(tenon_autocast_leave(&guard));
  tenon_tensor_release(quiet);
  tenon_tensor_release(recorded);
  tenon_tensor_release(leaf);
}

static void Cache_OfADeadLeaf_DoesNotKeepIt(void** unused) {
  (void)unused;
  const int64_t before = tenon_introspect_live_count(TENON_HANDLE_TENSOR);
  tenon_autocast_guard guard;
  enter(TENON_DTYPE_BF16, &guard);
  tenon_tensor* leaf = parameter();
  tenon_weak_tensor* weak = NULL;
  assert_ok(tenon_weak_tensor_new(leaf, &weak));
  tenon_tensor_release(cast_of(leaf, TENON_DTYPE_F16));
  tenon_tensor_release(leaf);
  assert_null(tenon_weak_tensor_copy(weak));
  assert_ok(tenon_autocast_leave(&guard));
  tenon_weak_tensor_release(weak);
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_TENSOR), before);
}

// ---- Handwritten wrappers -----------------------------------------------------------------------

// As the tutorial has it: Autocast is excluded, arguments are cast, the operator is called again.
// [quote.begin wrapper]
static tenon_status wrap(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)keys;
  tenon_dtype dtype = TENON_DTYPE_BF16;
  tenon_status status = TENON_OK;
  if (ctx != NULL) {
    status = tenon_autocast_promote(TENON_DEVICE_CPU, TENON_DTYPE_BF16, stack->args, stack->nargs,
                                    &dtype);
    if (status != TENON_OK) return status;
  }
  tenon_keyset autocast = 0;
  tenon_key_guard guard;
  status = tenon_keyset_from_key(TENON_KEY_AUTOCAST_CPU, &autocast);
  if (status == TENON_OK) status = tenon_key_guard_exclude(autocast, &guard);
  if (status != TENON_OK) return status;
  tenon_value args[3] = {tenon_value_of_none()};
  for (uint32_t i = 0; status == TENON_OK && i < stack->nargs; ++i) {
    status = tenon_autocast_cast(TENON_DEVICE_CPU, dtype, &stack->args[i], &args[i]);
  }
  tenon_stack inner = *stack;
  inner.args = args;
  if (status == TENON_OK) status = tenon_op_call(op, &inner);
  for (int i = 0; i < 3; ++i) tenon_value_clear(&args[i]);
  const tenon_status left = tenon_key_guard_leave(&guard);
  return status != TENON_OK ? status : left;
}
// [quote.end]

static void Wrapper_OfTheTutorial_CastsAndCallsAgain(void** unused) {
  (void)unused;
  tenon_library* library = library_of("casts_hand", "f(Tensor a, Tensor b) -> int");
  for (int promotes = 0; promotes < 2; ++promotes) {
    const tenon_kernel kernel = {.struct_size = sizeof kernel,
                                 .boxed = &wrap,
                                 .ctx = promotes ? &seen : NULL,
                                 .language = TENON_LANGUAGE_C};
    assert_ok(tenon_library_impl(library, "f", TENON_KEY_AUTOCAST, &kernel, NULL));
    tenon_tensor *full = matrix(TENON_DTYPE_F32), *half = matrix(TENON_DTYPE_BF16);
    tenon_value args[2] = {tenon_value_of_tensor(full), tenon_value_of_tensor(half)};
    tenon_autocast_guard guard;
    enter(TENON_DTYPE_BF16, &guard);
    assert_ok(call_f("casts_hand::f", args, 2));
    const tenon_dtype expected = promotes ? TENON_DTYPE_F32 : TENON_DTYPE_BF16;
    assert_int_equal(seen[0], expected);
    assert_int_equal(seen[1], expected);
    assert_int_equal(seen_flags, TENON_AUTOCAST_CACHE);
    assert_ok(tenon_autocast_leave(&guard));
    tenon_tensor_release(full);
    tenon_tensor_release(half);
  }
  tenon_library_release(library);
}

static void Promote_OfMixedDtypes_GivesTheWidest(void** unused) {
  (void)unused;
  tenon_tensor* const tensors[3] = {matrix(TENON_DTYPE_BF16), matrix(TENON_DTYPE_F64),
                                    matrix(TENON_DTYPE_I64)};
  tenon_tensor* full = matrix(TENON_DTYPE_F32);
  tenon_value values[2] = {tenon_value_of_tensors(tensors, 3), tenon_value_of_none()};
  tenon_dtype dtype = TENON_DTYPE_NONE;
  assert_ok(tenon_autocast_promote(TENON_DEVICE_CPU, TENON_DTYPE_BF16, values, 2, &dtype));
  assert_int_equal(dtype, TENON_DTYPE_BF16);
  values[1] = tenon_value_of_tensor(full);
  assert_ok(tenon_autocast_promote(TENON_DEVICE_CPU, TENON_DTYPE_BF16, values, 2, &dtype));
  assert_int_equal(dtype, TENON_DTYPE_F32);
  for (int i = 0; i < 3; ++i) tenon_tensor_release(tensors[i]);
  tenon_tensor_release(full);
}

static void Promote_OfAThirdPrecision_Fails(void** unused) {
  (void)unused;
  tenon_tensor* half = matrix(TENON_DTYPE_F16);
  const tenon_value value = tenon_value_of_tensor(half);
  tenon_dtype dtype = TENON_DTYPE_F32;
  assert_error(tenon_autocast_promote(TENON_DEVICE_CPU, TENON_DTYPE_BF16, &value, 1, &dtype),
               TENON_ERROR_TYPE, "got float16");
  assert_int_equal(dtype, TENON_DTYPE_NONE);
  assert_error(tenon_autocast_promote(TENON_DEVICE_CPU, TENON_DTYPE_F64, &value, 1, &dtype),
               TENON_ERROR_TYPE, "initial");
  tenon_tensor_release(half);
}

// ---- Gradients ----------------------------------------------------------------------------------

static void Backward_ThroughCasts_GivesTheLeafsDtype(void** unused) {
  (void)unused;
  tenon_tensor* leaf = parameter();
  tenon_autocast_guard guard;
  enter(TENON_DTYPE_BF16, &guard);
  tenon_tensor* result = product(leaf, leaf);
  assert_ok(tenon_autocast_leave(&guard));
  const tenon_value args[1] = {tenon_value_of_tensor(result)};
  tenon_tensor* total = apply("aten::sum", args, 1);
  const tenon_backward_options options = {
      .struct_size = sizeof options, .outputs = &total, .noutputs = 1};
  assert_ok(tenon_backward(&options));
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(leaf, &grad));
  void* data = NULL;
  assert_ok(tenon_tensor_data(grad, &data));
  assert_float_equal(((float*)data)[0], 4, 0);
  assert_int_equal(dtype_of(grad), TENON_DTYPE_F32);
  tenon_tensor_release(total);
  tenon_tensor_release(result);
  tenon_tensor_release(leaf);
}

static int64_t live_at_start;
static int remember_live(void** unused) {
  (void)unused;
  tenon_tensor* first = matrix(TENON_DTYPE_F32);  // loads what ships
  tenon_tensor_release(product(first, first));
  tenon_tensor_release(first);
  live_at_start = tenon_introspect_live_count(TENON_HANDLE_TENSOR);
  return 0;
}
static int compare_live(void** unused) {
  (void)unused;
  return tenon_introspect_live_count(TENON_HANDLE_TENSOR) == live_at_start ? 0 : -1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Autocast_Default_IsOff),
      cmocka_unit_test(Enter_WithoutState_CastsToTheDefault),
      cmocka_unit_test(Enter_Nested_RestoresEachOnLeave),
      cmocka_unit_test(Enter_OfAnotherDevice_LeavesThisOneAlone),
      cmocka_unit_test(Enter_WhereAutocastIsExcluded_LeavesOtherDevicesOff),
      cmocka_unit_test(Leave_OutOfOrder_ChangesNothing),
      cmocka_unit_test(Set_LastsUntilItIsSetAgain),
      cmocka_unit_test(ThreadState_CarriesTheRegion),
      cmocka_unit_test(Rule_OfEachKind_DecidesTheDtypes),
      cmocka_unit_test(Rule_OfDoubles_LeavesThem),
      cmocka_unit_test(Rule_WithDtype_GivesItWhereNoneIsGiven),
      cmocka_unit_test(Rule_WithOverload_CallsThatWithFloat32),
      cmocka_unit_test(Rule_Banned_FailsWithTheAdvice),
      cmocka_unit_test(Rule_OfADeviceType_ComesBeforeThatOfAll),
      cmocka_unit_test(Rule_OfAWriter_LeavesWhatIsWritten),
      cmocka_unit_test(Explain_InARegion_TellsWhatIsCast),
      cmocka_unit_test(Cache_InARegion_KeepsCastsOfLeaves),
      cmocka_unit_test(Cache_OfAWrittenLeaf_CastsAnew),
      cmocka_unit_test(Cache_TurnedOff_KeepsNothing),
      cmocka_unit_test(Cache_FilledInInferenceMode_ServesRecordedCalls),
      cmocka_unit_test(Cache_OfADeadLeaf_DoesNotKeepIt),
      cmocka_unit_test(Wrapper_OfTheTutorial_CastsAndCallsAgain),
      cmocka_unit_test(Promote_OfMixedDtypes_GivesTheWidest),
      cmocka_unit_test(Promote_OfAThirdPrecision_Fails),
      cmocka_unit_test(Backward_ThroughCasts_GivesTheLeafsDtype),
  };
  return cmocka_run_group_tests(tests, remember_live, compare_live);
}
