// SPDX-License-Identifier: Apache-2.0
// library.h and op.h from C: defining, implementing, calling, removing; and all the ways it fails.
#include "support.h"

static int deleted = 0;
static void count_delete(void* ctx) { ++*(int*)ctx; }

// Returns its first argument plus one as a new tensor, and counts its calls in ctx.
static tenon_status add_one(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)op;
  (void)keys;
  if (ctx != NULL) ++*(int*)ctx;
  tenon_tensor_info info;
  tenon_status status = tenon_tensor_describe(stack->args[0].as.tensor, &info);
  if (status != TENON_OK) return status;
  tenon_tensor* out = NULL;
  status = tenon_tensor_new(info.dtype, NULL, info.ndim, info.sizes, NULL, &out);
  if (status != TENON_OK) return status;
  void* data = NULL;
  if (tenon_tensor_data(out, &data) != TENON_OK) return TENON_ERROR_STATE;
  for (int64_t i = 0; i < info.numel; ++i) ((float*)data)[i] = ((float*)info.data)[i] + 1.0f;
  stack->rets[0] = tenon_value_of_tensor(out);
  stack->rets[0].flags = TENON_VALUE_OWNED;
  return TENON_OK;
}

static tenon_status fail_with_slot(void* ctx, const tenon_op* op, tenon_keyset keys,
                                   tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys, (void)stack;
  return tenon_error_raise(TENON_ERROR_INDEX, "kernel says index");
}

static tenon_status fail_silently(void* ctx, const tenon_op* op, tenon_keyset keys,
                                  tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys, (void)stack;
  return TENON_ERROR_RUNTIME;
}

static tenon_status return_nothing(void* ctx, const tenon_op* op, tenon_keyset keys,
                                   tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys, (void)stack;
  return TENON_OK;
}

static tenon_status write_then_fail(void* ctx, const tenon_op* op, tenon_keyset keys,
                                    tenon_stack* stack) {
  add_one(ctx, op, keys, stack);
  stack->error = tenon_error_new(TENON_ERROR_BUSY, NULL, "after writing");
  return TENON_ERROR_BUSY;
}

static tenon_kernel kernel_of(tenon_kernel_fn function, void* ctx, tenon_deleter deleter) {
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = function;
  kernel.ctx = ctx;
  kernel.deleter = deleter;
  kernel.language = TENON_LANGUAGE_C;
  kernel.name = "kernel";
  kernel.file = __FILE__;
  kernel.line = __LINE__;
  return kernel;
}

static tenon_library* open_library(uint32_t kind, const char* ns) {
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(kind, ns, TENON_KEY_NONE, __FILE__, __LINE__, &library));
  return library;
}

static const tenon_op* define(tenon_library* library, const char* schema) {
  const tenon_op* op = NULL;
  assert_ok(tenon_library_define(library, schema, NULL, &op));
  return op;
}

static void implement(tenon_library* library, const char* name, tenon_key key,
                      tenon_kernel_fn function) {
  const tenon_kernel kernel = kernel_of(function, NULL, NULL);
  assert_ok(tenon_library_impl(library, name, key, &kernel, NULL));
}

static void define_implement_call(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t1");
  const tenon_op* op = define(library, "add_one(Tensor x) -> Tensor");
  assert_string_equal(tenon_op_name(op), "t1::add_one");
  int calls = 0;
  deleted = 0;
  const tenon_kernel kernel = kernel_of(&add_one, &calls, NULL);
  assert_ok(tenon_library_impl(library, "add_one", TENON_KEY_CPU, &kernel, NULL));
  const float two = 2;
  tenon_tensor* x = vector_of(&two, 1);
  tenon_value args[1] = {tenon_value_of_tensor(x)}, rets[1];
  assert_ok(call(op, args, 1, rets, 1));
  void* data = NULL;
  assert_ok(tenon_tensor_data(rets[0].as.tensor, &data));
  assert_true(*(float*)data == 3.0f);
  assert_int_equal(calls, 1);
  assert_int_equal(tenon_tensor_use_count(x), 1);
  tenon_value_clear(&rets[0]);
  tenon_tensor_release(x);
  const tenon_op* found = NULL;
  assert_ok(tenon_op_find("t1::add_one", &found));
  assert_ptr_equal(found, op);
  tenon_library_release(library);
  assert_error(call(op, args, 1, rets, 1), TENON_ERROR_NOT_FOUND, "t1::add_one");
  assert_nothing_left(before);
}

