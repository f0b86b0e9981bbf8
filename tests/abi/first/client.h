// SPDX-License-Identifier: Apache-2.0
// Helpers of the C client: checks of statuses and errors, values in one line, boxed calls.
#ifndef TESTS_ABI_FIRST_CLIENT_H
#define TESTS_ABI_FIRST_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "first.h"

static inline void require_ok(tenon_status status, const char* what, int line) {
  if (status != TENON_OK) {
    tenon_error* error = tenon_error_take();
    fail_msg("line %d: %s: %s", line, what,
             error != NULL ? tenon_error_format(error) : tenon_status_name(status));
  }
}
#define REQUIRE(call) require_ok((call), #call, __LINE__)

// The status must be `code`, with an error of that code in the slot that says `text`.
static inline void require_error(tenon_status status, tenon_status code, const char* text) {
  tenon_error* error = tenon_error_take();
  if (status != code || error == NULL || tenon_error_code(error) != code ||
      strstr(tenon_error_message(error), text) == NULL) {
    fail_msg("expected %s with \"%s\", got %s with \"%s\"", tenon_status_name(code), text,
             tenon_status_name(status), error != NULL ? tenon_error_message(error) : "(no error)");
  }
  tenon_error_release(error);
}

static inline tenon_value value_of_tag(uint16_t tag) {
  tenon_value value;
  memset(&value, 0, sizeof value);
  value.tag = tag;
  return value;
}

static inline tenon_value value_int(int64_t i) {
  tenon_value value = value_of_tag(TENON_TAG_INT);
  value.as.i = i;
  return value;
}

static inline tenon_value value_float(double f) {
  tenon_value value = value_of_tag(TENON_TAG_FLOAT);
  value.as.f = f;
  return value;
}

static inline tenon_value value_text(const char* text) {
  tenon_value value = value_of_tag(TENON_TAG_STRING);
  value.count = (uint32_t)strlen(text);
  value.as.list.data = text;
  return value;
}

static inline tenon_value value_tensor(tenon_tensor* tensor) {
  tenon_value value = value_of_tag(TENON_TAG_TENSOR);
  value.as.tensor = tensor;
  return value;
}

static inline tenon_value value_list(uint16_t tag, const void* data, uint32_t count) {
  tenon_value value = value_of_tag(tag);
  value.count = count;
  value.as.list.data = data;
  return value;
}

static inline const tenon_op* op_of(const char* name) {
  const tenon_op* op = NULL;
  REQUIRE(tenon_op_find(name, &op));
  return op;
}

static inline tenon_stack stack_of(tenon_value* args, uint32_t nargs, tenon_value* rets,
                                   uint32_t nrets) {
  tenon_stack stack;
  memset(&stack, 0, sizeof stack);
  if (nrets != 0) memset(rets, 0, nrets * sizeof *rets);
  stack.args = args;
  stack.nargs = nargs;
  stack.rets = rets;
  stack.nrets = nrets;
  return stack;
}

static inline tenon_status call(const tenon_op* op, tenon_value* args, uint32_t nargs,
                                tenon_value* rets, uint32_t nrets) {
  tenon_stack stack = stack_of(args, nargs, rets, nrets);
  return tenon_op_call(op, &stack);
}

// A float32 vector {1, 2, ... count}.
static inline tenon_tensor* counting_vector(int64_t count) {
  tenon_tensor* tensor = NULL;
  void* data = NULL;
  REQUIRE(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &count, NULL, &tensor));
  REQUIRE(tenon_tensor_data(tensor, &data));
  for (int64_t i = 0; i < count; ++i) ((float*)data)[i] = (float)(i + 1);
  return tensor;
}

static inline float element(const tenon_tensor* tensor, int64_t index) {
  void* data = NULL;
  REQUIRE(tenon_tensor_data(tensor, &data));
  return ((const float*)data)[index];
}

// How often the plugin's own key was called.
static inline int64_t traced(void) {
  tenon_value rets[1];
  REQUIRE(call(op_of("first::traced"), NULL, 0, rets, 1));
  return rets[0].as.i;
}

// Fails unless the text contains each part.
static inline void require_text(const char* text, const char* part) {
  if (strstr(text, part) == NULL) fail_msg("must contain \"%s\", got \"%s\"", part, text);
}

// The cases of client_data.c, client_calls.c and client_layers.c; tables end with a NULL name.
extern const struct CMUnitTest data_cases[];
extern const struct CMUnitTest call_cases[];
extern const struct CMUnitTest layer_cases[];

#endif
