// SPDX-License-Identifier: Apache-2.0
// The kept C client, part two: calls of every sort, keys, registrations, threads, introspection.
#include <pthread.h>

#include "client.h"

typedef tenon_status (*scale_fn)(const tenon_frame*, tenon_tensor*, double, tenon_tensor**);
typedef tenon_status (*total_fn)(const tenon_frame*, tenon_tensor* const*, int64_t, tenon_tensor*,
                                 double*);

static const uint64_t kScaleSignature = 0x2e7becfb20fd29afu;  // Td>T

static tenon_status scale_boxed(tenon_tensor* x, double by, tenon_tensor** out) {
  tenon_value args[2] = {value_tensor(x), value_float(by)}, rets[1];
  const tenon_status status = call(op_of("first::scale"), args, 2, rets, 1);
  *out = status == TENON_OK ? rets[0].as.tensor : NULL;
  return status;
}

static tenon_status scale_typed(tenon_tensor* x, double by, tenon_tensor** out) {
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin1(op_of("first::scale"), x, &frame);
  *out = NULL;
  if (entry == NULL) return tenon_error_code(tenon_error_peek());
  if (entry->typed == NULL || entry->signature != kScaleSignature) {
    return tenon_frame_end(&frame, tenon_error_raise(TENON_ERROR_TYPE, "another typed form"));
  }
  return tenon_frame_end(&frame, ((scale_fn)entry->typed)(&frame, x, by, out));
}

static void boxed_and_typed_calls_agree(void** state) {
  (void)state;
  tenon_tensor *x = counting_vector(3), *boxed = NULL, *typed = NULL;
  REQUIRE(scale_boxed(x, 0.5, &boxed));
  REQUIRE(scale_typed(x, 0.5, &typed));
  for (int i = 0; i < 3; ++i) {
    assert_true(element(boxed, i) == 0.5f * (float)(i + 1));
    assert_true(element(typed, i) == element(boxed, i));
  }
  tenon_tensor_release(boxed);
  tenon_tensor_release(typed);
  tenon_tensor_release(x);
}

static void resolved_calls_run_the_boxed_kernel(void** state) {
  (void)state;
  tenon_frame frame;
  const tenon_op* op = op_of("first::scale");
  tenon_tensor* x = counting_vector(2);
  tenon_value args[2] = {value_tensor(x), value_float(3)}, rets[1];
  tenon_stack stack = stack_of(args, 2, rets, 1);
  REQUIRE(tenon_op_check_arguments(op, args, 2));
  const tenon_entry* entry = tenon_frame_begin_boxed(op, args, 2, &frame);
  assert_non_null(entry);
  assert_int_equal(entry->language, TENON_LANGUAGE_C);
  assert_int_equal(entry->flags, TENON_KERNEL_NOBLOCK);
  assert_int_equal(entry->noblock_max_numel, 1000);
  assert_ptr_equal(frame.op, op);
  REQUIRE(tenon_frame_end(&frame, tenon_frame_call(&frame, &stack)));
  REQUIRE(tenon_op_check_results(op, rets, 1));
  assert_true(element(rets[0].as.tensor, 1) == 6.0f);
  tenon_value_clear(&rets[0]);
  tenon_tensor_release(x);
}

static void typed_callers_refuse_a_missing_tensor(void** state) {
  (void)state;
  tenon_frame frame;
  tenon_tensor* x = counting_vector(2);
  assert_non_null(tenon_frame_begin1(op_of("first::scale"), x, &frame));
  require_error(tenon_frame_end_without_result(&frame, 0), TENON_ERROR_TYPE,
                "first::scale: result 0 must be Tensor, got NULL");
  tenon_tensor_release(x);
}