static void impl_may_come_before_define(void** state) {
  (void)state;
  tenon_library* impl = open_library(TENON_LIBRARY_IMPL, "t2");
  implement(impl, "f", TENON_KEY_CPU, &add_one);
  const tenon_op* op = NULL;
  assert_error(tenon_op_find("t2::f", &op), TENON_ERROR_NOT_FOUND, "t2::f");
  tenon_library* def = open_library(TENON_LIBRARY_DEF, "t2");
  op = define(def, "f(Tensor x) -> Tensor");
  const float two = 2;
  tenon_tensor* x = vector_of(&two, 1);
  tenon_value args[1] = {tenon_value_of_tensor(x)}, rets[1];
  assert_ok(call(op, args, 1, rets, 1));
  tenon_value_clear(&rets[0]);
  tenon_tensor_release(x);
  tenon_library_release(def);
  tenon_library_release(impl);
}

static void wrong_count_and_type_name_operator_and_argument(void** state) {
  (void)state;
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t3");
  const tenon_op* op = define(library, "f(Tensor self, int n) -> Tensor");
  implement(library, "f", TENON_KEY_CPU, &add_one);
  const float two = 2;
  tenon_tensor* x = vector_of(&two, 1);
  tenon_value args[3] = {tenon_value_of_tensor(x), tenon_value_of_int(1), tenon_value_of_int(2)},
              rets[1];
  assert_error(call(op, args, 1, rets, 1), TENON_ERROR_TYPE, "t3::f");
  assert_error(call(op, args, 3, rets, 1), TENON_ERROR_TYPE, "t3::f");
  tenon_value swapped[2] = {tenon_value_of_int(1), tenon_value_of_int(1)};
  assert_error(call(op, swapped, 2, rets, 1), TENON_ERROR_TYPE, "self");
  tenon_value text[2] = {tenon_value_of_tensor(x), value_text("no")};
  assert_error(tenon_op_check_arguments(op, text, 2), TENON_ERROR_TYPE, "n must be int, got str");
  tenon_stack stack;
  memset(&stack, 0, sizeof stack);
  memset(rets, 0, sizeof rets);
  stack.args = text;
  stack.nargs = 2;
  stack.rets = rets;
  stack.nrets = 1;
  assert_error(tenon_op_call(op, &stack), TENON_ERROR_TYPE, "t3::f");
  assert_int_equal(tenon_tensor_use_count(x), 1);
  tenon_tensor_release(x);
  tenon_library_release(library);
}

static void unknown_names_are_told_apart(void** state) {
  (void)state;
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t4");
  define(library, "f.one(Tensor x) -> Tensor");
  const tenon_op* op = NULL;
  assert_error(tenon_op_find("t4::g", &op), TENON_ERROR_NOT_FOUND, "t4::g");
  assert_error(tenon_op_find("t4::f.two", &op), TENON_ERROR_NOT_FOUND, "one");
  assert_error(tenon_op_find("no_colons", &op), TENON_ERROR_NOT_FOUND, "no_colons");
  tenon_key key = 0;
  assert_error(tenon_key_parse("Nonsense", &key), TENON_ERROR_NOT_FOUND, "Nonsense");
  tenon_library_release(library);
}

