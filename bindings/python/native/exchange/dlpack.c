/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack import and export: versioned capsules if the other side supports them, otherwise the older
 * struct. */
#include "exchange.h"

#include "dlpack_abi.h"

static tnp_op_cache op_to_copy = {"aten::_to_copy", NULL};
static tnp_op_cache op_clone = {"aten::clone", NULL};

/* ---- In -------------------------------------------------------------------------------------- */

static int import_capsule(PyObject* capsule, tenon_tensor** out) {
  const char* name = PyCapsule_GetName(capsule);
  tenon_status status;
  if (name != NULL && strcmp(name, "dltensor_versioned") == 0) {
    status = tenon_tensor_from_dlpack(PyCapsule_GetPointer(capsule, name), out);
    /* An unknown major version was deleted although the import failed: the capsule is consumed. */
    if (status == TENON_OK || status == TENON_ERROR_ABI) {
      PyCapsule_SetName(capsule, "used_dltensor_versioned");
    }
  } else if (name != NULL && strcmp(name, "dltensor") == 0) {
    status = tenon_tensor_from_dlpack_legacy(PyCapsule_GetPointer(capsule, name), out);
    if (status == TENON_OK) PyCapsule_SetName(capsule, "used_dltensor");
  } else {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                     "from_dlpack: capsule must be an unused DLPack capsule, got one named '%s'",
                     name ? name : "");
    return -1;
  }
  return tnp_check(status);
}

/* Determines the consumer's stream, before which a producer on a CUDA device orders its work. */
static int consumer_stream(PyObject* object, PyObject** out_stream) {
  *out_stream = NULL;
  PyObject* device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
  int type, index;
  if (device == NULL) {
    PyErr_Clear(); /* producers without this method are on the CPU */
    return 0;
  }
  int parsed = PyArg_ParseTuple(device, "ii", &type, &index);
  Py_DECREF(device);
  if (!parsed) return -1;
  if (type != DL_CUDA) return 0;
  tenon_device ours = {TENON_DEVICE_CUDA, index};
  tenon_stream stream;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS /* may load the device's plugin */
      status = tenon_stream_current(&ours, &stream);
  Py_END_ALLOW_THREADS if (tnp_check(status) != 0) return -1;
  /* DLPack writes CUDA's default stream, whose handle is 0, as 1. */
  *out_stream = stream.handle ? PyLong_FromVoidPtr(stream.handle) : PyLong_FromLong(1);
  return *out_stream ? 0 : -1;
}

int tnp_import_dlpack(PyObject* object, tenon_tensor** out, const char** refusal) {
  static PyObject *name, *version_names, *stream_names, *version;
  if (name == NULL) {
    name = PyUnicode_InternFromString("__dlpack__");
    version_names = Py_BuildValue("(s)", "max_version");
    stream_names = Py_BuildValue("(ss)", "max_version", "stream");
    version = Py_BuildValue("(ii)", 1, 0);
    if (!name || !version_names || !stream_names || !version) return -1;
  }
  /* Looked up on the type, like all such protocols. Numbers and strings return here. */
  PyObject* found = _PyType_Lookup(Py_TYPE(object), name);
  if (found == NULL) return 0;
  int refused = tnp_refuse_traits(object, refusal);
  if (refused != 0) return refused < 0 ? -1 : 0;
  PyObject* stream;
  if (consumer_stream(object, &stream) != 0) return -1;
  PyObject* args[4] = {NULL, object, version, stream};
  PyObject* capsule = PyObject_VectorcallMethod(name, args + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                                stream ? stream_names : version_names);
  if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
    /* The producer predates versioned capsules. */
    PyErr_Clear();
    args[2] = stream;
    static PyObject* only_stream;
    if (only_stream == NULL) only_stream = Py_BuildValue("(s)", "stream");
    capsule = PyObject_VectorcallMethod(name, args + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                        stream ? only_stream : NULL);
  }
  Py_XDECREF(stream);
  if (capsule == NULL) return -1;
  int result = -1;
  if (PyCapsule_CheckExact(capsule)) {
    result = import_capsule(capsule, out) == 0 ? 1 : -1;
  } else {
    tnp_raise_format(TENON_ERROR_TYPE, "from_dlpack: __dlpack__() must return a capsule, got %s",
                     Py_TYPE(capsule)->tp_name);
  }
  Py_DECREF(capsule);
  return result;
}

PyObject* tnp_from_dlpack(PyObject* module, PyObject* object) {
  (void)module;
  tenon_tensor* tensor;
  if (PyCapsule_CheckExact(object)) {
    return import_capsule(object, &tensor) == 0 ? tnp_tensor_wrap(tensor) : NULL;
  }
  const char* refusal = NULL;
  int found = tnp_import_dlpack(object, &tensor, &refusal);
  if (found > 0) return tnp_tensor_wrap(tensor);
  if (refusal != NULL) {
    PyErr_Format(PyExc_BufferError,
                 "from_dlpack: object must be what its memory holds, got %s (%s)",
                 Py_TYPE(object)->tp_name, refusal);
  } else if (found == 0) {
    tnp_raise_format(TENON_ERROR_TYPE, "from_dlpack: object must have __dlpack__, got %s",
                     Py_TYPE(object)->tp_name);
  }
  return NULL;
}

/* ---- Out ------------------------------------------------------------------------------------- */

static void drop_capsule(PyObject* capsule) {
  /* A consumer renames the capsule. If it was not renamed, the struct is still ours to free. */
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    struct DLManagedTensorVersioned* managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    if (managed->deleter != NULL) managed->deleter(managed);
  } else if (PyCapsule_IsValid(capsule, "dltensor")) {
    struct DLManagedTensor* managed = PyCapsule_GetPointer(capsule, "dltensor");
    if (managed->deleter != NULL) managed->deleter(managed);
  }
}

