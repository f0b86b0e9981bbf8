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

static void alias_as_reads_other_elements(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float elements[4] = {1, 2, 3, 4};
  tenon_tensor* base = vector_of(elements, 4);
  const int64_t sizes[2] = {2, 1}, strides[2] = {1, 1};
  tenon_tensor* pairs = NULL;
  assert_ok(tenon_tensor_new_alias_as(base, TENON_DTYPE_C64, 2, sizes, strides, 0, &pairs));
  assert_int_equal(tenon_tensor_dtype(pairs), TENON_DTYPE_C64);
  void* data = NULL;
  assert_ok(tenon_tensor_data(pairs, &data));
  assert_true(((float*)data)[3] == 4.0f);
  tenon_tensor* outside = NULL;
  assert_error(tenon_tensor_new_alias_as(base, TENON_DTYPE_C64, 2, sizes, strides, 1, &outside),
               TENON_ERROR_INVALID_ARGUMENT, "inside the storage of 16 bytes");
  assert_error(tenon_tensor_new_alias_as(base, 77, 2, sizes, strides, 0, &outside),
               TENON_ERROR_INVALID_ARGUMENT, "dtype");
  assert_error(tenon_tensor_new_alias_as(base, TENON_DTYPE_C64, 2, sizes, NULL, 0, &outside),
               TENON_ERROR_INVALID_ARGUMENT, "strides");
  assert_error(tenon_tensor_new_alias_as(tenon_tensor_undefined(), TENON_DTYPE_C64, 2, sizes,
                                         strides, 0, &outside),
               TENON_ERROR_INVALID_ARGUMENT, "undefined");
  assert_null(outside);
  tenon_tensor_release(pairs);
  tenon_tensor_release(base);
  assert_nothing_left(before);
}

static void dims_are_values(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float elements[6] = {0};
  tenon_tensor* base = vector_of(elements, 6);
  const int64_t sizes[2] = {2, 2}, strides[2] = {1, 2};
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_new_alias(base, 2, sizes, strides, 1, &tensor));
  tenon_value value;
  assert_ok(tenon_tensor_dims(tensor, TENON_DIMS_SIZES, &value));
  assert_int_equal(value.tag, TENON_TAG_INT_LIST);
  assert_int_equal(value.count, 2);
  assert_memory_equal(value.as.list.data, sizes, sizeof sizes);
  tenon_value_clear(&value);
  assert_ok(tenon_tensor_dims(tensor, TENON_DIMS_STRIDES, &value));
  assert_memory_equal(value.as.list.data, strides, sizeof strides);
  tenon_value_clear(&value);
  assert_ok(tenon_tensor_dims(tensor, TENON_DIMS_OFFSET, &value));
  assert_int_equal(value.tag, TENON_TAG_INT);
  assert_int_equal(value.as.i, 1);
  assert_ok(tenon_tensor_dims(tensor, TENON_DIMS_NUMEL, &value));
  assert_int_equal(value.as.i, 4);
  assert_ok(tenon_tensor_dims(tenon_tensor_undefined(), TENON_DIMS_SIZES, &value));
  assert_int_equal(value.count, 0);
  assert_error(tenon_tensor_dims(tensor, 4, &value), TENON_ERROR_INVALID_ARGUMENT, "got 4");
  assert_int_equal(value.tag, TENON_TAG_NONE);
  tenon_tensor_release(tensor);
  tenon_tensor_release(base);
  assert_nothing_left(before);
}

static void weak_tensors_do_not_keep_alive(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float one = 1;
  tenon_tensor* tensor = vector_of(&one, 1);
  tenon_weak_tensor* weak = NULL;
  assert_ok(tenon_weak_tensor_new(tensor, &weak));
  assert_int_equal(tenon_tensor_use_count(tensor), 1);
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_WEAK_TENSOR),
                   before.of[TENON_HANDLE_WEAK_TENSOR] + 1);
  tenon_tensor* copy = tenon_weak_tensor_copy(weak);
  assert_ptr_equal(copy, tensor);
  assert_int_equal(tenon_tensor_use_count(tensor), 2);
  tenon_tensor_release(copy);
  assert_ptr_equal(tenon_weak_tensor_retain(weak), weak);
  tenon_weak_tensor_release(weak);
  tenon_tensor_release(tensor);
  assert_null(tenon_weak_tensor_copy(weak));
  tenon_weak_tensor_release(weak);
  assert_null(tenon_weak_tensor_retain(NULL));
  tenon_weak_tensor_release(NULL);
  assert_error(tenon_weak_tensor_new(NULL, &weak), TENON_ERROR_INVALID_ARGUMENT, "NULL");
  assert_null(weak);
  assert_ok(tenon_weak_tensor_new(tenon_tensor_undefined(), &weak));
  assert_ptr_equal(tenon_weak_tensor_copy(weak), tenon_tensor_undefined());
  tenon_weak_tensor_release(weak);
  assert_nothing_left(before);
}

