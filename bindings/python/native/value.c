/* SPDX-License-Identifier: Apache-2.0 */
/* Boxed values: memory of one call, compiled schema types, and conversion to Python objects. */
#include "value.h"
#include "graph.h"

#include "symbol.h"

/* ---- Memory of one call ---------------------------------------------------------------------- */

void tnp_call_finish(tnp_call* call) {
  bool nested = tnp_free_begin();
  for (uint32_t i = 0; i < call->owned_count; i++) {
    tnp_owned* owned =
        i < TNP_FEW_OWNED ? &call->few_owned[i] : &call->more_owned[i - TNP_FEW_OWNED];
    owned->release(owned->handle);
  }
  tnp_free_end(nested);
  PyMem_Free(call->more_owned);
  void** chunk = call->chunks;
  while (chunk != NULL) {
    void** next = *chunk;
    PyMem_Free(chunk);
    chunk = next;
  }
}

void* tnp_take_memory(tnp_call* call, size_t size) {
  size = (size + 7) & ~(size_t)7;
  if (TNP_LIKELY(size <= sizeof call->memory - call->used)) {
    void* memory = call->memory + call->used;
    call->used += (uint32_t)size;
    return memory;
  }
  void** chunk = PyMem_Malloc(size + 8);
  if (chunk == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  *chunk = call->chunks;
  call->chunks = chunk;
  return chunk + 1;
}

int tnp_own_more(tnp_call* call, void* handle, void (*release)(void*)) {
  size_t more = call->owned_count - TNP_FEW_OWNED;
  if ((more & (more - 1)) == 0) { /* full at 0, 1, 2, 4, ...: double it */
    tnp_owned* grown = PyMem_Realloc(call->more_owned, (more == 0 ? 1 : 2 * more) * sizeof *grown);
    if (grown == NULL) {
      release(handle);
      PyErr_NoMemory();
      return -1;
    }
    call->more_owned = grown;
  }
  call->more_owned[more].handle = handle;
  call->more_owned[more].release = release;
  call->owned_count++;
  return 0;
}

/* ---- Schema types ---------------------------------------------------------------------------- */

static uint16_t conversion_of(uint32_t kind) {
  switch (kind) {
    case TENON_TYPE_TENSOR:
      return TNP_CONV_TENSOR;
    case TENON_TYPE_INT:
    case TENON_TYPE_SYMINT:
    case TENON_TYPE_DEVICE_INDEX:
    case TENON_TYPE_QSCHEME:
      return TNP_CONV_INT;
    case TENON_TYPE_FLOAT:
    case TENON_TYPE_SYMFLOAT:
      return TNP_CONV_FLOAT;
    case TENON_TYPE_BOOL:
    case TENON_TYPE_SYMBOOL:
      return TNP_CONV_BOOL;
    case TENON_TYPE_COMPLEX:
      return TNP_CONV_COMPLEX;
    case TENON_TYPE_SCALAR:
      return TNP_CONV_SCALAR;
    case TENON_TYPE_STRING:
      return TNP_CONV_STRING;
    case TENON_TYPE_DTYPE:
      return TNP_CONV_DTYPE;
    case TENON_TYPE_LAYOUT:
      return TNP_CONV_LAYOUT;
    case TENON_TYPE_MEMORY_FORMAT:
      return TNP_CONV_MEMORY_FORMAT;
    case TENON_TYPE_DEVICE:
      return TNP_CONV_DEVICE;
    case TENON_TYPE_STREAM:
      return TNP_CONV_STREAM;
    case TENON_TYPE_GENERATOR:
      return TNP_CONV_GENERATOR;
    case TENON_TYPE_NONE:
      return TNP_CONV_NONE;
    case TENON_TYPE_ANY:
    case TENON_TYPE_VARIABLE:
      return TNP_CONV_ANY;
    case TENON_TYPE_CLASS:
    case TENON_TYPE_CAPSULE:
      return TNP_CONV_CLASS;
    case TENON_TYPE_FUNCTION:
      return TNP_CONV_FUNCTION;
    case TENON_TYPE_TUPLE:
      return TNP_CONV_TUPLE;
    case TENON_TYPE_DICT:
      return TNP_CONV_DICT;
    case TENON_TYPE_UNION:
      return TNP_CONV_UNION;
    default:
      return TNP_CONV_UNSUPPORTED;
  }
}

int tnp_type_compile(const tenon_type* type, int64_t list_size, tnp_type* out) {
  memset(out, 0, sizeof *out);
  out->list_size = -1;
  const char* text = tenon_type_text(type);
  size_t size = strlen(text) + 1;
  char* copy = PyMem_Malloc(size);
  if (copy == NULL) return PyErr_NoMemory(), -1;
  memcpy(copy, text, size);
  while (tenon_type_kind(type) == TENON_TYPE_OPTIONAL) {
    out->optional = 1;
    type = tenon_type_element(type, 0);
  }
  out->text = copy;
  uint32_t kind = tenon_type_kind(type);
  int64_t count = tenon_type_element_count(type);
  if (count > 0) {
    out->elements = PyMem_Calloc((size_t)count, sizeof(tnp_type));
    if (out->elements == NULL) return PyErr_NoMemory(), -1;
    out->count = (uint32_t)count;
    for (int64_t i = 0; i < count; i++) {
      if (tnp_type_compile(tenon_type_element(type, i), -1, &out->elements[i]) != 0) return -1;
    }
  }
  if (kind == TENON_TYPE_LIST) {
    out->list_size = list_size;
    const tnp_type* element = out->elements;
    uint16_t conv =
        element->optional && element->conv != TNP_CONV_TENSOR ? TNP_CONV_ANY : element->conv;
    out->conv = conv == TNP_CONV_TENSOR  ? TNP_CONV_TENSOR_LIST
                : conv == TNP_CONV_INT   ? TNP_CONV_INT_LIST
                : conv == TNP_CONV_FLOAT ? TNP_CONV_FLOAT_LIST
                : conv == TNP_CONV_BOOL  ? TNP_CONV_BOOL_LIST
                                         : TNP_CONV_LIST;
  } else {
    out->conv = conversion_of(kind);
  }
  return 0;
}

void tnp_type_free(tnp_type* type) {
  for (uint32_t i = 0; i < type->count; i++) tnp_type_free(&type->elements[i]);
  PyMem_Free(type->elements);
  PyMem_Free(type->text);
}

/* ---- Value to Python ------------------------------------------------------------------------- */

PyObject* tnp_from_value(tenon_value* value, bool steal) {
  PyObject* result;
  uint32_t count = value->count;
  const void* data = value->as.list.data;
  switch (value->tag) {
    case TENON_TAG_NONE:
      Py_RETURN_NONE;
    case TENON_TAG_BOOL:
      return PyBool_FromLong((long)value->as.i);
    case TENON_TAG_INT:
      return PyLong_FromLongLong(value->as.i);
    case TENON_TAG_FLOAT:
      return PyFloat_FromDouble(value->as.f);
    case TENON_TAG_COMPLEX:
      return PyComplex_FromDoubles(value->as.c.real, value->as.c.imag);
    case TENON_TAG_STRING:
      return PyUnicode_DecodeUTF8(data ? data : "", count, "replace");
    case TENON_TAG_DTYPE:
      return tnp_dtype_object((tenon_dtype)value->as.i);
    case TENON_TAG_LAYOUT:
      return tnp_layout_object(value->as.i);
    case TENON_TAG_MEMORY_FORMAT:
      return tnp_memory_format_object(value->as.i);
    case TENON_TAG_DEVICE:
      return tnp_device_object(value->as.device);
    case TENON_TAG_STREAM:
      return Py_BuildValue("(NN)", tnp_device_object(value->as.stream.device),
                           PyLong_FromVoidPtr(value->as.stream.handle));
    case TENON_TAG_GENERATOR:
      return tnp_generator_wrap(tenon_generator_retain(value->as.generator));
    case TENON_TAG_TENSOR: {
      tenon_tensor* tensor = value->as.tensor;
      if (steal && (value->flags & TENON_VALUE_OWNED)) {
        value->tag = TENON_TAG_NONE;
        value->flags = 0;
      } else {
        tenon_tensor_retain(tensor);
      }
      return tnp_tensor_wrap(tensor);
    }
    case TENON_TAG_REF:
      return tnp_ref_object(value->as.i);
    case TENON_TAG_SYMINT:
    case TENON_TAG_SYMFLOAT:
    case TENON_TAG_SYMBOOL:
      return tnp_symbol_wrap(tenon_symbol_retain(value->as.symbol));
    case TENON_TAG_FUNCTION:
    case TENON_TAG_OBJECT:
      return tnp_object_open(value->as.object);
    case TENON_TAG_INT_LIST:
    case TENON_TAG_FLOAT_LIST:
    case TENON_TAG_BOOL_LIST:
    case TENON_TAG_TENSOR_LIST:
    case TENON_TAG_LIST:
      result = PyList_New(count);
      for (uint32_t i = 0; result != NULL && i < count; i++) {
        PyObject* item;
        tenon_tensor* tensor;
        switch (value->tag) {
          case TENON_TAG_INT_LIST:
            item = (value->flags & TENON_VALUE_HAS_SYMBOLIC) != 0
                       ? tnp_from_word(((const int64_t*)data)[i])
                       : PyLong_FromLongLong(((const int64_t*)data)[i]);
            break;
          case TENON_TAG_FLOAT_LIST:
            item = PyFloat_FromDouble(((const double*)data)[i]);
            break;
          case TENON_TAG_BOOL_LIST:
            item = PyBool_FromLong(((const uint8_t*)data)[i]);
            break;
          case TENON_TAG_TENSOR_LIST:
            tensor = ((tenon_tensor* const*)data)[i];
            if (tensor == NULL) {
              Py_INCREF(Py_None);
              item = Py_None;
            } else {
              item = tnp_tensor_wrap(tenon_tensor_retain(tensor));
            }
            break;
          default:
            item = tnp_from_value(&((tenon_value*)data)[i], false);
        }
        if (item == NULL)
          Py_CLEAR(result);
        else
          PyList_SET_ITEM(result, i, item);
      }
      return result;
    case TENON_TAG_TUPLE:
      result = PyTuple_New(count);
      for (uint32_t i = 0; result != NULL && i < count; i++) {
        PyObject* item = tnp_from_value(&((tenon_value*)data)[i], false);
        if (item == NULL)
          Py_CLEAR(result);
        else
          PyTuple_SET_ITEM(result, i, item);
      }
      return result;
    case TENON_TAG_DICT:
      result = PyDict_New();
      for (uint32_t i = 0; result != NULL && i < count; i++) {
        PyObject* key = tnp_from_value(&((tenon_value*)data)[2 * i], false);
        PyObject* item = key ? tnp_from_value(&((tenon_value*)data)[2 * i + 1], false) : NULL;
        if (item == NULL || PyDict_SetItem(result, key, item) != 0) Py_CLEAR(result);
        Py_XDECREF(key);
        Py_XDECREF(item);
      }
      return result;
    default:
      return tnp_raise_format(TENON_ERROR_NOT_SUPPORTED,
                              "Python: a value must be of a type that Python carries, got %s",
                              tenon_tag_name(value->tag));
  }
}

int tnp_value_equal(const tenon_value* a, const tenon_value* b) {
  if (a->tag != b->tag || a->count != b->count) return 0;
  switch (a->tag) {
    case TENON_TAG_NONE:
      return 1;
    case TENON_TAG_BOOL:
    case TENON_TAG_INT:
    case TENON_TAG_DTYPE:
    case TENON_TAG_LAYOUT:
    case TENON_TAG_MEMORY_FORMAT:
      return a->as.i == b->as.i;
    case TENON_TAG_FLOAT:
      return a->as.f == b->as.f;
    case TENON_TAG_COMPLEX:
      return a->as.c.real == b->as.c.real && a->as.c.imag == b->as.c.imag;
    case TENON_TAG_DEVICE:
      return a->as.device.type == b->as.device.type && a->as.device.index == b->as.device.index;
    case TENON_TAG_STRING:
    case TENON_TAG_BOOL_LIST:
      return a->count == 0 || memcmp(a->as.list.data, b->as.list.data, a->count) == 0;
    case TENON_TAG_INT_LIST:
    case TENON_TAG_FLOAT_LIST:
      return a->count == 0 || memcmp(a->as.list.data, b->as.list.data, 8 * (size_t)a->count) == 0;
    case TENON_TAG_TENSOR_LIST:
      return a->count == 0;
    case TENON_TAG_LIST:
      for (uint32_t i = 0; i < a->count; i++) {
        if (!tnp_value_equal((const tenon_value*)a->as.list.data + i,
                             (const tenon_value*)b->as.list.data + i)) {
          return 0;
        }
      }
      return 1;
    default:
      return 0;
  }
}

const char* tnp_utf8(PyObject* object) {
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text != NULL && strlen(text) != (size_t)size) {
    PyErr_SetString(PyExc_ValueError, "embedded null character"); /* same message as PyArg_Parse */
    return NULL;
  }
  return text;
}

