/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of the extension: object layouts, conversions, errors and GIL handling. */
#ifndef TENON_PYTHON_NATIVE_H
#define TENON_PYTHON_NATIVE_H

#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "tenon/tenon.h"

#if PY_VERSION_HEX < 0x030A0000
#error "Tenon needs Python 3.10 or newer"
#endif
#ifdef Py_GIL_DISABLED
#error "Tenon does not support free-threaded Python yet: build it for a Python with the GIL"
#endif

#pragma GCC visibility push( \
    hidden) /* defined in another part: accessed without the loader's table */

#define TNP_LIKELY(x) __builtin_expect(!!(x), 1)
#define TNP_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- runtime.c: GIL handling, deferred release, errors -------------------------------------- */

/* Acquires the GIL on any thread. Returns false, without it, once the interpreter shuts down. */
bool tnp_attach(PyGILState_STATE* state);
void tnp_detach(PyGILState_STATE state);

/* An entry in the list of things to free under the GIL, embedded in the object to be freed. */
typedef struct tnp_garbage {
  struct tnp_garbage* next;
  void (*run)(struct tnp_garbage* self);
} tnp_garbage;

void tnp_discard(tnp_garbage* garbage);
void tnp_drain(void);

/* A reference to an object, held by code without the GIL: a hook's function, an error's payload. */
typedef struct {
  tnp_garbage garbage;
  PyObject* object;
} tnp_reference;
/* Returns NULL, without an exception, if memory runs out. */
tnp_reference* tnp_reference_make(PyObject* object);
/* A deleter that releases the object. May be called on any thread, without the GIL. */
void tnp_reference_drop(void* reference);
/* Like tnp_reference_drop(), for the caller's own reference. Leaks it if memory runs out. */
void tnp_discard_object(PyObject* object);
extern _Atomic(tnp_garbage*) tnp_garbage_list;
/* Frees what other threads have queued. Requires the GIL; deallocators may run arbitrary code. */
static inline void tnp_drain_pending(void) {
  if (TNP_UNLIKELY(atomic_load_explicit(&tnp_garbage_list, memory_order_relaxed) != NULL))
    tnp_drain();
}
/* Id of the thread that holds the GIL and is releasing handles: deleters on it free at once. Not
 * thread-local, which is slower: only that thread can find its own id here. */
extern _Atomic(uintptr_t) tnp_freeing_thread;
static inline bool tnp_free_begin(void) {
  uintptr_t self = (uintptr_t)pthread_self();
  bool nested = atomic_load_explicit(&tnp_freeing_thread, memory_order_relaxed) == self;
  atomic_store_explicit(&tnp_freeing_thread, self, memory_order_relaxed);
  return nested;
}
/* Stores 0 and not the previous id: that thread may have left its own region in between. */
static inline void tnp_free_end(bool nested) {
  if (!nested) atomic_store_explicit(&tnp_freeing_thread, 0, memory_order_relaxed);
}

/* Raises the error in this thread's error slot and returns NULL. */
PyObject* tnp_raise(void);
/* Raises `error`, takes over its reference and returns NULL. */
PyObject* tnp_raise_error(tenon_error* error);
/* Raises a new error with a printf-like message (PyErr_Format's letters) and returns NULL. */
PyObject* tnp_raise_format(tenon_status code, const char* format, ...);
/* Adds a note with a printf-like text to the pending exception. */
void tnp_note(const char* format, ...);
/* Returns the error that one of our exceptions holds, borrowed; NULL for any other object. */
const tenon_error* tnp_error_of(PyObject* exception);
/* Converts the pending exception to an error that carries it, and clears it. Never NULL. */
tenon_error* tnp_take_exception(void);
/* Like tnp_take_exception(), but stores the error in this thread's slot, for callbacks. */
tenon_status tnp_exception_to_slot(void);
/* Raises the error in the slot if `status` is a failure. Returns 0, or -1 with an exception. */
static inline int tnp_check(tenon_status status) {
  if (TNP_LIKELY(status == TENON_OK)) return 0;
  tnp_raise();
  return -1;
}
PyObject* tnp_text(tenon_buffer* buffer); /* takes over the buffer */

/* ---- types.c: dtype, device, layout and memory format objects ---------------------------------
 */

