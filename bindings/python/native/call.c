/* SPDX-License-Identifier: Apache-2.0 */
/* One call of an operator from Python: binds the arguments, selects the kernel, runs it and wraps
 * its results. All calls are made here: `op(a, b)`, packets, methods, `a + b`, redispatch.
 * Long file: the code that calls share is inlined into each of their lanes. */
#include "binding.h"
#include "exchange.h"
#include "function_protocol.h"
#include "overrides.h"
#include "value.h"

#define INLINED static inline __attribute__((always_inline))

/* ---- Whether to keep the GIL ----------------------------------------------------------------- */

/* Returns true if a list covers at most `enough` elements: the total of its tensors, or, for a
 * factory's size, the elements of the new tensor. */
static bool is_small_list(const tenon_value* value, int64_t enough) {
  const void* data = value->as.list.data;
  int64_t numel = 0;
  if (value->tag == TENON_TAG_TENSOR_LIST) {
    for (uint32_t i = 0; i < value->count; i++) {
      tenon_tensor* tensor = ((tenon_tensor* const*)data)[i];
      if (tensor != NULL) numel += tenon_tensor_numel(tensor);
    }
  } else if (value->tag == TENON_TAG_INT_LIST) {
    numel = 1;
    for (uint32_t i = 0; i < value->count && numel <= enough; i++) {
      int64_t size = ((const int64_t*)data)[i];
      if (size > 0) numel *= size < INT32_MAX ? size : INT32_MAX;
    }
  }
  return numel <= enough;
}

/* Returns true if the kernel is declared quick for these arguments, so that the GIL can be kept.
 * The first `tensors` arguments are known to be tensors. */
INLINED bool is_quick(const tenon_entry* entry, const tenon_value* values, uint32_t tensors,
                      uint32_t count) {
  if (!(entry->flags & TENON_KERNEL_NOBLOCK)) return false;
  int64_t enough = entry->noblock_max_numel;
  if (enough == INT64_MAX) return true;
  for (uint32_t i = 0; i < tensors; i++) {
    if (tenon_tensor_numel(values[i].as.tensor) > enough) return false;
  }
  for (uint32_t i = tensors; i < count; i++) {
    if (values[i].tag == TENON_TAG_TENSOR) {
      if (tenon_tensor_numel(values[i].as.tensor) > enough) return false;
    } else if (values[i].tag >= TENON_TAG_INT_LIST && !is_small_list(&values[i], enough)) {
      return false;
    }
  }
  return true;
}

/* ---- The three kinds of kernels -------------------------------------------------------------- */

/* A call after binding. Kept in registers on fast paths, so only inlined functions may take its
 * address. */
typedef struct {
  tnp_op* op;
  tnp_binding* binding;
  tenon_value* values;
  uint32_t tensors; /* number of leading values known to be tensors */
  uint32_t count;
  bool normalised;       /* some value differs from the caller's object */
  PyObject* const* args; /* the caller's vector */
  size_t nargsf;
  PyObject* kwnames;
} bound_call;

/* Leaves the frame of a kernel that succeeded: one store. */
static inline void leave(tenon_frame* frame) {
  if (TNP_UNLIKELY(frame->error != NULL)) {
    tenon_frame_end(frame, TENON_OK);
  } else {
    tenon_frame_leave(frame);
  }
}

static PyObject* fail(tenon_frame* frame, tenon_status status) {
  tenon_frame_end(frame, status);
  return tnp_raise();
}

/* Returns true if the caller may have passed an argument equal to its default. Such trailing
 * arguments are not passed to kernels. */
static inline bool may_give_defaults(const bound_call* c) {
  const tnp_binding* b = c->binding;
  if (TNP_LIKELY(c->kwnames == NULL))
    return PyVectorcall_NARGS(c->nargsf) > (Py_ssize_t)b->required;
  return b->required < b->nargs;
}

/* Runs a Python kernel. It gets the caller's own objects if no argument was converted, so that
 * nothing is boxed and instances of subclasses are passed on unchanged. */
