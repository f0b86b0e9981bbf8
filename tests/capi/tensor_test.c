// SPDX-License-Identifier: Apache-2.0
// tensor.h, types.h and device.h from C: making, describing, viewing, exchanging tensors.
#include "support.h"

// The DLPack structs, laid out as the specification says, so that the test needs no other header.
typedef struct dl_tensor {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} dl_tensor;
struct DLManagedTensor {
  dl_tensor tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  dl_tensor tensor;
};

static void new_tensor_is_row_major_and_described(void** state) {
  (void)state;
  const live_counts before = count_live();
  const int64_t sizes[3] = {2, 3, 4};
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F64, NULL, 3, sizes, NULL, &tensor));
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(tensor, &info));
  assert_int_equal(info.ndim, 3);
  assert_int_equal(info.numel, 24);
  assert_int_equal(info.strides[0], 12);
  assert_int_equal(info.strides[2], 1);
  assert_int_equal(info.dtype, TENON_DTYPE_F64);
  assert_int_equal(info.device.type, TENON_DEVICE_CPU);
  assert_true(info.flags & TENON_TENSOR_CONTIGUOUS);
  assert_int_equal((uintptr_t)info.data % 16, 0);
  assert_int_equal(tenon_storage_nbytes(tenon_tensor_storage(tensor)), 24 * 8);
  assert_true(tenon_keyset_has(tenon_tensor_keys(tensor), TENON_KEY_CPU));
  assert_true(tenon_keyset_has(tenon_tensor_keys(tensor), TENON_KEY_AD_INPLACE_OR_VIEW));
  assert_false(tenon_keyset_has(tenon_tensor_keys(tensor), TENON_KEY_AUTOGRAD_CPU));
  tenon_tensor_release(tensor);
  assert_nothing_left(before);
}

static void bad_shapes_are_refused(void** state) {
  (void)state;
  const int64_t negative[1] = {-1};
  const int64_t huge[2] = {INT64_C(1) << 40, INT64_C(1) << 40};
  tenon_tensor* tensor = NULL;
  assert_error(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, negative, NULL, &tensor),
               TENON_ERROR_INVALID_ARGUMENT, "-1");
  assert_error(tenon_tensor_new(TENON_DTYPE_F32, NULL, 2, huge, NULL, &tensor),
               TENON_ERROR_INVALID_ARGUMENT, "");
  assert_error(tenon_tensor_new(77, NULL, 0, NULL, NULL, &tensor), TENON_ERROR_INVALID_ARGUMENT,
               "dtype");
  assert_error(tenon_tensor_new(TENON_DTYPE_F32, NULL, -1, NULL, NULL, &tensor),
               TENON_ERROR_INVALID_ARGUMENT, "ndim");
  assert_null(tensor);
}

static void like_takes_sizes_and_device(void** state) {
  const int64_t sizes[] = {2, 3};
  const tenon_device meta = {TENON_DEVICE_META, 0};
  tenon_tensor *tensor, *like;
  tenon_tensor_info info;
  void* data = NULL;
  (void)state;
  assert_int_equal(tenon_tensor_new(TENON_DTYPE_F32, NULL, 2, sizes, NULL, &tensor), TENON_OK);
  assert_int_equal(tenon_tensor_new_like(tensor, TENON_DTYPE_BOOL, &like, &data), TENON_OK);
  assert_int_equal(tenon_tensor_describe(like, &info), TENON_OK);
  assert_ptr_equal(info.data, data);
  assert_int_equal(info.dtype, TENON_DTYPE_BOOL);
  assert_int_equal(info.ndim, 2);
  assert_int_equal(info.sizes[0], 2);
  assert_int_equal(info.strides[0], 3);
  assert_int_equal(info.strides[1], 1);
  tenon_tensor_release(like);
  assert_int_equal(tenon_tensor_new_like(tensor, 77, &like, &data), TENON_ERROR_INVALID_ARGUMENT);
  assert_null(like);
  assert_null(data);
  tenon_error_release(tenon_error_take());
  assert_int_equal(tenon_tensor_new_like(tenon_tensor_undefined(), TENON_DTYPE_F32, &like, NULL),
                   TENON_ERROR_STATE);
  assert_null(like);
  tenon_error_release(tenon_error_take());
  tenon_tensor_release(tensor);

  assert_int_equal(tenon_tensor_new(TENON_DTYPE_F32, &meta, 2, sizes, NULL, &tensor), TENON_OK);
  assert_int_equal(tenon_tensor_new_like(tensor, TENON_DTYPE_F64, &like, &data), TENON_OK);
  assert_null(data);
  assert_int_equal(tenon_storage_nbytes(tenon_tensor_storage(like)), 48);
  tenon_tensor_release(like);
  tenon_tensor_release(tensor);
}