typedef struct {
  PyObject_HEAD int64_t code;
  const char* name; /* static */
} tnp_constant;     /* dtype, layout, memory_format */

typedef struct {
  PyObject_HEAD tenon_device device;
} tnp_device;

extern PyTypeObject* tnp_dtype_type;
extern PyTypeObject* tnp_layout_type;
extern PyTypeObject* tnp_memory_format_type;
extern PyTypeObject* tnp_device_type;

PyObject* tnp_dtype_object(tenon_dtype dtype);      /* new reference */
PyObject* tnp_device_object(tenon_device device);   /* new reference */
PyObject* tnp_layout_object(int64_t layout);        /* new reference */
PyObject* tnp_memory_format_object(int64_t format); /* new reference */
/* The package name shown by repr(): "tenon", or the name under which a program imports it. */
extern const char* tnp_package_name;
/* Return 1 if `object` names a dtype (or device), 0 if not, -1 with an exception. */
int tnp_to_dtype(PyObject* object, tenon_dtype* out_dtype);
int tnp_to_device(PyObject* object, tenon_device* out_device);

/* ---- size.c: the type of Tensor.shape, a subclass of tuple ---------------------------------- */

extern PyTypeObject* tnp_size_type;
PyObject* tnp_size_new(Py_ssize_t count); /* to be filled like a new tuple */
PyObject* tnp_size_of(PyObject* tuple);   /* converts a tuple of numbers; consumes it */

/* ---- tensor.c ------------------------------------------------------------------------------- */

typedef struct {
  PyObject_HEAD tenon_tensor* tensor; /* a reference; NULL if absent or released */
  PyObject* dict;
  PyObject* weakrefs;
  tenon_tensor* keeper; /* if `tensor` is NULL: the tensor whose cell owns this object, borrowed */
} tnp_tensor;

extern PyTypeObject* tnp_tensor_type;
#define TNP_IS_TENSOR(o) \
  (Py_TYPE(o) == tnp_tensor_type || PyType_IsSubtype(Py_TYPE(o), tnp_tensor_type))

PyObject* tnp_tensor_wrap(tenon_tensor* tensor); /* takes over the reference */
/* Like tnp_tensor_wrap(), for a tensor without an object, as an instance of a subclass. */
PyObject* tnp_tensor_wrap_as(PyTypeObject* type, tenon_tensor* tensor);
/* Returns the tensor as an object of a subclass: the tensor itself if there are no other
 * references, otherwise an alias through which gradients flow. New reference. */
PyObject* tnp_tensor_as_class(PyObject* tensor, PyTypeObject* cls);
/* Returns the keeper's handle for an object without a reference; NULL with an exception. */
tenon_tensor* tnp_tensor_revive(tnp_tensor* self);
/* Returns a Tensor's handle, borrowed; NULL with an exception if the tensor has been released. */
static inline tenon_tensor* tnp_tensor_get(PyObject* object) {
  tnp_tensor* self = (tnp_tensor*)object;
  return TNP_LIKELY(self->tensor != NULL) ? self->tensor : tnp_tensor_revive(self);
}
/* Fills `info`. Returns 0, or -1 with an exception. */
int tnp_tensor_info(PyObject* object, tenon_tensor_info* info);
/* Like tnp_tensor_info, but for readers of elements: copies sizes and strides to `dims`, so that
 * they are consistent, and reads the address after them. Memory only grows, so it has room for that
 * shape even if another thread resizes the tensor in between. */
int tnp_tensor_snapshot(PyObject* object, tenon_tensor_info* info,
                        int64_t dims[2 * TENON_TENSOR_MAX_DIMS]);

/* ---- node.c --------------------------------------------------------------------------------- */

typedef struct {
  PyObject_HEAD tenon_node* node; /* a reference; NULL if absent or released */
  PyObject* dict;
  PyObject* metadata; /* the value of `node.metadata`, created on first access */
  PyObject* weakrefs;
  tenon_node* keeper; /* if `node` is NULL: the node whose cell owns this object, borrowed */
} tnp_node;

extern PyTypeObject* tnp_node_type; /* may be derived from */
#define TNP_IS_NODE(o) (Py_TYPE(o) == tnp_node_type || PyType_IsSubtype(Py_TYPE(o), tnp_node_type))

