/* SPDX-License-Identifier: Apache-2.0 */
/* Small value types: dtype, layout, memory_format and device. */
#include "native.h"
#include "value.h"

/* ---- dtype, layout, memory_format: named constants, one object each -------------------------- */

PyTypeObject* tnp_dtype_type;
PyTypeObject* tnp_layout_type;
PyTypeObject* tnp_memory_format_type;
PyTypeObject* tnp_device_type;

#define DTYPES 32
static PyObject* dtypes[DTYPES];
static PyObject* layouts[1];
static PyObject* memory_formats[4];
static const char* const layout_names[] = {"strided"};
static const char* const memory_format_names[] = {"contiguous_format", "preserve_format",
                                                  "channels_last", "channels_last_3d"};

static PyObject* constant_repr(PyObject* object) {
  return PyUnicode_FromFormat("%s.%s", tnp_package_name, ((tnp_constant*)object)->name);
}

static PyObject* constant_reduce(PyObject* object, PyObject* unused) {
  (void)unused;
  /* Pickles by name. */
  PyObject* find = PyImport_ImportModule("tenon.dtype");
  if (find == NULL) return NULL;
  PyObject* function = PyObject_GetAttrString(find, "_constant");
  Py_DECREF(find);
  if (function == NULL) return NULL;
  return Py_BuildValue("(N(s))", function, ((tnp_constant*)object)->name);
}

static PyObject* constant_name(PyObject* object, void* unused) {
  (void)unused;
  return PyUnicode_FromString(((tnp_constant*)object)->name);
}

static PyObject* constant_code(PyObject* object, void* unused) {
  (void)unused;
  return PyLong_FromLongLong(((tnp_constant*)object)->code);
}

static void constant_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject* dtype_itemsize(PyObject* object, void* unused) {
  (void)unused;
  return PyLong_FromLongLong(tenon_dtype_size((tenon_dtype)((tnp_constant*)object)->code));
}

static PyObject* dtype_trait(PyObject* object, void* bit) {
  uint32_t traits = tenon_dtype_traits((tenon_dtype)((tnp_constant*)object)->code);
  return PyBool_FromLong((traits & (uint32_t)(uintptr_t)bit) != 0);
}

static PyMethodDef constant_methods[] = {{"__reduce__", constant_reduce, METH_NOARGS, NULL},
                                         {NULL, NULL, 0, NULL}};
