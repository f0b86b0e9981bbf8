// SPDX-License-Identifier: Apache-2.0
// The kept C client, part three: what layers, bindings and tools stand on: grad mode, thread slots,
// binding, objects, wrappers and modes, profiles, simulators, generators.
#include "client.h"

static void grad_modes_nest_and_restore(void** state) {
  (void)state;
  tenon_key_guard guard;
  assert_int_equal(tenon_grad_mode_get(), TENON_GRAD_MODE_ON);
  REQUIRE(tenon_grad_mode_enter(TENON_GRAD_MODE_INFERENCE, &guard));
  assert_int_equal(tenon_grad_mode_get(), TENON_GRAD_MODE_INFERENCE);
  REQUIRE(tenon_key_guard_leave(&guard));
  REQUIRE(tenon_grad_mode_set(TENON_GRAD_MODE_OFF));
  assert_int_equal(tenon_grad_mode_get(), TENON_GRAD_MODE_OFF);
  REQUIRE(tenon_grad_mode_set(TENON_GRAD_MODE_ON));
  require_error(tenon_grad_mode_set(99), TENON_ERROR_INVALID_ARGUMENT, "mode");
}

static tenon_status count_warning(void* ctx, const char* category, const char* message,
                                  const char* op) {
  ++*(int*)ctx;
  return strcmp(category, "UserWarning") == 0 && strcmp(message, "mind") == 0 && *op == '\0'
             ? TENON_OK
             : tenon_error_raise(TENON_ERROR_RUNTIME, "another warning");
}

static void count_deleter(void* ctx) { *(int*)ctx += 100; }

static void languages_and_warnings_have_names_and_handlers(void** state) {
  (void)state;
  static const char site = 0;
  uint32_t first = 0, again = 0;
  int told = 0;
  REQUIRE(tenon_language_register("First", &first));
  REQUIRE(tenon_language_register("First", &again));
  assert_int_equal(first, again);
  assert_true(first > TENON_LANGUAGE_RUST);
  assert_string_equal(tenon_language_name(first), "First");
  REQUIRE(tenon_warning_set_handler(&count_warning, &told, &count_deleter));
  REQUIRE(tenon_warning_emit("UserWarning", "mind"));
  REQUIRE(tenon_warning_emit_once(&site, "UserWarning", "mind"));
  REQUIRE(tenon_warning_emit_once(&site, "UserWarning", "mind"));
  assert_int_equal(told, 2);
  tenon_warning_reset_once();
  REQUIRE(tenon_warning_emit_once(&site, "UserWarning", "mind"));
  assert_int_equal(told, 3);
  REQUIRE(tenon_warning_set_default_handler(&count_warning, &told, &count_deleter));
  assert_int_equal(told, 103);  // there is one already
  REQUIRE(tenon_warning_set_handler(NULL, NULL, NULL));
  assert_int_equal(told, 203);
}

static int words_dropped = 0;

static tenon_status copy_word(void* word, void** out_word) {
  *out_word = word;
  return TENON_OK;
}

static void drop_word(void* word) {
  (void)word;
  ++words_dropped;
}

static void thread_slots_travel_with_thread_states(void** state) {
  (void)state;
  tenon_thread_slot slot;
  tenon_thread_state *captured = NULL, *previous = NULL;
  uint32_t index = 0;
  int mine = 0;
  memset(&slot, 0, sizeof slot);
  slot.struct_size = sizeof slot;
  slot.copy = &copy_word;
  slot.drop = &drop_word;
  REQUIRE(tenon_thread_slot_register("first.word", &slot, &index));
  void** word = tenon_thread_slot_peek(index);
  assert_non_null(word);
  assert_null(*word);
  *word = &mine;
  REQUIRE(tenon_thread_state_capture(&captured));
  *word = NULL;
  REQUIRE(tenon_thread_state_enter(captured, &previous));
  assert_ptr_equal(*tenon_thread_slot_peek(index), &mine);
  REQUIRE(tenon_thread_state_leave(previous));
  assert_null(*tenon_thread_slot_peek(index));
  tenon_thread_state_release(captured);
  assert_int_equal(words_dropped, 2);
}

static void weak_tensors_do_not_keep(void** state) {
  (void)state;
  tenon_tensor *x = counting_vector(2), *again = NULL;
  tenon_weak_tensor* weak = NULL;
  REQUIRE(tenon_weak_tensor_new(x, &weak));
  tenon_weak_tensor_release(tenon_weak_tensor_retain(weak));
  again = tenon_weak_tensor_copy(weak);
  assert_ptr_equal(again, x);
  tenon_tensor_release(again);
  tenon_tensor_release(x);
  assert_null(tenon_weak_tensor_copy(weak));
  tenon_weak_tensor_release(weak);
}