static void lists_of_tensors_reach_the_typed_form(void** state) {
  (void)state;
  tenon_tensor* both[2] = {counting_vector(2), counting_vector(3)};
  tenon_tensor* all[3] = {both[0], both[1], NULL};
  tenon_value args[2] = {value_list(TENON_TAG_TENSOR_LIST, both, 2), value_of_tag(TENON_TAG_NONE)};
  tenon_value rets[1];
  tenon_frame frame;
  double total = 0;
  const tenon_op* op = op_of("first::total");
  REQUIRE(call(op, args, 2, rets, 1));
  assert_true(rets[0].as.f == 9.0);
  const tenon_entry* entry = tenon_frame_begin_n(op, all, 3, &frame);
  assert_non_null(entry);
  REQUIRE(tenon_frame_end(&frame, ((total_fn)entry->typed)(&frame, both, 2, NULL, &total)));
  assert_true(total == 9.0);
  entry = tenon_frame_begin2(op, both[0], both[1], &frame);
  assert_non_null(entry);
  REQUIRE(tenon_frame_end(&frame, TENON_OK));
  entry = tenon_frame_begin3(op, both[0], both[1], NULL, &frame);
  assert_non_null(entry);
  REQUIRE(tenon_frame_end(&frame, TENON_OK));
  tenon_tensor_release(both[0]);
  tenon_tensor_release(both[1]);
}

static void texts_and_several_results_come_back(void** state) {
  (void)state;
  const tenon_value words[2] = {value_text("ab"), value_text("cd")};
  tenon_value args[2] = {value_list(TENON_TAG_LIST, words, 2), value_text("-")}, rets[2];
  REQUIRE(call(op_of("first::join"), args, 2, rets, 2));
  assert_int_equal(rets[0].tag, TENON_TAG_STRING);
  assert_string_equal(rets[0].as.list.data, "ab-cd");
  assert_int_equal(rets[1].as.i, 2);
  tenon_value_clear_n(rets, 2);
}

static void values_of_every_sort_pass_and_print(void** state) {
  (void)state;
  static const double floats[2] = {0.5, 1.5};
  static const uint8_t bools[2] = {1, 0};
  const tenon_value inner[2] = {value_int(1), value_text("x")};
  tenon_value all[10] = {value_int(-3),
                         value_float(2.5),
                         value_of_tag(TENON_TAG_NONE),
                         value_of_tag(TENON_TAG_BOOL),
                         value_of_tag(TENON_TAG_COMPLEX),
                         value_of_tag(TENON_TAG_DTYPE),
                         value_of_tag(TENON_TAG_DEVICE),
                         value_list(TENON_TAG_FLOAT_LIST, floats, 2),
                         value_list(TENON_TAG_BOOL_LIST, bools, 2),
                         value_list(TENON_TAG_TUPLE, inner, 2)};
  const char* const texts[10] = {"-3",      "2.5", "None",       "True",          "1",
                                 "float32", "cpu", "[0.5, 1.5]", "[True, False]", "(1, "};
  all[3].as.i = 1;
  all[4].as.c.real = 1;
  all[4].as.c.imag = -1;
  all[5].as.i = TENON_DTYPE_F32;
  for (int i = 0; i < 10; ++i) {
    tenon_value passed[1], printed[1];
    REQUIRE(call(op_of("first::pass"), &all[i], 1, passed, 1));
    assert_int_equal(passed[0].tag, all[i].tag);
    REQUIRE(call(op_of("first::print"), passed, 1, printed, 1));
    require_text(printed[0].as.list.data, texts[i]);
    tenon_value_clear(&passed[0]);
    tenon_value_clear(&printed[0]);
  }
}

static void writing_operators_return_their_argument(void** state) {
  (void)state;
  tenon_tensor* x = counting_vector(2);
  tenon_value args[2] = {value_tensor(x), value_int(7)}, rets[1];
  const int64_t version = tenon_tensor_version(x);
  REQUIRE(call(op_of("first::fill_"), args, 2, rets, 1));
  assert_ptr_equal(rets[0].as.tensor, x);
  assert_true(element(x, 1) == 7.0f);
  assert_int_equal(tenon_tensor_version(x), version + 1);
  tenon_value_clear(&rets[0]);
  assert_int_equal(tenon_tensor_use_count(x), 1);
  tenon_tensor_release(x);
}

static tenon_status fail_by(const char* how) {
  tenon_value args[1] = {value_text(how)};
  tenon_stack stack = stack_of(args, 1, args, 0);
  return tenon_op_call_fast(op_of("first::fails"), &stack);
}