static int dl_device_of(PyObject* self, int* type, int* index) {
  tenon_tensor* tensor = tnp_tensor_get(self);
  tenon_device device;
  if (tensor == NULL) return -1;
  tenon_tensor_device(tensor, &device);
  if (device.type != TENON_DEVICE_CPU && device.type != TENON_DEVICE_CUDA) {
    PyErr_Format(PyExc_BufferError, "__dlpack__: device must be one that DLPack has, got %s",
                 tenon_device_type_name(device.type));
    return -1;
  }
  *type = device.type == TENON_DEVICE_CPU ? DL_CPU : DL_CUDA;
  *index = device.index < 0 ? 0 : device.index;
  return 0;
}

PyObject* tnp_tensor_dlpack_device(PyObject* self, PyObject* unused) {
  (void)unused;
  int type, index;
  return dl_device_of(self, &type, &index) == 0 ? Py_BuildValue("(ii)", type, index) : NULL;
}

static PyObject* export_tensor(PyObject* self, void* stream, bool versioned) {
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  PyObject* capsule;
  if (versioned) {
    struct DLManagedTensorVersioned* managed;
    if (tnp_check(tenon_tensor_to_dlpack(tensor, stream, &managed)) != 0) return NULL;
    capsule = PyCapsule_New(managed, "dltensor_versioned", drop_capsule);
    if (capsule == NULL) managed->deleter(managed);
  } else {
    struct DLManagedTensor* managed;
    if (tnp_check(tenon_tensor_to_dlpack_legacy(tensor, stream, &managed)) != 0) return NULL;
    capsule = PyCapsule_New(managed, "dltensor", drop_capsule);
    if (capsule == NULL) managed->deleter(managed);
  }
  return capsule;
}

static PyObject* to_cpu(PyObject* self) {
  static PyObject* names;
  if (names == NULL && (names = Py_BuildValue("(s)", "device")) == NULL) return NULL;
  tenon_device cpu = {TENON_DEVICE_CPU, -1};
  PyObject* device = tnp_device_object(cpu);
  PyObject* op = tnp_cached_op(&op_to_copy);
  PyObject* args[3] = {NULL, self, device};
  PyObject* result =
      op && device
          ? ((tnp_op*)op)->vectorcall(op, args + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, names)
          : NULL;
  Py_XDECREF(device);
  return result;
}

PyObject* tnp_tensor_dlpack(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames) {
  PyObject *stream = Py_None, *max_version = Py_None, *device = Py_None, *copy = Py_None;
  if (nargs > 0) {
    return tnp_raise_format(TENON_ERROR_TYPE, "__dlpack__: positional arguments must be 0, got %zd",
                            nargs);
  }
  for (Py_ssize_t i = 0; kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); i++) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, i);
    PyObject** slot = PyUnicode_CompareWithASCIIString(name, "stream") == 0        ? &stream
                      : PyUnicode_CompareWithASCIIString(name, "max_version") == 0 ? &max_version
                      : PyUnicode_CompareWithASCIIString(name, "dl_device") == 0   ? &device
                      : PyUnicode_CompareWithASCIIString(name, "copy") == 0        ? &copy
                                                                                   : NULL;
    if (slot == NULL) {
      return tnp_raise_format(TENON_ERROR_TYPE,
                              "__dlpack__: keyword must be stream, max_version, "
                              "dl_device or copy, got '%S'",
                              name);
    }
    *slot = args[i];
  }
  int type, index, wanted_type, wanted_index;
  if (dl_device_of(self, &type, &index) != 0) return NULL;
  bool versioned = false;
  if (max_version != Py_None) {
    int major, minor;
    if (!PyTuple_Check(max_version) || !PyArg_ParseTuple(max_version, "ii", &major, &minor)) {
      PyErr_Clear();
      return tnp_raise_format(TENON_ERROR_TYPE,
                              "__dlpack__: max_version must be a tuple of two ints, "
                              "got %R",
                              max_version);
    }
    versioned = major >= 1;
  }
  Py_INCREF(self);
  PyObject* source = self;
  if (device != Py_None) {
    if (!PyTuple_Check(device) || !PyArg_ParseTuple(device, "ii", &wanted_type, &wanted_index)) {
      PyErr_Clear();
      Py_DECREF(source);
      return tnp_raise_format(TENON_ERROR_TYPE,
                              "__dlpack__: dl_device must be a tuple of two ints, "
                              "got %R",
                              device);
    }
    if (wanted_type != type || wanted_index != index) {
      if (wanted_type != DL_CPU || copy == Py_False) {
        Py_DECREF(source);
        PyErr_SetString(PyExc_BufferError,
                        "__dlpack__: dl_device must be the tensor's own, or the "
                        "CPU with copy allowed, got another");
        return NULL;
      }
      Py_SETREF(source, to_cpu(self));
    }
  }
  if (source == self && copy == Py_True) {
    PyObject* op = tnp_cached_op(&op_clone);
    Py_SETREF(source, op ? PyObject_CallOneArg(op, self) : NULL);
  }
  if (source == NULL) return NULL;
  void* handle = NULL;
  if (stream != Py_None) {
    long long number = PyLong_AsLongLong(stream);
    if (number == -1 && PyErr_Occurred()) {
      Py_DECREF(source);
      return NULL;
    }
    /* -1: no ordering requested; 1 and 2: CUDA's default streams. */
    handle = number > 2 ? (void*)(intptr_t)number : NULL;
  }
  PyObject* capsule = export_tensor(source, handle, versioned);
  Py_DECREF(source);
  return capsule;
}
