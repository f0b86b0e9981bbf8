// SPDX-License-Identifier: Apache-2.0
// Helpers of the C suites: checks of statuses and errors, values in one line, small tensors.
#ifndef TESTS_CAPI_SUPPORT_H
#define TESTS_CAPI_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <tenon/tenon.h>

// Fails the test with the error's text unless the status is TENON_OK.
static inline void assert_ok(tenon_status status) {
  if (status != TENON_OK) {
    tenon_error* error = tenon_error_take();
    fail_msg("%s: %s", tenon_status_name(status),
             error != NULL ? tenon_error_format(error) : "no error in the slot");
  }
}

// The status must be `code`, and the slot must hold an error of that code whose message contains
// `text`. Empties the slot.
static inline void assert_error(tenon_status status, tenon_status code, const char* text) {
  tenon_error* error = tenon_error_take();
  if (status != code || error == NULL || tenon_error_code(error) != code ||
      strstr(tenon_error_message(error), text) == NULL) {
    fail_msg("expected %s with \"%s\", got %s with \"%s\"", tenon_status_name(code), text,
             tenon_status_name(status), error != NULL ? tenon_error_message(error) : "(no error)");
  }
  tenon_error_release(error);
}

static inline tenon_value value_text(const char* text) {
  return tenon_value_of_string(text, (uint32_t)strlen(text));
}

// A float32 vector with the given elements.
static inline tenon_tensor* vector_of(const float* elements, int64_t count) {
  tenon_tensor* tensor = NULL;
  void* data = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &count, NULL, &tensor));
  assert_ok(tenon_tensor_data(tensor, &data));
  memcpy(data, elements, (size_t)count * sizeof *elements);
  return tensor;
}

static inline tenon_status call(const tenon_op* op, tenon_value* args, uint32_t nargs,
                                tenon_value* rets, uint32_t nrets) {
  tenon_stack stack;
  memset(&stack, 0, sizeof stack);
  if (nrets != 0) memset(rets, 0, nrets * sizeof *rets);
  stack.args = args;
  stack.nargs = nargs;
  stack.rets = rets;
  stack.nrets = nrets;
  return tenon_op_call_fast(op, &stack);
}

// Live handles of every kind, to compare before and after.
typedef struct live_counts {
  int64_t of[32];
} live_counts;

static inline live_counts count_live(void) {
  live_counts counts;
  tenon_registry_reap();
  for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind)
    counts.of[kind] = tenon_introspect_live_count(kind);
  return counts;
}

static inline void assert_nothing_left(live_counts before) {
  const live_counts after = count_live();
  for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
    if (after.of[kind] != before.of[kind]) {
      fail_msg("live %s handles must be %lld again, got %lld", tenon_introspect_handle_name(kind),
               (long long)before.of[kind], (long long)after.of[kind]);
    }
  }
}

#endif