static void errors_of_kernels_arrive_whole(void** state) {
  (void)state;
  require_error(fail_by("slot"), TENON_ERROR_INDEX, "first: in slot");
  require_error(fail_by("silent"), TENON_ERROR_BUSY, "first::fails");
  assert_int_equal(fail_by("stack"), TENON_ERROR_STATE);
  tenon_error* error = tenon_error_take();
  int* const payloads = tenon_error_payload(error, TENON_LANGUAGE_C);
  assert_string_equal(tenon_error_kind(error), "FirstError");
  assert_string_equal(tenon_error_note(error, 0), "a note of the plugin");
  assert_string_equal(tenon_error_message(tenon_error_cause(error)), "the cause");
  assert_true(tenon_error_frame_count(error) >= 1);
  require_text(tenon_error_format(error), "rich_error");
  assert_int_equal(*payloads, 1);
  tenon_error_release(error);
  assert_int_equal(*payloads, 0);
  tenon_value wrong[1] = {value_int(1)}, rets[1];
  require_error(call(op_of("first::scale"), wrong, 1, rets, 1), TENON_ERROR_TYPE, "first::scale");
}

static tenon_keyset tracer(void) {
  tenon_key key = TENON_KEY_NONE;
  tenon_keyset keys = 0;
  REQUIRE(tenon_key_parse("FirstProfiler", &key));
  assert_string_equal(tenon_key_name(key), "FirstProfiler");
  REQUIRE(tenon_keyset_from_key(key, &keys));
  return keys;
}

static void guards_bring_the_plugins_key_into_calls(void** state) {
  (void)state;
  const tenon_keyset keys = tracer();
  const tenon_op* op = op_of("first::scale");
  tenon_tensor *x = counting_vector(2), *out = NULL;
  tenon_key_guard outer, inner;
  tenon_keyset computed = 0;
  tenon_value args[2] = {value_tensor(x), value_float(1)}, rets[1];
  const int64_t before = traced();
  REQUIRE(tenon_key_guard_include(keys, &outer));
  assert_int_equal(tenon_keyset_included() & keys, keys);
  REQUIRE(tenon_op_compute_keys(op, args, 2, &computed));
  assert_int_equal(tenon_keyset_has(computed, tenon_keyset_highest(keys)), 1);
  REQUIRE(scale_boxed(x, 1, &out));
  tenon_tensor_release(out);
  REQUIRE(tenon_key_guard_exclude(keys, &inner));
  assert_int_equal(tenon_keyset_excluded() & keys, keys);
  REQUIRE(scale_boxed(x, 1, &out));
  tenon_tensor_release(out);
  REQUIRE(tenon_key_guard_leave(&inner));
  REQUIRE(tenon_key_guard_force(tenon_keyset_included() & ~keys, 0, &inner));
  REQUIRE(scale_boxed(x, 1, &out));
  tenon_tensor_release(out);
  REQUIRE(tenon_key_guard_leave(&inner));
  REQUIRE(tenon_key_guard_leave(&outer));
  assert_int_equal(traced(), before + 1);
  tenon_stack stack = stack_of(args, 2, rets, 1);
  REQUIRE(tenon_op_call_key(op, TENON_KEY_CPU, &stack));
  tenon_value_clear(&rets[0]);
  REQUIRE(tenon_op_redispatch(
      op, tenon_keyset_remove(tenon_tensor_keys(x), TENON_KEY_AD_INPLACE_OR_VIEW), &stack));
  tenon_value_clear(&rets[0]);
  tenon_frame frame;
  assert_non_null(tenon_frame_begin_keys(op, tenon_tensor_keys(x), &frame));
  REQUIRE(tenon_frame_end(&frame, TENON_OK));
  tenon_tensor_release(x);
}

static tenon_status twice(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  stack->rets[0].tag = TENON_TAG_INT;
  stack->rets[0].as.i = 2 * stack->args[0].as.i;
  return TENON_OK;
}

static tenon_status thrice(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  stack->rets[0].tag = TENON_TAG_INT;
  stack->rets[0].as.i = 3 * stack->args[0].as.i;
  return TENON_OK;
}

static int deleted = 0;

static void count_deleted(void* ctx) {
  (void)ctx;
  ++deleted;
}

static int events[3];

static void listen(void* ctx, uint32_t event, const tenon_op* op) {
  if (strncmp(tenon_op_name(op), "first_client::", 14) == 0) ++((int*)ctx)[event];
}

static tenon_kernel kernel_of(tenon_kernel_fn boxed) {
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = boxed;
  kernel.language = TENON_LANGUAGE_C;
  kernel.deleter = &count_deleted;
  kernel.name = "kernel";
  kernel.file = "client.c";
  kernel.line = 5;
  return kernel;
}

