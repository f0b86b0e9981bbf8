// SPDX-License-Identifier: Apache-2.0
// The kept C client, part one: types, values, tensors, DLPack, devices, schemas and errors.
#include <stdlib.h>

#include "client.h"

static void versions_are_those_of_the_headers_or_newer(void** state) {
  (void)state;
  assert_int_equal(tenon_abi_version() >> 16, TENON_ABI_MAJOR);
  assert_true(tenon_abi_version() >= TENON_ABI_VERSION);
  assert_true(strchr(tenon_version(), '.') != NULL);
}

static void dtypes_and_devices_have_their_numbers(void** state) {
  (void)state;
  tenon_dtype dtype = TENON_DTYPE_NONE;
  tenon_device device = {7, 7};
  REQUIRE(tenon_dtype_parse("half", &dtype));
  assert_int_equal(dtype, TENON_DTYPE_F16);
  assert_int_equal(tenon_dtype_size(TENON_DTYPE_C128), 16);
  assert_string_equal(tenon_dtype_name(TENON_DTYPE_BF16), "bfloat16");
  assert_int_equal(tenon_dtype_traits(TENON_DTYPE_I8),
                   TENON_DTYPE_IS_SIGNED | TENON_DTYPE_IS_INTEGRAL);
  REQUIRE(tenon_dtype_promote(TENON_DTYPE_I64, TENON_DTYPE_F16, &dtype));
  assert_int_equal(dtype, TENON_DTYPE_F16);
  REQUIRE(tenon_dtype_set_default(TENON_DTYPE_F64));
  assert_int_equal(tenon_dtype_default(), TENON_DTYPE_F64);
  REQUIRE(tenon_dtype_set_default(TENON_DTYPE_F32));
  REQUIRE(tenon_device_parse("cuda:3", &device));
  assert_int_equal(device.type, TENON_DEVICE_CUDA);
  assert_int_equal(device.index, 3);
  assert_string_equal(tenon_device_type_name(TENON_DEVICE_META), "meta");
}

static void values_are_made_copied_and_printed(void** state) {
  (void)state;
  const int64_t ints[3] = {4, 5, 6};
  const tenon_value entries[4] = {value_text("one"), value_int(1), value_text("two"), value_int(2)};
  tenon_value list, copy, dict, text;
  tenon_buffer* printed = NULL;
  REQUIRE(tenon_value_new_list(TENON_TAG_INT_LIST, ints, 3, &list));
  REQUIRE(tenon_value_copy(&list, &copy));
  tenon_value_clear(&list);
  assert_int_equal(list.tag, TENON_TAG_NONE);
  assert_int_equal(copy.tag, TENON_TAG_INT_LIST);
  assert_int_equal(copy.flags & TENON_VALUE_OWNED, TENON_VALUE_OWNED);
  assert_int_equal(copy.count, 3);
  assert_int_equal(((const int64_t*)copy.as.list.data)[2], 6);
  REQUIRE(tenon_value_print(&copy, &printed));
  assert_string_equal(tenon_buffer_data(printed), "[4, 5, 6]");
  tenon_buffer_release(printed);
  REQUIRE(tenon_value_new_list(TENON_TAG_DICT, entries, 2, &dict));
  assert_int_equal(dict.count, 2);
  assert_int_equal(((const tenon_value*)dict.as.list.data)[3].as.i, 2);
  REQUIRE(tenon_value_new_string("text", 4, &text));
  assert_string_equal(text.as.list.data, "text");
  assert_string_equal(tenon_tag_name(TENON_TAG_TENSOR_LIST), "Tensor[]");
  tenon_value all[3] = {copy, dict, text};
  tenon_value_clear_n(all, 3);
}

static int deleted = 0;

static void count_deleted(void* ctx) {
  (void)ctx;
  ++deleted;
}

static void buffers_hold_own_and_foreign_memory(void** state) {
  (void)state;
  static char memory[4] = "abc";
  tenon_buffer *own = NULL, *foreign = NULL;
  REQUIRE(tenon_buffer_new(8, &own));
  assert_int_equal(tenon_buffer_size(own), 8);
  assert_int_equal(((const char*)tenon_buffer_data(own))[7], 0);
  deleted = 0;
  REQUIRE(tenon_buffer_wrap(memory, 4, NULL, &count_deleted, &foreign));
  assert_ptr_equal(tenon_buffer_data(foreign), memory);
  tenon_buffer_release(tenon_buffer_retain(foreign));
  assert_int_equal(deleted, 0);
  tenon_buffer_release(foreign);
  assert_int_equal(deleted, 1);
  tenon_buffer_release(own);
}