static void second_definition_and_namespace_are_refused(void** state) {
  (void)state;
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t5");
  tenon_library* second = NULL;
  assert_error(tenon_library_new(TENON_LIBRARY_DEF, "t5", TENON_KEY_NONE, "b.c", 2, &second),
               TENON_ERROR_ALREADY_EXISTS, "library_test.c");
  assert_null(second);
  define(library, "f(Tensor x) -> Tensor");
  assert_error(tenon_library_define(library, "f(Tensor x) -> Tensor", NULL, NULL),
               TENON_ERROR_ALREADY_EXISTS, "t5::f");
  tenon_library* impl = open_library(TENON_LIBRARY_IMPL, "t5");
  assert_error(tenon_library_define(impl, "g(Tensor x) -> Tensor", NULL, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "IMPL");
  assert_error(tenon_library_define(library, "other::g(Tensor x) -> Tensor", NULL, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "other");
  assert_error(tenon_library_define(library, "g(Tensor x -> Tensor", NULL, NULL), TENON_ERROR_PARSE,
               "");
  tenon_library_release(impl);
  tenon_library_release(library);
  library = open_library(TENON_LIBRARY_DEF, "t5");
  tenon_library_release(library);
}

static void failed_impl_deletes_ctx_and_changes_nothing(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t6");
  define(library, "f(Tensor x) -> Tensor");
  deleted = 0;
  tenon_kernel kernel = kernel_of(&add_one, &deleted, &count_delete);
  assert_error(tenon_library_impl(library, "other::f", TENON_KEY_CPU, &kernel, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "other");
  assert_int_equal(deleted, 1);
  assert_error(tenon_library_impl(library, "f", 0xABCDEFu, &kernel, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "key");
  assert_int_equal(deleted, 2);
  kernel.schema = "(Tensor _0, Tensor _1) -> Tensor";
  assert_error(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "t6::f");
  assert_int_equal(deleted, 3);
  kernel.schema = NULL;
  assert_error(tenon_library_fallback(library, TENON_KEY_CPU, &kernel, NULL, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "");
  assert_int_equal(deleted, 4);
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  kernel.policy = TENON_REPLACE_ERROR;
  assert_error(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL),
               TENON_ERROR_ALREADY_EXISTS, "t6::f");
  assert_int_equal(deleted, 5);
  tenon_library_close(library);
  assert_int_equal(deleted, 6);
  assert_error(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL), TENON_ERROR_STATE,
               "closed");
  assert_int_equal(deleted, 7);
  tenon_library_close(library);
  assert_ok(tenon_library_drain(library, 0));
  tenon_library_release(library);
  assert_nothing_left(before);
}

static void kernels_layer_and_come_back(void** state) {
  (void)state;
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t7");
  const tenon_op* op = define(library, "f(Tensor x) -> Tensor");
  int first = 0, second = 0;
  tenon_kernel kernel = kernel_of(&add_one, &first, NULL);
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  kernel.ctx = &second;
  tenon_registration* registration = NULL;
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, &registration));
  const float two = 2;
  tenon_tensor* x = vector_of(&two, 1);
  tenon_value args[1] = {tenon_value_of_tensor(x)}, rets[1];
  assert_ok(call(op, args, 1, rets, 1));
  tenon_value_clear(&rets[0]);
  tenon_registration_remove(registration);
  tenon_registration_remove(registration);
  tenon_registration_release(registration);
  assert_ok(call(op, args, 1, rets, 1));
  tenon_value_clear(&rets[0]);
  assert_int_equal(first, 1);
  assert_int_equal(second, 1);
  tenon_tensor_release(x);
  tenon_library_release(library);
}

static void kernel_errors_end_in_the_slot(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t8");
  const float two = 2;
  tenon_tensor* x = vector_of(&two, 1);
  tenon_value args[1] = {tenon_value_of_tensor(x)}, rets[1];
  const tenon_op* op = define(library, "f(Tensor x) -> Tensor");
  assert_error(call(op, args, 1, rets, 1), TENON_ERROR_NO_KERNEL, "t8::f");
  implement(library, "f", TENON_KEY_CPU, &fail_with_slot);
  assert_error(call(op, args, 1, rets, 1), TENON_ERROR_INDEX, "kernel says index");
  implement(library, "f", TENON_KEY_CPU, &fail_silently);
  assert_error(call(op, args, 1, rets, 1), TENON_ERROR_RUNTIME, "t8::f");
  implement(library, "f", TENON_KEY_CPU, &return_nothing);
  assert_error(call(op, args, 1, rets, 1), TENON_ERROR_TYPE, "t8::f");
  implement(library, "f", TENON_KEY_CPU, &write_then_fail);
  assert_error(call(op, args, 1, rets, 1), TENON_ERROR_BUSY, "after writing");
  assert_int_equal(rets[0].tag, TENON_TAG_NONE);
  assert_int_equal(tenon_tensor_use_count(x), 1);
  tenon_tensor_release(x);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static tenon_status redispatch_below_autograd(void* ctx, const tenon_op* op, tenon_keyset keys,
                                              tenon_stack* stack) {
  ++*(int*)ctx;
  return tenon_op_redispatch(op, keys & tenon_keyset_below(TENON_KEY_AUTOGRAD), stack);
}

static void layers_redispatch_and_guards_exclude(void** state) {
  (void)state;
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t9");
  const tenon_op* op = define(library, "f(Tensor x) -> Tensor");
  int backend = 0, autograd = 0;
  tenon_kernel kernel = kernel_of(&add_one, &backend, NULL);
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  kernel = kernel_of(&redispatch_below_autograd, &autograd, NULL);
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_AUTOGRAD, &kernel, NULL));
  const float two = 2;
  tenon_tensor* x = vector_of(&two, 1);
  tenon_value args[1] = {tenon_value_of_tensor(x)}, rets[1];
  assert_ok(call(op, args, 1, rets, 1));
  tenon_value_clear(&rets[0]);
  assert_int_equal(autograd, 1);
  assert_int_equal(backend, 1);
  tenon_keyset excluded = 0;
  assert_ok(tenon_keyset_from_key(TENON_KEY_AUTOGRAD_CPU, &excluded));
  tenon_key_guard guard;
  assert_ok(tenon_key_guard_exclude(excluded, &guard));
  assert_ok(call(op, args, 1, rets, 1));
  tenon_value_clear(&rets[0]);
  tenon_key_guard_leave(&guard);
  assert_int_equal(autograd, 1);
  assert_int_equal(backend, 2);
  assert_ok(call(op, args, 1, rets, 1));
  tenon_value_clear(&rets[0]);
  assert_int_equal(autograd, 2);
  tenon_tensor_release(x);
  tenon_library_release(library);
}

