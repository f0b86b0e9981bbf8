/* SPDX-License-Identifier: Apache-2.0 */
/* SymInt, SymFloat and SymBool: arithmetic, comparison, and conversion to numbers. */
#include "symbol.h"

typedef struct {
  PyObject_HEAD tenon_symbol* symbol; /* owned reference */
} tnp_symbol;

static PyTypeObject* symbol_types[3]; /* SymInt, SymFloat, SymBool, by tag */

bool tnp_is_symbol(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  return type == symbol_types[0] || type == symbol_types[1] || type == symbol_types[2];
}

tenon_symbol* tnp_symbol_get(PyObject* object) { return ((tnp_symbol*)object)->symbol; }

PyObject* tnp_symbol_wrap(tenon_symbol* symbol) {
  PyTypeObject* type = symbol_types[tenon_symbol_tag(symbol) - TENON_TAG_SYMINT];
  tnp_symbol* self = PyObject_New(tnp_symbol, type);
  if (self == NULL) {
    tenon_symbol_release(symbol);
    return NULL;
  }
  self->symbol = symbol;
  return (PyObject*)self;
}

PyObject* tnp_from_word(int64_t word) {
  if (!tenon_dim_is_symbol(word)) return PyLong_FromLongLong(word);
  return tnp_symbol_wrap(tenon_symbol_retain(tenon_dim_symbol(word)));
}

static tenon_value borrowed(PyObject* object) {
  tenon_value value = tenon_value_of_none();
  value.as.symbol = tnp_symbol_get(object);
  value.tag = tenon_symbol_tag(value.as.symbol);
  return value;
}

int tnp_to_symbol(tnp_call* call, PyObject* object, tenon_value* out) {
  *out = borrowed(object);
  call->symbolic = true;
  return 0;
}

PyObject* tnp_dims_of(const tenon_tensor* tensor, uint32_t what) {
  tenon_value value;
  if (tnp_check(tenon_tensor_dims(tensor, what, &value)) != 0) return NULL;
  PyObject* result = tnp_from_value(&value, true);
  if (result != NULL && PyList_CheckExact(result)) {
    PyObject* tuple = PyList_AsTuple(result);
    Py_DECREF(result);
    result = tuple;
  }
  tenon_value_clear(&value);
  return result;
}

/* ---- Calculating ----------------------------------------------------------------------------- */

/* Reads a Python number or a symbol. Returns 1, 0 for other objects, -1 with an exception. */
static int operand_of(PyObject* object, tenon_value* out) {
  if (tnp_is_symbol(object)) {
    *out = borrowed(object);
  } else if (PyBool_Check(object)) {
    *out = tenon_value_of_bool(object == Py_True);
  } else if (PyFloat_Check(object)) {
    *out = tenon_value_of_float(PyFloat_AS_DOUBLE(object));
  } else if (PyLong_Check(object)) {
    *out = tenon_value_of_int(PyLong_AsLongLong(object));
    if (out->as.i == -1 && PyErr_Occurred()) return -1;
  } else {
    return 0;
  }
  return 1;
}

static PyObject* apply(uint32_t function, const tenon_value* args, int64_t nargs) {
  tenon_value value;
  if (tnp_check(tenon_symbol_apply(function, args, nargs, &value)) != 0) return NULL;
  PyObject* result = tnp_from_value(&value, true);
  tenon_value_clear(&value);
  return result;
}

static PyObject* binary(uint32_t function, PyObject* a, PyObject* b) {
  tenon_value args[2];
  int found = operand_of(a, &args[0]);
  if (found > 0) found = operand_of(b, &args[1]);
  if (found < 0) return NULL;
  if (found == 0) Py_RETURN_NOTIMPLEMENTED;
  return apply(function, args, 2);
}

#define BINARY(name, function) \
  static PyObject* symbol_##name(PyObject* a, PyObject* b) { return binary(function, a, b); }