INLINED PyObject* run_python(const bound_call* c, const tenon_entry* entry, tenon_frame* frame) {
  tnp_kernel* kernel = entry->ctx; /* alive until the frame is left */
  PyObject* result;
  if (TNP_LIKELY(kernel->plain && !c->normalised && !may_give_defaults(c))) {
    PyObject* function = kernel->function; /* borrowed; kept alive by the kernel */
    result =
        TNP_LIKELY(PyFunction_Check(function))
            ? ((PyFunctionObject*)function)->vectorcall(function, c->args, c->nargsf, c->kwnames)
            : PyObject_Vectorcall(function, c->args, c->nargsf, c->kwnames);
  } else {
    result = tnp_kernel_call(kernel, c->op, c->binding, frame->keys, c->values, c->count);
  }
  if (TNP_LIKELY(result != NULL) &&
      TNP_UNLIKELY(!c->binding->returns_tensor || Py_TYPE(result) != tnp_tensor_type)) {
    result = tnp_check_result(c->op, c->binding, c->values, result);
  }
  leave(frame); /* on failure Python's exception is already set */
  return result;
}

typedef tenon_status (*kernel_t)(const tenon_frame*, tenon_tensor*, tenon_tensor**);
typedef tenon_status (*kernel_tt)(const tenon_frame*, tenon_tensor*, tenon_tensor*, tenon_tensor**);
typedef tenon_status (*kernel_ttt)(const tenon_frame*, tenon_tensor*, tenon_tensor*, tenon_tensor*,
                                   tenon_tensor**);
typedef tenon_status (*kernel_ttv)(const tenon_frame*, tenon_tensor*, tenon_tensor*,
                                   const tenon_value*, tenon_tensor**);
typedef tenon_status (*kernel_tv)(const tenon_frame*, tenon_tensor*, const tenon_value*,
                                  tenon_tensor**);
typedef tenon_status (*kernel_ti)(const tenon_frame*, tenon_tensor*, int64_t, tenon_tensor**);
typedef tenon_status (*kernel_tii)(const tenon_frame*, tenon_tensor*, int64_t, int64_t,
                                   tenon_tensor**);
typedef tenon_status (*kernel_tivvi)(const tenon_frame*, tenon_tensor*, int64_t, const tenon_value*,
                                     const tenon_value*, int64_t, tenon_tensor**);
typedef tenon_status (*kernel_tlist)(const tenon_frame*, tenon_tensor*, const int64_t*, int64_t,
                                     tenon_tensor**);
typedef tenon_status (*kernel_tlistb)(const tenon_frame*, tenon_tensor*, const int64_t*, int64_t,
                                      int64_t, tenon_tensor**);
typedef tenon_status (*kernel_t_)(const tenon_frame*, tenon_tensor*);
typedef tenon_status (*kernel_tv_)(const tenon_frame*, tenon_tensor*, const tenon_value*);
typedef tenon_status (*kernel_tt_)(const tenon_frame*, tenon_tensor*, tenon_tensor*);
typedef tenon_status (*kernel_ttv_)(const tenon_frame*, tenon_tensor*, tenon_tensor*,
                                    const tenon_value*);

INLINED tenon_status enter_typed(const bound_call* c, const tenon_entry* entry,
                                 const tenon_frame* frame, tenon_tensor** out) {
  tenon_typed_fn f = entry->typed;
  const tenon_value* v = c->values;
  uint8_t lane = c->binding->lane;
  tenon_tensor* a = v[0].as.tensor;
  /* The most frequent lanes are compared first, which is cheaper than a jump table. */
  if (lane == TNP_LANE_TT) return ((kernel_tt)f)(frame, a, v[1].as.tensor, out);
  if (lane == TNP_LANE_TTV) return ((kernel_ttv)f)(frame, a, v[1].as.tensor, &v[2], out);
  if (lane == TNP_LANE_T) return ((kernel_t)f)(frame, a, out);
  switch (lane) {
    case TNP_LANE_TTT:
      return ((kernel_ttt)f)(frame, a, v[1].as.tensor, v[2].as.tensor, out);
    case TNP_LANE_TV:
      return ((kernel_tv)f)(frame, a, &v[1], out);
    case TNP_LANE_TI:
      return ((kernel_ti)f)(frame, a, v[1].as.i, out);
    case TNP_LANE_TII:
      return ((kernel_tii)f)(frame, a, v[1].as.i, v[2].as.i, out);
    case TNP_LANE_TIVVI:
      return ((kernel_tivvi)f)(frame, a, v[1].as.i, &v[2], &v[3], v[4].as.i, out);
    case TNP_LANE_TLIST:
      return ((kernel_tlist)f)(frame, a, v[1].as.list.data, v[1].count, out);
    case TNP_LANE_TLISTB:
      return ((kernel_tlistb)f)(frame, a, v[1].as.list.data, v[1].count, v[2].as.i, out);
    case TNP_LANE_T_NOTHING:
      return ((kernel_t_)f)(frame, a);
    case TNP_LANE_TV_NOTHING:
      return ((kernel_tv_)f)(frame, a, &v[1]);
    case TNP_LANE_TT_NOTHING:
      return ((kernel_tt_)f)(frame, a, v[1].as.tensor);
    default:
      return ((kernel_ttv_)f)(frame, a, v[1].as.tensor, &v[2]);
  }
}