static void alias_shares_memory_and_version(void** state) {
  (void)state;
  const float elements[4] = {1, 2, 3, 4};
  tenon_tensor* base = vector_of(elements, 4);
  const int64_t size = 2, stride = 2;
  tenon_tensor* alias = NULL;
  assert_ok(tenon_tensor_new_alias(base, 1, &size, &stride, 1, &alias));
  void* data = NULL;
  assert_ok(tenon_tensor_data(alias, &data));
  assert_true(((float*)data)[0] == 2.0f && ((float*)data)[2] == 4.0f);
  assert_ptr_equal(tenon_tensor_storage(alias), tenon_tensor_storage(base));
  assert_false(tenon_tensor_flags(alias) & TENON_TENSOR_CONTIGUOUS);
  tenon_tensor_bump_version(alias);
  assert_int_equal(tenon_tensor_version(base), 1);
  tenon_tensor* outside = NULL;
  assert_error(tenon_tensor_new_alias(base, 1, &size, &stride, 3, &outside),
               TENON_ERROR_INVALID_ARGUMENT, "storage");
  tenon_tensor_release(base);
  tenon_tensor_release(alias);
}

static void count_delete(void* ctx) { ++*(int*)ctx; }

static void wrapped_memory_is_shared_and_deleted_once(void** state) {
  (void)state;
  int deleted = 0;
  double memory[6] = {0};
  const int64_t sizes[2] = {2, 3};
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_wrap(memory, TENON_DTYPE_F64, NULL, 2, sizes, NULL, &deleted,
                              &count_delete, &tensor));
  void* data = NULL;
  assert_ok(tenon_tensor_data(tensor, &data));
  assert_ptr_equal(data, memory);
  tenon_tensor_release(tensor);
  assert_int_equal(deleted, 1);
  assert_error(tenon_tensor_wrap(NULL, TENON_DTYPE_F64, NULL, 2, sizes, NULL, &deleted,
                                 &count_delete, &tensor),
               TENON_ERROR_INVALID_ARGUMENT, "data");
  assert_int_equal(deleted, 2);
}

static void meta_has_shape_and_no_memory(void** state) {
  (void)state;
  const tenon_device meta = {TENON_DEVICE_META, 0};
  const int64_t huge = INT64_C(1) << 40;
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, &meta, 1, &huge, NULL, &tensor));
  void* data = NULL;
  assert_error(tenon_tensor_data(tensor, &data), TENON_ERROR_STATE, "memory");
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(tensor, &info));
  assert_null(info.data);
  assert_int_equal(info.numel, huge);
  assert_true(tenon_keyset_has(tenon_tensor_keys(tensor), TENON_KEY_META));
  tenon_tensor_release(tensor);
}

static void undefined_is_one_tensor_without_keys(void** state) {
  (void)state;
  tenon_tensor* undefined = tenon_tensor_undefined();
  assert_ptr_equal(undefined, tenon_tensor_undefined());
  assert_int_equal(tenon_tensor_keys(undefined), 0);
  assert_int_equal(tenon_tensor_dtype(undefined), TENON_DTYPE_NONE);
  assert_true(tenon_tensor_flags(undefined) & TENON_TENSOR_UNDEFINED);
  tenon_tensor_release(tenon_tensor_retain(undefined));
}

