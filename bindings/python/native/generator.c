/* SPDX-License-Identifier: Apache-2.0 */
/* tenon.Generator, and functions on generators. Seeding and reading states may wait for another
 * thread's draw, and on a device for its driver, so both release the GIL. */
#include "native.h"

#include <stddef.h>
#include <structmember.h>
#include <unistd.h>

typedef struct {
  PyObject_HEAD tenon_generator* generator; /* owned reference */
  PyObject* weakrefs;
} tnp_generator;

PyTypeObject* tnp_generator_type;

tenon_generator* tnp_generator_get(PyObject* object) { return ((tnp_generator*)object)->generator; }

PyObject* tnp_generator_wrap(tenon_generator* generator) {
  tnp_generator* self = PyObject_New(tnp_generator, tnp_generator_type);
  if (self == NULL) {
    tenon_generator_release(generator);
    return NULL;
  }
  self->generator = generator;
  self->weakrefs = NULL;
  return (PyObject*)self;
}

#define UNLOCKED(status, call)            \
  do {                                    \
    Py_BEGIN_ALLOW_THREADS status = call; \
    Py_END_ALLOW_THREADS                  \
  } while (0)

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Accepts any 64 bits; a negative number is taken as two's complement, as in PyTorch. */
static int to_seed(const char* function, PyObject* object, uint64_t* out_seed) {
  if (!PyIndex_Check(object) || TNP_IS_TENSOR(object)) {
    tnp_raise_format(TENON_ERROR_TYPE, "%s: seed must be int, got %s", function,
                     Py_TYPE(object)->tp_name);
    return -1;
  }
  PyObject* number = PyNumber_Index(object);
  if (number == NULL) return -1;
  int overflow;
  *out_seed = (uint64_t)PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow > 0) *out_seed = PyLong_AsUnsignedLongLong(number);
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                     "%s: seed must be between -2**63 and 2**64 - 1, got %R", function, number);
  }
  Py_DECREF(number);
  return PyErr_Occurred() ? -1 : 0;
}

static int to_device(const char* function, PyObject* object, tenon_device* out_device) {
  int found = tnp_to_device(object, out_device);
  if (found == 0) {
    tnp_raise_format(TENON_ERROR_TYPE, "%s: device must be device or str, got %s", function,
                     Py_TYPE(object)->tp_name);
  }
  return found == 1 ? 0 : -1;
}

static const tenon_device cpu = {TENON_DEVICE_CPU, -1};

/* ---- Generator ------------------------------------------------------------------------------- */

static PyObject* generator_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)type;
  static char* names[] = {"device", "seed", NULL};
  PyObject *where = Py_None, *number = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:Generator", names, &where, &number)) {
    return NULL;
  }
  tenon_device device = cpu;
  uint64_t seed = TENON_GENERATOR_DEFAULT_SEED;
  if (where != Py_None && to_device("Generator", where, &device) != 0) return NULL;
  if (number != Py_None && to_seed("Generator", number, &seed) != 0) return NULL;
  tenon_generator* generator = NULL;
  tenon_status status;
  UNLOCKED(status, tenon_generator_new(&device, seed, &generator));
  return tnp_check(status) == 0 ? tnp_generator_wrap(generator) : NULL;
}