static void tensors_describe_alias_and_wrap(void** state) {
  (void)state;
  const int64_t sizes[2] = {2, 3}, turned[2] = {3, 2}, strides[2] = {1, 3};
  float memory[6] = {0, 1, 2, 3, 4, 5};
  tenon_tensor *base = NULL, *alias = NULL, *number = NULL;
  tenon_tensor_info info;
  tenon_device device;
  tenon_buffer* text = NULL;
  const tenon_value three = value_int(3);
  deleted = 0;
  REQUIRE(tenon_tensor_wrap(memory, TENON_DTYPE_F32, NULL, 2, sizes, NULL, NULL, &count_deleted,
                            &base));
  REQUIRE(tenon_tensor_new_alias(base, 2, turned, strides, 0, &alias));
  REQUIRE(tenon_tensor_describe(alias, &info));
  assert_ptr_equal(info.data, memory);
  assert_int_equal(info.sizes[0], 3);
  assert_int_equal(info.strides[1], 3);
  assert_int_equal(info.numel, 6);
  assert_int_equal(info.storage_offset, 0);
  assert_int_equal(info.ndim, 2);
  assert_int_equal(info.dtype, TENON_DTYPE_F32);
  assert_int_equal(info.device.type, TENON_DEVICE_CPU);
  assert_int_equal(info.flags & TENON_TENSOR_CONTIGUOUS, 0);
  assert_int_equal(tenon_tensor_ndim(base), 2);
  assert_int_equal(tenon_tensor_sizes(base)[1], 3);
  assert_int_equal(tenon_tensor_strides(base)[0], 3);
  assert_int_equal(tenon_tensor_numel(base), 6);
  assert_int_equal(tenon_tensor_dtype(base), TENON_DTYPE_F32);
  tenon_tensor_device(base, &device);
  assert_int_equal(device.type, TENON_DEVICE_CPU);
  assert_ptr_equal(tenon_tensor_storage(base), tenon_tensor_storage(alias));
  assert_int_equal(tenon_storage_nbytes(tenon_tensor_storage(base)), 24);
  assert_ptr_equal(tenon_storage_data(tenon_tensor_storage(base)), memory);
  tenon_storage_release(tenon_storage_retain(tenon_tensor_storage(base)));
  tenon_tensor_bump_version(alias);
  assert_int_equal(tenon_tensor_version(base), tenon_tensor_version(alias));
  assert_int_equal(tenon_tensor_use_count(base), 2); /* the alias keeps it, not the storage */
  REQUIRE(tenon_tensor_print(base, &text));
  require_text(tenon_buffer_data(text), "tensor(");
  tenon_buffer_release(text);
  tenon_tensor_release(base);
  assert_int_equal(deleted, 0);
  tenon_tensor_release(alias);
  assert_int_equal(deleted, 1);
  REQUIRE(tenon_tensor_new_number(&three, &number));
  assert_int_equal(tenon_tensor_flags(number) & TENON_TENSOR_WRAPPED_NUMBER,
                   TENON_TENSOR_WRAPPED_NUMBER);
  REQUIRE(tenon_tensor_set_wrapped_number(number, 0));
  assert_int_equal(tenon_tensor_flags(number) & TENON_TENSOR_WRAPPED_NUMBER, 0);
  tenon_tensor_release(number);
  assert_int_equal(tenon_tensor_flags(tenon_tensor_undefined()), TENON_TENSOR_UNDEFINED);
}

static void tensors_grow_and_own_cells(void** state) {
  (void)state;
  const int64_t larger[2] = {10, 10};
  tenon_tensor* tensor = counting_vector(3);
  void** cell = tenon_tensor_cell(tensor, TENON_LANGUAGE_RUST);
  REQUIRE(tenon_tensor_resize(tensor, 2, larger, NULL));
  assert_int_equal(tenon_tensor_numel(tensor), 100);
  assert_null(*cell);
  deleted = 0;
  REQUIRE(tenon_tensor_own_cell(tensor, TENON_LANGUAGE_RUST, &deleted, &count_deleted));
  assert_ptr_equal(*cell, &deleted);
  tenon_tensor_release(tenon_tensor_retain(tensor));
  assert_int_equal(deleted, 0);
  tenon_tensor_release(tensor);
  assert_int_equal(deleted, 1);
}

// DLPack 1.1, as a consumer declares it.
typedef struct dl_tensor {
  void* data;
  int32_t device[2];
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} dl_tensor;
struct DLManagedTensor {
  dl_tensor tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
};
struct DLManagedTensorVersioned {
  uint32_t version[2];
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  dl_tensor tensor;
};