static void numbers_become_wrapped_tensors(void** state) {
  (void)state;
  const tenon_value half = tenon_value_of_float(0.5), two = tenon_value_of_int(2),
                    text = value_text("x");
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_new_number(&half, &tensor));
  assert_int_equal(tenon_tensor_dtype(tensor), TENON_DTYPE_F64);
  assert_true(tenon_tensor_flags(tensor) & TENON_TENSOR_WRAPPED_NUMBER);
  tenon_tensor_release(tensor);
  assert_ok(tenon_tensor_new_number(&two, &tensor));
  assert_int_equal(tenon_tensor_dtype(tensor), TENON_DTYPE_I64);
  tenon_tensor_release(tensor);
  assert_error(tenon_tensor_new_number(&text, &tensor), TENON_ERROR_TYPE, "str");
}

static void dlpack_round_trip_shares_memory(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float elements[2] = {1, 2};
  tenon_tensor* tensor = vector_of(elements, 2);
  struct DLManagedTensorVersioned* managed = NULL;
  assert_ok(tenon_tensor_to_dlpack(tensor, NULL, &managed));
  assert_int_equal(managed->major, 1);
  assert_int_equal(managed->tensor.device_type, 1);
  assert_int_equal(managed->tensor.code, 2);
  assert_int_equal(managed->tensor.bits, 32);
  tenon_tensor* back = NULL;
  assert_ok(tenon_tensor_from_dlpack(managed, &back));
  void *ours = NULL, *theirs = NULL;
  assert_ok(tenon_tensor_data(tensor, &ours));
  assert_ok(tenon_tensor_data(back, &theirs));
  assert_ptr_equal(ours, theirs);
  tenon_tensor_release(tensor);
  tenon_tensor_release(back);
  assert_nothing_left(before);
}

static int legacy_deleted = 0;
static void delete_legacy(struct DLManagedTensor* self) { (void)self, ++legacy_deleted; }
static int versioned_deleted = 0;
static void delete_versioned(struct DLManagedTensorVersioned* self) {
  (void)self;
  ++versioned_deleted;
}

static void bad_dlpack_is_refused_and_not_consumed(void** state) {
  (void)state;
  float memory[4] = {0};
  int64_t shape[1] = {4};
  struct DLManagedTensor managed = {
      {memory, 1, 0, 1, 2, 32, 2, shape, NULL, 0}, NULL, &delete_legacy};
  tenon_tensor* tensor = NULL;
  assert_error(tenon_tensor_from_dlpack_legacy(&managed, &tensor), TENON_ERROR_NOT_SUPPORTED,
               "lanes");
  managed.tensor.lanes = 1;
  managed.tensor.bits = 24;
  assert_error(tenon_tensor_from_dlpack_legacy(&managed, &tensor), TENON_ERROR_NOT_SUPPORTED, "24");
  managed.tensor.bits = 32;
  managed.tensor.data = NULL;
  assert_error(tenon_tensor_from_dlpack_legacy(&managed, &tensor), TENON_ERROR_INVALID_ARGUMENT,
               "data");
  managed.tensor.data = memory;
  shape[0] = -4;
  assert_error(tenon_tensor_from_dlpack_legacy(&managed, &tensor), TENON_ERROR_INVALID_ARGUMENT,
               "-4");
  assert_int_equal(legacy_deleted, 0);
  shape[0] = 4;
  assert_ok(tenon_tensor_from_dlpack_legacy(&managed, &tensor));
  tenon_tensor_release(tensor);
  assert_int_equal(legacy_deleted, 1);
  struct DLManagedTensorVersioned future = {
      99, 0, NULL, &delete_versioned, 0, {memory, 1, 0, 1, 2, 32, 1, shape, NULL, 0}};
  assert_error(tenon_tensor_from_dlpack(&future, &tensor), TENON_ERROR_ABI, "99");
  assert_int_equal(versioned_deleted, 1);
}

static void cells_are_weak_until_owned(void** state) {
  (void)state;
  const float one = 1;
  int dropped = 0;
  tenon_tensor* tensor = vector_of(&one, 1);
  void** cell = tenon_tensor_binding(tensor, TENON_LANGUAGE_PYTHON);
  assert_non_null(cell);
  assert_null(*cell);
  *cell = &dropped;
  assert_ptr_equal(tenon_tensor_binding(tensor, TENON_LANGUAGE_PYTHON), cell);
  assert_null(*tenon_tensor_binding(tensor, TENON_LANGUAGE_JAVA));
  assert_null(tenon_tensor_binding(tensor, 99));
  assert_ok(tenon_tensor_own_binding(tensor, TENON_LANGUAGE_PYTHON, &dropped, &count_delete));
  assert_int_equal(dropped, 0);
  tenon_tensor_release(tensor);
  assert_int_equal(dropped, 1);
}