static void generator_dealloc(PyObject* object) {
  tnp_generator* self = (tnp_generator*)object;
  PyTypeObject* type = Py_TYPE(object);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(object);
  tenon_generator_release(self->generator);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject* generator_manual_seed(PyObject* object, PyObject* number) {
  uint64_t seed;
  tenon_status status;
  if (to_seed("Generator.manual_seed", number, &seed) != 0) return NULL;
  UNLOCKED(status, tenon_generator_seed(tnp_generator_get(object), seed));
  return tnp_check(status) == 0 ? Py_NewRef(object) : NULL;
}

static PyObject* generator_seed(PyObject* object, PyObject* unused) {
  (void)unused;
  uint64_t seed;
  tenon_status status;
  if (getentropy(&seed, sizeof seed) != 0) return PyErr_SetFromErrno(PyExc_OSError);
  seed &= (UINT64_C(1) << 53) - 1; /* a float holds 53 bits; same range as PyTorch */
  UNLOCKED(status, tenon_generator_seed(tnp_generator_get(object), seed));
  return tnp_check(status) == 0 ? PyLong_FromUnsignedLongLong(seed) : NULL;
}

static uint64_t seed_of(PyObject* object) {
  uint64_t seed;
  UNLOCKED(seed, tenon_generator_initial_seed(tnp_generator_get(object)));
  return seed;
}

static PyObject* generator_initial_seed(PyObject* object, PyObject* unused) {
  (void)unused;
  return PyLong_FromUnsignedLongLong(seed_of(object));
}

static PyObject* generator_get_state(PyObject* object, PyObject* unused) {
  (void)unused;
  tenon_generator* generator = tnp_generator_get(object);
  int64_t size = 0;
  tenon_status status;
  UNLOCKED(status, tenon_generator_state(generator, 0, NULL, &size));
  if (tnp_check(status) != 0) return NULL;
  PyObject* state = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
  if (state == NULL) return NULL;
  UNLOCKED(status, tenon_generator_state(generator, size, PyBytes_AS_STRING(state), &size));
  if (tnp_check(status) != 0) {
    Py_DECREF(state);
    return NULL;
  }
  if (size != PyBytes_GET_SIZE(state)) _PyBytes_Resize(&state, (Py_ssize_t)size);
  return state;
}

static PyObject* generator_set_state(PyObject* object, PyObject* state) {
  if (!PyObject_CheckBuffer(state)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "Generator.set_state: state must be bytes, got %s",
                            Py_TYPE(state)->tp_name);
  }
  Py_buffer bytes;
  if (PyObject_GetBuffer(state, &bytes, PyBUF_SIMPLE) != 0) return NULL;
  tenon_status status;
  UNLOCKED(status,
           tenon_generator_set_state(tnp_generator_get(object), bytes.buf, (int64_t)bytes.len));
  PyBuffer_Release(&bytes);
  if (tnp_check(status) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* generator_device(PyObject* object, void* unused) {
  (void)unused;
  tenon_device device;
  tenon_generator_device(tnp_generator_get(object), &device);
  return tnp_device_object(device);
}

static PyObject* generator_repr(PyObject* object) {
  PyObject* device = generator_device(object, NULL);
  if (device == NULL) return NULL;
  PyObject* text =
      PyUnicode_FromFormat("Generator(%S, seed %llu)", device, (unsigned long long)seed_of(object));
  Py_DECREF(device);
  return text;
}

/* Handles have no unique object: generators are equal if they share one sequence. */
static PyObject* generator_compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((tnp_generator_get(a) == tnp_generator_get(b)) == (op == Py_EQ));
}

static Py_hash_t generator_hash(PyObject* object) {
  return (Py_hash_t)((uintptr_t)tnp_generator_get(object) >> 4);
}

/* Pickles and copies as an independent generator with the same state. */
static PyObject* generator_reduce(PyObject* object, PyObject* unused) {
  PyObject* state = generator_get_state(object, unused);
  PyObject* device = state ? generator_device(object, NULL) : NULL;
  PyObject* text = device ? PyObject_Str(device) : NULL;
  PyObject* result = text ? Py_BuildValue("(O(O)O)", Py_TYPE(object), text, state) : NULL;
  Py_XDECREF(text);
  Py_XDECREF(device);
  Py_XDECREF(state);
  return result;
}

static PyObject* default_generator(PyObject* module, PyObject* args, PyObject* kwargs);

static PyGetSetDef getset[] = {
    {"device", generator_device, NULL, "The device whose operators may draw from it.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef methods[] = {
    {"manual_seed", generator_manual_seed, METH_O,
     "manual_seed(seed, /)\n--\n\n"
     "Goes to the beginning of a seed's sequence, and returns the generator.\n\n"
     "A negative seed stands for the number of the same 64 bits."},
    {"seed", generator_seed, METH_NOARGS,
     "seed()\n--\n\nSeeds it with a number that nobody can foretell, and returns that."},
    {"initial_seed", generator_initial_seed, METH_NOARGS,
     "initial_seed()\n--\n\nReturns the seed whose sequence it is in."},
    {"get_state", generator_get_state, METH_NOARGS,
     "get_state()\n--\n\n"
     "Returns everything that decides the numbers to come, as bytes. On the CPU they are those of\n"
     "PyTorch's generators."},
    {"set_state", generator_set_state, METH_O,
     "set_state(state, /)\n--\n\n"
     "Goes to a state that `get_state` gave.\n\n"
     "Raises:\n"
     "    InvalidArgumentError: the bytes are no state of this kind of device; it stays where it\n"
     "        is."},
    {"__setstate__", generator_set_state, METH_O, NULL},
    {"__reduce__", generator_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(tnp_generator, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Generator(device='cpu', seed=None)\n--\n\n"
     "A seed and a place in its sequence of random numbers, on a device.\n\n"
     "Random operators take one as `generator`, and draw from their device's default generator\n"
     "without. On the CPU it is the Mersenne twister MT19937, with PyTorch's numbers.\n\n"
     "Args:\n"
     "    device: Where the operators run that may draw from it.\n"
     "    seed: Where it begins, by default as PyTorch's: 67280421310721.\n\n"
     "Raises:\n"
     "    NotFoundError: no plugin provides the device.\n"
     "    NotSupportedError: the device has no generators."},
    {Py_tp_new, generator_new},
    {Py_tp_dealloc, generator_dealloc},
    {Py_tp_repr, generator_repr},
    {Py_tp_call, default_generator},
    {Py_tp_richcompare, generator_compare},
    {Py_tp_hash, generator_hash},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, NULL}};
static PyType_Spec spec = {"tenon.Generator", sizeof(tnp_generator), 0, Py_TPFLAGS_DEFAULT, slots};

/* ---- Default generators ---------------------------------------------------------------------- */

static PyObject* default_of(const tenon_device* device) {
  tenon_generator* generator = NULL;
  tenon_status status;
  UNLOCKED(status, tenon_generator_open_default(device, &generator));
  return tnp_check(status) == 0 ? tnp_generator_wrap(generator) : NULL;
}

static PyObject* default_generator(PyObject* module, PyObject* args, PyObject* kwargs) {
  (void)module;
  static char* names[] = {"device", NULL};
  PyObject* where = Py_None;
  tenon_device device = cpu;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:default_generator", names, &where) ||
      (where != Py_None && to_device("default_generator", where, &device) != 0)) {
    return NULL;
  }
  return default_of(&device);
}

static PyObject* manual_seed(PyObject* module, PyObject* number) {
  (void)module;
  uint64_t seed;
  tenon_status status;
  if (to_seed("manual_seed", number, &seed) != 0) return NULL;
  UNLOCKED(status, tenon_generator_seed_all(seed));
  return tnp_check(status) == 0 ? default_of(&cpu) : NULL;
}

static PyMethodDef functions[] = {
    {"default_generator", (PyCFunction)(void (*)(void))default_generator,
     METH_VARARGS | METH_KEYWORDS,
     "default_generator(device='cpu')\n--\n\n"
     "Returns the generator that operators on a device draw from when they are given none."},
    {"manual_seed", manual_seed, METH_O,
     "manual_seed(seed, /)\n--\n\n"
     "Seeds the default generators of all devices, and returns the CPU's."},
    {NULL, NULL, 0, NULL}};

int tnp_generator_init(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  return tnp_add_type(module, &tnp_generator_type, &spec, NULL);
}