static tenon_status close_own_library(void* ctx, const tenon_op* op, tenon_keyset keys,
                                      tenon_stack* stack) {
  tenon_library* library = *(tenon_library**)ctx;
  tenon_library_close(library);
  const tenon_status status = tenon_library_drain(library, -1);
  if (status != TENON_ERROR_STATE) return TENON_ERROR_INTERNAL;
  tenon_error_release(tenon_error_take());
  return add_one(NULL, op, keys, stack);
}

static void kernel_may_close_its_own_library(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t10");
  const tenon_op* op = define(library, "f(Tensor x) -> Tensor");
  const tenon_kernel kernel = kernel_of(&close_own_library, &library, NULL);
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  const float two = 2;
  tenon_tensor* x = vector_of(&two, 1);
  tenon_value args[1] = {tenon_value_of_tensor(x)}, rets[1];
  assert_ok(call(op, args, 1, rets, 1));
  tenon_value_clear(&rets[0]);
  assert_error(call(op, args, 1, rets, 1), TENON_ERROR_NOT_FOUND, "t10::f");
  assert_ok(tenon_library_drain(library, -1));
  tenon_tensor_release(x);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static tenon_status call_itself(void* ctx, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)ctx, (void)keys;
  return call(op, stack->args, 1, stack->rets, 1);
}

static void endless_recursion_is_an_error(void** state) {
  (void)state;
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t11");
  const tenon_op* op = define(library, "f(Tensor x) -> Tensor");
  implement(library, "f", TENON_KEY_CPU, &call_itself);
  const float two = 2;
  tenon_tensor* x = vector_of(&two, 1);
  tenon_value args[1] = {tenon_value_of_tensor(x)}, rets[1];
  assert_error(call(op, args, 1, rets, 1), TENON_ERROR_RECURSION, "t11::f");
  tenon_tensor_release(x);
  tenon_library_release(library);
}