static void count_delete(void* ctx) { ++*(int*)ctx; }

// Memory with a header of 8 floats, then two rows of three, then room for views.
static void wrap_with_says_all_of_a_memory(void** state) {
  (void)state;
  const live_counts before = count_live();
  int deleted = 0;
  float memory[20];
  for (int i = 0; i < 20; ++i) memory[i] = (float)i;
  const int64_t sizes[2] = {2, 3};
  tenon_tensor_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = TENON_TENSOR_READ_ONLY;
  options.dtype = TENON_DTYPE_F32;
  options.ndim = 2;
  options.sizes = sizes;
  options.storage_offset = 8;
  options.storage_nbytes = sizeof memory;
  tenon_tensor *tensor = NULL, *view = NULL;
  assert_ok(tenon_tensor_wrap_with(memory, &options, &deleted, &count_delete, &tensor));
  void* data = NULL;
  assert_ok(tenon_tensor_data(tensor, &data));
  assert_ptr_equal(data, memory + 8);
  assert_int_equal(tenon_storage_nbytes(tenon_tensor_storage(tensor)), sizeof memory);
  assert_true(tenon_tensor_flags(tensor) & TENON_TENSOR_READ_ONLY);
  assert_true(tenon_tensor_flags(tensor) & TENON_TENSOR_CONTIGUOUS);
  const int64_t length = 20, stride = 1;
  assert_ok(tenon_tensor_new_alias(tensor, 1, &length, &stride, 0, &view));
  assert_true(tenon_tensor_flags(view) & TENON_TENSOR_READ_ONLY);
  tenon_tensor_release(view);
  tenon_tensor_release(tensor);
  assert_int_equal(deleted, 1);

  options.flags = 0;
  options.storage_nbytes = -1;
  assert_ok(tenon_tensor_wrap_with(memory, &options, NULL, NULL, &tensor));
  assert_int_equal(tenon_storage_nbytes(tenon_tensor_storage(tensor)), 14 * 4);
  assert_false(tenon_tensor_flags(tensor) & TENON_TENSOR_READ_ONLY);
  tenon_tensor_release(tensor);
  assert_nothing_left(before);
}

static void wrap_with_refuses_what_does_not_fit(void** state) {
  (void)state;
  float memory[4];
  const int64_t sizes[1] = {4}, negative[1] = {-1};
  tenon_tensor_options good;
  memset(&good, 0, sizeof good);
  good.struct_size = sizeof good;
  good.dtype = TENON_DTYPE_F32;
  good.ndim = 1;
  good.sizes = sizes;
  good.storage_nbytes = sizeof memory;
  int deleted = 0;
  tenon_tensor* tensor = NULL;
#define REFUSED(CHANGE, CODE, TEXT)                                                                \
  do {                                                                                             \
    tenon_tensor_options options = good;                                                           \
    options.CHANGE;                                                                                \
    assert_error(tenon_tensor_wrap_with(memory, &options, &deleted, &count_delete, &tensor), CODE, \
                 TEXT);                                                                            \
    assert_null(tensor);                                                                           \
  } while (0)
  REFUSED(struct_size = 88, TENON_ERROR_ABI, "struct_size must be at least 96, got 88");
  REFUSED(flags = TENON_TENSOR_INFERENCE, TENON_ERROR_INVALID_ARGUMENT, "flags");
  REFUSED(reserved0 = 1, TENON_ERROR_INVALID_ARGUMENT, "reserved fields must be zero");
  REFUSED(reserved[3] = 1, TENON_ERROR_INVALID_ARGUMENT, "reserved fields must be zero");
  REFUSED(dtype = 77, TENON_ERROR_INVALID_ARGUMENT, "dtype");
  REFUSED(ndim = 65, TENON_ERROR_INVALID_ARGUMENT, "ndim");
  REFUSED(sizes = NULL, TENON_ERROR_INVALID_ARGUMENT, "sizes");
  REFUSED(strides = negative, TENON_ERROR_INVALID_ARGUMENT, "stride of dim 0");
  REFUSED(storage_offset = 1, TENON_ERROR_INVALID_ARGUMENT, "inside the memory of 16 bytes");
  REFUSED(storage_offset = -1, TENON_ERROR_INVALID_ARGUMENT, "storage_offset");
  REFUSED(storage_nbytes = 15, TENON_ERROR_INVALID_ARGUMENT, "inside the memory of 15 bytes");
  REFUSED(storage_nbytes = -2, TENON_ERROR_INVALID_ARGUMENT, "storage_nbytes");
#undef REFUSED
  assert_int_equal(deleted, 12);
  assert_error(tenon_tensor_wrap_with(NULL, &good, &deleted, &count_delete, &tensor),
               TENON_ERROR_INVALID_ARGUMENT, "data");
  assert_error(tenon_tensor_wrap_with(memory, NULL, &deleted, &count_delete, &tensor),
               TENON_ERROR_INVALID_ARGUMENT, "NULL");
  assert_int_equal(deleted, 14);
}

