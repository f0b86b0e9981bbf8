/* SPDX-License-Identifier: Apache-2.0 */
/* Instances of subclasses of Tensor, and the arguments of constructors. */
#include "overrides.h"

#include "exchange.h"

/* Replaces a tensor's only object by an instance of a subclass. */
static PyObject* replace_object(PyObject* old, PyTypeObject* type) {
  tenon_tensor* tensor = ((tnp_tensor*)old)->tensor;
  ((tnp_tensor*)old)->tensor = NULL;
  return tnp_tensor_wrap_as(type, tensor);
}

/* Applies `known`, an operator whose result shares the memory, and returns the result as an
 * instance of a class. */
static PyObject* as_type(tnp_op_cache* known, PyObject* source, PyTypeObject* type) {
  if (!PyType_IsSubtype(type, tnp_tensor_type)) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "as_subclass: cls must be a subclass of Tensor, got %s", type->tp_name);
  }
  /* Handlers of the public function that needs this object have already been called. */
  tenon_key_guard guard;
  PyObject* op = tnp_cached_op(known);
  if (op == NULL || tnp_check(tenon_key_guard_exclude(TNP_OVERRIDE_KEYS, &guard)) != 0) return NULL;
  PyObject* fresh = tnp_op_apply(op, source, NULL, 0);
  if (tnp_check(tenon_key_guard_leave(&guard)) != 0) Py_CLEAR(fresh);
  if (fresh == NULL || Py_TYPE(fresh) == type) return fresh;
  PyObject* self = replace_object(fresh, type);
  Py_DECREF(fresh);
  return self;
}

static tnp_op_cache op_alias = {"aten::alias", NULL};
static tnp_op_cache op_detach = {"aten::detach", NULL};

PyObject* tnp_tensor_as_class(PyObject* object, PyTypeObject* cls) {
  const tnp_tensor* self = (tnp_tensor*)object;
  const bool unseen = Py_REFCNT(object) == 1 && Py_TYPE(object) == tnp_tensor_type &&
                      self->tensor != NULL && self->dict == NULL && self->weakrefs == NULL &&
                      tenon_tensor_use_count(self->tensor) == 1;
  return unseen ? replace_object(object, cls) : as_type(&op_alias, object, cls);
}

/* Creates a tensor from a constructor's other arguments: nested lists of numbers, or sizes. */
static PyObject* from_numbers(PyObject* args) {
  static tnp_op_cache empty = {"aten::empty.memory_format", NULL};
  PyObject* first = PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : NULL;
  if (first != NULL && (PyList_Check(first) || PyTuple_Check(first) || PyRange_Check(first) ||
                        (tnp_is_ndarray(first) && tnp_ndarray_ndim(first) > 0))) {
    PyObject* pair[2] = {first, tnp_dtype_object(tenon_dtype_default())};
    PyObject* made = pair[1] != NULL ? tnp_tensor_from_data(NULL, pair, 2) : NULL;
    Py_XDECREF(pair[1]);
    return tnp_in_fake_mode(made);
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); i++) {
    PyObject* size = PyTuple_GET_ITEM(args, i);
    if (PyLong_CheckExact(size)) continue;
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "Tensor: data must be a Tensor, lists of numbers or sizes, got %s; "
                            "tenon.tensor(data) makes one of anything",
                            Py_TYPE(size)->tp_name);
  }
  PyObject* sizes = PyTuple_GET_SIZE(args) == 0 ? Py_BuildValue("(i)", 0) : Py_NewRef(args);
  PyObject* op = sizes != NULL ? tnp_cached_op(&empty) : NULL;
  PyObject* made = op != NULL ? PyObject_CallOneArg(op, sizes) : NULL;
  Py_XDECREF(sizes);
  return made;
}

PyObject* tnp_tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* source = PyTuple_GET_SIZE(args) >= 1 ? PyTuple_GET_ITEM(args, 0) : NULL;
  const bool of_tensor = source != NULL && TNP_IS_TENSOR(source);
  if (type == tnp_tensor_type && (kwargs != NULL || (of_tensor && PyTuple_GET_SIZE(args) != 1))) {
    return tnp_raise_format(TENON_ERROR_TYPE, "Tensor: data must be the only argument, got more");
  }
  if (of_tensor) return as_type(&op_detach, source, type);
  PyObject* made = from_numbers(args);
  if (made == NULL || type == tnp_tensor_type) return made;
  PyObject* self = tnp_tensor_as_class(made, type);
  Py_DECREF(made);
  return self;
}

PyObject* tnp_tensor_as_subclass(PyObject* self, PyObject* type) {
  if (!PyType_Check(type)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "as_subclass: cls must be a class, got %s",
                            Py_TYPE(type)->tp_name);
  }
  return as_type(&op_alias, self, (PyTypeObject*)type);
}

/* Returns true if a class belongs to this package, such as Parameter: instances print as
 * tensors. Under tenon.as_torch, the modules of such classes are named torch. */
static int is_of_package(PyTypeObject* type) {
  PyObject* module = PyObject_GetAttrString((PyObject*)type, "__module__");
  if (module == NULL) return -1;
  const char* name = PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : "";
  const size_t size = strlen(tnp_package_name);
  const int renamed = name != NULL && strncmp(name, tnp_package_name, size) == 0;
  const int result =
      name == NULL ? -1 : (renamed && name[size] == '.') || strncmp(name, "tenon.", 6) == 0;
  Py_DECREF(module);
  return result;
}

/* Changes "tensor([1.])" to "Name([1.])" and aligns further lines with the first bracket. */
static PyObject* print_as(PyObject* text, PyTypeObject* type) {
  enum { kTensor = sizeof "tensor" - 1 };
  PyObject* name = PyObject_GetAttrString((PyObject*)type, "__name__");
  PyObject* rest = PyUnicode_Substring(text, kTensor, PY_SSIZE_T_MAX);
  PyObject* space = PyUnicode_FromString(" ");
  PyObject* old = PyUnicode_FromString("\n       ");
  PyObject* indent =
      name && space ? PySequence_Repeat(space, PyUnicode_GET_LENGTH(name) + 1) : NULL;
  PyObject* new = indent ? PyUnicode_FromFormat("\n%U", indent) : NULL;
  PyObject* moved = rest && old && new ? PyUnicode_Replace(rest, old, new, -1) : NULL;
  PyObject* result = moved ? PyUnicode_Concat(name, moved) : NULL;
  Py_XDECREF(name);
  Py_XDECREF(rest);
  Py_XDECREF(space);
  Py_XDECREF(old);
  Py_XDECREF(indent);
  Py_XDECREF(new);
  Py_XDECREF(moved);
  return result;
}

PyObject* tnp_subclass_print(PyObject* text, PyTypeObject* type) {
  const int own = is_of_package(type);
  const char* plain = own == 0 ? PyUnicode_AsUTF8(text) : NULL;
  if (own > 0 || (plain != NULL && strncmp(plain, "tensor(", 7) != 0)) return text;
  PyObject* result = plain != NULL ? print_as(text, type) : NULL;
  Py_DECREF(text);
  return result;
}