/* Returns the one object of a node, None for NULL. Takes over the reference. The object's
 * attributes live as long as the node. */
PyObject* tnp_node_wrap(tenon_node* node);
/* Wraps a node that has no object yet as an object of a subclass. */
PyObject* tnp_node_wrap_as(PyTypeObject* type, tenon_node* node);
/* Returns a Node's handle, borrowed; NULL with an exception if the node has been released. */
tenon_node* tnp_node_get(PyObject* object);

/* ---- generator.c ---------------------------------------------------------------------------- */

extern PyTypeObject* tnp_generator_type;
PyObject* tnp_generator_wrap(tenon_generator* generator); /* takes over the reference */
tenon_generator* tnp_generator_get(PyObject* object);     /* borrowed */

/* subclass.c: constructors. */
PyObject* tnp_tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);
PyObject* tnp_tensor_as_subclass(PyObject* self, PyObject* type);
/* Adds the functions on weak references to tensors. Returns 0, or -1 with an exception. */
int tnp_weak_tensor_ready(PyObject* module);
/* Returns `text`, which is taken over, with the name of a subclass in place of "tensor". */
PyObject* tnp_subclass_print(PyObject* text, PyTypeObject* type);
/* number.c, subscript.c: slots of Tensor. */
extern PyType_Slot tnp_number_slots[];
PyObject* tnp_tensor_compare(PyObject* a, PyObject* b, int op);
PyObject* tnp_tensor_subscript(PyObject* self, PyObject* key);
int tnp_tensor_assign(PyObject* self, PyObject* key, PyObject* value);
PyObject* tnp_tensor_item_at(PyObject* self, Py_ssize_t index);
/* method.c: methods that accept their arguments in several forms. */
PyObject* tnp_tensor_view(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names);
PyObject* tnp_tensor_reshape(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names);
PyObject* tnp_tensor_permute(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names);
PyObject* tnp_tensor_expand(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names);
PyObject* tnp_tensor_t(PyObject* self, PyObject* unused);
PyObject* tnp_tensor_reversed(PyObject* self, void* unused);
PyObject* tnp_tensor_real(PyObject* self, void* unused);
PyObject* tnp_tensor_imag(PyObject* self, void* unused);
int tnp_tensor_set_real(PyObject* self, PyObject* value, void* unused);
int tnp_tensor_set_imag(PyObject* self, PyObject* value, void* unused);
PyObject* tnp_tensor_contiguous(PyObject* self, PyObject* const* given, Py_ssize_t count,
                                PyObject* given_names);
PyObject* tnp_tensor_is_contiguous(PyObject* object, PyObject* const* args, Py_ssize_t nargs,
                                   PyObject* kwnames);
