// SPDX-License-Identifier: Apache-2.0
// value.h and object.h from C: layouts, deep copies, ownership, printing.
#include "support.h"

static void layouts_are_fixed(void** state) {
  (void)state;
  assert_int_equal(sizeof(tenon_value), 24);
  assert_int_equal(offsetof(tenon_value, flags), 2);
  assert_int_equal(offsetof(tenon_value, count), 4);
  assert_int_equal(offsetof(tenon_value, as), 8);
  assert_int_equal(sizeof(tenon_payload), 16);
  assert_int_equal(offsetof(tenon_list, owner), 8);
  assert_int_equal(offsetof(tenon_stack, rets), 8);
  assert_int_equal(offsetof(tenon_stack, nargs), 16);
  assert_int_equal(offsetof(tenon_stack, error), 24);
  assert_int_equal(sizeof(tenon_stack), 48);
  assert_int_equal(sizeof(tenon_frame), 64);
  assert_int_equal(sizeof(tenon_entry), 64);
}

static void copy_outlives_borrowed_list(void** state) {
  (void)state;
  const live_counts before = count_live();
  int64_t numbers[3] = {1, 2, 3};
  tenon_value borrowed;
  memset(&borrowed, 0, sizeof borrowed);
  borrowed.tag = TENON_TAG_INT_LIST;
  borrowed.count = 3;
  borrowed.as.list.data = numbers;
  tenon_value copy;
  assert_ok(tenon_value_copy(&borrowed, &copy));
  numbers[0] = 9;
  assert_int_equal(((const int64_t*)copy.as.list.data)[0], 1);
  assert_true(copy.flags & TENON_VALUE_OWNED);
  tenon_value_clear(&copy);
  assert_int_equal(copy.tag, TENON_TAG_NONE);
  tenon_value_clear(&copy);
  assert_nothing_left(before);
}

static void copy_of_nested_list_is_deep(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float one = 1;
  tenon_tensor* tensor = vector_of(&one, 1);
  char text[] = "abc";
  tenon_value inner[2] = {tenon_value_of_tensor(tensor), value_text(text)};
  tenon_value outer;
  memset(&outer, 0, sizeof outer);
  outer.tag = TENON_TAG_TUPLE;
  outer.count = 2;
  outer.as.list.data = inner;
  tenon_value copy;
  assert_ok(tenon_value_copy(&outer, &copy));
  text[0] = 'x';
  tenon_tensor_release(tensor);
  const tenon_value* elements = copy.as.list.data;
  assert_int_equal(tenon_tensor_use_count(elements[0].as.tensor), 1);
  assert_memory_equal(elements[1].as.list.data, "abc", 3);
  tenon_value_clear(&copy);
  assert_nothing_left(before);
}

// Also after calls that left other values on the stack, and if the failure is deeply nested.
static void failed_functions_write_none(void** state) {
  (void)state;
  const int64_t numbers[3] = {1, 2, 3};
  tenon_value nested = value_text("text"), list, out, bad;
  memset(&bad, 0, sizeof bad);
  assert_ok(tenon_value_new_list(TENON_TAG_INT_LIST, numbers, 3, &list));
  const uint16_t refused[] = {TENON_TAG_GENERATOR, TENON_TAG_SYMINT, TENON_TAG_TENSOR, 77};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    tenon_value elements[3] = {nested, list, bad};
    elements[2].tag = bad.tag = refused[i];
    tenon_value tuple = list;
    tuple.tag = TENON_TAG_TUPLE;
    tuple.flags = 0;
    tuple.as.list.data = elements;
    const tenon_value* sources[2] = {&bad, &tuple};
    for (size_t k = 0; k < 2; ++k) {
      memset(&out, 0xee, sizeof out);
      assert_int_not_equal(tenon_value_copy(sources[k], &out), TENON_OK);
      assert_int_equal(out.tag, TENON_TAG_NONE);
      assert_int_equal(out.flags, 0);
    }
    memset(&out, 0xee, sizeof out);
    assert_int_not_equal(tenon_value_new_list(TENON_TAG_LIST, elements, 3, &out), TENON_OK);
    assert_int_equal(out.tag, TENON_TAG_NONE);
    assert_int_equal(out.flags, 0);
    tenon_error_release(tenon_error_take());
  }
  memset(&out, 0xee, sizeof out);
  assert_error(tenon_value_new_string(NULL, 3, &out), TENON_ERROR_INVALID_ARGUMENT, "NULL");
  assert_int_equal(out.tag, TENON_TAG_NONE);
  tenon_value_clear(&list);
}