// A program built with a later header, whose struct has one field more.
static void wrapped_data_must_be_aligned(void** state) {
  (void)state;
  static double memory[8];  // from an address that is a multiple of 8 bytes
  const int64_t two = 2, one = 1;
  for (tenon_dtype dtype = 0; dtype <= TENON_DTYPE_U64; ++dtype) {
    if (tenon_dtype_size(dtype) == 0) continue;
    const int is_complex = (tenon_dtype_traits(dtype) & TENON_DTYPE_IS_COMPLEX) != 0;
    const size_t alignment = (size_t)tenon_dtype_size(dtype) / (is_complex ? 2 : 1);
    for (size_t offset = 0; offset < 8; ++offset) {
      for (int strided = 0; strided < 2; ++strided) {
        int deleted = 0;
        tenon_tensor* tensor = NULL;
        const tenon_status status =
            tenon_tensor_wrap((char*)memory + offset, dtype, NULL, 1, &two, strided ? &one : NULL,
                              &deleted, &count_delete, &tensor);
        if (offset % alignment == 0) {
          assert_ok(status);
        } else {
          assert_error(status, TENON_ERROR_INVALID_ARGUMENT, "data must be aligned to");
          assert_null(tensor);
        }
        tenon_tensor_release(tensor);
        assert_int_equal(deleted, 1);
      }
    }
  }
}

static void wrap_with_takes_a_longer_struct(void** state) {
  (void)state;
  struct {
    tenon_tensor_options known;
    uint64_t later;
  } options;
  memset(&options, 0, sizeof options);
  options.known.struct_size = sizeof options;
  options.known.dtype = TENON_DTYPE_F32;
  options.known.storage_nbytes = -1;
  float memory[1];
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_wrap_with(memory, &options.known, NULL, NULL, &tensor));
  tenon_tensor_release(tensor);
  options.later = 1;
  assert_error(tenon_tensor_wrap_with(memory, &options.known, NULL, NULL, &tensor), TENON_ERROR_ABI,
               "unknown to this version");
}

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
  void** cell = tenon_tensor_cell(tensor, TENON_LANGUAGE_PYTHON);
  assert_non_null(cell);
  assert_null(*cell);
  *cell = &dropped;
  assert_ptr_equal(tenon_tensor_cell(tensor, TENON_LANGUAGE_PYTHON), cell);
  assert_null(*tenon_tensor_cell(tensor, TENON_LANGUAGE_JAVA));
  assert_null(tenon_tensor_cell(tensor, 99));
  assert_ok(tenon_tensor_own_cell(tensor, TENON_LANGUAGE_PYTHON, &dropped, &count_delete));
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

static tenon_tensor* floats(int64_t count, float value) {
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &count, NULL, &tensor));
  void* data = NULL;
  assert_ok(tenon_tensor_data(tensor, &data));
  for (int64_t i = 0; i < count; ++i) ((float*)data)[i] = value;
  return tensor;
}

