/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack's C exchange table: imports and exports tensors without a Python call. */
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

/* Traits of a tensor that are not visible in its memory, so that sharing would silently lose them.
 * The names are PyTorch's, looked up once per type. */
enum { GRAD, CONJUGATE, NEGATIVE, TRAITS };
static const struct {
  const char* name;
  bool method; /* to be called; otherwise an attribute */
  const char* refusal;
} traits[TRAITS] = {{"requires_grad", false,
                     "it requires grad, and its gradient would be lost: pass its .detach()"},
                    {"is_conj", true, "its memory is not conjugated yet: pass its .resolve_conj()"},
                    {"is_neg", true, "its memory is not negated yet: pass its .resolve_neg()"}};

/* A tensor type of another package. */
typedef struct {
  PyTypeObject* type; /* owned, so that its address is not reused */
  const table* table;
  PyObject* traits[TRAITS]; /* owned; NULL if the type has no such attribute */
} exporter;

#define KNOWN 4
static exporter known[KNOWN];
static int known_count;
static PyObject *table_name, *trait_names[TRAITS]; /* interned */

static const table* find_table(PyTypeObject* type) {
  PyObject* capsule = _PyType_Lookup(type, table_name);
  if (capsule == NULL || !PyCapsule_IsValid(capsule, CAPSULE)) return NULL;
  const table* found = PyCapsule_GetPointer(capsule, CAPSULE);
  while (found != NULL && found->major != 1) found = found->older;
  return found;
}

static void find_traits(exporter* self) {
  for (int i = 0; i < TRAITS; i++) self->traits[i] = _PyType_Lookup(self->type, trait_names[i]);
}

/* Returns 1 if a tensor has a trait, 0 if not, -1 with an exception. */
static int has_trait(const exporter* self, int trait, PyObject* object) {
  PyObject* descriptor = self->traits[trait];
  if (descriptor == NULL) return 0;
  descrgetfunc get = Py_TYPE(descriptor)->tp_descr_get;
  PyObject* answer;
  if (traits[trait].method) {
    answer = PyObject_CallOneArg(descriptor, object);
  } else {
    answer = get ? get(descriptor, object, (PyObject*)self->type) : Py_NewRef(descriptor);
  }
  if (answer == NULL) return -1;
  int yes = answer == Py_True ? 1 : answer == Py_False ? 0 : PyObject_IsTrue(answer);
  Py_DECREF(answer);
  return yes;
}

static int refuse_trait(const exporter* self, int trait, PyObject* object, const char** refusal) {
  int yes = has_trait(self, trait, object);
  if (yes > 0) *refusal = traits[trait].refusal;
  return yes;
}

int tnp_refuse_traits(PyObject* object, const char** refusal) {
  exporter self = {.type = Py_TYPE(object)};
  find_traits(&self);
  for (int i = 0; i < TRAITS; i++) {
    int yes = refuse_trait(&self, i, object, refusal);
    if (yes != 0) return yes;
  }
  return 0;
}

/* Returns true if the memory may be the imaginary part of a lazily conjugated tensor, whose
 * elements are not negated in memory: every second real number of complex elements, or a single
 * number at an odd position. For other memory the negative bit need not be read. */
static bool may_be_half(const dl_tensor* tensor) {
  if (tensor->dtype.code != DL_FLOAT || tensor->strides == NULL) return false;
  int64_t numel = 1;
  bool gaps = false;
  for (int32_t i = tensor->ndim - 1; i >= 0; i--) {
    gaps = gaps || (tensor->shape[i] != 1 && tensor->strides[i] != numel);
    numel *= tensor->shape[i];
  }
  uintptr_t pair = 2 * (tensor->dtype.bits / 8u); /* complex numbers are aligned to their size */
  return gaps || (numel == 1 && ((uintptr_t)tensor->data + tensor->byte_offset) % pair != 0);
}

