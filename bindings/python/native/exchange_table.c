/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack's C exchange table: tensors of other packages without a Python call, and ours for them. */
#include "dlpack_abi.h"
#include "exchange.h"

#define CAPSULE "dlpack_exchange_api"

typedef struct table {
  uint32_t major, minor;
  struct table* older;
  int (*allocate)(dl_tensor* prototype, struct DLManagedTensorVersioned** out, void* error_ctx,
                  void (*set_error)(void* error_ctx, const char* kind, const char* message));
  int (*from_object)(void* object, struct DLManagedTensorVersioned** out);
  int (*to_object)(struct DLManagedTensorVersioned* managed, void** out_object);
  int (*peek_object)(void* object, dl_tensor* out);
  int (*current_stream)(int32_t device_type, int32_t device_id, void** out_stream);
} table;

/* ---- In -------------------------------------------------------------------------------------- */

#define KNOWN 4
static struct {
  PyTypeObject* type; /* kept, so that its address stays its own */
  const table* table;
} known[KNOWN];
static int known_count;

static const table* table_of(PyTypeObject* type) {
  for (int i = 0; i < known_count; i++) {
    if (known[i].type == type) return known[i].table;
  }
  static PyObject* name;
  if (name == NULL) name = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  PyObject* capsule = name ? _PyType_Lookup(type, name) : NULL;
  if (capsule == NULL || !PyCapsule_IsValid(capsule, CAPSULE)) return NULL;
  const table* found = PyCapsule_GetPointer(capsule, CAPSULE);
  while (found != NULL && found->major != 1) found = found->older;
  if (found != NULL && known_count < KNOWN) {
    Py_INCREF(type);
    known[known_count].type = type;
    known[known_count++].table = found;
  }
  return found;
}

int tnp_import_table(PyObject* object, tenon_tensor** out) {
  const table* theirs = table_of(Py_TYPE(object));
  if (theirs == NULL) return 0;
  struct DLManagedTensorVersioned* managed = NULL;
  if (theirs->from_object(object, &managed) != 0) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_BufferError, "DLPack: the export failed");
    return -1;
  }
  if (managed->tensor.device.device_type != DL_CPU) {
    /* Work on a device has to be ordered: that is the business of __dlpack__ and its stream. */
    managed->deleter(managed);
    return 0;
  }
  if (tnp_check(tenon_tensor_from_dlpack(managed, out)) != 0) {
    if (managed->major == 1) managed->deleter(managed);
    return -1;
  }
  return 1;
}

/* ---- Out: called under the GIL, no ordering of streams -----------------------------------------
 */

static int from_object(void* object, struct DLManagedTensorVersioned** out) {
  if (!TNP_IS_TENSOR((PyObject*)object)) {
    PyErr_Format(PyExc_TypeError, "DLPack: object must be Tensor, got %s",
                 Py_TYPE(object)->tp_name);
    return -1;
  }
  tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor ? tnp_check(tenon_tensor_to_dlpack(tensor, NULL, out)) : -1;
}

static int to_object(struct DLManagedTensorVersioned* managed, void** out_object) {
  tenon_tensor* tensor;
  if (tnp_check(tenon_tensor_from_dlpack(managed, &tensor)) != 0) return -1;
  *out_object = tnp_tensor_wrap(tensor);
  return *out_object ? 0 : -1;
}

static int peek_object(void* object, dl_tensor* out) {
  /* The description of an exported struct is borrowed from the tensor, which the object keeps. */
  tenon_tensor_info info;
  struct DLManagedTensorVersioned* managed;
  if (from_object(object, &managed) != 0) return -1;
  *out = managed->tensor;
  managed->deleter(managed);
  if (tnp_tensor_info(object, &info) != 0) return -1;
  out->shape = (int64_t*)info.sizes;
  out->strides = (int64_t*)info.strides;
  return 0;
}

static int allocate(dl_tensor* prototype, struct DLManagedTensorVersioned** out, void* error_ctx,
                    void (*set_error)(void* error_ctx, const char* kind, const char* message)) {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  for (tenon_dtype one = 0; one < 32; one++) {
    uint32_t traits = tenon_dtype_traits(one);
    int64_t size = tenon_dtype_size(one);
    uint8_t code = one == TENON_DTYPE_BOOL                 ? 6
                   : one == TENON_DTYPE_BF16               ? 4
                   : (traits & TENON_DTYPE_IS_COMPLEX)     ? 5
                   : (traits & TENON_DTYPE_IS_FLOATING)    ? 2
                   : (traits & TENON_DTYPE_IS_SIGNED) != 0 ? 0
                                                           : 1;
    bool small = size == 1 && code == 2; /* float8 has codes of its own in DLPack */
    if (size > 0 && !small && prototype->dtype.lanes == 1 && code == prototype->dtype.code &&
        size * 8 == prototype->dtype.bits) {
      dtype = one;
    }
  }
  tenon_device device = {
      prototype->device.device_type == DL_CPU ? TENON_DEVICE_CPU : TENON_DEVICE_CUDA,
      prototype->device.device_id};
  tenon_tensor* tensor = NULL;
  tenon_status status =
      dtype == TENON_DTYPE_NONE
          ? tenon_error_raise(TENON_ERROR_NOT_SUPPORTED, "DLPack: dtype must be one that Tenon has")
          : tenon_tensor_new(dtype, &device, prototype->ndim, prototype->shape, NULL, &tensor);
  if (status == TENON_OK) status = tenon_tensor_to_dlpack(tensor, NULL, out);
  tenon_tensor_release(tensor);
  if (status == TENON_OK) return 0;
  tenon_error* error = tenon_error_take();
  set_error(error_ctx, "RuntimeError", tenon_error_message(error));
  tenon_error_release(error);
  return -1;
}

static int current_stream(int32_t device_type, int32_t device_id, void** out_stream) {
  *out_stream = NULL;
  if (device_type != DL_CUDA) return 0;
  tenon_device device = {TENON_DEVICE_CUDA, device_id};
  tenon_stream stream;
  if (tnp_check(tenon_stream_current(&device, &stream)) != 0) return -1;
  *out_stream = stream.handle;
  return 0;
}

int tnp_table_init(void) {
  static table ours = {1, 1, NULL, allocate, from_object, to_object, peek_object, current_stream};
  PyObject* capsule = PyCapsule_New(&ours, CAPSULE, NULL);
  if (capsule == NULL) return -1;
  int result =
      PyObject_SetAttrString((PyObject*)tnp_tensor_type, "__dlpack_c_exchange_api__", capsule);
  Py_DECREF(capsule);
  return result;
}