/* Rejects a write to an inference tensor outside inference mode. Such tensors have no version
 * counter, so the change of a tensor saved for backward would go unnoticed. As in PyTorch, the
 * elements have already been written. */
static int check_written(const tnp_op* op, const tnp_binding* b, int64_t index,
                         const tenon_value* values) {
  if (values[index].tag != TENON_TAG_TENSOR) return 0;
  if (TNP_LIKELY((tenon_tensor_flags(values[index].as.tensor) & TENON_TENSOR_INFERENCE) == 0)) {
    return 0;
  }
  if ((tenon_grad_mode_get() & TENON_GRAD_MODE_INFERENCE) != 0) return 0;
  tnp_raise_format(
      TENON_ERROR_STATE,
      "%U: %U must not be an inference tensor where it is written outside of inference "
      "mode; clone() it there for a normal tensor",
      op->name, b->args[index].name);
  return -1;
}

/* Returns the argument that a kernel wrote and returned: normally the caller's own object. */
static PyObject* written_argument(int64_t index, const tenon_value* values, PyObject* const* args,
                                  size_t nargsf) {
  tenon_tensor* tensor = values[index].as.tensor;
  if (index < PyVectorcall_NARGS(nargsf) && TNP_IS_TENSOR(args[index]) &&
      ((tnp_tensor*)args[index])->tensor == tensor) {
    Py_INCREF(args[index]);
    return args[index];
  }
  return tnp_tensor_wrap(tenon_tensor_retain(tensor));
}

/* Returns the result of a typed kernel that set no tensor: None or the written argument, as the
 * schema says; otherwise raises an error. Leaves the frame. */
static PyObject* result_without_tensor(const bound_call* c, tenon_frame* frame) {
  tnp_binding* b = c->binding;
  if (b->returns_tensor && !b->rets[0].type.optional) {
    tenon_frame_end_without_result(frame, 0);
    return tnp_raise();
  }
  leave(frame);
  if (b->nrets == 0 || b->returns_tensor) Py_RETURN_NONE;
  if (check_written(c->op, b, b->rets[0].aliased, c->values) != 0) return NULL;
  return written_argument(b->rets[0].aliased, c->values, c->args, c->nargsf);
}

/* Runs a kernel with a typed form of a common signature, without boxing. */
INLINED PyObject* run_typed(const bound_call* c, const tenon_entry* entry, tenon_frame* frame) {
  tenon_tensor* out = NULL;
  tenon_status status;
  if (TNP_LIKELY(is_quick(entry, c->values, c->tensors, c->count))) {
    status = enter_typed(c, entry, frame, &out);
  } else {
    Py_BEGIN_ALLOW_THREADS status = enter_typed(c, entry, frame, &out);
    Py_END_ALLOW_THREADS
  }
  if (TNP_UNLIKELY(status != TENON_OK)) return fail(frame, status);
  if (TNP_UNLIKELY(out == NULL)) return result_without_tensor(c, frame);
  leave(frame);
  return tnp_tensor_wrap(out);
}

/* Converts a list to a tuple; takes over the reference. */
static PyObject* as_tuple(PyObject* result) {
  if (result == NULL || !PyList_CheckExact(result)) return result;
  PyObject* tuple = PyList_AsTuple(result);
  Py_DECREF(result);
  return tuple;
}

