// SPDX-License-Identifier: Apache-2.0
// Wrong calls of types.h, tensor.h and device.h.
#include "badinput.h"

// ---- dtypes and devices -------------------------------------------------------------------------

static tenon_status dtype_parse(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_dtype dtype = 7;
  const tenon_status status = tenon_dtype_parse(text_of(one->args[0]), &dtype);
  assert_int_equal(dtype, TENON_DTYPE_NONE);
  return status;
}

static tenon_status dtype_set_default(const bad_world* world, const bad_case* one) {
  (void)world;
  return tenon_dtype_set_default((tenon_dtype)number_of(one->args[0]));
}

static tenon_status dtype_promote(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_dtype dtype = 7;
  const tenon_status status = tenon_dtype_promote((tenon_dtype)number_of(one->args[0]),
                                                  (tenon_dtype)number_of(one->args[1]), &dtype);
  assert_int_equal(dtype, TENON_DTYPE_NONE);
  return status;
}

static tenon_status device_parse(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_device device = {7, 7};
  return tenon_device_parse(text_of(one->args[0]), &device);
}

static tenon_status provider(const bad_world* world, const bad_case* one) {
  (void)world;
  union {
    tenon_device_provider provider;
    unsigned char bytes[sizeof(tenon_device_provider) + 8];
  } given;
  memset(&given, 0, sizeof given);
  given.provider.struct_size =
      (uint32_t)field_of(one->args[0], "struct_size", sizeof given.provider);
  given.provider.device_type = (int32_t)field_of(one->args[0], "device_type", TENON_DEVICE_CUDA);
  given.provider.deleter = &bad_delete;
  if (field_of(one->args[0], "tail", 0) != 0) {
    given.provider.struct_size = sizeof given;
    given.bytes[sizeof given - 1] = 1;
  }
  const int before = bad_deleted;
  const tenon_status status = tenon_device_provider_register(&given.provider);
  if (given.provider.struct_size >= offsetof(tenon_device_provider, device_count)) {
    require_deleted(before, one->what);
  }
  return status;
}

static tenon_status provider_get(const bad_world* world, const bad_case* one) {
  (void)world;
  const tenon_device_provider* found = NULL;
  const tenon_status status = tenon_device_provider_get((int32_t)number_of(one->args[0]), &found);
  assert_null(found);
  return status;
}

static tenon_status device_copy(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_device from, to;
  char source[8] = "source", target[8] = "target";
  device_of(one->args[0], &to);
  device_of(one->args[1], &from);
  const tenon_status status =
      tenon_device_copy(target, &to, source, &from, number_of(one->args[2]), 1);
  assert_string_equal(target, "target");
  return status;
}

static tenon_status stream_new(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_device device;
  tenon_stream stream;
  return tenon_stream_new(device_of(one->args[0], &device), &stream);
}

// "current", "set" or "wait", DEVICE
static tenon_status stream(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_stream given;
  memset(&given, 0, sizeof given);
  if (strcmp(one->args[0], "current") == 0) {
    tenon_device device;
    return tenon_stream_current(device_of(one->args[1], &device), &given);
  }
  device_of(one->args[1], &given.device);
  return strcmp(one->args[0], "set") == 0 ? tenon_stream_set_current(&given)
                                          : tenon_stream_synchronize(&given);
}

const bad_named_call bad_device_calls[] = {{"dtype_parse", &dtype_parse},
                                           {"dtype_set_default", &dtype_set_default},
                                           {"dtype_promote", &dtype_promote},
                                           {"device_parse", &device_parse},
                                           {"provider", &provider},
                                           {"provider_get", &provider_get},
                                           {"device_copy", &device_copy},
                                           {"stream_new", &stream_new},
                                           {"stream", &stream},
                                           {NULL, NULL}};

// ---- Tensors ------------------------------------------------------------------------------------

static float memory[8];

static tenon_status tensor_new(const bad_world* world, const bad_case* one) {
  (void)world;
  bad_dims sizes, strides;
  tenon_device device;
  tenon_tensor* tensor = NULL;
  read_dims(one->args[2], &sizes);
  read_dims(one->args[3], &strides);
  const tenon_status status =
      tenon_tensor_new((tenon_dtype)number_of(one->args[0]), device_of(one->args[1], &device),
                       sizes.count, sizes.address, strides.address, &tensor);
  assert_null(tensor);
  return status;
}