static void new_list_retains_tensors_and_keeps_absent_ones(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float one = 1;
  tenon_tensor* tensors[2] = {vector_of(&one, 1), NULL};
  tenon_value list;
  assert_ok(tenon_value_new_list(TENON_TAG_TENSOR_LIST, tensors, 2, &list));
  assert_int_equal(tenon_tensor_use_count(tensors[0]), 2);
  assert_null(((tenon_tensor* const*)list.as.list.data)[1]);
  tenon_value_clear(&list);
  assert_int_equal(tenon_tensor_use_count(tensors[0]), 1);
  tenon_tensor_release(tensors[0]);
  assert_error(tenon_value_new_list(TENON_TAG_INT, tensors, 1, &list), TENON_ERROR_INVALID_ARGUMENT,
               "tag");
  assert_nothing_left(before);
}

static void values_print_readably(void** state) {
  (void)state;
  const int64_t numbers[2] = {1, -2};
  tenon_value list;
  assert_ok(tenon_value_new_list(TENON_TAG_INT_LIST, numbers, 2, &list));
  tenon_buffer* text = NULL;
  assert_ok(tenon_value_print(&list, &text));
  assert_string_equal(tenon_buffer_data(text), "[1, -2]");
  tenon_buffer_release(text);
  tenon_value_clear(&list);
  const tenon_value none = {0, 0, 0, {0}};
  assert_ok(tenon_value_print(&none, &text));
  assert_string_equal(tenon_buffer_data(text), "None");
  tenon_buffer_release(text);
}

static void count_delete(void* ctx) { ++*(int*)ctx; }

static void buffers_wrap_and_delete_once(void** state) {
  (void)state;
  int deleted = 0;
  char memory[4] = "abc";
  tenon_buffer* buffer = NULL;
  assert_ok(tenon_buffer_wrap(memory, 3, &deleted, &count_delete, &buffer));
  assert_ptr_equal(tenon_buffer_data(buffer), memory);
  assert_int_equal(tenon_buffer_size(buffer), 3);
  tenon_buffer_release(buffer);
  assert_int_equal(deleted, 1);
  assert_error(tenon_buffer_new(-1, &buffer), TENON_ERROR_INVALID_ARGUMENT, "size");
  assert_null(buffer);
}

static int retained = 0, released = 0;
static void on_retain(void* self) { (void)self, ++retained; }
static void on_release(void* self) { (void)self, ++released; }

static void objects_hold_their_self(void** state) {
  (void)state;
  const live_counts before = count_live();
  static const tenon_object_type type = {.struct_size = sizeof(tenon_object_type),
                                         .language = TENON_LANGUAGE_C,
                                         .name = "tests.Thing",
                                         .retain = &on_retain,
                                         .release = &on_release};
  int self = 7;
  tenon_object* object = NULL;
  assert_ok(tenon_object_new(&type, &self, &object));
  assert_int_equal(retained, 1);
  assert_ptr_equal(tenon_object_self(object), &self);
  assert_ptr_equal(tenon_object_get_type(object), &type);
  tenon_object_release(tenon_object_retain(object));
  assert_int_equal(released, 0);
  tenon_object_release(object);
  assert_int_equal(released, 1);
  tenon_object_type bad = type;
  bad.struct_size = 4;
  assert_error(tenon_object_new(&bad, &self, &object), TENON_ERROR_ABI, "struct_size");
  assert_nothing_left(before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts_are_fixed),
      cmocka_unit_test(copy_outlives_borrowed_list),
      cmocka_unit_test(copy_of_nested_list_is_deep),
      cmocka_unit_test(failed_functions_write_none),
      cmocka_unit_test(new_list_retains_tensors_and_keeps_absent_ones),
      cmocka_unit_test(values_print_readably),
      cmocka_unit_test(buffers_wrap_and_delete_once),
      cmocka_unit_test(objects_hold_their_self),
  };
  return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