// A thread may still read the memory of before when another one resizes an `out=` argument.
static void memory_that_a_resize_outgrew_lives_as_long_as_the_storage(void** state) {
  (void)state;
  static const int64_t counts[] = {1, 100, 3000, 3001, 20000, 200000, 2000000};
  enum { kCounts = sizeof counts / sizeof counts[0] };
  for (int first = 0; first + 1 < kCounts; ++first) {
    tenon_tensor* tensor = floats(counts[first], 2);
    void* seen[kCounts];
    assert_ok(tenon_tensor_data(tensor, &seen[first]));
    for (int i = first + 1; i < kCounts; ++i) {
      assert_ok(tenon_tensor_resize(tensor, 1, &counts[i], NULL));
      assert_ok(tenon_tensor_data(tensor, &seen[i]));
      assert_true(((float*)seen[i])[counts[first] - 1] == 2);
      // Memory that was freed too early would be the next tensor's.
      tenon_tensor* others[kCounts];
      for (int j = 0; j < kCounts; ++j) others[j] = floats(counts[j], -1);
      for (int j = first; j < i; ++j) {
        assert_true(((float*)seen[j])[0] == 2);
        assert_true(((float*)seen[j])[counts[first] - 1] == 2);
      }
      for (int j = 0; j < kCounts; ++j) tenon_tensor_release(others[j]);
    }
    tenon_tensor_release(tensor);
  }
}

static void restride_changes_one_view_only(void** state) {
  (void)state;
  const float row[6] = {0, 1, 2, 3, 4, 5};
  tenon_tensor* tensor = vector_of(row, 6);
  tenon_tensor* other = NULL;
  const int64_t six = 6, one = 1, sizes[2] = {2, 2}, strides[2] = {3, 1};
  assert_ok(tenon_tensor_new_alias(tensor, 1, &six, &one, 0, &other));
  assert_ok(tenon_tensor_restride(tensor, 2, sizes, strides, 1));
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(tensor, &info));
  assert_int_equal(info.numel, 4);
  assert_int_equal(info.storage_offset, 1);
  assert_int_equal(info.strides[0], 3);
  assert_int_equal(info.flags & TENON_TENSOR_CONTIGUOUS, 0);
  assert_true(((const float*)info.data)[3] == 4);
  assert_int_equal(tenon_tensor_numel(other), 6);
  /* Its own sizes and strides as arguments. */
  assert_ok(tenon_tensor_restride(tensor, 2, info.sizes, info.strides, 0));
  assert_int_equal(tenon_tensor_numel(tensor), 4);
  assert_int_equal(tenon_tensor_version(tensor), 0);
  tenon_tensor_release(other);
  tenon_tensor_release(tensor);
}

static void restride_of_a_number_with_dims_ends_its_weakness(void** state) {
  (void)state;
  const tenon_value two = tenon_value_of_int(2);
  tenon_tensor* number = NULL;
  assert_ok(tenon_tensor_new_number(&two, &number));
  const int64_t one = 1;
  assert_ok(tenon_tensor_restride(number, 0, NULL, NULL, 0));
  assert_true(tenon_tensor_flags(number) & TENON_TENSOR_WRAPPED_NUMBER);
  assert_ok(tenon_tensor_restride(number, 1, &one, &one, 0));
  assert_false(tenon_tensor_flags(number) & TENON_TENSOR_WRAPPED_NUMBER);
  tenon_tensor_release(number);
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
      cmocka_unit_test(alias_as_reads_other_elements),
      cmocka_unit_test(dims_are_values),
      cmocka_unit_test(weak_tensors_do_not_keep_alive),
      cmocka_unit_test(wrapped_memory_is_shared_and_deleted_once),
      cmocka_unit_test(wrap_with_says_all_of_a_memory),
      cmocka_unit_test(wrap_with_refuses_what_does_not_fit),
      cmocka_unit_test(wrapped_data_must_be_aligned),
      cmocka_unit_test(wrap_with_takes_a_longer_struct),
      cmocka_unit_test(meta_has_shape_and_no_memory),
      cmocka_unit_test(undefined_is_one_tensor_without_keys),
      cmocka_unit_test(numbers_become_wrapped_tensors),
      cmocka_unit_test(dlpack_round_trip_shares_memory),
      cmocka_unit_test(bad_dlpack_is_refused_and_not_consumed),
      cmocka_unit_test(cells_are_weak_until_owned),
      cmocka_unit_test(resize_grows_owned_and_refuses_wrapped),
      cmocka_unit_test(memory_that_a_resize_outgrew_lives_as_long_as_the_storage),
      cmocka_unit_test(restride_changes_one_view_only),
      cmocka_unit_test(restride_of_a_number_with_dims_ends_its_weakness),
      cmocka_unit_test(devices_and_dtypes_parse),
      cmocka_unit_test(the_cpu_needs_no_provider),
  };
  return cmocka_run_group_tests_name("tensor", tests, NULL, NULL);
}