static PyGetSetDef constant_getset[] = {
    {"name", constant_name, NULL, "Name without the module.", NULL},
    {"code", constant_code, NULL, "Number in the C interface.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyGetSetDef dtype_getset[] = {
    {"name", constant_name, NULL, "Name without the module, such as \"float32\".", NULL},
    {"code", constant_code, NULL, "Number in the C interface, TENON_DTYPE_*.", NULL},
    {"itemsize", dtype_itemsize, NULL, "Size of one element in bytes.", NULL},
    {"is_floating_point", dtype_trait, NULL, "Whether it is a real floating dtype.",
     (void*)TENON_DTYPE_IS_FLOATING},
    {"is_complex", dtype_trait, NULL, "Whether it is complex.", (void*)TENON_DTYPE_IS_COMPLEX},
    {"is_signed", dtype_trait, NULL, "Whether it has a sign.", (void*)TENON_DTYPE_IS_SIGNED},
    {NULL, NULL, NULL, NULL, NULL}};

#define CONSTANT_SLOTS(doc, getset)                                                   \
  {                                                                                   \
    {Py_tp_doc, doc}, {Py_tp_repr, constant_repr}, {Py_tp_methods, constant_methods}, \
        {Py_tp_getset, getset}, {Py_tp_dealloc, constant_dealloc}, {                  \
      0, NULL                                                                         \
    }                                                                                 \
  }
static PyType_Slot dtype_slots[] =
    CONSTANT_SLOTS("Element type of a tensor, such as tenon.float32.", dtype_getset);
static PyType_Slot layout_slots[] = CONSTANT_SLOTS("Layout of a tensor.", constant_getset);
static PyType_Slot memory_format_slots[] =
    CONSTANT_SLOTS("Order in which a new tensor's elements lie in memory.", constant_getset);
#define CONSTANT_FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION)
static PyType_Spec dtype_spec = {"tenon.dtype", sizeof(tnp_constant), 0, CONSTANT_FLAGS,
                                 dtype_slots};
static PyType_Spec layout_spec = {"tenon.layout", sizeof(tnp_constant), 0, CONSTANT_FLAGS,
                                  layout_slots};
static PyType_Spec memory_format_spec = {"tenon.memory_format", sizeof(tnp_constant), 0,
                                         CONSTANT_FLAGS, memory_format_slots};

static PyObject* constant_make(PyTypeObject* type, int64_t code, const char* name) {
  tnp_constant* self = PyObject_New(tnp_constant, type);
  if (self == NULL) return NULL;
  self->code = code;
  self->name = name;
  return (PyObject*)self;
}

static PyObject* constant_get(PyObject** table, int64_t count, int64_t code, const char* what) {
  if (code < 0 || code >= count || table[code] == NULL) {
    return tnp_raise_format(TENON_ERROR_NOT_FOUND, "%s: number must be a known one, got %lld", what,
                            (long long)code);
  }
  Py_INCREF(table[code]);
  return table[code];
}

PyObject* tnp_dtype_object(tenon_dtype dtype) {
  return constant_get(dtypes, DTYPES, dtype, "dtype");
}
PyObject* tnp_layout_object(int64_t layout) { return constant_get(layouts, 1, layout, "layout"); }
PyObject* tnp_memory_format_object(int64_t format) {
  return constant_get(memory_formats, 4, format, "memory_format");
}

int tnp_to_dtype(PyObject* object, tenon_dtype* out_dtype) {
  if (Py_TYPE(object) == tnp_dtype_type) {
    *out_dtype = (tenon_dtype)((tnp_constant*)object)->code;
    return 1;
  }
  if (object == (PyObject*)&PyFloat_Type) {
    *out_dtype = TENON_DTYPE_F64;
  } else if (object == (PyObject*)&PyLong_Type) {
    *out_dtype = TENON_DTYPE_I64;
  } else if (object == (PyObject*)&PyBool_Type) {
    *out_dtype = TENON_DTYPE_BOOL;
  } else if (object == (PyObject*)&PyComplex_Type) {
    *out_dtype = TENON_DTYPE_C128;
  } else {
    return 0;
  }
  return 1;
}

/* ---- device ---------------------------------------------------------------------------------- */

static PyObject* cpu_device;

PyObject* tnp_device_object(tenon_device device) {
  bool cpu = device.type == TENON_DEVICE_CPU && device.index <= 0;
  if (cpu && cpu_device != NULL) {
    Py_INCREF(cpu_device);
    return cpu_device;
  }
  tnp_device* self = PyObject_New(tnp_device, tnp_device_type);
  if (self == NULL) return NULL;
  self->device = device;
  /* CPU and Meta have one device, whose index is not printed. */
  bool is_meta = device.type == TENON_DEVICE_META && device.index < TENON_DEVICE_FAKE;
  if (cpu || is_meta) self->device.index = -1;
  return (PyObject*)self;
}

/* Returns true for a PyTorch device type that is only registered when it is first named. */
static bool is_registered_late(const char* name) {
  static const char* const names[] = {"fpga", "hip", "hpu",    "ideep",  "ipu",          "lazy",
                                      "maia", "mps", "mkldnn", "mtia",   "opencl",       "opengl",
                                      "ve",   "xla", "xpu",    "vulkan", "privateuseone"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return false;
}

/* Like tenon_device_parse, but registers device types that programs may name, such as "mps". */
static tenon_status parse_device(const char* text, tenon_device* out_device) {
  tenon_status status = tenon_device_parse(text, out_device);
  if (status != TENON_ERROR_NOT_FOUND) return status;
  char name[16];
  const size_t length = strcspn(text, ":");
  if (length >= sizeof name) return status;
  memcpy(name, text, length);
  name[length] = '\0';
  if (!is_registered_late(name)) return status;
  tenon_error_release(tenon_error_take());
  int32_t type;
  status = tenon_backend_register(name, &type);
  return status == TENON_OK ? tenon_device_parse(text, out_device) : status;
}

int tnp_to_device(PyObject* object, tenon_device* out_device) {
  if (Py_TYPE(object) == tnp_device_type) {
    *out_device = ((tnp_device*)object)->device;
    return 1;
  }
  if (!PyUnicode_Check(object)) return 0;
  const char* text = tnp_utf8(object);
  if (text == NULL || tnp_check(parse_device(text, out_device)) != 0) return -1;
  return 1;
}

static PyObject* device_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)type;
  static char* names[] = {"type", "index", NULL};
  PyObject* text;
  PyObject* index = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:device", names, &text, &index)) return NULL;
  tenon_device device;
  int found = tnp_to_device(text, &device);
  if (found < 0) return NULL;
  if (found == 0) {
    return tnp_raise_format(TENON_ERROR_TYPE, "device: type must be str or device, got %s",
                            Py_TYPE(text)->tp_name);
  }
  if (index != Py_None) {
    long number = PyLong_AsLong(index);
    if (number == -1 && PyErr_Occurred()) return NULL;
    const bool is_given = PyUnicode_Check(text)
                              ? PyUnicode_FindChar(text, ':', 0, PyUnicode_GET_LENGTH(text), 1) >= 0
                              : device.index >= 0;
    if (number < 0 || number > 127 || is_given) {
      return tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                              "device: index must be between 0 and 127 and given once, got %ld",
                              number);
    }
    device.index = (int32_t)number;
  }
  return tnp_device_object(device);
}

