// SPDX-License-Identifier: Apache-2.0
// Wrong calls of autocast: regions, casts and cast rules.
#include "badinput.h"

// FIELDS: "flags=N", "dtype=N", "struct_size=N", "reserved=N", "tail=1"
typedef union bad_state {
  tenon_autocast_state state;
  unsigned char bytes[sizeof(tenon_autocast_state) + 8];
} bad_state;

static void read_state(const char* fields, bad_state* out_state) {
  memset(out_state, 0, sizeof *out_state);
  tenon_autocast_state* state = &out_state->state;
  const int tail = field_of(fields, "tail", 0) != 0;
  const size_t size = tail ? sizeof *out_state : sizeof *state;
  if (tail) out_state->bytes[sizeof *state] = 1;
  state->struct_size = (uint32_t)field_of(fields, "struct_size", (int64_t)size);
  state->flags = (uint32_t)field_of(fields, "flags", TENON_AUTOCAST_ENABLED);
  state->dtype = (tenon_dtype)field_of(fields, "dtype", TENON_DTYPE_F16);
  state->reserved[1] = (uint64_t)field_of(fields, "reserved", 0);
}

static void require_off(void) {
  tenon_autocast_state state;
  memset(&state, 0, sizeof state);
  state.struct_size = sizeof state;
  assert_ok(tenon_autocast_get(TENON_DEVICE_CPU, &state));
  assert_int_equal(state.flags, TENON_AUTOCAST_CACHE);
  assert_int_equal(state.dtype, TENON_DTYPE_BF16);
}

static tenon_status require_off_after(tenon_status status) {
  tenon_error* error = tenon_error_take();
  require_off();
  if (error != NULL) tenon_error_set(error);
  return status;
}

// DEVICE_TYPE FIELDS
static tenon_status autocast_enter(const bad_world* world, const bad_case* one) {
  (void)world;
  bad_state state;
  tenon_autocast_guard guard, none;
  memset(&none, 0, sizeof none);
  read_state(one->args[1], &state);
  const tenon_status status =
      tenon_autocast_enter((int32_t)number_of(one->args[0]), &state.state, &guard);
  assert_memory_equal(&guard, &none, sizeof guard);
  return require_off_after(status);
}

// DEVICE_TYPE FIELDS, or NULL for no state
static tenon_status autocast_set(const bad_world* world, const bad_case* one) {
  (void)world;
  bad_state state;
  if (text_of(one->args[1]) != NULL) read_state(one->args[1], &state);
  return require_off_after(tenon_autocast_set((int32_t)number_of(one->args[0]),
                                              text_of(one->args[1]) != NULL ? &state.state : NULL));
}

// DEVICE_TYPE FIELDS
static tenon_status autocast_get(const bad_world* world, const bad_case* one) {
  (void)world;
  bad_state state;
  read_state(one->args[1], &state);
  return tenon_autocast_get((int32_t)number_of(one->args[0]), &state.state);
}

static tenon_status autocast_leave(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_autocast_guard outer, inner;
  assert_ok(tenon_autocast_enter(TENON_DEVICE_CPU, NULL, &outer));
  assert_ok(tenon_autocast_enter(TENON_DEVICE_CPU, NULL, &inner));
  tenon_autocast_guard fresh;
  memset(&fresh, 0, sizeof fresh);
  const tenon_status status =
      tenon_autocast_leave(strcmp(one->args[0], "order") == 0 ? &outer : &fresh);
  tenon_error* error = tenon_error_take();
  assert_ok(tenon_autocast_leave(&inner));
  assert_ok(tenon_autocast_leave(&outer));
  require_off();
  if (error != NULL) tenon_error_set(error);
  return status;
}

// DEVICE_TYPE DTYPE VALUE
static tenon_status autocast_cast(const bad_world* world, const bad_case* one) {
  bad_values values;
  tenon_value cast;
  const int given = text_of(one->args[2]) != NULL;
  if (given) read_values(world, one->args[2], &values);
  const tenon_status status =
      tenon_autocast_cast((int32_t)number_of(one->args[0]), (tenon_dtype)number_of(one->args[1]),
                          given ? &values.of[0] : NULL, &cast);
  assert_int_equal(cast.tag, TENON_TAG_NONE);
  return status;
}

// DEVICE_TYPE INITIAL VALUES COUNT; VALUES may be NULL
static tenon_status autocast_promote(const bad_world* world, const bad_case* one) {
  bad_values values;
  tenon_dtype dtype = TENON_DTYPE_F32;
  const int given = text_of(one->args[2]) != NULL;
  if (given) read_values(world, one->args[2], &values);
  const tenon_status status =
      tenon_autocast_promote((int32_t)number_of(one->args[0]), (tenon_dtype)number_of(one->args[1]),
                             given ? values.of : NULL, number_of(one->args[3]), &dtype);
  assert_int_equal(dtype, TENON_DTYPE_NONE);
  return status;
}

// LIBRARY NAME KIND FIELDS: "device=N", "dtype=N", "advice=1", "language=N", "policy=N",
// "struct_size=N", "reserved=N"; KIND "NULL": no rule
static tenon_status register_autocast(const bad_world* world, const bad_case* one) {
  const char* fields = one->args[3];
  tenon_cast_rule rule;
  memset(&rule, 0, sizeof rule);
  const int given = text_of(one->args[2]) != NULL;
  rule.struct_size = (uint32_t)field_of(fields, "struct_size", sizeof rule);
  rule.kind = given ? (uint32_t)number_of(one->args[2]) : 0;
  rule.device_type = (int32_t)field_of(fields, "device", -1);
  rule.dtype = (tenon_dtype)field_of(fields, "dtype", TENON_DTYPE_NONE);
  rule.advice = field_of(fields, "advice", 0) != 0 ? "use another" : NULL;
  rule.language = (uint32_t)field_of(fields, "language", TENON_LANGUAGE_C);
  rule.policy = (uint32_t)field_of(fields, "policy", 0);
  rule.reserved[0] = (uint64_t)field_of(fields, "reserved", 0);
  tenon_registration* registration = NULL;
  const tenon_status status = tenon_library_register_autocast(
      library_of(world, one->args[0]), text_of(one->args[1]), given ? &rule : NULL, &registration);
  assert_null(registration);
  return status;
}

const bad_named_call bad_autocast_calls[] = {
    {"autocast_enter", &autocast_enter},       {"autocast_leave", &autocast_leave},
    {"autocast_set", &autocast_set},           {"autocast_get", &autocast_get},
    {"autocast_cast", &autocast_cast},         {"autocast_promote", &autocast_promote},
    {"register_autocast", &register_autocast}, {NULL, NULL}};