static void tensors_are_described_in_full(void** state) {
  (void)state;
  static const float memory[6] = {0, 1, 2, 3, 4, 5};
  const int64_t sizes[1] = {4}, bytes[1] = {16}, one[1] = {1};
  tenon_tensor_options options;
  tenon_tensor *x = NULL, *raw = NULL, *like = NULL;
  tenon_tensor_info info;
  tenon_value dims;
  void* data = NULL;
  int deleted = 0;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = TENON_TENSOR_READ_ONLY;
  options.dtype = TENON_DTYPE_F32;
  options.ndim = 1;
  options.sizes = sizes;
  options.storage_offset = 1;
  options.storage_nbytes = sizeof memory;
  REQUIRE(tenon_tensor_wrap_with((void*)memory, &options, &deleted, &count_deleter, &x));
  REQUIRE(tenon_tensor_describe(x, &info));
  assert_true((info.flags & TENON_TENSOR_READ_ONLY) != 0 && info.storage_offset == 1);
  assert_ptr_equal(info.data, memory + 1);
  REQUIRE(tenon_tensor_dims(x, TENON_DIMS_SIZES, &dims));
  assert_int_equal(dims.tag, TENON_TAG_INT_LIST);
  assert_int_equal(((const int64_t*)dims.as.list.data)[0], 4);
  tenon_value_clear(&dims);
  REQUIRE(tenon_tensor_new_alias_as(x, TENON_DTYPE_U8, 1, bytes, one, 4, &raw));
  assert_int_equal(tenon_tensor_numel(raw), 16);
  REQUIRE(tenon_tensor_new_like(x, TENON_DTYPE_F32, &like, &data));
  assert_non_null(data);
  tenon_tensor_release(like);
  tenon_tensor_release(raw);
  assert_int_equal(deleted, 0);
  tenon_tensor_release(x);
  assert_int_equal(deleted, 100);
}

static void names_and_defaults_are_bound(void** state) {
  (void)state;
  const tenon_op* op = op_of("first::scale");
  tenon_schema* schema = NULL;
  tenon_tensor* x = counting_vector(2);
  const char* const names[1] = {"by"};
  const tenon_value position = tenon_value_of_tensor(x), three = tenon_value_of_float(3);
  tenon_value bound[2], rets[1];
  tenon_buffer* text = NULL;
  REQUIRE(tenon_op_copy_schema(op, &schema));
  assert_string_equal(tenon_schema_signature(schema), "Td>T");
  assert_true(tenon_schema_signature_hash(schema) == 0x2e7becfb20fd29afu);
  REQUIRE(tenon_schema_bind(schema, &position, 1, NULL, NULL, 0, bound));
  assert_true(bound[0].as.tensor == x && bound[1].as.f == 2.0);
  tenon_value_clear_n(bound, 2);
  memset(rets, 0, sizeof rets);
  REQUIRE(tenon_op_call_named(op, &position, 1, names, &three, 1, rets, 1));
  assert_true(element(rets[0].as.tensor, 1) == 6.0f);
  tenon_value_clear(&rets[0]);
  REQUIRE(tenon_op_explain(op, (const tenon_value[2]){position, three}, 2, &text));
  require_text(tenon_buffer_data(text), "scale");
  tenon_buffer_release(text);
  tenon_schema_release(schema);
  tenon_tensor_release(x);
}

static tenon_status answer(void* self, tenon_stack* stack) {
  stack->rets[0] = tenon_value_of_int(*(int*)self + stack->args[0].as.i);
  return TENON_OK;
}

static tenon_status decline(void* self, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)self, (void)op, (void)keys, (void)stack;
  return TENON_DECLINED;
}

static tenon_status give_self(void* self, const tenon_op* op, tenon_keyset keys,
                              tenon_stack* stack) {
  (void)op, (void)keys;
  stack->rets[0] = tenon_value_of_int(*(int*)self);
  return TENON_OK;
}

static const tenon_object_type answering = {.struct_size = sizeof answering,
                                            .language = TENON_LANGUAGE_C,
                                            .name = "first.Answering",
                                            .override = &give_self,
                                            .dispatch = &decline,
                                            .call = &answer};

// Takes the number that an override returned: in place of a Tensor it is in a carrier.
static int64_t take_number(tenon_value* result) {
  assert_int_equal(result->tag, TENON_TAG_TENSOR);
  const int64_t number = tenon_carrier_value(result->as.tensor)->as.i;
  tenon_value_clear(result);
  return number;
}