static PyObject* run_boxed(tnp_binding* b, tenon_value* values, uint32_t count,
                           const tenon_entry* entry, tenon_frame* frame) {
  tenon_value few[TNP_FEW];
  tenon_value* rets = b->nrets <= TNP_FEW ? few : PyMem_Malloc(b->nrets * sizeof *rets);
  if (rets == NULL) {
    tenon_frame_end(frame, TENON_OK);
    return PyErr_NoMemory();
  }
  for (uint32_t i = 0; i < b->nrets; i++) rets[i] = (tenon_value){0};
  tenon_stack stack = {values, rets, count, b->nrets, NULL, {0, 0}};
  tenon_status status;
  if (TNP_LIKELY(is_quick(entry, values, 0, count))) {
    status = tenon_frame_call(frame, &stack);
  } else {
    Py_BEGIN_ALLOW_THREADS status = tenon_frame_call(frame, &stack);
    Py_END_ALLOW_THREADS
  }
  PyObject* result;
  if (TNP_UNLIKELY(status != TENON_OK)) {
    result = fail(frame, status);
  } else {
    leave(frame);
    result = tnp_values_to_object(rets, b->nrets);
    if (TNP_UNLIKELY(tnp_may_carry(frame->keys))) result = tnp_unwrap_carriers(result);
    result = b->returns_list ? as_tuple(result) : tnp_name_results(b, result);
  }
  if (TNP_UNLIKELY(rets != few)) PyMem_Free(rets);
  return result;
}

/* Runs a call in which any argument may be an object that overrides operators. */
static PyObject* run_overridden(tnp_op* op, tnp_binding* b, tenon_value* values, uint32_t count,
                                const tenon_keyset* keys) {
  if (keys != NULL) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "%U.redispatch: arguments must not override operators, got an object "
                            "that does",
                            op->name);
  }
  tenon_value* rets = PyMem_Calloc(b->nrets + 1, sizeof *rets);
  if (rets == NULL) return PyErr_NoMemory();
  tenon_stack stack = {values, rets, count, b->nrets, NULL, {0, 0}};
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status = tenon_op_call(op->op, &stack);
  Py_END_ALLOW_THREADS PyObject* result =
      status == TENON_OK ? tnp_unwrap_carriers(tnp_values_to_object(rets, b->nrets)) : tnp_raise();
  PyMem_Free(rets);
  return b->returns_list ? as_tuple(result) : tnp_name_results(b, result);
}

/* ---- The call -------------------------------------------------------------------------------- */

INLINED PyObject* run(const bound_call* c, const tenon_keyset* keys) {
  tenon_frame frame;
  /* Keys chosen by Python may select a kernel that cannot read the tensors. */
  if (keys && tnp_check(tenon_op_check_keys(c->op->op, *keys, c->values, c->count)) != 0) {
    return NULL;
  }
  const tenon_entry* entry = keys ? tenon_frame_begin_keys(c->op->op, *keys, &frame)
                                  : tenon_frame_begin_boxed(c->op->op, c->values, c->count, &frame);
  if (TNP_UNLIKELY(entry == NULL)) return tnp_raise();
  if (entry->boxed == tnp_trampoline) return run_python(c, entry, &frame);
  /* The hash of a lane is never 0; entries without a typed form have 0. */
  const tnp_binding* b = c->binding;
  if (entry->signature == b->signature) return run_typed(c, entry, &frame);
  PyObject* result = run_boxed(c->binding, c->values, c->count, entry, &frame);
  const bool writes = b->nrets != 0 && b->rets[0].aliased >= 0;
  if (TNP_UNLIKELY(writes) && result != NULL &&
      check_written(c->op, b, b->rets[0].aliased, c->values) != 0) {
    Py_CLEAR(result);
  }
  return result;
}

/* Runs a call with symbolic arguments. They are not tensors and contribute no key, so the Symbolic
 * key is added here. */
static PyObject* run_symbolic(const bound_call* c) {
  tenon_keyset symbolic;
  tenon_key_guard guard;
  if (tnp_check(tenon_keyset_from_key(TENON_KEY_SYMBOLIC, &symbolic)) != 0 ||
      tnp_check(tenon_key_guard_include(symbolic, &guard)) != 0) {
    return NULL;
  }
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin_boxed(c->op->op, c->values, c->count, &frame);
  PyObject* result =
      entry ? run_boxed(c->binding, c->values, c->count, entry, &frame) : tnp_raise();
  if (tenon_key_guard_leave(&guard) != TENON_OK) {
    if (result != NULL) tnp_raise();
    Py_CLEAR(result);
  }
  return result;
}

/* Binds the arguments again, now with the objects that override operators, and dispatches: the
 * dispatcher calls their handlers. */
