// SPDX-License-Identifier: Apache-2.0
// error.h and status.h from C: the slot, notes, frames, causes, payloads.
#include "support.h"

#include <pthread.h>

static void raise_fills_slot_take_empties_it(void** state) {
  (void)state;
  assert_null(tenon_error_peek());
  assert_int_equal(tenon_error_raise(TENON_ERROR_TYPE, "wrong"), TENON_ERROR_TYPE);
  assert_non_null(tenon_error_peek());
  tenon_error* error = tenon_error_take();
  assert_null(tenon_error_peek());
  assert_null(tenon_error_take());
  assert_int_equal(tenon_error_code(error), TENON_ERROR_TYPE);
  assert_string_equal(tenon_error_kind(error), "TypeError");
  assert_string_equal(tenon_error_message(error), "wrong");
  tenon_error_release(error);
}

static void set_replaces_and_null_empties(void** state) {
  (void)state;
  tenon_error_raise(TENON_ERROR_TYPE, "first");
  tenon_error* second = tenon_error_new(TENON_ERROR_INDEX, "MyIndex", "second");
  assert_int_equal(tenon_error_set(second), TENON_ERROR_INDEX);
  assert_string_equal(tenon_error_kind(tenon_error_peek()), "MyIndex");
  assert_int_equal(tenon_error_set(NULL), TENON_OK);
  assert_null(tenon_error_peek());
}

static void notes_frames_and_cause_are_kept_in_order(void** state) {
  (void)state;
  tenon_error* error = tenon_error_new(TENON_ERROR_RUNTIME, NULL, "outer");
  tenon_error_add_note(error, "while doing a");
  tenon_error_add_note(error, "while doing b");
  tenon_error_add_frame(error, TENON_LANGUAGE_PYTHON, "f", "f.py", 3);
  tenon_error_add_frame(error, TENON_LANGUAGE_C, NULL, NULL, 0);
  tenon_error_set_cause(error, tenon_error_new(TENON_ERROR_TYPE, NULL, "inner"));
  assert_int_equal(tenon_error_note_count(error), 2);
  assert_string_equal(tenon_error_note(error, 1), "while doing b");
  assert_null(tenon_error_note(error, 2));
  assert_null(tenon_error_note(error, -1));
  assert_int_equal(tenon_error_frame_count(error), 2);
  tenon_error_frame frame;
  assert_ok(tenon_error_get_frame(error, 0, &frame));
  assert_int_equal(frame.language, TENON_LANGUAGE_PYTHON);
  assert_string_equal(frame.function, "f");
  assert_int_equal(frame.line, 3);
  assert_error(tenon_error_get_frame(error, 2, &frame), TENON_ERROR_INDEX, "2");
  assert_string_equal(tenon_error_message(tenon_error_cause(error)), "inner");
  const char* text = tenon_error_format(error);
  assert_non_null(strstr(text, "outer"));
  assert_non_null(strstr(text, "while doing a"));
  assert_non_null(strstr(text, "f.py"));
  assert_non_null(strstr(text, "inner"));
  tenon_error_release(error);
}

static void count_delete(void* payload) { ++*(int*)payload; }

static void payload_is_seen_by_its_language_and_deleted_once(void** state) {
  (void)state;
  int deleted = 0, replaced = 0;
  tenon_error* error = tenon_error_new(TENON_ERROR_FOREIGN, "Boom", "boom");
  tenon_error_set_payload(error, TENON_LANGUAGE_JAVA, &replaced, &count_delete);
  tenon_error_set_payload(error, TENON_LANGUAGE_RUST, &deleted, &count_delete);
  assert_int_equal(replaced, 1);
  assert_ptr_equal(tenon_error_payload(error, TENON_LANGUAGE_RUST), &deleted);
  assert_null(tenon_error_payload(error, TENON_LANGUAGE_JAVA));
  tenon_error_retain(error);
  tenon_error_release(error);
  assert_int_equal(deleted, 0);
  tenon_error_release(error);
  assert_int_equal(deleted, 1);
  assert_int_equal(replaced, 1);
}