static int64_t called_with(const tenon_op* op, int64_t n) {
  tenon_value args[1] = {value_int(n)}, rets[1];
  REQUIRE(call(op, args, 1, rets, 1));
  return rets[0].as.i;
}

static void libraries_layer_remove_and_drain(void** state) {
  (void)state;
  tenon_library* library = NULL;
  tenon_registration *listener = NULL, *layer = NULL;
  const tenon_op* op = NULL;
  tenon_kernel first = kernel_of(&twice), second = kernel_of(&thrice);
  deleted = events[1] = events[2] = 0;
  REQUIRE(tenon_registry_add_listener(&listen, events, NULL, &listener));
  REQUIRE(tenon_library_new(TENON_LIBRARY_FRAGMENT, "first_client", TENON_KEY_NONE, "client.c", 1,
                            &library));
  assert_string_equal(tenon_library_namespace(library), "first_client");
  REQUIRE(tenon_library_define(library, "f(int n) -> int", NULL, &op));
  assert_string_equal(tenon_op_name(op), "first_client::f");
  REQUIRE(tenon_library_impl(library, "f", TENON_KEY_NONE, &first, NULL));
  REQUIRE(tenon_library_impl(library, "f", TENON_KEY_NONE, &second, &layer));
  assert_int_equal(called_with(op, 5), 15);
  tenon_registration_remove(layer);
  tenon_registration_release(tenon_registration_retain(layer));
  tenon_registration_release(layer);
  assert_int_equal(called_with(op, 5), 10);
  second.policy = TENON_REPLACE_ERROR;
  require_error(tenon_library_impl(library, "f", TENON_KEY_NONE, &second, NULL),
                TENON_ERROR_ALREADY_EXISTS, "first_client::f");
  tenon_registry_reap();
  assert_int_equal(deleted, 2);
  tenon_library_release(tenon_library_retain(library));
  tenon_library_close(library);
  REQUIRE(tenon_library_drain(library, -1));
  assert_int_equal(deleted, 3);
  tenon_library_release(library);
  tenon_registration_remove(listener);
  tenon_registration_release(listener);
  assert_int_equal(events[TENON_EVENT_OP_DEFINED], 1);
  assert_int_equal(events[TENON_EVENT_OP_REMOVED], 1);
  tenon_value args[1] = {value_int(1)}, rets[1];
  require_error(call(op, args, 1, rets, 1), TENON_ERROR_NOT_FOUND, "first_client::f");
}

static void profile(void* ctx, const tenon_profile_event* event) {
  if (strcmp(tenon_op_name(event->op), "first::scale") == 0 &&
      strcmp(event->kernel, "scale") == 0 && event->key == TENON_KEY_CPU) {
    ++*(int*)ctx;
  }
}

static int lists(tenon_buffer* ops, const tenon_op* op) {
  const tenon_op* const* all = tenon_buffer_data(ops);
  for (size_t i = 0; i < (size_t)tenon_buffer_size(ops) / sizeof *all; ++i) {
    if (all[i] == op) return 1;
  }
  return 0;
}