BINARY(add, TENON_SYMBOL_ADD)
BINARY(sub, TENON_SYMBOL_SUB)
BINARY(mul, TENON_SYMBOL_MUL)
BINARY(floordiv, TENON_SYMBOL_FLOORDIV)
BINARY(mod, TENON_SYMBOL_MOD)
BINARY(truediv, TENON_SYMBOL_TRUEDIV)
BINARY(and, TENON_SYMBOL_AND)
BINARY(or, TENON_SYMBOL_OR)
#undef BINARY

static PyObject* symbol_neg(PyObject* object) {
  const tenon_value args[2] = {tenon_value_of_int(0), borrowed(object)};
  return apply(TENON_SYMBOL_SUB, args, 2);
}

static PyObject* symbol_not(PyObject* object) {
  const tenon_value args[1] = {borrowed(object)};
  return apply(TENON_SYMBOL_NOT, args, 1);
}

static PyObject* symbol_pos(PyObject* object) { return Py_NewRef(object); }

static PyObject* symbol_abs(PyObject* object) {
  PyObject* negative = symbol_neg(object);
  PyObject* result = negative ? binary(TENON_SYMBOL_MAX, object, negative) : NULL;
  Py_XDECREF(negative);
  return result;
}

static PyObject* symbol_compare(PyObject* a, PyObject* b, int operation) {
  static const uint32_t functions[] = {
      [Py_LT] = TENON_SYMBOL_LT, [Py_LE] = TENON_SYMBOL_LE, [Py_EQ] = TENON_SYMBOL_EQ,
      [Py_NE] = TENON_SYMBOL_NE, [Py_GT] = TENON_SYMBOL_GT, [Py_GE] = TENON_SYMBOL_GE};
  return binary(functions[operation], a, b);
}

/* sym_max(a, b), sym_min(a, b), sym_not(a), sym_sqrt(a), sym_float(a), for numbers and symbols. */
static PyObject* apply_named(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  (void)module;
  tenon_value values[2];
  const long long function = nargs > 0 ? PyLong_AsLongLong(args[0]) : -1;
  if (function == -1 && PyErr_Occurred()) return NULL;
  for (Py_ssize_t i = 1; i < nargs && i < 3; i++) {
    int found = operand_of(args[i], &values[i - 1]);
    if (found == 0) {
      tnp_raise_format(TENON_ERROR_TYPE, "symbol: argument must be a number, got %s",
                       Py_TYPE(args[i])->tp_name);
    }
    if (found <= 0) return NULL;
  }
  return apply((uint32_t)function, values, nargs - 1);
}

/* ---- Numbers of symbols ---------------------------------------------------------------------- */

/* Specializes the symbol to a number, recording a guard with the caller's line. */
static PyObject* concrete(PyObject* object) {
  const tenon_value value = borrowed(object);
  tenon_value number;
  if (tnp_check(tenon_symbol_guard(&value, NULL, 0, &number)) != 0) return NULL;
  return tnp_from_value(&number, true);
}

static int symbol_bool(PyObject* object) {
  PyObject* number = concrete(object);
  int truth = number ? PyObject_IsTrue(number) : -1;
  Py_XDECREF(number);
  return truth;
}

static PyObject* symbol_int(PyObject* object) {
  PyObject* number = concrete(object);
  PyObject* result = number ? PyNumber_Long(number) : NULL;
  Py_XDECREF(number);
  return result;
}

static PyObject* symbol_float(PyObject* object) {
  PyObject* number = concrete(object);
  PyObject* result = number ? PyNumber_Float(number) : NULL;
  Py_XDECREF(number);
  return result;
}

static PyObject* symbol_repr(PyObject* object) {
  tenon_buffer* text = NULL;
  if (tnp_check(tenon_symbol_print(tnp_symbol_get(object), &text)) != 0) return NULL;
  return tnp_text(text);
}

/* Equal symbols are one object in C; a symbol equals a number only by a guard. */
static Py_hash_t symbol_hash(PyObject* object) {
  return (Py_hash_t)((uintptr_t)tnp_symbol_get(object) >> 4);
}

static PyObject* get_hint(PyObject* object, void* unused) {
  (void)unused;
  tenon_value hint;
  tenon_symbol_hint(tnp_symbol_get(object), &hint);
  return tnp_from_value(&hint, true);
}