static void dlpack_carries_tensors_out_and_in(void** state) {
  (void)state;
  tenon_tensor *tensor = counting_vector(3), *back = NULL;
  struct DLManagedTensorVersioned* managed = NULL;
  struct DLManagedTensor* legacy = NULL;
  REQUIRE(tenon_tensor_to_dlpack(tensor, NULL, &managed));
  assert_int_equal(managed->version[0], 1);
  assert_int_equal(managed->tensor.shape[0], 3);
  assert_int_equal(managed->tensor.bits, 32);
  REQUIRE(tenon_tensor_from_dlpack(managed, &back));
  assert_true(element(back, 2) == 3.0f);
  tenon_tensor_release(back);
  REQUIRE(tenon_tensor_to_dlpack_legacy(tensor, NULL, &legacy));
  assert_int_equal(tenon_tensor_use_count(tensor), 2);
  REQUIRE(tenon_tensor_from_dlpack_legacy(legacy, &back));
  tenon_tensor_release(back);
  assert_int_equal(tenon_tensor_use_count(tensor), 1);
  tenon_tensor_release(tensor);
}

static void devices_of_plugins_hold_tensors(void** state) {
  (void)state;
  const int64_t size = 3;
  const tenon_device cpu = {TENON_DEVICE_CPU, 0};
  const tenon_device_provider* provider = NULL;
  tenon_device device = {-1, -1};
  tenon_stream before, made;
  int32_t count = 0;
  float back[3] = {0, 0, 0};
  REQUIRE(tenon_device_parse("first:0", &device));
  REQUIRE(tenon_device_provider_get(device.type, &provider));
  assert_int_equal(provider->device_type, device.type);
  REQUIRE(tenon_device_count(device.type, &count));
  assert_int_equal(count, 1);
  tenon_value args[2] = {value_list(TENON_TAG_INT_LIST, &size, 1), value_of_tag(TENON_TAG_DEVICE)};
  tenon_value rets[1];
  args[1].as.device = device;
  REQUIRE(call(op_of("first::make"), args, 2, rets, 1));
  tenon_tensor* there = rets[0].as.tensor;
  tenon_tensor* here = counting_vector(size);
  void *to = NULL, *from = NULL;
  REQUIRE(tenon_tensor_data(there, &to));
  REQUIRE(tenon_tensor_data(here, &from));
  REQUIRE(tenon_device_copy(to, &device, from, &cpu, sizeof back, 1));
  REQUIRE(tenon_device_copy(back, &cpu, to, &device, sizeof back, 1));
  assert_true(back[2] == 3.0f);
  REQUIRE(tenon_stream_current(&device, &before));
  assert_null(before.handle);
  REQUIRE(tenon_stream_new(&device, &made));
  assert_int_equal(made.device.type, device.type);
  REQUIRE(tenon_stream_set_current(&made));
  REQUIRE(tenon_stream_current(&device, &before));
  assert_ptr_equal(before.handle, made.handle);
  REQUIRE(tenon_stream_synchronize(&made));
  tenon_stream_release(&made);
  tenon_tensor_release(here);
  tenon_value_clear(&rets[0]);
}

static void schemas_are_parsed_compared_and_read(void** state) {
  (void)state;
  const char* text =
      "ns::f.over(Tensor(a!) x, int[2] d=[1, 2], *, Dict(str, int)? e=None) -> Tensor(a!)";
  tenon_schema *schema = NULL, *older = NULL;
  tenon_argument_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  REQUIRE(tenon_schema_parse(text, -1, &schema));
  assert_string_equal(tenon_schema_text(schema), text);
  assert_string_equal(tenon_schema_name(schema), "ns::f");
  assert_string_equal(tenon_schema_overload(schema), "over");
  assert_int_equal(tenon_schema_argument_count(schema), 3);
  assert_int_equal(tenon_schema_return_count(schema), 1);
  assert_int_equal(tenon_schema_flags(schema), TENON_SCHEMA_MUTABLE);
  REQUIRE(tenon_schema_get_argument(schema, 1, &info));
  assert_string_equal(info.name, "d");
  assert_int_equal(info.list_size, 2);
  assert_int_equal(info.flags, TENON_ARGUMENT_HAS_DEFAULT);
  assert_int_equal(info.default_value->count, 2);
  assert_int_equal(tenon_type_kind(info.type), TENON_TYPE_LIST);
  REQUIRE(tenon_schema_get_argument(schema, 2, &info));
  const tenon_type* dict = tenon_type_element(info.type, 0);
  assert_int_equal(tenon_type_kind(info.type), TENON_TYPE_OPTIONAL);
  assert_int_equal(tenon_type_element_count(dict), 2);
  assert_string_equal(tenon_type_text(dict), "Dict(str, int)");
  REQUIRE(tenon_schema_get_return(schema, 0, &info));
  assert_int_equal(info.aliased_argument, 0);
  assert_string_equal(info.alias_text, "(a!)");
  REQUIRE(tenon_schema_parse("ns::f.over(Tensor(a!) x) -> Tensor(a!)", -1, &older));
  assert_int_equal(tenon_schema_equal(schema, older), 0);
  REQUIRE(tenon_schema_check_compatible(schema, older, 0));
  require_error(tenon_schema_check_compatible(older, schema, 0), TENON_ERROR_INVALID_ARGUMENT, "d");
  tenon_schema_release(older);
  tenon_schema_release(tenon_schema_retain(schema));
  tenon_schema_release(schema);
}