static void introspection_tells_what_is_there(void** state) {
  (void)state;
  const tenon_op* op = op_of("first::scale");
  tenon_buffer *ops = NULL, *dangling = NULL, *keys = NULL, *dump = NULL, *table = NULL;
  tenon_buffer *tags = NULL, *set = NULL;
  tenon_schema* schema = NULL;
  tenon_slot_info slot;
  tenon_tensor *x = counting_vector(1), *out = NULL;
  int profiled = 0;
  memset(&slot, 0, sizeof slot);
  slot.struct_size = sizeof slot;
  REQUIRE(tenon_op_copy_schema(op, &schema));
  assert_string_equal(tenon_schema_text(schema), "first::scale(Tensor x, float by=2.) -> Tensor");
  tenon_schema_release(schema);
  REQUIRE(tenon_introspect_get_slot(op, TENON_KEY_CPU, &slot));
  assert_int_equal(slot.provenance, TENON_PROVENANCE_KERNEL);
  assert_int_equal(slot.source_key, TENON_KEY_CPU);
  assert_int_equal(slot.typed, 1);
  assert_int_equal(slot.line, 20);
  assert_string_equal(slot.file, "plugin.c");
  assert_string_equal(slot.name, "scale");
  REQUIRE(tenon_introspect_list_ops(&ops));
  assert_int_equal(lists(ops, op), 1);
  REQUIRE(tenon_introspect_list_dangling(&dangling));
  assert_int_equal(lists(dangling, op), 0);
  REQUIRE(tenon_key_list(&keys));
  assert_int_equal(((const tenon_key*)tenon_buffer_data(keys))[0], TENON_KEY_CPU);
  REQUIRE(tenon_introspect_dump(op, &dump));
  require_text(tenon_buffer_data(dump), "first::scale");
  REQUIRE(tenon_introspect_dump_table(op, &table));
  require_text(tenon_buffer_data(table), "CPU: scale at plugin.c:20");
  REQUIRE(tenon_op_copy_tags(op, &tags));
  require_text(tenon_buffer_data(tags), "first_tag");
  REQUIRE(tenon_keyset_print(tenon_tensor_keys(x), &set));
  require_text(tenon_buffer_data(set), "CPU");
  REQUIRE(tenon_introspect_check(NULL));
  REQUIRE(tenon_profile_set_listener(&profile, &profiled, NULL));
  REQUIRE(scale_typed(x, 1, &out));
  REQUIRE(tenon_profile_set_listener(NULL, NULL, NULL));
  assert_int_equal(profiled, 1);
  tenon_buffer* const all[] = {ops, dangling, keys, dump, table, tags, set};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tenon_buffer_release(all[i]);
  tenon_tensor_release(out);
  tenon_tensor_release(x);
}

enum { kThreads = 4, kCalls = 500 };

// Calls both ways with the keys that the thread was given, and fails in between.
static void* work(void* given) {
  tenon_thread_state* previous = NULL;
  tenon_tensor *x = NULL, *out = NULL;
  intptr_t wrong = tenon_thread_state_enter(given, &previous) != TENON_OK;
  const int64_t size = 1;
  wrong += tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &size, NULL, &x) != TENON_OK;
  for (int i = 0; i < kCalls; ++i) {
    wrong += scale_boxed(x, 1, &out) != TENON_OK;
    tenon_tensor_release(out);
    wrong += scale_typed(x, 1, &out) != TENON_ERROR_TYPE || tenon_error_peek() == NULL;
    tenon_error_release(tenon_error_take());
  }
  tenon_tensor_release(x);
  wrong += tenon_thread_state_leave(previous) != TENON_OK;
  return (void*)wrong;
}

static void threads_carry_keys_and_have_their_own_errors(void** state) {
  (void)state;
  pthread_t threads[kThreads];
  tenon_key_guard guard;
  tenon_thread_state* captured = NULL;
  const int64_t before = traced();
  REQUIRE(tenon_key_guard_include(tracer(), &guard));
  REQUIRE(tenon_thread_state_capture(&captured));
  REQUIRE(tenon_key_guard_leave(&guard));
  for (int i = 0; i < kThreads; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, &work, captured), 0);
  }
  for (int i = 0; i < kThreads; ++i) {
    void* wrong = NULL;
    assert_int_equal(pthread_join(threads[i], &wrong), 0);
    assert_null(wrong);
  }
  tenon_thread_state_release(tenon_thread_state_retain(captured));
  tenon_thread_state_release(captured);
  assert_null(tenon_error_peek());
  assert_int_equal(traced(), before + kThreads * kCalls);
}

const struct CMUnitTest call_cases[] = {
    cmocka_unit_test(boxed_and_typed_calls_agree),
    cmocka_unit_test(resolved_calls_run_the_boxed_kernel),
    cmocka_unit_test(typed_callers_refuse_a_missing_tensor),
    cmocka_unit_test(lists_of_tensors_reach_the_typed_form),
    cmocka_unit_test(texts_and_several_results_come_back),
    cmocka_unit_test(values_of_every_sort_pass_and_print),
    cmocka_unit_test(writing_operators_return_their_argument),
    cmocka_unit_test(errors_of_kernels_arrive_whole),
    cmocka_unit_test(guards_bring_the_plugins_key_into_calls),
    cmocka_unit_test(libraries_layer_remove_and_drain),
    cmocka_unit_test(introspection_tells_what_is_there),
    cmocka_unit_test(threads_carry_keys_and_have_their_own_errors),
    {NULL, NULL, NULL, NULL, NULL}};
