// SPDX-License-Identifier: Apache-2.0
// Wrong calls of tenon_schema_bind and tenon_op_call_named: SCHEMA POSITIONAL NAMES NAMED-VALUES.
#include "badinput.h"

typedef struct given {
  bad_values positional, named;
  const char* names[8];
  int64_t count;
  char text[200];
} given;

// Names are separated by spaces; "NULL" means no names. If `positional` has strings, `named` must
// be empty, because both share the memory for strings.
static void read_given(const bad_world* world, const bad_case* one, given* out_given) {
  read_values(world, one->args[1], &out_given->positional);
  out_given->named.count = 0;
  if (one->args[3][0] != '\0') read_values(world, one->args[3], &out_given->named);
  out_given->count = 0;
  snprintf(out_given->text, sizeof out_given->text, "%s", one->args[2]);
  for (char* token = strtok(out_given->text, " "); token != NULL; token = strtok(NULL, " ")) {
    out_given->names[out_given->count++] = text_of(token);
  }
  assert_int_equal(out_given->count, out_given->named.count);
}

static tenon_status bind(const bad_world* world, const bad_case* one) {
  given with;
  tenon_schema* schema = NULL;
  tenon_value bound[8];
  read_given(world, one, &with);
  memset(bound, 0xa5, sizeof bound);
  assert_ok(tenon_schema_parse(one->args[0], -1, &schema));
  const tenon_status status = tenon_schema_bind(schema, with.positional.of, with.positional.count,
                                                with.names, with.named.of, with.count, bound);
  for (int64_t i = 0; i < tenon_schema_argument_count(schema); ++i) {
    assert_int_equal(bound[i].tag, TENON_TAG_NONE);
  }
  tenon_schema_release(schema);
  return status;
}

static tenon_status call_named(const bad_world* world, const bad_case* one) {
  given with;
  tenon_value rets[4];
  const int64_t nrets = number_of(one->args[4]);
  read_given(world, one, &with);
  memset(rets, 0xa5, sizeof rets);
  const bad_op called = open_called(one->args[0], &bad_return_first, NULL);
  const tenon_status status =
      tenon_op_call_named(called.op, with.positional.of, with.positional.count, with.names,
                          with.named.of, with.count, rets, nrets);
  for (int64_t i = 0; i < nrets; ++i) assert_int_equal(rets[i].tag, TENON_TAG_NONE);
  tenon_library_release(called.library);
  return status;
}

const bad_named_call bad_binding_calls[] = {
    {"bind", &bind}, {"call_named", &call_named}, {NULL, NULL}};