static void errors_carry_all_that_they_are_given(void** state) {
  (void)state;
  tenon_error_frame frame;
  tenon_error* error = tenon_error_new(TENON_ERROR_TYPE, NULL, "message");
  assert_string_equal(tenon_error_kind(error), tenon_status_kind(TENON_ERROR_TYPE));
  tenon_error_add_note(error, "note");
  tenon_error_add_frame(error, TENON_LANGUAGE_C, "function", "file.c", 3);
  tenon_error_set_cause(error, tenon_error_new(TENON_ERROR_INDEX, "Own", "cause"));
  deleted = 0;
  tenon_error_set_payload(error, TENON_LANGUAGE_C, &deleted, &count_deleted);
  assert_int_equal(tenon_error_set(tenon_error_retain(error)), TENON_ERROR_TYPE);
  assert_ptr_equal(tenon_error_peek(), error);
  tenon_error_release(tenon_error_take());
  assert_null(tenon_error_peek());
  assert_int_equal(tenon_error_note_count(error), 1);
  assert_string_equal(tenon_error_note(error, 0), "note");
  assert_int_equal(tenon_error_frame_count(error), 1);
  REQUIRE(tenon_error_get_frame(error, 0, &frame));
  assert_string_equal(frame.function, "function");
  assert_string_equal(frame.file, "file.c");
  assert_int_equal(frame.line, 3);
  assert_int_equal(frame.language, TENON_LANGUAGE_C);
  assert_string_equal(tenon_error_message(tenon_error_cause(error)), "cause");
  assert_ptr_equal(tenon_error_payload(error, TENON_LANGUAGE_C), &deleted);
  assert_null(tenon_error_payload(error, TENON_LANGUAGE_JAVA));
  require_text(tenon_error_format(error), "TypeError: message");
  tenon_error_release(error);
  assert_int_equal(deleted, 1);
}

static void retain_nothing(void* self) { ++*(int*)self; }
static void release_nothing(void* self) { --*(int*)self; }

static void objects_are_counted_and_pass_through(void** state) {
  (void)state;
  static const tenon_object_type type = {sizeof type,
                                         TENON_LANGUAGE_C,
                                         "first.Counter",
                                         NULL,
                                         &retain_nothing,
                                         &release_nothing,
                                         NULL,
                                         NULL,
                                         NULL,
                                         {0}};
  int lives = 0;
  tenon_object* object = NULL;
  REQUIRE(tenon_object_new(&type, &lives, &object));
  assert_int_equal(lives, 1);
  tenon_value args[1] = {value_of_tag(TENON_TAG_OBJECT)}, rets[1];
  args[0].as.object = object;
  REQUIRE(call(op_of("first::pass"), args, 1, rets, 1));
  assert_ptr_equal(rets[0].as.object, object);
  assert_ptr_equal(tenon_object_self(rets[0].as.object), &lives);
  assert_ptr_equal(tenon_object_get_type(rets[0].as.object), &type);
  tenon_value_clear(&rets[0]);
  tenon_object_release(tenon_object_retain(object));
  assert_int_equal(lives, 1);
  tenon_object_release(object);
  assert_int_equal(lives, 0);
}

const struct CMUnitTest data_cases[] = {
    cmocka_unit_test(versions_are_those_of_the_headers_or_newer),
    cmocka_unit_test(dtypes_and_devices_have_their_numbers),
    cmocka_unit_test(values_are_made_copied_and_printed),
    cmocka_unit_test(buffers_hold_own_and_foreign_memory),
    cmocka_unit_test(tensors_describe_alias_and_wrap),
    cmocka_unit_test(tensors_grow_and_own_cells),
    cmocka_unit_test(dlpack_carries_tensors_out_and_in),
    cmocka_unit_test(devices_of_plugins_hold_tensors),
    cmocka_unit_test(schemas_are_parsed_compared_and_read),
    cmocka_unit_test(errors_carry_all_that_they_are_given),
    cmocka_unit_test(objects_are_counted_and_pass_through),
    {NULL, NULL, NULL, NULL, NULL}};