static tenon_status typed_add_one(const tenon_frame* frame, tenon_tensor* x, tenon_tensor** out) {
  ++*(int*)frame->ctx;
  *out = tenon_tensor_retain(x);
  return TENON_OK;
}

static void begin_gives_the_typed_form(void** state) {
  (void)state;
  const uint64_t signature = UINT64_C(0x6c62fe19e196c2e9);
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t12");
  const tenon_op* op = define(library, "f(Tensor x) -> Tensor");
  int calls = 0;
  tenon_kernel kernel = kernel_of(&add_one, &calls, NULL);
  kernel.typed = (tenon_typed_fn)&typed_add_one;
  kernel.signature = signature;
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  const float two = 2;
  tenon_tensor* x = vector_of(&two, 1);
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin1(op, x, &frame);
  assert_non_null(entry);
  assert_true(entry->signature == signature);
  assert_true(tenon_keyset_has(frame.keys, TENON_KEY_CPU));
  tenon_tensor* out = NULL;
  tenon_status (*typed)(const tenon_frame*, tenon_tensor*, tenon_tensor**) =
      (tenon_status(*)(const tenon_frame*, tenon_tensor*, tenon_tensor**))entry->typed;
  assert_int_equal(tenon_frame_end(&frame, typed(&frame, x, &out)), TENON_OK);
  assert_ptr_equal(out, x);
  assert_int_equal(calls, 1);
  tenon_tensor_release(out);
  const tenon_device meta = {TENON_DEVICE_META, 0};
  tenon_tensor* nowhere = NULL;
  const int64_t one = 1;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, &meta, 1, &one, NULL, &nowhere));
  assert_null(tenon_frame_begin1(op, nowhere, &frame));
  assert_error(TENON_ERROR_NO_KERNEL, TENON_ERROR_NO_KERNEL, "Meta");
  tenon_tensor_release(nowhere);
  tenon_tensor_release(x);
  tenon_library_release(library);
}

static void fallthrough_skips_a_key(void** state) {
  (void)state;
  tenon_library* library = open_library(TENON_LIBRARY_DEF, "t13");
  const tenon_op* op = define(library, "f(Tensor x) -> Tensor");
  implement(library, "f", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &add_one);
  tenon_kernel kernel = kernel_of(NULL, NULL, NULL);
  kernel.flags = TENON_KERNEL_FALLTHROUGH;
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_AUTOGRAD_CPU, &kernel, NULL));
  tenon_slot_info slot;
  memset(&slot, 0, sizeof slot);
  slot.struct_size = sizeof slot;
  assert_ok(tenon_introspect_get_slot(op, TENON_KEY_AUTOGRAD_CPU, &slot));
  assert_int_equal(slot.fallthrough, 1);
  assert_ok(tenon_introspect_get_slot(op, TENON_KEY_CPU, &slot));
  assert_int_equal(slot.provenance, TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL);
  assert_int_equal(slot.source_key, TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD);
  kernel.flags = 0;
  assert_error(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "boxed");
  assert_ok(tenon_introspect_check(NULL));
  tenon_library_release(library);
}

// The first library creates the built-in fallbacks, which stay registered.
static int warm_up(void** state) {
  (void)state;
  tenon_library_release(open_library(TENON_LIBRARY_DEF, "warm_up"));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(define_implement_call),
      cmocka_unit_test(impl_may_come_before_define),
      cmocka_unit_test(wrong_count_and_type_name_operator_and_argument),
      cmocka_unit_test(unknown_names_are_told_apart),
      cmocka_unit_test(second_definition_and_namespace_are_refused),
      cmocka_unit_test(failed_impl_deletes_ctx_and_changes_nothing),
      cmocka_unit_test(kernels_layer_and_come_back),
      cmocka_unit_test(kernel_errors_end_in_the_slot),
      cmocka_unit_test(layers_redispatch_and_guards_exclude),
      cmocka_unit_test(kernel_may_close_its_own_library),
      cmocka_unit_test(endless_recursion_is_an_error),
      cmocka_unit_test(begin_gives_the_typed_form),
      cmocka_unit_test(fallthrough_skips_a_key),
  };
  return cmocka_run_group_tests_name("library", tests, &warm_up, NULL);
}
