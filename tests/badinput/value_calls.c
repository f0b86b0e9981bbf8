// SPDX-License-Identifier: Apache-2.0
// Wrong calls of value.h, object.h and error.h, and of DLPack.
#include <stdlib.h>

#include "badinput.h"

// ---- DLPack: the structs as https://dmlc.github.io/dlpack documents them ------------------------

typedef struct dl_tensor {
  void* data;
  int32_t device_type, device_id, ndim;
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

static float elements[6];

static void delete_legacy(struct DLManagedTensor* self) { bad_delete(self); }
static void delete_versioned(struct DLManagedTensorVersioned* self) { bad_delete(self); }

// Memory for the arrays of a DLPack tensor.
typedef struct dims_memory {
  int64_t shape[80], strides[80];
} dims_memory;

static dl_tensor description(const char* fields, dims_memory* dims) {
  dl_tensor view;
  memset(&view, 0, sizeof view);
  for (size_t i = 0; i < 80; ++i) dims->shape[i] = dims->strides[i] = 1;
  dims->shape[0] = field_of(fields, "size", 2);
  dims->shape[1] = 3;
  dims->strides[0] = field_of(fields, "stride", 3);
  view.data = strstr(fields, "data=NULL") != NULL ? NULL : elements;
  view.device_type = (int32_t)field_of(fields, "device", 1);
  view.device_id = (int32_t)field_of(fields, "id", 0);
  view.ndim = (int32_t)field_of(fields, "ndim", 2);
  view.code = (uint8_t)field_of(fields, "code", 2);
  view.bits = (uint8_t)field_of(fields, "bits", 32);
  view.lanes = (uint16_t)field_of(fields, "lanes", 1);
  view.shape = strstr(fields, "shape=NULL") != NULL ? NULL : dims->shape;
  view.strides = dims->strides;
  view.byte_offset = (uint64_t)field_of(fields, "offset", 0);
  return view;
}

// If the import is refused, the producer still owns the struct, except for an unknown version.
static tenon_status dlpack(const bad_world* world, const bad_case* one) {
  (void)world;
  const char* const fields = one->args[1];
  const int is_null = field_of(fields, "null", 0) != 0;
  dims_memory dims;
  tenon_tensor* tensor = NULL;
  tenon_status status;
  const int before = bad_deleted;
  if (strcmp(one->args[0], "legacy") == 0) {
    struct DLManagedTensor managed = {description(fields, &dims), NULL, &delete_legacy};
    status = tenon_tensor_from_dlpack_legacy(is_null ? NULL : &managed, &tensor);
  } else {
    struct DLManagedTensorVersioned managed = {(uint32_t)field_of(fields, "major", 1),
                                               0,
                                               NULL,
                                               &delete_versioned,
                                               0,
                                               description(fields, &dims)};
    status = tenon_tensor_from_dlpack(is_null ? NULL : &managed, &tensor);
  }
  assert_null(tensor);
  assert_int_equal(bad_deleted - before, status == TENON_ERROR_ABI ? 1 : 0);
  return status;
}

static tenon_tensor* read_only_tensor(dims_memory* dims, struct DLManagedTensorVersioned* managed) {
  tenon_tensor* tensor = NULL;
  memset(managed, 0, sizeof *managed);
  managed->major = 1;
  managed->flags = 1;
  managed->tensor = description("", dims);
  assert_ok(tenon_tensor_from_dlpack(managed, &tensor));
  return tensor;
}

static tenon_status dlpack_export(const bad_world* world, const bad_case* one) {
  dims_memory dims;
  struct DLManagedTensorVersioned producer, *versioned = NULL;
  struct DLManagedTensor* legacy = NULL;
  tenon_tensor* tensor = strcmp(one->args[1], "readonly") == 0 ? read_only_tensor(&dims, &producer)
                         : strcmp(one->args[1], "meta") == 0   ? tenon_tensor_retain(world->meta)
                                                               : tenon_tensor_undefined();
  const tenon_status status = strcmp(one->args[0], "legacy") == 0
                                  ? tenon_tensor_to_dlpack_legacy(tensor, NULL, &legacy)
                                  : tenon_tensor_to_dlpack(tensor, NULL, &versioned);
  assert_null(versioned);
  assert_null(legacy);
  tenon_tensor_release(tensor);
  return status;
}

const bad_named_call bad_dlpack_calls[] = {
    {"dlpack", &dlpack}, {"dlpack_export", &dlpack_export}, {NULL, NULL}};

// ---- Values -------------------------------------------------------------------------------------

// Copies lists that are nested to this depth.
static tenon_status copy_nested(size_t depth) {
  tenon_value* values = calloc(depth + 1, sizeof *values);
  tenon_value copy;
  for (size_t i = 0; i < depth; ++i) {
    values[i].tag = TENON_TAG_LIST;
    values[i].count = 1;
    values[i].as.list.data = &values[i + 1];
  }
  const tenon_status status = tenon_value_copy(&values[0], &copy);
  assert_int_equal(copy.tag, TENON_TAG_NONE);
  free(values);
  return status;
}

static tenon_status value_copy(const bad_world* world, const bad_case* one) {
  bad_values values;
  tenon_value copy;
  if (strncmp(one->args[0], "@nested ", 8) == 0) {
    return copy_nested((size_t)number_of(one->args[0] + 8));
  }
  read_values(world, one->args[0], &values);
  memset(&copy, 0xee, sizeof copy);
  const tenon_status status = tenon_value_copy(&values.of[0], &copy);
  assert_int_equal(copy.tag, TENON_TAG_NONE);
  assert_int_equal(copy.flags, 0);
  return status;
}

static tenon_status value_new_list(const bad_world* world, const bad_case* one) {
  (void)world;
  const int64_t numbers[1] = {0};
  const int is_null = strncmp(one->args[1], "@null ", 6) == 0;
  tenon_value value;
  memset(&value, 0xee, sizeof value);
  const tenon_status status =
      tenon_value_new_list((uint16_t)number_of(one->args[0]), is_null ? NULL : numbers,
                           number_of(is_null ? one->args[1] + 6 : one->args[1]), &value);
  assert_int_equal(value.tag, TENON_TAG_NONE);
  return status;
}

static tenon_status value_new_string(const bad_world* world, const bad_case* one) {
  (void)world;
  const int is_null = strncmp(one->args[0], "@null ", 6) == 0;
  tenon_value value;
  memset(&value, 0xee, sizeof value);
  const tenon_status status = tenon_value_new_string(
      is_null ? NULL : "text", number_of(is_null ? one->args[0] + 6 : one->args[0]), &value);
  assert_int_equal(value.tag, TENON_TAG_NONE);
  return status;
}

static tenon_status buffer_new(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_buffer* buffer = NULL;
  const tenon_status status = tenon_buffer_new(number_of(one->args[0]), &buffer);
  assert_null(buffer);
  return status;
}

static tenon_status buffer_wrap(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_buffer* buffer = NULL;
  const int before = bad_deleted;
  const tenon_status status =
      tenon_buffer_wrap(text_of(one->args[0]) != NULL ? elements : NULL, number_of(one->args[1]),
                        NULL, &bad_delete, &buffer);
  assert_null(buffer);
  require_deleted(before, one->what);
  return status;
}

// ---- Objects and errors -------------------------------------------------------------------------

static int self_uses = 0;
static void retain_self(void* self) { ++*(int*)self; }

static tenon_status object_new(const bad_world* world, const bad_case* one) {
  (void)world;
  bad_object_type given;
  read_object_type(one->args[0], &given);
  given.type.retain = &retain_self;
  tenon_object* object = NULL;
  const tenon_status status =
      tenon_object_new(text_of(one->args[0]) != NULL ? &given.type : NULL, &self_uses, &object);
  assert_null(object);
  assert_int_equal(self_uses, 0);
  return status;
}

static tenon_status error_frame(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_error* error = tenon_error_new(TENON_ERROR_RUNTIME, NULL, "with one frame");
  tenon_error_frame frame;
  tenon_error_add_frame(error, TENON_LANGUAGE_C, "f", "f.c", 1);
  const tenon_status status = tenon_error_get_frame(error, number_of(one->args[0]), &frame);
  tenon_error_release(error);
  return status;
}

const bad_named_call bad_value_calls[] = {{"value_copy", &value_copy},
                                          {"value_new_list", &value_new_list},
                                          {"value_new_string", &value_new_string},
                                          {"buffer_new", &buffer_new},
                                          {"buffer_wrap", &buffer_wrap},
                                          {"object_new", &object_new},
                                          {"error_frame", &error_frame},
                                          {NULL, NULL}};