static PyObject* dispatch_overridden(tnp_op* self, tnp_binding* b, tenon_value* values,
                                     uint32_t count, const tenon_keyset* keys,
                                     PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                                     tnp_mismatch* why) {
  tnp_call memory;
  tnp_call_begin(&memory, b->numbers);
  memory.overrides = TNP_OVERRIDES_CARRIED;
  PyObject* result = NULL;
  if (tnp_bind(b, &memory, args, nargs, kwnames, values, why) == 0) {
    result = run_overridden(self, b, values, count, keys);
  }
  tnp_call_end(&memory);
  return result;
}

PyObject* tnp_op_try(tnp_op* self, PyObject* func, const tenon_keyset* keys, PyObject* const* args,
                     size_t nargsf, PyObject* kwnames, tnp_mismatch* why) {
  tnp_binding* b = self->binding;
  Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  uint32_t count =
      TNP_UNLIKELY(nargs > (Py_ssize_t)b->nargs) && b->vararg ? (uint32_t)nargs : b->nargs;
  tenon_value few[TNP_FEW];
  tenon_value* values = few;
  if (TNP_UNLIKELY(count > TNP_FEW)) {
    values = PyMem_Malloc(count * sizeof *values);
    if (values == NULL) return PyErr_NoMemory();
  }
  tnp_call memory;
  tnp_call_begin(&memory, b->numbers);
  memory.overrides = TNP_OVERRIDES_FOUND;
  b->references++; /* the operator may be redefined while its kernel runs */
  PyObject* result = NULL;
  int bound = tnp_bind(b, &memory, args, nargs, kwnames, values, why);
  if (TNP_LIKELY(bound == 0)) {
    bound_call c = {self, b, values, 0, count, memory.normalised, args, nargsf, kwnames};
    if (TNP_UNLIKELY(memory.symbolic) && keys == NULL && !memory.overriding) {
      result = run_symbolic(&c);
    } else if (TNP_LIKELY(!memory.overriding)) {
      result = run(&c, keys);
    } else if (keys == NULL &&
               tnp_has_handler_slow(args, nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0))) {
      result = tnp_call_handlers(func, args, nargs, kwnames);
    } else {
      result = dispatch_overridden(self, b, values, count, keys, args, nargs, kwnames, why);
    }
  } else if (bound > 0 && why->explain) {
    why->text = tnp_mismatch_text(b, why, args, nargs, kwnames);
  }
  tnp_call_end(&memory);
  tnp_binding_release(b);
  if (TNP_UNLIKELY(values != few)) PyMem_Free(values);
  tnp_drain_pending();
  return result;
}

static PyObject* call(tnp_op* self, PyObject* func, const tenon_keyset* keys, PyObject* const* args,
                      size_t nargsf, PyObject* kwnames) {
  if (TNP_UNLIKELY(tnp_op_ready(self) != 0)) return NULL;
  if (keys == NULL && TNP_UNLIKELY(tnp_mode_has_handler())) {
    return tnp_call_handlers(func, args, PyVectorcall_NARGS(nargsf), kwnames);
  }
  const bool takes_forms = keys == NULL && self->binding->takes_forms;
  tnp_mismatch why = {.explain = !takes_forms};
  PyObject* result = tnp_op_try(self, func, keys, args, nargsf, kwnames, &why);
  if (TNP_UNLIKELY(takes_forms && result == NULL && why.found) && !PyErr_Occurred()) {
    PyObject* op = (PyObject*)self;
    result = tnp_call_forms(&op, 1, func, args, nargsf, kwnames);
    if (result != NULL || PyErr_Occurred()) return result;
    why = (tnp_mismatch){.explain = true};
    result = tnp_op_try(self, func, keys, args, nargsf, kwnames, &why);
  }
  if (TNP_UNLIKELY(why.text != NULL)) {
    if (func == (PyObject*)self || !tnp_raise_no_tensor(func, self, &why)) {
      tnp_raise_format(TENON_ERROR_TYPE, "%U", why.text);
    }
    Py_DECREF(why.text);
  }
  return result;
}

/* ---- Tensors by position: the most frequent calls -------------------------------------------- */

/* Returns true if the object is exactly a Tensor with a handle, as nearly all are, and no Python
 * function mode is active. */
static inline bool is_plain_tensor(PyObject* object) {
  return Py_TYPE(object) == tnp_plain_type && ((const tnp_tensor*)object)->tensor != NULL;
}