static void objects_are_called_carried_and_override(void** state) {
  (void)state;
  int self = 40;
  tenon_object* object = NULL;
  tenon_tensor *carrier = NULL, *x = counting_vector(1);
  tenon_value args[2] = {tenon_value_of_int(2), tenon_value_of_float(1)}, rets[1];
  tenon_stack stack = stack_of(args, 1, rets, 1);
  REQUIRE(tenon_object_new(&answering, &self, &object));
  REQUIRE(tenon_object_call(object, &stack));
  assert_int_equal(rets[0].as.i, 42);
  const tenon_value boxed = tenon_value_of_object(object);
  assert_ptr_equal(tenon_object_of_value(&boxed), object);
  REQUIRE(tenon_carrier_new(&boxed, &carrier));
  assert_ptr_equal(tenon_carrier_value(carrier)->as.object, object);
  args[0] = tenon_value_of_tensor(carrier);
  REQUIRE(call(op_of("first::scale"), args, 2, rets, 1));
  assert_int_equal(take_number(&rets[0]), 40);
  REQUIRE(tenon_mode_push(TENON_MODE_OVERRIDE, object));
  assert_ptr_equal(tenon_mode_get(TENON_MODE_OVERRIDE, 0), object);
  args[0] = tenon_value_of_tensor(x);
  REQUIRE(call(op_of("first::scale"), args, 2, rets, 1));
  assert_int_equal(take_number(&rets[0]), 40);
  REQUIRE(tenon_mode_pop(TENON_MODE_OVERRIDE, object));
  tenon_tensor_release(x);
  tenon_tensor_release(carrier);
  tenon_object_release(object);
}

static void wrappers_ask_their_type(void** state) {
  (void)state;
  int self = 1;
  const int64_t sizes[2] = {2, 3}, strides[2] = {1, 2};
  tenon_wrapper_options options;
  tenon_tensor* wrapper = NULL;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.ndim = 2;
  options.sizes = sizes;
  options.strides = strides;
  options.dtype = TENON_DTYPE_F32;
  REQUIRE(tenon_wrapper_new(&answering, &self, &options, &wrapper));
  assert_ptr_equal(tenon_object_self(tenon_wrapper_object(wrapper)), &self);
  assert_int_equal(tenon_tensor_strides(wrapper)[1], 2);
  tenon_value args[2] = {tenon_value_of_tensor(wrapper), tenon_value_of_float(1)}, rets[1];
  require_error(call(op_of("first::scale"), args, 2, rets, 1), TENON_ERROR_TYPE, "first::scale");
  tenon_tensor_release(wrapper);
}

static tenon_registration* newer = NULL;

static tenon_status ask_older(void* ctx, const tenon_op* op, tenon_keyset keys,
                              tenon_stack* stack) {
  ++*(int*)ctx;
  (void)op;
  return tenon_registration_call_older(newer, keys, stack);
}

static void a_kernel_calls_the_one_that_it_replaced(void** state) {
  (void)state;
  int asked = 0;
  tenon_library* library = NULL;
  tenon_kernel kernel;
  tenon_tensor* x = counting_vector(1);
  tenon_value args[2] = {tenon_value_of_tensor(x), tenon_value_of_float(5)}, rets[1];
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &ask_older;
  kernel.ctx = &asked;
  REQUIRE(tenon_library_new(TENON_LIBRARY_IMPL, "first", TENON_KEY_NONE, NULL, 0, &library));
  REQUIRE(tenon_library_impl(library, "scale", TENON_KEY_CPU, &kernel, &newer));
  REQUIRE(call(op_of("first::scale"), args, 2, rets, 1));
  assert_true(element(rets[0].as.tensor, 0) == 5.0f && asked == 1);
  tenon_value_clear(&rets[0]);
  tenon_registration_release(newer);
  tenon_library_release(library);
  tenon_tensor_release(x);
}

static void frames_of_factories_begin_without_tensors(void** state) {
  (void)state;
  tenon_frame frame;
  tenon_value rets[1];
  tenon_stack stack = stack_of(NULL, 0, rets, 1);
  assert_non_null(tenon_frame_begin_factory(op_of("first::traced"), NULL, &frame));
  REQUIRE(tenon_frame_call(&frame, &stack));
  tenon_frame_leave(&frame);
  assert_int_equal(rets[0].tag, TENON_TAG_INT);
}