static tenon_status tensor_wrap(const bad_world* world, const bad_case* one) {
  (void)world;
  bad_dims sizes, strides;
  tenon_device device;
  tenon_tensor* tensor = NULL;
  read_dims(one->args[3], &sizes);
  read_dims(one->args[4], &strides);
  const int before = bad_deleted;
  const tenon_status status =
      tenon_tensor_wrap(text_of(one->args[0]) != NULL ? memory : NULL,
                        (tenon_dtype)number_of(one->args[1]), device_of(one->args[2], &device),
                        sizes.count, sizes.address, strides.address, NULL, &bad_delete, &tensor);
  assert_null(tensor);
  require_deleted(before, one->what);
  return status;
}

static tenon_status alias_of(const tenon_tensor* base, const bad_case* one) {
  bad_dims sizes, strides;
  tenon_tensor* tensor = NULL;
  read_dims(one->args[0], &sizes);
  read_dims(one->args[1], &strides);
  const tenon_status status = tenon_tensor_new_alias(
      base, sizes.count, sizes.address, strides.address, number_of(one->args[2]), &tensor);
  assert_null(tensor);
  return status;
}

static tenon_status tensor_alias(const bad_world* world, const bad_case* one) {
  return alias_of(world->tensor, one);
}

static tenon_status undefined_alias(const bad_world* world, const bad_case* one) {
  (void)world;
  return alias_of(tenon_tensor_undefined(), one);
}

// "own", "wrapped", "readonly", "meta" or "undefined"; released by the caller.
static tenon_tensor* tensor_named(const bad_world* world, const char* name) {
  const int64_t size = 2;
  tenon_tensor* tensor = NULL;
  if (strcmp(name, "meta") == 0) return tenon_tensor_retain(world->meta);
  if (strcmp(name, "undefined") == 0) return tenon_tensor_undefined();
  if (strcmp(name, "wrapped") == 0) {
    assert_ok(
        tenon_tensor_wrap(memory, TENON_DTYPE_F32, NULL, 1, &size, NULL, NULL, NULL, &tensor));
  } else {
    assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &size, NULL, &tensor));
  }
  return tensor;
}

static tenon_status tensor_resize(const bad_world* world, const bad_case* one) {
  bad_dims sizes, strides;
  read_dims(one->args[0], &sizes);
  read_dims(one->args[1], &strides);
  tenon_tensor* tensor = tensor_named(world, one->args[2]);
  const int64_t ndim = tenon_tensor_ndim(tensor), numel = tenon_tensor_numel(tensor);
  const tenon_status status =
      tenon_tensor_resize(tensor, sizes.count, sizes.address, strides.address);
  assert_int_equal(tenon_tensor_ndim(tensor), ndim);
  assert_int_equal(tenon_tensor_numel(tensor), numel);
  tenon_tensor_release(tensor);
  return status;
}

static tenon_status tensor_restride(const bad_world* world, const bad_case* one) {
  bad_dims sizes, strides;
  read_dims(one->args[0], &sizes);
  read_dims(one->args[1], &strides);
  tenon_tensor* tensor = tensor_named(world, one->args[3]);
  const int64_t ndim = tenon_tensor_ndim(tensor), numel = tenon_tensor_numel(tensor);
  const tenon_status status = tenon_tensor_restride(tensor, sizes.count, sizes.address,
                                                    strides.address, number_of(one->args[2]));
  assert_int_equal(tenon_tensor_ndim(tensor), ndim);
  assert_int_equal(tenon_tensor_numel(tensor), numel);
  tenon_tensor_release(tensor);
  return status;
}

static tenon_status tensor_data(const bad_world* world, const bad_case* one) {
  void* data = memory;
  tenon_tensor* tensor = tensor_named(world, one->args[0]);
  const tenon_status status = tenon_tensor_data(tensor, &data);
  assert_null(data);
  tenon_tensor_release(tensor);
  return status;
}

static tenon_status tensor_number(const bad_world* world, const bad_case* one) {
  bad_values values;
  tenon_tensor* tensor = NULL;
  read_values(world, one->args[0], &values);
  const tenon_status status = tenon_tensor_new_number(&values.of[0], &tensor);
  assert_null(tensor);
  return status;
}

static tenon_status tensor_wrapped_number(const bad_world* world, const bad_case* one) {
  tenon_tensor* tensor = tensor_named(world, one->args[0]);
  const uint32_t flags = tenon_tensor_flags(tensor);
  const tenon_status status = tenon_tensor_set_wrapped_number(tensor, 1);
  assert_int_equal(tenon_tensor_flags(tensor), flags);
  tenon_tensor_release(tensor);
  return status;
}