/* Runs a call whose leading tensors are bound; fills in defaults for the other arguments. */
INLINED PyObject* run_tensors(tnp_op* self, tnp_binding* b, tenon_value* values, uint32_t tensors,
                              bool normalised, PyObject* const* args, size_t nargsf) {
  for (uint32_t i = tensors; i < b->nargs; i++) values[i] = b->defaults[i];
  bound_call c = {self, b, values, tensors, b->nargs, normalised, args, nargsf, NULL};
  b->references++;
  PyObject* result = run(&c, NULL);
  tnp_binding_release(b);
  return result;
}

/* Runs a call with numpy arrays among the tensors: each is wrapped as a tensor for the call. */
static PyObject* call_arrays(tnp_op* self, PyObject* func, PyObject* const* args, size_t nargsf) {
  tnp_binding* b = self->binding;
  uint32_t tensors = (uint32_t)b->tensors, count = 0;
  for (uint32_t i = 0; i < tensors; i++) {
    if (Py_TYPE(args[i]) != tnp_ndarray_type && !is_plain_tensor(args[i])) {
      return call(self, func, NULL, args, nargsf, NULL);
    }
  }
  tenon_value values[TNP_FEW];
  tenon_tensor* made[TNP_FEW_TENSORS];
  PyObject* result = NULL;
  for (uint32_t i = 0; i < tensors; i++) {
    if (Py_TYPE(args[i]) == tnp_tensor_type) {
      tnp_set_tensor(&values[i], ((const tnp_tensor*)args[i])->tensor);
      continue;
    }
    if (TNP_UNLIKELY(tnp_import_array(args[i], &made[count]) != 0)) {
      tnp_name_argument_in_error(b, i, false, args[i]);
      goto done;
    }
    tnp_set_tensor(&values[i], made[count++]);
  }
  result = run_tensors(self, b, values, tensors, true, args, nargsf);
done:;
  bool nested = tnp_free_begin();
  for (uint32_t i = 0; i < count; i++) tenon_tensor_release(made[i]);
  tnp_free_end(nested);
  tnp_drain_pending();
  return result;
}

/* Inlined for each number of tensors, so that the loops have constant bounds. */
INLINED PyObject* call_tensors(PyObject* callable, PyObject* func, uint32_t tensors,
                               PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  tnp_op* self = (tnp_op*)callable;
  if (TNP_UNLIKELY(!tnp_op_is_current(self) || kwnames != NULL ||
                   PyVectorcall_NARGS(nargsf) != (Py_ssize_t)tensors)) {
    return call(self, func, NULL, args, nargsf, kwnames);
  }
  tenon_value values[TNP_FEW];
  for (uint32_t i = 0; i < tensors; i++) {
    if (TNP_UNLIKELY(!is_plain_tensor(args[i]))) return call_arrays(self, func, args, nargsf);
    tnp_set_tensor(&values[i], ((const tnp_tensor*)args[i])->tensor);
  }
  PyObject* result = run_tensors(self, self->binding, values, tensors, false, args, nargsf);
  tnp_drain_pending();
  return result;
}

#define CALLS(n)                                                                                 \
  static PyObject* call_##n(PyObject* op, PyObject* const* args, size_t nargsf,                  \
                            PyObject* kwnames) {                                                 \
    return call_tensors(op, op, n, args, nargsf, kwnames);                                       \
  }                                                                                              \
  static PyObject* enter_##n(PyObject* op, PyObject* func, PyObject* const* args, size_t nargsf, \
                             PyObject* kwnames) {                                                \
    return call_tensors(op, func, n, args, nargsf, kwnames);                                     \
  }
CALLS(0)
CALLS(1)
CALLS(2)
CALLS(3)
#undef CALLS

static PyObject* call_any(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return call((tnp_op*)op, op, NULL, args, nargsf, kwnames);
}
static PyObject* enter_any(PyObject* op, PyObject* func, PyObject* const* args, size_t nargsf,
                           PyObject* kwnames) {
  return call((tnp_op*)op, func, NULL, args, nargsf, kwnames);
}

void tnp_op_set_calls(tnp_op* self, const tnp_binding* binding) {
  static const vectorcallfunc calls[TNP_FEW_TENSORS + 1] = {call_0, call_1, call_2, call_3};
  static const tnp_enter enters[TNP_FEW_TENSORS + 1] = {enter_0, enter_1, enter_2, enter_3};
  const bool any = binding == NULL || binding->tensors < 0;
  self->vectorcall = any ? call_any : calls[binding->tensors];
  self->enter = any ? enter_any : enters[binding->tensors];
}

