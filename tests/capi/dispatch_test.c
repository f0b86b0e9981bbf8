// SPDX-License-Identifier: Apache-2.0
// Keys, key sets, guards, thread states, profiles and listeners from C.
#include "support.h"

#include <pthread.h>

static tenon_keyset set_of(tenon_key key) {
  tenon_keyset keys = 0;
  assert_ok(tenon_keyset_from_key(key, &keys));
  return keys;
}

static void names_go_both_ways_for_every_key(void** state) {
  (void)state;
  tenon_buffer* list = NULL;
  assert_ok(tenon_key_list(&list));
  const tenon_key* keys = tenon_buffer_data(list);
  const int64_t count = tenon_buffer_size(list) / (int64_t)sizeof *keys;
  assert_true(count > 20);
  for (int64_t i = 0; i < count; ++i) {
    tenon_key parsed = 0;
    assert_ok(tenon_key_parse(tenon_key_name(keys[i]), &parsed));
    assert_int_equal(parsed, keys[i]);
  }
  tenon_buffer_release(list);
  tenon_key key = 0;
  assert_ok(tenon_key_parse("CompositeImplicitAutograd", &key));
  assert_int_equal(key, TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD);
  assert_error(tenon_key_parse("Dense", &key), TENON_ERROR_NOT_FOUND, "Dense");
}

static void sets_order_functionality_before_backend(void** state) {
  (void)state;
  assert_int_equal(tenon_keyset_highest(0), TENON_KEY_UNDEFINED);
  const tenon_keyset both = set_of(TENON_KEY_CPU) | set_of(TENON_KEY_CUDA);
  assert_int_equal(tenon_keyset_highest(both), TENON_KEY_CUDA);
  const tenon_keyset graded = both | set_of(TENON_KEY_AUTOGRAD_CPU);
  assert_int_equal(tenon_keyset_highest(graded), TENON_KEY_AUTOGRAD_CUDA);
  const tenon_keyset removed = tenon_keyset_remove(graded, TENON_KEY_AUTOGRAD_CPU);
  assert_true(removed == both);
  assert_false(tenon_keyset_has(tenon_keyset_below(TENON_KEY_AUTOGRAD), TENON_KEY_AUTOGRAD_CPU));
  assert_true(tenon_keyset_has(tenon_keyset_below(TENON_KEY_AUTOGRAD), TENON_KEY_CPU));
  tenon_keyset keys = 1;
  assert_error(tenon_keyset_from_key(TENON_KEY_AUTOGRAD, &keys), TENON_ERROR_INVALID_ARGUMENT,
               "Autograd");
  tenon_buffer* text = NULL;
  assert_ok(tenon_keyset_print(set_of(TENON_KEY_CPU) | set_of(TENON_KEY_AUTOGRAD_CPU), &text));
  assert_string_equal(tenon_buffer_data(text), "{AutogradCPU, CPU}");
  tenon_buffer_release(text);
}

static void thread_defaults_are_as_designed(void** state) {
  (void)state;
  assert_true(tenon_keyset_included() ==
              (set_of(TENON_KEY_BACKEND_SELECT) | set_of(TENON_KEY_AD_INPLACE_OR_VIEW)));
  assert_true(tenon_keyset_has(tenon_keyset_excluded() | 1, TENON_KEY_AUTOCAST_CPU));
}

static void guards_nest_and_restore(void** state) {
  (void)state;
  const tenon_keyset include = tenon_keyset_included(), exclude = tenon_keyset_excluded();
  const tenon_keyset tracer = set_of(TENON_KEY_TRACER);
  tenon_key_guard outer, inner, forced;
  assert_ok(tenon_key_guard_exclude(tracer, &outer));
  assert_ok(tenon_key_guard_exclude(tracer, &inner));
  tenon_key_guard_leave(&inner);
  assert_true((tenon_keyset_excluded() & tracer) == tracer);
  assert_ok(tenon_key_guard_force(0, 0, &forced));
  assert_true(tenon_keyset_included() == 0 && tenon_keyset_excluded() == 0);
  tenon_key_guard_leave(&forced);
  assert_true((tenon_keyset_excluded() & tracer) == tracer);
  tenon_key_guard_leave(&outer);
  assert_true(tenon_keyset_included() == include && tenon_keyset_excluded() == exclude);
}