void tnp_describe(PyObject* object, char* out, size_t size) {
  if (object == Py_None) {
    PyOS_snprintf(out, size, "None");
    return;
  }
  if (PyLong_Check(object) || PyFloat_Check(object) || PyUnicode_Check(object)) {
    PyObject* repr = PyObject_Repr(object);
    const char* text = repr ? PyUnicode_AsUTF8(repr) : NULL;
    if (text == NULL) PyErr_Clear();
    bool cut = text != NULL && strlen(text) > 40;
    PyOS_snprintf(out, size, "%s %.40s%s", Py_TYPE(object)->tp_name, text ? text : "",
                  cut ? "..." : "");
    Py_XDECREF(repr);
    return;
  }
  if ((PyList_Check(object) || PyTuple_Check(object)) && PySequence_Fast_GET_SIZE(object) > 0) {
    PyObject* first = PySequence_Fast_GET_ITEM(object, 0);
    PyOS_snprintf(out, size, "%s of %s", Py_TYPE(object)->tp_name,
                  first == Py_None ? "None" : Py_TYPE(first)->tp_name);
    return;
  }
  /* Qualify the name, because other packages have classes of the same name, as in torch.Tensor. */
  PyObject* module = PyObject_GetAttrString((PyObject*)Py_TYPE(object), "__module__");
  const char* text = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
  if (text == NULL) PyErr_Clear();
  bool named = text != NULL && strcmp(text, "builtins") != 0 && strcmp(text, "__main__") != 0 &&
               strchr(Py_TYPE(object)->tp_name, '.') == NULL;
  PyOS_snprintf(out, size, "%s%s%s", named ? text : "", named ? "." : "", Py_TYPE(object)->tp_name);
  Py_XDECREF(module);
}
