// SPDX-License-Identifier: Apache-2.0
// Functions without a status, called with arguments that do not exist: they must return the value
// that their contract states, and leave the error slot empty.
#include "capi/support.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void numbers_that_are_no_key_have_no_name_and_no_bit(void** state) {
  const tenon_key keys[] = {8,
                            24,
                            40,
                            57,
                            63,
                            0xFF,
                            0x1FF,
                            0x1800,
                            12345,
                            0xFFFE,
                            0x10006,
                            69999,
                            0x100FF,
                            0x7FFFFFFF,
                            1u << 31,
                            1u << 30,
                            0xFF00,
                            0xFFFFFFFE,
                            TENON_KEY_NONE};
  (void)state;
  for (size_t i = 0; i < LENGTH(keys); ++i) {
    const tenon_keyset all = UINT64_MAX;
    assert_int_equal(tenon_keyset_has(all, keys[i]), keys[i] == 24 ? 1 : 0);
    if (keys[i] == 24) continue;  // Tracer, a valid key
    assert_string_equal(tenon_key_name(keys[i]), "unknown");
    // Numbers below 40 may be functionalities; removing any other number must leave the set
    // unchanged.
    const tenon_keyset left = tenon_keyset_remove(all, keys[i]);
    if (keys[i] >= 40) assert_true(left == all);
    assert_int_equal(tenon_keyset_below(keys[i]) & 0xFFFFFF, 0xFFFFFF);
  }
  assert_int_equal(tenon_keyset_has(UINT64_MAX, TENON_KEY_UNDEFINED), 0);
  assert_true(tenon_keyset_remove(UINT64_MAX, TENON_KEY_UNDEFINED) == UINT64_MAX);
  assert_int_equal(tenon_keyset_has(0, TENON_KEY_CPU), 0);
  assert_int_equal(tenon_keyset_highest(0), TENON_KEY_UNDEFINED);
  assert_int_equal(tenon_keyset_highest(0xFFFFFF), TENON_KEY_UNDEFINED);
}

// Tries undeclared bits in every combination with declared ones.
static void any_bits_are_printed_and_explained(void** state) {
  tenon_simulator* simulator = NULL;
  const char* const keys[] = {"CPU", "Autograd", "CompositeExplicitAutograd"};
  uint64_t bits = 0x9E3779B97F4A7C15u;
  (void)state;
  assert_ok(tenon_simulator_new(NULL, &simulator));
  assert_ok(tenon_simulator_register(simulator, keys, 3, 0));
  for (int i = 0; i < 2000; ++i) {
    tenon_buffer *printed = NULL, *explained = NULL;
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;  // xorshift (Marsaglia, 2003)
    const tenon_keyset set = i < 64       ? (tenon_keyset)1 << i
                             : i % 2 != 0 ? bits
                                          : ~(bits & bits >> 9);
    assert_ok(tenon_keyset_print(set, &printed));
    assert_ok(tenon_simulator_explain(simulator, set, &explained));
    assert_non_null(strstr(tenon_buffer_data(explained), "simulated::f"));
    tenon_buffer_release(printed);
    tenon_buffer_release(explained);
  }
  tenon_simulator_release(simulator);
}

static void unknown_numbers_have_a_name_too(void** state) {
  (void)state;
  const int32_t numbers[] = {99, -1, -7, 1000, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < LENGTH(numbers); ++i) {
    assert_string_equal(tenon_dtype_name(numbers[i]), "unknown");
    assert_int_equal(tenon_dtype_size(numbers[i]), 0);
    assert_int_equal(tenon_dtype_traits(numbers[i]), 0);
    assert_string_equal(tenon_device_type_name(numbers[i]), "unknown");
    assert_non_null(tenon_status_name(numbers[i]));
    assert_non_null(tenon_status_kind(numbers[i]));
    assert_string_equal(tenon_tag_name((uint16_t)(numbers[i] | 64)), "unknown");
    assert_int_equal(tenon_introspect_live_count((uint32_t)numbers[i]), -1);
    assert_null(tenon_introspect_handle_name((uint32_t)numbers[i]));
    assert_null(tenon_mode_get((uint32_t)numbers[i], 0));
  }
  assert_string_equal(tenon_tag_name(20), "unknown");
  assert_int_equal(tenon_introspect_live_count(tenon_introspect_handle_count()), -1);
}