PyObject* tnp_tensor_to(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
/* Return a tuple of sizes: a tensor's, or those of `f(2, 3)`, `f([2, 3])` or `f((2, 3))`; a list
 * stays a list. New references. */
PyObject* tnp_sizes_of(const tenon_tensor* tensor);
PyObject* tnp_sizes(PyObject* const* args, Py_ssize_t nargs);
/* detach.c: tensors detached from the graph. */
PyObject* tnp_tensor_get_data(PyObject* self, void* unused);
int tnp_tensor_set_data(PyObject* self, PyObject* value, void* unused);
PyObject* tnp_tensor_detach_in_place(PyObject* self, PyObject* unused);
/* data.c: elements in and out. */
PyObject* tnp_tensor_scalar(PyObject* self, const char* caller);
PyObject* tnp_tensor_tolist(PyObject* self, PyObject* unused);
PyObject* tnp_tensor_from_data(PyObject* module, PyObject* const* args, Py_ssize_t nargs);

/* ---- fake.c: new tensors from data. Both take over `made`, which may be NULL.
 * ------------------ */

/* Returns a fake copy of `made` if the thread is in a fake mode, otherwise `made`. */
PyObject* tnp_in_fake_mode(PyObject* made);
/* Returns a fake copy of `made` if `other` is a fake tensor, otherwise `made`. */
PyObject* tnp_fake_like(PyObject* made, PyObject* other);

/* ---- numpy.c, exchange.c, dlpack.c: other packages' memory ----------------------------------- */

extern PyTypeObject* tnp_ndarray_type; /* NULL until the first array is seen */
bool tnp_is_ndarray(PyObject* object);
/* Imports through numpy's struct, `__dlpack__` or the buffer protocol. Returns 1 if imported, 0 if
 * the object has no memory that may be shared (`refusal`: the reason, static text), -1 with an
 * exception. */
int tnp_import(PyObject* object, tenon_tensor** out_tensor, const char** refusal);
PyObject* tnp_from_numpy(PyObject* module, PyObject* array);
PyObject* tnp_from_dlpack(PyObject* module, PyObject* object);
PyObject* tnp_from_buffer(PyObject* module, PyObject* object);
PyObject* tnp_tensor_dlpack(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames);
PyObject* tnp_tensor_dlpack_device(PyObject* self, PyObject* unused);
int tnp_tensor_get_buffer(PyObject* self, Py_buffer* view, int flags);
void tnp_tensor_release_buffer(PyObject* self, Py_buffer* view);

/* ---- value.c: between Python objects and boxed values -----------------------------------------
 */

/* A compiled schema type. */
typedef struct tnp_type {
  uint16_t conv;    /* TNP_CONV_* */
  uint8_t optional; /* None is accepted */
  uint8_t reserved;
  uint32_t count;    /* of `elements` */
  int64_t list_size; /* N of T[N], or -1 */
  char* text;        /* as written in the schema */
  struct tnp_type* elements;
} tnp_type;

enum {
  TNP_CONV_TENSOR,
  TNP_CONV_INT,
  TNP_CONV_FLOAT,
  TNP_CONV_BOOL,
  TNP_CONV_COMPLEX,
  TNP_CONV_SCALAR,
  TNP_CONV_STRING,
  TNP_CONV_DTYPE,
  TNP_CONV_LAYOUT,
  TNP_CONV_MEMORY_FORMAT,
  TNP_CONV_DEVICE,
  TNP_CONV_STREAM,
  TNP_CONV_GENERATOR,
  TNP_CONV_NONE,
  TNP_CONV_ANY,
  TNP_CONV_CLASS,
  TNP_CONV_FUNCTION,
  TNP_CONV_INT_LIST,
  TNP_CONV_FLOAT_LIST,
  TNP_CONV_BOOL_LIST,
  TNP_CONV_TENSOR_LIST,
  TNP_CONV_LIST,
  TNP_CONV_TUPLE,
  TNP_CONV_DICT,
  TNP_CONV_UNION,
  TNP_CONV_UNSUPPORTED
};

int tnp_type_compile(const tenon_type* type, int64_t list_size, tnp_type* out);
void tnp_type_free(tnp_type* type);

/* How value conversion treats objects that override operators. */
enum {
  TNP_OVERRIDES_STAY,   /* subclasses of Tensor convert as tensors, others are carried */
  TNP_OVERRIDES_FOUND,  /* only detects whether there are any */
  TNP_OVERRIDES_CARRIED /* all are carried into the call; the dispatcher calls their handlers */
};

/* Memory and references owned by one call. */
#define TNP_FEW_OWNED 4
typedef struct {
  void* handle;
  void (*release)(void* handle);
} tnp_owned;

typedef struct {
  uint32_t used;        /* bytes of `memory` */
  uint32_t owned_count; /* in `few_owned`, then in `more_owned` */
  void** chunks;        /* overflow of `memory`, linked by their first word */
  tnp_owned* more_owned;
  const char* detail; /* why the last conversion failed, static text or NULL */
  bool numbers;       /* numbers are accepted for Tensor arguments */
  bool overriding;    /* some argument is an object that overrides operators */
  uint8_t overrides;  /* TNP_OVERRIDES_* */
  bool symbolic;      /* some argument is a symbol, or a list with symbols */
  bool normalised;    /* some argument was converted: kernels must not get the caller's object */
  tnp_owned few_owned[TNP_FEW_OWNED];
  _Alignas(8) char memory[320];
} tnp_call;

static inline void tnp_call_begin(tnp_call* call, bool numbers) {
  call->used = 0;
  call->owned_count = 0;
  call->chunks = NULL;
  call->more_owned = NULL;
  call->detail = NULL;
  call->numbers = numbers;
  call->overriding = false;
  call->overrides = TNP_OVERRIDES_STAY;
  call->symbolic = false;
  call->normalised = false;
}
/* Releases `handle` when the call ends, or at once on failure. Returns 0, or -1 with an
 * exception. */
int tnp_own_more(tnp_call* call, void* handle, void (*release)(void*));
static inline int tnp_own(tnp_call* call, void* handle, void (*release)(void*)) {
  if (TNP_UNLIKELY(call->owned_count >= TNP_FEW_OWNED)) return tnp_own_more(call, handle, release);
  call->few_owned[call->owned_count].handle = handle;
  call->few_owned[call->owned_count++].release = release;
  return 0;
}
void tnp_call_finish(tnp_call* call);
static inline void tnp_call_end(tnp_call* call) {
  if (TNP_UNLIKELY(call->owned_count != 0 || call->chunks != NULL)) tnp_call_finish(call);
}

/* Sets the fields one by one: three stores, where a compound literal takes six. */
static inline void tnp_set_tensor(tenon_value* out, tenon_tensor* tensor) {
  out->tag = TENON_TAG_TENSOR;
  out->flags = 0;
  out->count = 0;
  out->as.words[1] = 0;
  out->as.tensor = tensor;
}

/* Converts by schema type into a borrowed value that lives as long as `call`. Returns 0 on success,
 * 1 if the type does not match (no exception), -1 with an exception. */
int tnp_to_value_slow(tnp_call* call, const tnp_type* type, PyObject* object, tenon_value* out);
static inline int tnp_to_value(tnp_call* call, const tnp_type* type, PyObject* object,
                               tenon_value* out) {
  if (TNP_LIKELY(Py_TYPE(object) == tnp_tensor_type && type->conv == TNP_CONV_TENSOR)) {
    tenon_tensor* tensor = tnp_tensor_get(object);
    if (TNP_UNLIKELY(tensor == NULL)) return -1;
    tnp_set_tensor(out, tensor);
    return 0;
  }
  return tnp_to_value_slow(call, type, object, out);
}
/* Converts a number to a BOOL, INT, FLOAT or COMPLEX value; returns like tnp_to_value. */
int tnp_to_scalar(tnp_call* call, PyObject* object, tenon_value* out);
/* Converts a value to an object. With `steal`, moves its reference out and sets it to NONE. */
PyObject* tnp_from_value(tenon_value* value, bool steal);
/* Returns 1 if two values of simple type are equal, otherwise 0. */
int tnp_value_equal(const tenon_value* a, const tenon_value* b);
/* Writes an object's kind in schema terms, for messages: "Tensor", "int[]", "numpy.int8". */
void tnp_describe(PyObject* object, char* out, size_t size);
PyObject* tnp_object_open(tenon_object* object); /* borrows `object`; new reference */
bool tnp_is_foreign(PyObject* object);           /* true for an object of another language */
tenon_object* tnp_foreign_get(PyObject* self);   /* borrowed */
/* Returns the object type of a Python class, never freed; NULL with an exception. */
const tenon_object_type* tnp_carried_type(PyTypeObject* python);
void* tnp_carry(PyObject* object);     /* returns `self` of such a type; NULL with an exception */
PyObject* tnp_carried_get(void* self); /* borrowed */

/* ---- op.c, binding.c, call.c: operators, argument binding and calls -------------------------- */

typedef struct {
  PyObject* name; /* interned */
  bool has_default, kwarg_only, written;
  int64_t aliased; /* returns: index of the written argument that is returned, or -1 */
  tnp_type type;
} tnp_argument;

/* Lowered signatures (op.h) whose typed kernels are called unboxed. */
enum {
  TNP_LANE_NONE,
  TNP_LANE_T,
  TNP_LANE_TT,
  TNP_LANE_TTT,
  TNP_LANE_TTV,
  TNP_LANE_TV,
  TNP_LANE_TI,
  TNP_LANE_TII,
  TNP_LANE_TIVVI,
  TNP_LANE_TLIST, /* with an int[] */
  TNP_LANE_TLISTB,
  TNP_LANE_T_NOTHING, /* no `out`: no result, or the written argument */
  TNP_LANE_TV_NOTHING,
  TNP_LANE_TT_NOTHING,
  TNP_LANE_TTV_NOTHING,
  TNP_LANE_COUNT
};

/* A schema compiled for binding. Reference-counted under the GIL. */
typedef struct {
  Py_ssize_t references;
  tenon_schema* schema;
  uint32_t nargs, npositional, nrets;
  uint32_t required; /* index from which all arguments have defaults */
  int64_t viewed;    /* index of the argument that results are views of, or -1 */
  bool vararg, varret;
  bool numbers;        /* as in tnp_call */
  bool takes_forms;    /* ATen: if the arguments do not fit, PyTorch's other forms are tried */
  bool returns_list;   /* ATen, one result of type Tensor[]: callers get a tuple */
  int32_t tensors;     /* number of required arguments if they are few Tensors, or -1 */
  bool returns_tensor; /* one result, a Tensor that is not a written argument */
  uint8_t lane;
  uint64_t signature; /* of the lane; without a lane, a hash that no kernel has */
  tnp_argument* args;
  tnp_argument* rets;
  tenon_value* defaults; /* one per argument, borrowed from the schema, never flagged OWNED */
  PyTypeObject* results; /* named tuple type if there are several results, all named; or NULL */
} tnp_binding;

/* Calls an operator on behalf of `func`, the function that `__torch_function__` receives. */
typedef PyObject* (*tnp_enter)(PyObject* op, PyObject* func, PyObject* const* args, size_t nargsf,
                               PyObject* kwnames);

typedef struct {
  PyObject_HEAD vectorcallfunc vectorcall;
  tnp_enter enter; /* like `vectorcall`, on behalf of another function */
  const tenon_op* op;
  tnp_binding* binding; /* NULL without a schema */
  uint64_t generation;  /* of the registry when `binding` was looked up; 0 if none */
  PyObject* name;       /* "ns::name.overload" */
  PyObject* dict;
  PyObject* weakrefs;
} tnp_op;

typedef struct {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* name; /* "ns::name" */
  PyObject* ops;  /* tuple of tnp_op, in definition order */
  PyObject* dict; /* overloads by name, and other attributes */
  PyObject* weakrefs;
} tnp_packet;

extern PyTypeObject* tnp_op_type;
extern PyTypeObject* tnp_packet_type;
extern _Atomic(uint64_t) tnp_generation;

PyObject* tnp_op_object(const tenon_op* op); /* new reference; one object per operator */
void tnp_op_forget_removed(void);            /* drops schemas of removed operators */
int tnp_op_refresh(tnp_op* self);            /* 0, or -1 with an exception */
static inline bool tnp_op_is_current(const tnp_op* self) {
  return self->generation == atomic_load_explicit(&tnp_generation, memory_order_acquire);
}
static inline int tnp_op_ready(tnp_op* self) {
  return TNP_LIKELY(tnp_op_is_current(self)) ? 0 : tnp_op_refresh(self);
}
/* Converts a kernel's results to owned values. Returns 0, or -1 with an exception. Written
 * arguments must be returned themselves; with `by_handler` they replace the results. */
int tnp_results_to_values(tnp_op* op, tnp_binding* binding, const tenon_value* args,
                          PyObject* result, bool by_handler, tenon_value* rets);
/* Converts values to arguments of a Python function, without trailing defaults. The caller fills
 * the `extra` leading slots. Returns a new PyMem array of `extra + out_nargs` (+ keywords). */
PyObject** tnp_values_to_arguments(tnp_binding* binding, tenon_value* args, uint32_t count,
                                   int extra, Py_ssize_t* out_nargs, PyObject** out_kwnames);
/* Calls an operator with a tensor, or an object that overrides operators, and `count` more values
 * that match its schema. Returns a new reference, or NULL with an exception. */
PyObject* tnp_op_apply(PyObject* op, PyObject* tensor, const tenon_value* more, uint32_t count);
/* One of our operators by full name, looked up on first use; borrowed, NULL with an exception. */
typedef struct {
  const char* name;
  PyObject* op;
} tnp_op_cache;
PyObject* tnp_cached_op_slow(tnp_op_cache* known);
static inline PyObject* tnp_cached_op(tnp_op_cache* known) {
  return TNP_LIKELY(known->op != NULL) ? known->op : tnp_cached_op_slow(known);
}
PyObject* tnp_find_op(PyObject* module, PyObject* name);

/* named_results.c: the named tuple type, a new reference, or NULL, with or without an exception, if
 * a result has no name; and a tuple, which is taken over, converted to the operator's type. */
PyTypeObject* tnp_results_type(tenon_schema* schema, uint32_t count);
PyObject* tnp_name_results(const tnp_binding* binding, PyObject* result);

/* ---- library.c: libraries and Python kernels --------------------------------------------------
 */

typedef struct tnp_kernel {
  tnp_garbage garbage; /* first member: the deleter queues the kernel through it */
  PyObject* function;  /* owned; visited on behalf of `owner` */
  struct tnp_library* owner;
  struct tnp_kernel* next;
  struct tnp_kernel** link;
  bool with_keyset, with_op;
  bool plain; /* takes the operator's arguments and no others */
  tnp_op* op; /* the operator it serves, owned; NULL for a fallback */
} tnp_kernel;

typedef struct tnp_library {
  PyObject_HEAD tenon_library* library;
  tnp_kernel* kernels;
  PyObject* weakrefs;
} tnp_library;

extern PyTypeObject* tnp_library_type;
tenon_status tnp_trampoline(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
/* Calls a kernel's function with converted arguments. Returns a new reference, or NULL. */
PyObject* tnp_kernel_call(tnp_kernel* kernel, tnp_op* op, tnp_binding* binding, tenon_keyset keys,
                          tenon_value* args, uint32_t count);
PyObject* tnp_keyset_object(tenon_keyset keys);

/* ---- handle.c: handles of the flat layer ------------------------------------------------------
 */

enum {
  TNP_HANDLE_SCHEMA,
  TNP_HANDLE_PLUGIN,
  TNP_HANDLE_THREAD_STATE,
  TNP_HANDLE_REGISTRATION,
  TNP_HANDLE_STORAGE,
  TNP_HANDLE_PROFILE,
  TNP_HANDLE_SIMULATOR,
  TNP_HANDLE_LAYER,
  TNP_HANDLE_PULLBACK,
  TNP_HANDLE_GRAPH
};
typedef struct {
  PyObject_HEAD void* pointer;
  int kind;
  bool has_modes; /* a thread state that may enable Python modes: counted as enabled */
} tnp_handle;
extern PyTypeObject* tnp_handle_type;
PyObject* tnp_handle_new(int kind, void* pointer); /* takes over the reference */
void* tnp_handle_get(PyObject* object, int kind);  /* borrowed; NULL with an exception */

/* ---- registry.c: events of the registry, guards and profiles ------------------------------------
 */

int tnp_registry_init(void);
extern PyTypeObject* tnp_guard_type;

/* Adds all types and functions to the module. Returns 0, or -1 with an exception. */
int tnp_init(PyObject* module);
int tnp_types_init(PyObject* module);
int tnp_size_init(PyObject* module);
int tnp_errors_init(PyObject* module);
int tnp_tensor_init(PyObject* module);
int tnp_value_init(PyObject* module);
int tnp_op_init(PyObject* module);
int tnp_alias_check_init(PyObject* module);
int tnp_library_init(PyObject* module);
int tnp_handle_init(PyObject* module);
int tnp_guard_init(PyObject* module);
int tnp_exchange_init(PyObject* module);
int tnp_factory_init(PyObject* module);
int tnp_generator_init(PyObject* module);
int tnp_graph_init(PyObject* module);
int tnp_graph_call_init(PyObject* module);
int tnp_autocast_init(PyObject* module);
int tnp_fake_init(PyObject* module);
int tnp_autograd_init(PyObject* module);
int tnp_check_init(PyObject* module);
int tnp_nn_module_init(PyObject* module);
int tnp_node_init(PyObject* module);
int tnp_forward_ad_init(PyObject* module);
int tnp_transform_init(PyObject* module);
int tnp_transformed_init(PyObject* module);
int tnp_warning_init(void); /* warning.c: forwards warnings to Python's `warnings` */

/* Creates a heap type on the first call and adds it to the module. Returns 0 or -1. */
int tnp_add_type(PyObject* module, PyTypeObject** slot, PyType_Spec* spec, PyObject* base);

#pragma GCC visibility pop

#endif