PyObject* tnp_op_apply(PyObject* op, PyObject* tensor, const tenon_value* more, uint32_t count) {
  tnp_op* self = (tnp_op*)op;
  if (TNP_UNLIKELY(tnp_op_ready(self) != 0)) return NULL;
  tnp_binding* b = self->binding;
  if (TNP_UNLIKELY(b->nargs != count + 1 || b->nargs > TNP_FEW)) {
    return tnp_raise_format(TENON_ERROR_STATE, "%U: arguments must be %u, got a schema with %u",
                            self->name, count + 1, b->nargs);
  }
  tenon_value values[TNP_FEW];
  for (uint32_t i = 0; i < count; i++) values[i + 1] = more[i];
  PyObject* args[1] = {tensor};
  PyObject* result = NULL;
  if (TNP_LIKELY(is_plain_tensor(tensor))) {
    tnp_set_tensor(&values[0], ((const tnp_tensor*)tensor)->tensor);
    bound_call c = {self, b, values, 1, b->nargs, true, args, 1, NULL};
    b->references++;
    result = run(&c, NULL);
    tnp_binding_release(b);
  } else {
    tnp_call memory;
    tnp_call_begin(&memory, false);
    memory.overrides = TNP_OVERRIDES_CARRIED;
    int bound = tnp_to_value(&memory, &b->args[0].type, tensor, &values[0]);
    if (bound > 0) {
      tnp_raise_format(TENON_ERROR_TYPE, "%U: argument '%U' must be Tensor, got %s", self->name,
                       b->args[0].name, Py_TYPE(tensor)->tp_name);
    } else if (bound == 0) {
      bound_call c = {self, b, values, 0, b->nargs, true, args, 1, NULL};
      b->references++;
      result = memory.overriding ? run_overridden(self, b, values, b->nargs, NULL) : run(&c, NULL);
      tnp_binding_release(b);
    }
    tnp_call_end(&memory);
  }
  tnp_drain_pending();
  return result;
}

/* ---- Other ways to call ---------------------------------------------------------------------- */

PyObject* tnp_op_redispatch(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames) {
  if (nargs < 1 || !PyLong_Check(args[0])) {
    return tnp_raise_format(
        TENON_ERROR_TYPE, "%U.redispatch: keyset must be DispatchKeySet, got %s",
        ((tnp_op*)self)->name, nargs < 1 ? "nothing" : Py_TYPE(args[0])->tp_name);
  }
  tenon_keyset keys = PyLong_AsUnsignedLongLong(args[0]);
  if (PyErr_Occurred()) return NULL;
  return call((tnp_op*)self, self, &keys, args + 1, (size_t)(nargs - 1), kwnames);
}

/* What to do with bound arguments instead of calling the operator. */
typedef PyObject* (*bound_use)(const tnp_op* op, tenon_value* values, uint32_t nargs, void* ctx);

static PyObject* with_bound(PyObject* object, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames, bound_use use, void* ctx) {
  tnp_op* self = (tnp_op*)object;
  if (tnp_op_ready(self) != 0) return NULL;
  tnp_binding* b = self->binding;
  uint32_t count = nargs > (Py_ssize_t)b->nargs && b->vararg ? (uint32_t)nargs : b->nargs;
  tenon_value* values = PyMem_Calloc(count + 1, sizeof *values);
  if (values == NULL) return PyErr_NoMemory();
  tnp_call memory;
  tnp_call_begin(&memory, b->numbers);
  memory.overrides = TNP_OVERRIDES_CARRIED;
  tnp_mismatch why = {.found = false};
  PyObject* result = NULL;
  int bound = tnp_bind(b, &memory, args, nargs, kwnames, values, &why);
  if (bound > 0) {
    PyObject* text = tnp_mismatch_text(b, &why, args, nargs, kwnames);
    if (text != NULL) tnp_raise_format(TENON_ERROR_TYPE, "%U", text);
    Py_XDECREF(text);
  } else if (bound == 0) {
    b->references++;
    result = use(self, values, count, ctx);
    tnp_binding_release(b);
  }
  tnp_call_end(&memory);
  PyMem_Free(values);
  return result;
}

static PyObject* keys_of_bound(const tnp_op* op, tenon_value* values, uint32_t nargs, void* ctx) {
  (void)ctx;
  tenon_keyset keys;
  if (tnp_check(tenon_op_compute_keys(op->op, values, nargs, &keys)) != 0) return NULL;
  return tnp_keyset_object(keys);
}

