// SPDX-License-Identifier: Apache-2.0
// Wrong calls of introspect.h: explanations, profiles and simulators.
#include <pthread.h>

#include "badinput.h"

// ---- Explanations -------------------------------------------------------------------------------

// Returns an operator that has kernels but no schema.
static const tenon_op* dangling(const char* name) {
  tenon_buffer* buffer = NULL;
  const tenon_op* found = NULL;
  assert_ok(tenon_introspect_list_dangling(&buffer));
  const tenon_op* const* all = tenon_buffer_data(buffer);
  const size_t count = (size_t)tenon_buffer_size(buffer) / sizeof *all;
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(tenon_op_name(all[i]), name) == 0) found = all[i];
  }
  tenon_buffer_release(buffer);
  assert_non_null(found);
  return found;
}

static tenon_status explain_op(const tenon_op* op, const char* text, const bad_world* world) {
  bad_values values;
  tenon_buffer* words = NULL;
  read_values(world, strncmp(text, "@count ", 7) == 0 ? "" : text, &values);
  const int64_t count = values.count == 0 && text[0] == '@' ? number_of(text + 7) : values.count;
  const tenon_status status = tenon_op_explain(op, values.of, count, &words);
  assert_null(words);
  return status;
}

// SCHEMA or "@dangling NAME", ARGUMENTS or "@count N" (N as the count, without arguments).
static tenon_status explain(const bad_world* world, const bad_case* one) {
  if (strncmp(one->args[0], "@dangling ", 10) == 0) {
    return explain_op(dangling(one->args[0] + 10), one->args[1], world);
  }
  const tenon_op* op = NULL;
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_FRAGMENT, "bad", TENON_KEY_NONE, "e.c", 1, &library));
  assert_ok(tenon_library_define(library, one->args[0], NULL, &op));
  const tenon_status status = explain_op(op, one->args[1], world);
  tenon_library_release(library);
  return status;
}

static tenon_status copy_schema(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_schema* schema = NULL;
  const tenon_status status = tenon_op_copy_schema(dangling(one->args[0]), &schema);
  assert_null(schema);
  return status;
}

// ---- Profiles -----------------------------------------------------------------------------------

// A call on another thread with this thread's profile, and its error.
typedef struct elsewhere {
  tenon_profile* profile;
  tenon_status (*function)(tenon_profile* profile);
  tenon_status status;
  tenon_error* error;
} elsewhere;

static void* run_elsewhere(void* ctx) {
  elsewhere* told = ctx;
  told->status = told->function(told->profile);
  told->error = tenon_error_take();
  return NULL;
}

static tenon_status on_another_thread(tenon_status (*function)(tenon_profile*),
                                      tenon_profile* profile) {
  elsewhere told = {profile, function, TENON_OK, NULL};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, &run_elsewhere, &told), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  if (told.error != NULL) tenon_error_set(told.error);
  return told.status;
}

static tenon_status read_spans(tenon_profile* profile) {
  int64_t count = 0, dropped = 0;
  return tenon_profile_span_count(profile, &count, &dropped);
}

// "twice" or "elsewhere". The profile keeps recording until its own thread ends it.
static tenon_status profile_end(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_profile* profile = NULL;
  tenon_status status;
  assert_ok(tenon_profile_begin(0, &profile));
  if (strcmp(one->args[0], "elsewhere") == 0) {
    status = on_another_thread(&tenon_profile_end, profile);
    assert_ok(tenon_profile_end(profile));
  } else {
    assert_ok(tenon_profile_end(profile));
    status = tenon_profile_end(profile);
  }
  tenon_profile_release(profile);
  return status;
}

static tenon_status profile_spans(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  tenon_profile* profile = NULL;
  assert_ok(tenon_profile_begin(0, &profile));
  const tenon_status status = on_another_thread(&read_spans, profile);
  assert_ok(tenon_profile_end(profile));
  assert_ok(on_another_thread(&read_spans, profile));
  tenon_profile_release(profile);
  return status;
}