static tenon_status own_cell(const bad_world* world, const bad_case* one) {
  const uint32_t language = (uint32_t)number_of(one->args[0]);
  assert_null(tenon_tensor_cell(world->tensor, language));
  return tenon_tensor_own_cell(world->tensor, language, memory, &bad_delete);
}

static tenon_status tensor_new_like(const bad_world* world, const bad_case* one) {
  void* data = memory;
  tenon_tensor *like = tensor_named(world, one->args[0]), *tensor = NULL;
  const tenon_status status =
      tenon_tensor_new_like(like, (tenon_dtype)number_of(one->args[1]), &tensor, &data);
  assert_null(tensor);
  assert_null(data);
  tenon_tensor_release(like);
  return status;
}

// TENSOR (a value) DTYPE SIZES STRIDES OFFSET
static tenon_status new_alias_as(const bad_world* world, const bad_case* one) {
  bad_values base;
  bad_dims sizes, strides;
  tenon_tensor* alias = NULL;
  read_values(world, one->args[0], &base);
  read_dims(one->args[2], &sizes);
  read_dims(one->args[3], &strides);
  const tenon_status status = tenon_tensor_new_alias_as(
      base.of[0].as.tensor, (tenon_dtype)number_of(one->args[1]), sizes.count, sizes.address,
      strides.address, number_of(one->args[4]), &alias);
  assert_null(alias);
  return status;
}

// field=value pairs for a tensor over eight bytes of uint8; "data=0" means no memory.
static tenon_status wrap_with(const bad_world* world, const bad_case* one) {
  (void)world;
  static unsigned char memory[16];
  const char* fields = one->args[0];
  const int64_t sizes[1] = {field_of(fields, "size", 8)};
  const int64_t strides[1] = {field_of(fields, "stride", 1)};
  union {
    tenon_tensor_options options;
    unsigned char bytes[sizeof(tenon_tensor_options) + 8];
  } given;
  tenon_tensor* tensor = NULL;
  const int before = bad_deleted;
  memset(&given, 0, sizeof given);
  given.options.struct_size =
      (uint32_t)field_of(fields, "struct_size", (int64_t)sizeof given.options);
  given.options.flags = (uint32_t)field_of(fields, "flags", 0);
  given.options.dtype = (tenon_dtype)field_of(fields, "dtype", TENON_DTYPE_U8);
  given.options.ndim = field_of(fields, "ndim", 1);
  given.options.sizes = sizes;
  given.options.strides = strides;
  given.options.storage_offset = field_of(fields, "storage_offset", 0);
  given.options.storage_nbytes = field_of(fields, "storage_nbytes", 8);
  given.options.reserved[0] = (uint64_t)field_of(fields, "reserved", 0);
  given.bytes[sizeof given.options] = (unsigned char)field_of(fields, "tail", 0);
  if (field_of(fields, "tail", 0) != 0) given.options.struct_size = sizeof given;
  const tenon_status status =
      tenon_tensor_wrap_with(field_of(fields, "data", 1) != 0 ? memory : NULL, &given.options,
                             memory, &bad_delete, &tensor);
  assert_null(tensor);
  require_deleted(before, "wrap_with");
  return status;
}

static tenon_status tensor_dims(const bad_world* world, const bad_case* one) {
  tenon_value dims = tenon_value_of_none();
  const tenon_status status =
      tenon_tensor_dims(world->tensor, (uint32_t)number_of(one->args[0]), &dims);
  assert_int_equal(dims.tag, TENON_TAG_NONE);
  return status;
}

static tenon_status weak_tensor(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  tenon_weak_tensor* weak = NULL;
  const tenon_status status = tenon_weak_tensor_new(NULL, &weak);
  assert_null(weak);
  return status;
}

const bad_named_call bad_tensor_calls[] = {{"new_alias_as", &new_alias_as},
                                           {"wrap_with", &wrap_with},
                                           {"tensor_dims", &tensor_dims},
                                           {"weak_tensor", &weak_tensor},
                                           {"tensor_new", &tensor_new},
                                           {"tensor_wrap", &tensor_wrap},
                                           {"tensor_alias", &tensor_alias},
                                           {"undefined_alias", &undefined_alias},
                                           {"tensor_resize", &tensor_resize},
                                           {"tensor_restride", &tensor_restride},
                                           {"tensor_data", &tensor_data},
                                           {"tensor_number", &tensor_number},
                                           {"tensor_wrapped_number", &tensor_wrapped_number},
                                           {"own_cell", &own_cell},
                                           {"tensor_new_like", &tensor_new_like},
                                           {NULL, NULL}};