PyObject* tnp_op_keys(PyObject* op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return with_bound(op, args, nargs, kwnames, keys_of_bound, NULL);
}

static PyObject* values_of_bound(const tnp_op* op, tenon_value* values, uint32_t nargs, void* ctx) {
  (void)op;
  (void)ctx;
  PyObject* list = PyList_New((Py_ssize_t)nargs);
  for (uint32_t i = 0; list != NULL && i < nargs; i++) {
    PyObject* item = tnp_from_value(&values[i], false);
    if (item == NULL)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, (Py_ssize_t)i, item);
  }
  return list;
}

PyObject* tnp_op_bind(PyObject* op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return with_bound(op, args, nargs, kwnames, values_of_bound, NULL);
}

static PyObject* explain_bound(const tnp_op* op, tenon_value* values, uint32_t nargs, void* ctx) {
  (void)ctx;
  tenon_buffer* text;
  if (tnp_check(tenon_op_explain(op->op, values, nargs, &text)) != 0) return NULL;
  return tnp_text(text);
}

PyObject* tnp_op_explain(PyObject* op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return with_bound(op, args, nargs, kwnames, explain_bound, NULL);
}

typedef struct {
  uint32_t number;
  double rtol, atol;
} wanted_check;

static PyObject* opcheck_bound(const tnp_op* op, tenon_value* values, uint32_t nargs, void* ctx) {
  const wanted_check* check = ctx;
  tenon_buffer* report;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = tenon_opcheck(op->op, check->number, values, nargs, check->rtol, check->atol, &report);
  Py_END_ALLOW_THREADS;
  if (tnp_check(status) != 0) return NULL;
  if (report == NULL) Py_RETURN_NONE;
  return tnp_text(report);
}

/* run_opcheck(op, check, rtol, atol, *args, **kwargs). */
PyObject* tnp_op_opcheck(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* kwnames) {
  (void)module;
  if (nargs < 4 || Py_TYPE(args[0]) != tnp_op_type) {
    return tnp_raise_format(TENON_ERROR_TYPE, "run_opcheck: op must be OpOverload, got %s",
                            nargs < 4 ? "nothing" : Py_TYPE(args[0])->tp_name);
  }
  wanted_check check = {(uint32_t)PyLong_AsUnsignedLong(args[1]), PyFloat_AsDouble(args[2]),
                        PyFloat_AsDouble(args[3])};
  if (PyErr_Occurred()) return NULL;
  return with_bound(args[0], args + 4, nargs - 4, kwnames, opcheck_bound, &check);
}

/* ---- The kernel that a registration replaced ------------------------------------------------- */

typedef struct {
  const tenon_registration* registration;
  tenon_keyset keys;
} replacement;

static PyObject* call_older(const tnp_op* op, tenon_value* values, uint32_t nargs, void* ctx) {
  const replacement* newer = ctx;
  uint32_t nrets = op->binding->nrets;
  tenon_value* rets = PyMem_Calloc(nrets + 1, sizeof *rets);
  if (rets == NULL) return PyErr_NoMemory();
  tenon_stack stack = {values, rets, nargs, nrets, NULL, {0, 0}};
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status =
      tenon_registration_call_older(newer->registration, newer->keys, &stack);
  Py_END_ALLOW_THREADS PyObject* result =
      status == TENON_OK ? tnp_unwrap_carriers(tnp_values_to_object(rets, nrets))
                         : tnp_raise_error(stack.error ? stack.error : tenon_error_take());
  PyMem_Free(rets);
  return result;
}

/* call_older(registration, op, keyset, *args, **kwargs). */
PyObject* tnp_op_call_older(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames) {
  (void)module;
  if (nargs < 3 || Py_TYPE(args[1]) != tnp_op_type || !PyLong_Check(args[2])) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "Registration.call_older: keyset must be DispatchKeySet, got %s",
                            nargs < 3 ? "nothing" : Py_TYPE(args[2])->tp_name);
  }
  replacement newer = {tnp_handle_get(args[0], TNP_HANDLE_REGISTRATION),
                       PyLong_AsUnsignedLongLong(args[2])};
  if (newer.registration == NULL || PyErr_Occurred()) return NULL;
  return with_bound(args[1], args + 3, nargs - 3, kwnames, call_older, &newer);
}