// INDEX and field=value pairs, for a profile without spans.
static tenon_status profile_get_span(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_profile* profile = NULL;
  tenon_profile_span span;
  memset(&span, 0, sizeof span);
  span.struct_size = (uint32_t)field_of(one->args[1], "struct_size", (int64_t)sizeof span);
  assert_ok(tenon_profile_begin(0, &profile));
  assert_ok(tenon_profile_end(profile));
  const tenon_status status = tenon_profile_get_span(profile, number_of(one->args[0]), &span);
  assert_null(span.op);
  tenon_profile_release(profile);
  return status;
}

// ---- Simulators ---------------------------------------------------------------------------------

static tenon_status simulator_new(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_simulator* simulator = NULL;
  const tenon_status status = tenon_simulator_new(one->args[0], &simulator);
  assert_null(simulator);
  return status;
}

// Makes a simulator with kernels on CPU and Autograd.
static tenon_simulator* good_simulator(void) {
  const char* const keys[] = {"CPU", "Autograd"};
  tenon_simulator* simulator = NULL;
  assert_ok(tenon_simulator_new(NULL, &simulator));
  assert_ok(tenon_simulator_register(simulator, keys, 2, 0));
  return simulator;
}

// Checks that the simulator is unchanged since its creation, and releases it.
static void end_simulator(tenon_simulator* simulator) {
  tenon_buffer *text = NULL, *expected = NULL;
  tenon_simulator* fresh = good_simulator();
  assert_ok(tenon_simulator_print(simulator, TENON_SIMULATOR_RAW_REGISTRATIONS, &text));
  assert_ok(tenon_simulator_print(fresh, TENON_SIMULATOR_RAW_REGISTRATIONS, &expected));
  assert_string_equal(tenon_buffer_data(text), tenon_buffer_data(expected));
  tenon_buffer_release(text);
  tenon_buffer_release(expected);
  tenon_simulator_release(fresh);
  tenon_simulator_release(simulator);
}

// KEYS separated by commas, where "NULL" is NULL and "@empty" is "", or "@null N" or "@count N";
// FLAGS.
static tenon_status simulator_register(const bad_world* world, const bad_case* one) {
  (void)world;
  char text[200];
  const char* keys[8] = {NULL};
  int64_t count = 0;
  snprintf(text, sizeof text, "%s", one->args[0]);
  const int is_null = strncmp(text, "@null ", 6) == 0;
  if (is_null || strncmp(text, "@count ", 7) == 0) {
    count = number_of(strchr(text, ' ') + 1);
  } else {
    for (char* key = strtok(text, ","); key != NULL; key = strtok(NULL, ",")) {
      keys[count++] = strcmp(key, "@empty") == 0 ? "" : text_of(key);
    }
  }
  tenon_simulator* simulator = good_simulator();
  const tenon_status status = tenon_simulator_register(simulator, is_null ? NULL : keys, count,
                                                       (uint32_t)number_of(one->args[1]));
  end_simulator(simulator);
  return status;
}

static tenon_status simulator_remove(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_simulator* simulator = good_simulator();
  const tenon_status status = tenon_simulator_remove(simulator, text_of(one->args[0]));
  end_simulator(simulator);
  return status;
}

static tenon_status simulator_slot(const bad_world* world, const bad_case* one) {
  (void)world;
  bad_slot given;
  const tenon_key key = read_slot(one->args[0], &given);
  tenon_simulator* simulator = good_simulator();
  const tenon_status status = tenon_simulator_get_slot(simulator, key, &given.info);
  end_simulator(simulator);
  return status;
}

static tenon_status simulator_print(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_buffer* text = NULL;
  tenon_simulator* simulator = good_simulator();
  const tenon_status status =
      tenon_simulator_print(simulator, (uint32_t)number_of(one->args[0]), &text);
  assert_null(text);
  end_simulator(simulator);
  return status;
}

const bad_named_call bad_introspect_calls[] = {{"explain", &explain},
                                               {"copy_schema", &copy_schema},
                                               {"profile_end", &profile_end},
                                               {"profile_spans", &profile_spans},
                                               {"profile_get_span", &profile_get_span},
                                               {"simulator_new", &simulator_new},
                                               {"simulator_register", &simulator_register},
                                               {"simulator_remove", &simulator_remove},
                                               {"simulator_slot", &simulator_slot},
                                               {"simulator_print", &simulator_print},
                                               {NULL, NULL}};