/* Returns the index to print. A device that makes an operator create fake tensors prints as the
 * device that they claim. */
static int32_t claimed_index(tenon_device device) {
  if (device.index < TENON_DEVICE_FAKE) return device.index;
  bool only_one = device.type == TENON_DEVICE_CPU || device.type == TENON_DEVICE_META;
  return only_one ? -1 : device.index - TENON_DEVICE_FAKE;
}

static PyObject* device_str(PyObject* object) {
  tenon_device device = ((tnp_device*)object)->device;
  const char* name = tenon_device_type_name(device.type);
  int32_t index = claimed_index(device);
  if (index < 0) return PyUnicode_FromString(name);
  return PyUnicode_FromFormat("%s:%d", name, (int)index);
}

static PyObject* device_repr(PyObject* object) {
  tenon_device device = ((tnp_device*)object)->device;
  const char* name = tenon_device_type_name(device.type);
  int32_t index = claimed_index(device);
  if (index < 0) return PyUnicode_FromFormat("device(type='%s')", name);
  return PyUnicode_FromFormat("device(type='%s', index=%d)", name, (int)index);
}

static PyObject* device_compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  tenon_device x = ((tnp_device*)a)->device, y = ((tnp_device*)b)->device;
  return PyBool_FromLong((x.type == y.type && claimed_index(x) == claimed_index(y)) ==
                         (op == Py_EQ));
}

static Py_hash_t device_hash(PyObject* object) {
  tenon_device device = ((tnp_device*)object)->device;
  return (Py_hash_t)device.type * 1009 + claimed_index(device) + 2;
}

static PyObject* device_type_name(PyObject* object, void* unused) {
  (void)unused;
  return PyUnicode_FromString(tenon_device_type_name(((tnp_device*)object)->device.type));
}

static PyObject* device_index(PyObject* object, void* unused) {
  (void)unused;
  int32_t index = claimed_index(((tnp_device*)object)->device);
  if (index < 0) Py_RETURN_NONE;
  return PyLong_FromLong(index);
}

static PyObject* device_reduce(PyObject* object, PyObject* unused) {
  (void)unused;
  return Py_BuildValue("(O(N))", Py_TYPE(object), device_str(object));
}

static PyObject* device_type_code(PyObject* object, void* unused) {
  (void)unused;
  return PyLong_FromLong(((tnp_device*)object)->device.type);
}