static PyObject* get_bounds(PyObject* object, void* unused) {
  (void)unused;
  int64_t min, max;
  if (tnp_check(tenon_symbol_bounds(tnp_symbol_get(object), &min, &max)) != 0) return NULL;
  return Py_BuildValue("(NN)", min == INT64_MIN ? Py_NewRef(Py_None) : PyLong_FromLongLong(min),
                       max == INT64_MAX ? Py_NewRef(Py_None) : PyLong_FromLongLong(max));
}

static void symbol_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  tenon_symbol_release(tnp_symbol_get(object));
  type->tp_free(object);
  Py_DECREF(type);
}

static PyGetSetDef symbol_getset[] = {
    {"hint", get_hint, NULL, "The number in the case at hand, None where only data tells.", NULL},
    {"bounds", get_bounds, NULL, "(min, max) of a SymInt as far as known, None for no bound.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};

#define SYMBOL_SLOTS(doc)                                                   \
  {Py_tp_doc, doc}, {Py_tp_repr, symbol_repr}, {Py_tp_hash, symbol_hash},   \
      {Py_tp_dealloc, symbol_dealloc}, {Py_tp_richcompare, symbol_compare}, \
      {Py_tp_getset, symbol_getset}, {                                      \
    Py_nb_bool, symbol_bool                                                 \
  }
#define NUMBER_SLOTS                                                                         \
  {Py_nb_add, symbol_add}, {Py_nb_subtract, symbol_sub}, {Py_nb_multiply, symbol_mul},       \
      {Py_nb_floor_divide, symbol_floordiv}, {Py_nb_remainder, symbol_mod},                  \
      {Py_nb_true_divide, symbol_truediv}, {Py_nb_negative, symbol_neg},                     \
      {Py_nb_positive, symbol_pos}, {Py_nb_absolute, symbol_abs}, {Py_nb_int, symbol_int}, { \
    Py_nb_float, symbol_float                                                                \
  }

static PyType_Slot int_slots[] = {
    SYMBOL_SLOTS("An integer that is not a number yet, such as a size s0 or s0*s1 + 1."),
    NUMBER_SLOTS,
    {Py_nb_index, symbol_int},
    {0, NULL}};
static PyType_Slot float_slots[] = {
    SYMBOL_SLOTS("A float that is not a number yet, such as s0 / 2."), NUMBER_SLOTS, {0, NULL}};
static PyType_Slot bool_slots[] = {
    SYMBOL_SLOTS("A truth that is not decided yet, such as s0 < s1; bool() decides it."),
    {Py_nb_and, symbol_and},
    {Py_nb_or, symbol_or},
    {Py_nb_invert, symbol_not},
    {0, NULL}};
#define SYMBOL_FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION)
static PyType_Spec symbol_specs[] = {
    {"tenon.SymInt", sizeof(tnp_symbol), 0, SYMBOL_FLAGS, int_slots},
    {"tenon.SymFloat", sizeof(tnp_symbol), 0, SYMBOL_FLAGS, float_slots},
    {"tenon.SymBool", sizeof(tnp_symbol), 0, SYMBOL_FLAGS, bool_slots}};

static PyMethodDef apply_method = {"_symbol_apply", (PyCFunction)(void (*)(void))apply_named,
                                   METH_FASTCALL, NULL};

int tnp_symbol_ready(PyObject* module) {
  static const char* const names[] = {"SymInt", "SymFloat", "SymBool"};
  for (int k = 0; k < 3; k++) {
    symbol_types[k] = (PyTypeObject*)PyType_FromSpec(&symbol_specs[k]);
    if (symbol_types[k] == NULL ||
        PyModule_AddObjectRef(module, names[k], (PyObject*)symbol_types[k]) != 0) {
      return -1;
    }
  }
  PyObject* function = PyCFunction_New(&apply_method, NULL);
  if (function == NULL) return -1;
  int result = PyModule_AddObjectRef(module, "_symbol_apply", function);
  Py_DECREF(function);
  return result;
}