static void* read_included(void* out) {
  *(tenon_keyset*)out = tenon_keyset_included();
  return NULL;
}

static void* enter_and_read(void* in_out) {
  void** both = in_out;
  tenon_thread_state* previous = NULL;
  if (tenon_thread_state_enter(both[0], &previous) == TENON_OK) {
    *(tenon_keyset*)both[1] = tenon_keyset_included();
    tenon_thread_state_leave(previous);
    if (tenon_keyset_included() == *(tenon_keyset*)both[1]) *(tenon_keyset*)both[1] = 0;
  }
  return NULL;
}

static void states_are_per_thread_and_can_be_carried(void** state) {
  (void)state;
  const tenon_keyset tracer = set_of(TENON_KEY_TRACER);
  tenon_key_guard guard;
  assert_ok(tenon_key_guard_include(tracer, &guard));
  tenon_keyset seen = 0;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, &read_included, &seen), 0);
  pthread_join(thread, NULL);
  assert_true((seen & tracer) == 0);
  tenon_thread_state* captured = NULL;
  assert_ok(tenon_thread_state_capture(&captured));
  tenon_key_guard_leave(&guard);
  void* both[2] = {captured, &seen};
  assert_int_equal(pthread_create(&thread, NULL, &enter_and_read, both), 0);
  pthread_join(thread, NULL);
  assert_true((seen & tracer) == tracer);
  tenon_thread_state_release(captured);
}

static void backends_and_functionalities_are_added_by_name(void** state) {
  (void)state;
  int32_t npu = 0, again = 0;
  assert_ok(tenon_backend_register("npu", &npu));
  assert_ok(tenon_backend_register("npu", &again));
  assert_int_equal(npu, again);
  assert_true(npu > TENON_DEVICE_CUDA && npu < TENON_DEVICE_META);
  tenon_key key = 0;
  assert_ok(tenon_key_for_device("npu", &key));
  assert_int_equal(key, (uint32_t)npu << 8);
  assert_string_equal(tenon_device_type_name(npu), "npu");
  tenon_device device;
  assert_ok(tenon_device_parse("npu:3", &device));
  assert_int_equal(device.index, 3);
  assert_error(tenon_key_for_device("tpu", &key), TENON_ERROR_NOT_FOUND, "npu");
  assert_error(tenon_backend_register("no name!", &again), TENON_ERROR_INVALID_ARGUMENT,
               "no name!");
  tenon_key profiler = 0, same = 0;
  assert_ok(tenon_functionality_register("Profiler", "Autograd", 0, &profiler));
  assert_ok(tenon_functionality_register("Profiler", "Autograd", 0, &same));
  assert_int_equal(profiler, same);
  assert_true((profiler & 0xff) < TENON_FUNCTIONALITY_AUTOGRAD);
  assert_string_equal(tenon_key_name(profiler), "Profiler");
  assert_error(tenon_functionality_register("X", "Nothing", 0, &same), TENON_ERROR_NOT_FOUND,
               "Nothing");
}

typedef struct event_log {
  int count;
  tenon_key keys[8];
  int32_t depths[8];
} event_log;

static void log_event(void* ctx, const tenon_profile_event* event) {
  event_log* log = ctx;
  if (log->count < 8) {
    log->keys[log->count] = event->key;
    log->depths[log->count] = event->depth;
  }
  ++log->count;
}

static tenon_status pass_below(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
  (void)ctx;
  return tenon_op_redispatch(op, keys & tenon_keyset_below(TENON_KEY_AUTOGRAD), stack);
}

static tenon_status nothing(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys, (void)stack;
  return TENON_OK;
}

static void profile_tells_each_dispatch(void** state) {
  (void)state;
  tenon_library* library = NULL;
  const tenon_op* op = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "d1", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, "f(Tensor x) -> ()", NULL, &op));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &nothing;
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  kernel.boxed = &pass_below;
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_AUTOGRAD, &kernel, NULL));
  const float one = 1;
  tenon_tensor* x = vector_of(&one, 1);
  tenon_value args[1] = {tenon_value_of_tensor(x)}, rets[1];
  event_log log;
  memset(&log, 0, sizeof log);
  assert_ok(tenon_profile_set_listener(&log_event, &log, NULL));
  assert_ok(call(op, args, 1, rets, 0));
  assert_ok(tenon_profile_set_listener(NULL, NULL, NULL));
  assert_ok(call(op, args, 1, rets, 0));
  assert_int_equal(log.count, 2);
  assert_int_equal(log.keys[0], TENON_KEY_AUTOGRAD_CPU);
  assert_int_equal(log.keys[1], TENON_KEY_CPU);
  assert_int_equal(log.depths[0], 0);
  assert_int_equal(log.depths[1], 1);
  tenon_tensor_release(x);
  tenon_library_release(library);
}