static void* raise_elsewhere(void* out) {
  tenon_error_raise(TENON_ERROR_BUSY, "elsewhere");
  *(tenon_error**)out = tenon_error_take();
  tenon_error_raise(TENON_ERROR_BUSY, "left in the slot at thread exit");
  return NULL;
}

static void errors_hop_threads_and_slots_do_not(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_error* hopped = NULL;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, &raise_elsewhere, &hopped), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_null(tenon_error_peek());
  assert_string_equal(tenon_error_message(hopped), "elsewhere");
  assert_int_equal(tenon_error_set(hopped), TENON_ERROR_BUSY);
  tenon_error_release(tenon_error_take());
  assert_nothing_left(before);
}

static void null_handles_are_accepted(void** state) {
  (void)state;
  assert_null(tenon_error_retain(NULL));
  tenon_error_release(NULL);
  tenon_tensor_release(NULL);
  tenon_schema_release(NULL);
  tenon_library_release(NULL);
  tenon_registration_release(NULL);
  tenon_buffer_release(NULL);
  tenon_object_release(NULL);
  tenon_storage_release(NULL);
  tenon_thread_state_release(NULL);
  assert_null(tenon_tensor_retain(NULL));
}

static void statuses_have_names_and_kinds(void** state) {
  (void)state;
  assert_string_equal(tenon_status_name(TENON_ERROR_NO_KERNEL), "TENON_ERROR_NO_KERNEL");
  assert_string_equal(tenon_status_kind(TENON_ERROR_NO_KERNEL), "NotImplementedError");
  assert_string_equal(tenon_status_name(4711), "TENON_ERROR_UNKNOWN");
  assert_string_equal(tenon_status_name(TENON_DECLINED), "TENON_DECLINED");
  assert_int_equal(tenon_abi_version(), TENON_ABI_VERSION);
  assert_string_equal(tenon_version(), "0.1.0");
}

static void format_stays_while_nothing_is_added(void** state) {
  (void)state;
  tenon_error* error = tenon_error_new(TENON_ERROR_TYPE, NULL, "wrong");
  char twice[200];
  snprintf(twice, sizeof twice, "%s|%s", tenon_error_format(error), tenon_error_format(error));
  assert_string_equal(twice, "TypeError: wrong|TypeError: wrong");
  const char* text = tenon_error_format(error);
  assert_ptr_equal(tenon_error_format(error), text);
  assert_int_equal(tenon_error_note_count(error), 0);  // looking changes nothing
  assert_ptr_equal(tenon_error_format(error), text);
  tenon_error_add_note(error, "added");
  assert_string_equal(tenon_error_format(error), "TypeError: wrong\n  note: added");
  tenon_error_set_cause(error, tenon_error_new(TENON_ERROR_INDEX, NULL, "inner"));
  assert_string_equal(tenon_error_format(error),
                      "TypeError: wrong\n  note: added\ncaused by IndexError: inner");
  tenon_error_release(error);
}

static void null_texts_are_empty(void** state) {
  (void)state;
  tenon_error* error = tenon_error_new(TENON_ERROR_TYPE, NULL, NULL);
  assert_string_equal(tenon_error_message(error), "");
  tenon_error_add_note(error, NULL);
  assert_string_equal(tenon_error_note(error, 0), "");
  tenon_error_release(error);
  assert_int_equal(tenon_error_raise(TENON_ERROR_INDEX, NULL), TENON_ERROR_INDEX);
  assert_string_equal(tenon_error_message(tenon_error_peek()), "");
  tenon_error_release(tenon_error_take());
}

// The kernel's use of the error slot, selected by its argument, before it returns
// TENON_ERROR_INDEX.
enum { SILENT, RAISE_OTHER, RAISE_BY_CALL, CALL_BETWEEN, SWALLOW };