static void resize_grows_owned_and_refuses_wrapped(void** state) {
  (void)state;
  const float one = 1;
  tenon_tensor* tensor = vector_of(&one, 1);
  const int64_t sizes[2] = {3, 5};
  assert_ok(tenon_tensor_resize(tensor, 2, sizes, NULL));
  assert_int_equal(tenon_tensor_numel(tensor), 15);
  assert_true(tenon_storage_nbytes(tenon_tensor_storage(tensor)) >= 60);
  tenon_tensor_release(tensor);
  float memory[1];
  const int64_t size = 1;
  assert_ok(tenon_tensor_wrap(memory, TENON_DTYPE_F32, NULL, 1, &size, NULL, NULL, NULL, &tensor));
  assert_error(tenon_tensor_resize(tensor, 2, sizes, NULL), TENON_ERROR_STATE, "");
  assert_int_equal(tenon_tensor_numel(tensor), 1);
  tenon_tensor_release(tensor);
}

static void devices_and_dtypes_parse(void** state) {
  (void)state;
  tenon_device device;
  assert_ok(tenon_device_parse("cuda:1", &device));
  assert_int_equal(device.type, TENON_DEVICE_CUDA);
  assert_int_equal(device.index, 1);
  assert_error(tenon_device_parse("gpu", &device), TENON_ERROR_NOT_FOUND, "cpu");
  assert_error(tenon_device_parse("cuda:x", &device), TENON_ERROR_INVALID_ARGUMENT, "cuda:x");
  tenon_dtype dtype = 0;
  assert_ok(tenon_dtype_parse("half", &dtype));
  assert_int_equal(dtype, TENON_DTYPE_F16);
  assert_error(tenon_dtype_parse("float33", &dtype), TENON_ERROR_NOT_FOUND, "float33");
  assert_ok(tenon_dtype_promote(TENON_DTYPE_F16, TENON_DTYPE_BF16, &dtype));
  assert_int_equal(dtype, TENON_DTYPE_F32);
  assert_int_equal(tenon_dtype_size(TENON_DTYPE_C128), 16);
  assert_int_equal(tenon_dtype_size(12345), 0);
  assert_error(tenon_dtype_set_default(TENON_DTYPE_I64), TENON_ERROR_TYPE, "int64");
}

static void the_cpu_needs_no_provider(void** state) {
  (void)state;
  int32_t count = 0;
  assert_ok(tenon_device_count(TENON_DEVICE_CPU, &count));
  assert_int_equal(count, 1);
  const tenon_device cpu = {TENON_DEVICE_CPU, 0};
  tenon_stream stream;
  assert_ok(tenon_stream_current(&cpu, &stream));
  assert_null(stream.handle);
  assert_ok(tenon_stream_synchronize(&stream));
  char to[4] = "";
  assert_ok(tenon_device_copy(to, &cpu, "abc", &cpu, 4, 1));
  assert_string_equal(to, "abc");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(new_tensor_is_row_major_and_described),
      cmocka_unit_test(bad_shapes_are_refused),
      cmocka_unit_test(like_takes_sizes_and_device),
      cmocka_unit_test(alias_shares_memory_and_version),
      cmocka_unit_test(wrapped_memory_is_shared_and_deleted_once),
      cmocka_unit_test(meta_has_shape_and_no_memory),
      cmocka_unit_test(undefined_is_one_tensor_without_keys),
      cmocka_unit_test(numbers_become_wrapped_tensors),
      cmocka_unit_test(dlpack_round_trip_shares_memory),
      cmocka_unit_test(bad_dlpack_is_refused_and_not_consumed),
      cmocka_unit_test(cells_are_weak_until_owned),
      cmocka_unit_test(resize_grows_owned_and_refuses_wrapped),
      cmocka_unit_test(devices_and_dtypes_parse),
      cmocka_unit_test(the_cpu_needs_no_provider),
  };
  return cmocka_run_group_tests_name("tensor", tests, NULL, NULL);
}