static bool lacks_memory(const dl_tensor* tensor) {
  if (tensor->data != NULL) return false;
  for (int32_t i = 0; i < tensor->ndim; i++) {
    if (tensor->shape[i] == 0) return false;
  }
  return true;
}

static int refuse_memory(const exporter* self, const dl_tensor* tensor, PyObject* object,
                         const char** refusal) {
  if (TNP_UNLIKELY(lacks_memory(tensor))) {
    *refusal = "it has no memory";
    return 1;
  }
  bool complex = tensor->dtype.code == DL_COMPLEX;
  int yes = complex ? refuse_trait(self, CONJUGATE, object, refusal) : 0;
  if (yes == 0 && (complex || may_be_half(tensor))) {
    yes = refuse_trait(self, NEGATIVE, object, refusal);
  }
  return yes;
}

/* Falls back to `__dlpack__` after a failed export, because its errors are written for users. */
static int call_python_importer(PyObject* object, tenon_tensor** out, const char** refusal) {
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_BufferError, "DLPack: the export failed");
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  int found = tnp_import_dlpack(object, out, refusal);
  if (found == 0 && *refusal == NULL) {
    PyErr_Restore(type, value, traceback);
    return -1;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return found;
}

static int import_through(const exporter* theirs, PyObject* object, tenon_tensor** out,
                          const char** refusal) {
  int refused = refuse_trait(theirs, GRAD, object, refusal);
  if (TNP_UNLIKELY(refused != 0)) return refused < 0 ? -1 : 0;
  struct DLManagedTensorVersioned* managed = NULL;
  if (TNP_UNLIKELY(theirs->table->from_object(object, &managed) != 0)) {
    return call_python_importer(object, out, refusal);
  }
  refused = refuse_memory(theirs, &managed->tensor, object, refusal);
  if (TNP_UNLIKELY(refused != 0)) {
    managed->deleter(managed);
    return refused < 0 ? -1 : 0;
  }
  if (managed->tensor.device.device_type != DL_CPU) {
    /* Work on a device must be ordered, which __dlpack__ does with its stream argument. */
    managed->deleter(managed);
    return 0;
  }
  if (tnp_check(tenon_tensor_from_dlpack(managed, out)) != 0) {
    if (managed->major == 1) managed->deleter(managed);
    return -1;
  }
  return 1;
}

int tnp_import_table(PyObject* object, tenon_tensor** out, const char** refusal) {
  PyTypeObject* type = Py_TYPE(object);
  for (int i = 0; i < known_count; i++) {
    if (known[i].type == type) return import_through(&known[i], object, out, refusal);
  }
  exporter found = {.type = type, .table = find_table(type)};
  if (found.table == NULL) return 0;
  find_traits(&found);
  Py_INCREF(type);
  for (int i = 0; i < TRAITS; i++) Py_XINCREF(found.traits[i]);
  int result = import_through(&found, object, out, refusal);
  if (known_count < KNOWN) {
    known[known_count++] = found;
  } else {
    for (int i = 0; i < TRAITS; i++) Py_XDECREF(found.traits[i]);
    Py_DECREF(type);
  }
  return result;
}

/* ---- Out: called under the GIL, without stream ordering
 * ---------------------------------------- */

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
  /* The description of the exported struct is borrowed from the tensor; the object keeps it
   * alive. */
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
    bool small = size == 1 && code == 2; /* DLPack has separate codes for float8 */
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
          ? tenon_error_raise(TENON_ERROR_NOT_SUPPORTED,
                              "DLPack: dtype must be one that Tenon supports")
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
  for (int i = 0; i < TRAITS; i++) {
    trait_names[i] = PyUnicode_InternFromString(traits[i].name);
    if (trait_names[i] == NULL) return -1;
  }
  table_name = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  PyObject* capsule = table_name ? PyCapsule_New(&ours, CAPSULE, NULL) : NULL;
  if (capsule == NULL) return -1;
  int result = PyObject_SetAttr((PyObject*)tnp_tensor_type, table_name, capsule);
  Py_DECREF(capsule);
  return result;
}