static void places_out_of_range_are_empty(void** state) {
  tenon_schema* schema = NULL;
  tenon_argument_info info;
  const int64_t places[] = {-1, 1, INT64_MAX, INT64_MIN};
  tenon_error* error = tenon_error_new(TENON_ERROR_RUNTIME, NULL, "with one note");
  (void)state;
  tenon_error_add_note(error, "the note");
  assert_ok(tenon_schema_parse("f(int[] x) -> ()", -1, &schema));
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  assert_ok(tenon_schema_get_argument(schema, 0, &info));
  for (size_t i = 0; i < LENGTH(places); ++i) {
    assert_null(tenon_error_note(error, places[i]));
    assert_null(tenon_type_element(info.type, places[i]));
    assert_null(tenon_mode_get(TENON_MODE_OVERRIDE, places[i]));
  }
  assert_null(tenon_type_element(tenon_type_element(info.type, 0), 0));
  assert_null(tenon_error_cause(error));
  assert_null(tenon_error_payload(error, TENON_LANGUAGE_C));
  assert_null(tenon_error_payload(error, 99));
  tenon_schema_release(schema);
  tenon_error_release(error);
}

static void tensors_that_are_no_carriers_carry_nothing(void** state) {
  const float one = 1;
  tenon_tensor* tensor = vector_of(&one, 1);
  const tenon_value value = tenon_value_of_tensor(tensor), number = tenon_value_of_int(3);
  int32_t count = 7;
  (void)state;
  assert_null(tenon_carrier_value(tensor));
  assert_null(tenon_wrapper_object(tensor));
  assert_null(tenon_carrier_value(tenon_tensor_undefined()));
  assert_null(tenon_wrapper_object(tenon_tensor_undefined()));
  assert_null(tenon_object_of_value(&value));
  assert_null(tenon_object_of_value(&number));
  assert_null(tenon_tensor_cell(tensor, 99));
  assert_ok(tenon_device_count(17, &count));  // device type 17 does not exist, so it has no devices
  assert_int_equal(count, 0);
  tenon_tensor_release(tensor);
}

#define TAKES_NULL(noun)                      \
  do {                                        \
    assert_null(tenon_##noun##_retain(NULL)); \
    tenon_##noun##_release(NULL);             \
  } while (0)

static void retain_and_release_take_null(void** state) {
  (void)state;
  TAKES_NULL(buffer);
  TAKES_NULL(error);
  TAKES_NULL(generator);
  TAKES_NULL(library);
  TAKES_NULL(object);
  TAKES_NULL(registration);
  TAKES_NULL(schema);
  TAKES_NULL(simulator);
  TAKES_NULL(storage);
  TAKES_NULL(tensor);
  TAKES_NULL(thread_state);
  TAKES_NULL(profile);
}

static int no_error_is_left(void** state) {
  (void)state;
  return tenon_error_peek() != NULL;
}

static void thread_slots_that_nobody_registered_have_no_word(void** state) {
  (void)state;
  assert_null(tenon_thread_slot_peek(31));
  assert_null(tenon_thread_slot_peek(32));
  assert_null(tenon_thread_slot_peek(UINT32_MAX));
}

static int32_t count_visit(void* ctx, uint32_t kind, void* object) {
  (void)kind, (void)object;
  ++*(int*)ctx;
  return 3;
}

static void nodes_without_pass_or_objects_say_so(void** state) {
  const float one = 1;
  tenon_tensor* tensor = vector_of(&one, 1);
  tenon_node* node = NULL;
  int64_t output = 7;
  int visits = 0;
  (void)state;
  assert_ok(tenon_tensor_set_requires_grad(tensor, 1));
  assert_ok(tenon_tensor_copy_node(tensor, &node, &output));
  assert_null(tenon_node_cell(node, 99));
  assert_int_equal(tenon_backward_reaches(node), 0);  // no pass runs
  assert_int_equal(tenon_tensor_visit_owned(tensor, 99, &count_visit, &visits), 0);
  assert_int_equal(tenon_node_visit_owned(node, 99, &count_visit, &visits), 0);
  assert_int_equal(visits, 0);
  tenon_node_release(node);
  tenon_tensor_release(tensor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(numbers_that_are_no_key_have_no_name_and_no_bit, no_error_is_left),
      cmocka_unit_test_teardown(any_bits_are_printed_and_explained, no_error_is_left),
      cmocka_unit_test_teardown(unknown_numbers_have_a_name_too, no_error_is_left),
      cmocka_unit_test_teardown(places_out_of_range_are_empty, no_error_is_left),
      cmocka_unit_test_teardown(tensors_that_are_no_carriers_carry_nothing, no_error_is_left),
      cmocka_unit_test_teardown(retain_and_release_take_null, no_error_is_left),
      cmocka_unit_test_teardown(thread_slots_that_nobody_registered_have_no_word, no_error_is_left),
      cmocka_unit_test_teardown(nodes_without_pass_or_objects_say_so, no_error_is_left),
  };
  return cmocka_run_group_tests_name("answers", tests, NULL, NULL);
}