static tenon_status leave_errors(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  (void)ctx, (void)keys;
  tenon_value arg = tenon_value_of_int(SWALLOW);
  switch (stack->args[0].as.i) {
    case RAISE_OTHER:
      tenon_error_raise(TENON_ERROR_TYPE, "the reason");
      break;
    case RAISE_BY_CALL: {
      const tenon_op* found = NULL;
      tenon_op_find("nowhere::nothing", &found);
      break;
    }
    case CALL_BETWEEN:
      tenon_error_raise(TENON_ERROR_TYPE, "the reason");
      assert_ok(call(op, &arg, 1, NULL, 0));
      break;
    case SWALLOW:
      if (tenon_error_peek() == NULL) tenon_error_raise(TENON_ERROR_TYPE, "survived");
      return TENON_OK;
    default:
      break;
  }
  return TENON_ERROR_INDEX;
}

// Returns the message of the cause of a failed call's error, or "" if it has no cause; clears the
// slot.
static const char* cause_of_call(const tenon_op* op, int64_t what) {
  static char text[100];
  tenon_value arg = tenon_value_of_int(what);
  assert_int_equal(call(op, &arg, 1, NULL, 0), TENON_ERROR_INDEX);
  tenon_error* error = tenon_error_take();
  assert_int_equal(tenon_error_code(error), TENON_ERROR_INDEX);
  const tenon_error* cause = tenon_error_cause(error);
  const char* told =
      cause != NULL ? "after raising an error of another code" : "without raising an error";
  assert_non_null(strstr(tenon_error_message(error), told));
  snprintf(text, sizeof text, "%s", cause != NULL ? tenon_error_message(cause) : "");
  tenon_error_release(error);
  return text;
}

static void error_of_another_code_is_the_cause(void** state) {
  (void)state;
  tenon_library* library = NULL;
  const tenon_op* op = NULL;
  const tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = leave_errors};
  assert_ok(
      tenon_library_new(TENON_LIBRARY_DEF, "causes", TENON_KEY_NONE, __FILE__, __LINE__, &library));
  assert_ok(tenon_library_define(library, "f(int what) -> ()", NULL, &op));
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  assert_string_equal(cause_of_call(op, SILENT), "");
  assert_string_equal(cause_of_call(op, RAISE_OTHER), "the reason");
  assert_non_null(strstr(cause_of_call(op, RAISE_BY_CALL), "nowhere::nothing"));
  // Calls that began and ended in between leave the error with the kernel that raised it.
  assert_string_equal(cause_of_call(op, CALL_BETWEEN), "the reason");
  // An error that was in the slot before the call is not the kernel's, whether raised outside of
  // any call or left by a call that succeeded.
  tenon_error_raise(TENON_ERROR_TYPE, "stale");
  assert_string_equal(cause_of_call(op, SILENT), "");
  tenon_value arg = tenon_value_of_int(SWALLOW);
  assert_ok(call(op, &arg, 1, NULL, 0));
  assert_non_null(tenon_error_peek());
  assert_string_equal(cause_of_call(op, SILENT), "");
  tenon_library_release(library);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(raise_fills_slot_take_empties_it),
      cmocka_unit_test(set_replaces_and_null_empties),
      cmocka_unit_test(notes_frames_and_cause_are_kept_in_order),
      cmocka_unit_test(payload_is_seen_by_its_language_and_deleted_once),
      cmocka_unit_test(errors_hop_threads_and_slots_do_not),
      cmocka_unit_test(null_handles_are_accepted),
      cmocka_unit_test(statuses_have_names_and_kinds),
      cmocka_unit_test(format_stays_while_nothing_is_added),
      cmocka_unit_test(null_texts_are_empty),
      cmocka_unit_test(error_of_another_code_is_the_cause),
  };
  return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