static void profiles_have_spans(void** state) {
  (void)state;
  tenon_profile* profile = NULL;
  tenon_profile_span span;
  tenon_tensor* x = counting_vector(1);
  tenon_value args[2] = {tenon_value_of_tensor(x), tenon_value_of_float(5)}, rets[1];
  int64_t count = 0, dropped = 0;
  REQUIRE(tenon_profile_begin(1, &profile));
  for (int i = 0; i < 2; ++i) {
    REQUIRE(call(op_of("first::scale"), args, 2, rets, 1));
    tenon_value_clear(&rets[0]);
  }
  REQUIRE(tenon_profile_end(profile));
  tenon_profile_release(tenon_profile_retain(profile));
  REQUIRE(tenon_profile_span_count(profile, &count, &dropped));
  assert_int_equal(count, 1);
  assert_int_equal(dropped, 1);
  memset(&span, 0, sizeof span);
  span.struct_size = sizeof span;
  REQUIRE(tenon_profile_get_span(profile, 0, &span));
  assert_ptr_equal(span.op, op_of("first::scale"));
  assert_string_equal(span.kernel, "scale");
  tenon_profile_release(profile);
  tenon_tensor_release(x);
}

static void simulators_tell_what_would_run(void** state) {
  (void)state;
  const char* const keys[1] = {"CPU"};
  tenon_simulator* simulator = NULL;
  tenon_slot_info slot;
  tenon_buffer *table = NULL, *words = NULL;
  tenon_keyset cpu = 0;
  REQUIRE(tenon_simulator_new("imagined(Tensor x) -> Tensor", &simulator));
  tenon_simulator_release(tenon_simulator_retain(simulator));
  REQUIRE(tenon_simulator_register(simulator, keys, 1, 0));
  memset(&slot, 0, sizeof slot);
  slot.struct_size = sizeof slot;
  REQUIRE(tenon_simulator_get_slot(simulator, TENON_KEY_CPU, &slot));
  assert_string_equal(slot.name, "fn_CPU");
  REQUIRE(tenon_simulator_print(simulator, TENON_SIMULATOR_TABLE, &table));
  require_text(tenon_buffer_data(table), "CPU");
  REQUIRE(tenon_keyset_from_key(TENON_KEY_CPU, &cpu));
  REQUIRE(tenon_simulator_explain(simulator, cpu, &words));
  require_text(tenon_buffer_data(words), "fn_CPU");
  REQUIRE(tenon_simulator_remove(simulator, "CPU"));
  tenon_buffer_release(table);
  tenon_buffer_release(words);
  tenon_simulator_release(simulator);
}

static void generators_begin_again_from_their_state(void** state) {
  (void)state;
  tenon_generator *one = NULL, *common = NULL;
  tenon_device device;
  uint8_t kept[6000];
  uint32_t numbers[2][3];
  double samples[3];
  int64_t size = 0;
  REQUIRE(tenon_generator_new(NULL, 7, &one));
  tenon_generator_release(tenon_generator_retain(one));
  tenon_generator_device(one, &device);
  assert_int_equal(device.type, 0);
  assert_null(tenon_generator_native(one));
  REQUIRE(tenon_generator_state(one, sizeof kept, kept, &size));
  REQUIRE(tenon_generator_random(one, 3, numbers[0]));
  REQUIRE(tenon_generator_normal(one, 3, samples));
  REQUIRE(tenon_generator_set_state(one, kept, size));
  REQUIRE(tenon_generator_random(one, 3, numbers[1]));
  assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
  REQUIRE(tenon_generator_seed(one, 8));
  assert_int_equal(tenon_generator_initial_seed(one), 8);
  REQUIRE(tenon_generator_seed_all(9));
  REQUIRE(tenon_generator_open_default(NULL, &common));
  assert_int_equal(tenon_generator_initial_seed(common), 9);
  tenon_generator_release(common);
  tenon_generator_release(one);
}

const struct CMUnitTest layer_cases[] = {
    cmocka_unit_test(grad_modes_nest_and_restore),
    cmocka_unit_test(languages_and_warnings_have_names_and_handlers),
    cmocka_unit_test(thread_slots_travel_with_thread_states),
    cmocka_unit_test(weak_tensors_do_not_keep),
    cmocka_unit_test(tensors_are_described_in_full),
    cmocka_unit_test(names_and_defaults_are_bound),
    cmocka_unit_test(objects_are_called_carried_and_override),
    cmocka_unit_test(wrappers_ask_their_type),
    cmocka_unit_test(a_kernel_calls_the_one_that_it_replaced),
    cmocka_unit_test(frames_of_factories_begin_without_tensors),
    cmocka_unit_test(profiles_have_spans),
    cmocka_unit_test(simulators_tell_what_would_run),
    cmocka_unit_test(generators_begin_again_from_their_state),
    {NULL, NULL, NULL, NULL, NULL}};