typedef struct registry_log {
  int defined, removed, deleted;
  const tenon_op* last;
} registry_log;

static void on_registry(void* ctx, uint32_t event, const tenon_op* op) {
  registry_log* log = ctx;
  if (event == TENON_EVENT_OP_DEFINED) ++log->defined;
  if (event == TENON_EVENT_OP_REMOVED) ++log->removed;
  log->last = op;
}
static void delete_log(void* ctx) { ++((registry_log*)ctx)->deleted; }

static void listeners_hear_definitions_come_and_go(void** state) {
  (void)state;
  registry_log log;
  memset(&log, 0, sizeof log);
  tenon_registration* registration = NULL;
  assert_ok(tenon_registry_add_listener(&on_registry, &log, &delete_log, &registration));
  const int replayed = log.defined;
  tenon_library* library = NULL;
  const tenon_op* op = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "d2", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, "f(Tensor x) -> ()", NULL, &op));
  assert_int_equal(log.defined, replayed + 1);
  assert_ptr_equal(log.last, op);
  tenon_library_release(library);
  assert_int_equal(log.removed, 1);
  tenon_registration_remove(registration);
  tenon_registration_release(registration);
  assert_int_equal(log.deleted, 1);
}

static void dumps_show_kernels_and_table(void** state) {
  (void)state;
  tenon_library* library = NULL;
  const tenon_op* op = NULL;
  const char* tags[] = {"core", "pointwise"};
  tenon_define_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.tags = tags;
  options.tag_count = 2;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "d3", TENON_KEY_NONE, "d3.c", 1, &library));
  assert_ok(tenon_library_define(library, "f(Tensor x) -> ()", &options, &op));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &nothing;
  kernel.name = "f_cpu";
  kernel.file = "f.c";
  kernel.line = 12;
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  tenon_buffer* text = NULL;
  assert_ok(tenon_introspect_dump(op, &text));
  assert_non_null(strstr(tenon_buffer_data(text), "d3::f(Tensor x) -> ()"));
  assert_non_null(strstr(tenon_buffer_data(text), "f_cpu"));
  tenon_buffer_release(text);
  assert_ok(tenon_introspect_dump_table(op, &text));
  assert_non_null(strstr(tenon_buffer_data(text), "CPU: f_cpu at f.c:12 [kernel]"));
  tenon_buffer_release(text);
  assert_ok(tenon_op_copy_tags(op, &text));
  assert_non_null(strstr(tenon_buffer_data(text), "pointwise"));
  tenon_buffer_release(text);
  tenon_slot_info slot;
  memset(&slot, 0, sizeof slot);
  slot.struct_size = sizeof slot;
  assert_error(tenon_introspect_get_slot(op, TENON_KEY_AUTOGRAD, &slot),
               TENON_ERROR_INVALID_ARGUMENT, "Autograd");
  tenon_library_release(library);
}

static void live_kinds_have_names(void** state) {
  (void)state;
  for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
    assert_non_null(tenon_introspect_handle_name(kind));
    assert_true(tenon_introspect_live_count(kind) >= 0);
  }
  assert_null(tenon_introspect_handle_name(tenon_introspect_handle_count()));
  assert_int_equal(tenon_introspect_live_count(tenon_introspect_handle_count()), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_go_both_ways_for_every_key),
      cmocka_unit_test(sets_order_functionality_before_backend),
      cmocka_unit_test(thread_defaults_are_as_designed),
      cmocka_unit_test(guards_nest_and_restore),
      cmocka_unit_test(states_are_per_thread_and_can_be_carried),
      cmocka_unit_test(backends_and_functionalities_are_added_by_name),
      cmocka_unit_test(profile_tells_each_dispatch),
      cmocka_unit_test(listeners_hear_definitions_come_and_go),
      cmocka_unit_test(dumps_show_kernels_and_table),
      cmocka_unit_test(live_kinds_have_names),
  };
  return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