static PyGetSetDef device_getset[] = {
    {"type_code", device_type_code, NULL, "Number of the device type in the C interface.", NULL},
    {"type", device_type_name, NULL, "Device type, such as \"cuda\".", NULL},
    {"index", device_index, NULL, "Number of the device, or None for the current one.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyObject* device_enter(PyObject* object, PyObject* unused) {
  (void)unused;
  PyObject* python = PyImport_ImportModule("tenon.default_device");
  PyObject* done = python ? PyObject_CallMethod(python, "enter", "O", object) : NULL;
  Py_XDECREF(python);
  if (done == NULL) return NULL;
  Py_DECREF(done);
  return Py_NewRef(object);
}

static PyObject* device_exit(PyObject* object, PyObject* args) {
  (void)object;
  (void)args;
  PyObject* python = PyImport_ImportModule("tenon.default_device");
  PyObject* done = python ? PyObject_CallMethod(python, "leave", NULL) : NULL;
  Py_XDECREF(python);
  return done;
}

static PyMethodDef device_methods[] = {{"__enter__", device_enter, METH_NOARGS, NULL},
                                       {"__exit__", device_exit, METH_VARARGS, NULL},
                                       {"__reduce__", device_reduce, METH_NOARGS, NULL},
                                       {NULL, NULL, 0, NULL}};
static PyType_Slot device_slots[] = {
    {Py_tp_doc,
     "device(type, index=None)\n--\n\nA device such as device(\"cuda:1\"). In a `with` block "
     "factories make their tensors on it."},
    {Py_tp_new, device_new},
    {Py_tp_str, device_str},
    {Py_tp_repr, device_repr},
    {Py_tp_richcompare, device_compare},
    {Py_tp_hash, device_hash},
    {Py_tp_getset, device_getset},
    {Py_tp_methods, device_methods},
    {Py_tp_dealloc, constant_dealloc},
    {0, NULL}};
static PyType_Spec device_spec = {"tenon.device", sizeof(tnp_device), 0, Py_TPFLAGS_DEFAULT,
                                  device_slots};

/* ---- The module ------------------------------------------------------------------------------ */

static PyObject* find_dtype(PyObject* module, PyObject* name) {
  (void)module;
  const char* text = tnp_utf8(name);
  tenon_dtype dtype;
  if (text == NULL || tnp_check(tenon_dtype_parse(text, &dtype)) != 0) return NULL;
  return tnp_dtype_object(dtype);
}

static PyObject* default_dtype(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return tnp_dtype_object(tenon_dtype_default());
}

static PyObject* set_default_dtype(PyObject* module, PyObject* object) {
  (void)module;
  tenon_dtype dtype;
  if (tnp_to_dtype(object, &dtype) != 1) {
    return tnp_raise_format(TENON_ERROR_TYPE, "set_default_dtype: dtype must be a dtype, got %s",
                            Py_TYPE(object)->tp_name);
  }
  if (tnp_check(tenon_dtype_set_default(dtype)) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* promote_types(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *a, *b;
  tenon_dtype result;
  if (!PyArg_ParseTuple(args, "O!O!:promote_types", tnp_dtype_type, &a, tnp_dtype_type, &b)) {
    return NULL;
  }
  if (tnp_check(tenon_dtype_promote((tenon_dtype)((tnp_constant*)a)->code,
                                    (tenon_dtype)((tnp_constant*)b)->code, &result)) != 0) {
    return NULL;
  }
  return tnp_dtype_object(result);
}

static PyMethodDef methods[] = {
    {"find_dtype", find_dtype, METH_O, "Finds a dtype by name or alias."},
    {"get_default_dtype", default_dtype, METH_NOARGS,
     "get_default_dtype()\n--\n\nReturns the default floating dtype."},
    {"set_default_dtype", set_default_dtype, METH_O,
     "set_default_dtype(dtype, /)\n--\n\nSets the default floating dtype of the process."},
    {"promote_types", promote_types, METH_VARARGS,
     "promote_types(a, b, /)\n--\n\nReturns the dtype that both promote to."},
    {NULL, NULL, 0, NULL}};

static int add_constants(PyObject* module, PyTypeObject* type, PyObject** table, int count,
                         const char* const* names) {
  for (int code = 0; code < count; code++) {
    const char* name = names ? names[code] : tenon_dtype_name(code);
    if (strcmp(name, "unknown") == 0) continue;
    if (table[code] == NULL && (table[code] = constant_make(type, code, name)) == NULL) return -1;
    Py_INCREF(table[code]);
    if (PyModule_AddObject(module, name, table[code]) != 0) return -1;
  }
  return 0;
}

int tnp_types_init(PyObject* module) {
  if (tnp_add_type(module, &tnp_dtype_type, &dtype_spec, NULL) ||
      tnp_add_type(module, &tnp_layout_type, &layout_spec, NULL) ||
      tnp_add_type(module, &tnp_memory_format_type, &memory_format_spec, NULL) ||
      tnp_add_type(module, &tnp_device_type, &device_spec, NULL) ||
      add_constants(module, tnp_dtype_type, dtypes, DTYPES, NULL) ||
      add_constants(module, tnp_layout_type, layouts, 1, layout_names) ||
      add_constants(module, tnp_memory_format_type, memory_formats, 4, memory_format_names) ||
      PyModule_AddFunctions(module, methods) != 0) {
    return -1;
  }
  if (cpu_device == NULL) {
    tenon_device cpu = {TENON_DEVICE_CPU, -1};
    cpu_device = tnp_device_object(cpu);
  }
  return cpu_device ? 0 : -1;
}
