/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: the functions that serve operators, boxed and typed, and their descriptions. */
#ifndef TENON_KERNEL_H
#define TENON_KERNEL_H

#include "tenon/common.h"
#include "tenon/value.h"

// Usage:
//
//   /* tenon_status twice(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
//    *   stack->rets[0] = tenon_value_of_int(2 * stack->args[0].as.i);
//    *   return TENON_OK;
//    * } */
//   tenon_kernel kernel = {sizeof kernel, TENON_KERNEL_LEAF};
//   kernel.boxed = twice;
//   kernel.name = "twice";
//   status = tenon_library_impl(library, "twice", TENON_KEY_CPU, &kernel, NULL);

TENON_BEGIN_DECLS

/* A boxed kernel. `keys` is the key set that the call was dispatched with; its highest key is the
 * one that this kernel serves. The kernel returns TENON_OK after writing all results, or a code
 * after storing the error in stack->error or in the thread's slot. It must not throw or longjmp
 * out. */
typedef tenon_status (*tenon_kernel_fn)(void* ctx, const tenon_op* op, tenon_keyset keys,
                                        tenon_stack* stack);

/* A typed kernel: `tenon_status f(const tenon_frame*, args..., outs...)`, cast to this type. */
typedef void (*tenon_typed_fn)(void);

/* A planned call. `run` repeats the call on other memory with the same description, any number of
 * times and on several threads at once. `data` holds one pointer to the first element of each
 * tensor: first the tensor arguments in order, including the elements of lists, then each result
 * that is no argument. `run` returns TENON_OK, or a code with the error in the thread's slot. */
typedef struct tenon_bound {
  tenon_status (*run)(const void* state, void* const* data);
  void* state;
  tenon_deleter deleter; /* runs on state exactly once; may be NULL */
} tenon_bound;

/* Plans a call of the boxed kernel. It reads and writes no elements; the results are like the
 * kernel's results, but their elements are not computed. If no plan is possible, the function
 * leaves `out_bound` zeroed and writes no results. It returns TENON_DECLINED if the kernel only
 * calls operators, and the same ones for all elements. The kernel is then run, and each of its
 * calls is planned. */
typedef tenon_status (*tenon_bind_fn)(void* ctx, const tenon_op* op, tenon_keyset keys,
                                      tenon_stack* stack, tenon_bound* out_bound);

/* Lowered types of a typed kernel's parameters, one letter each. A signature is
 * "<argument letters>><result letters>" and travels as its 64-bit FNV-1a hash (offset basis
 * 0xcbf29ce484222325, prime 0x100000001b3), never 0.
 *
 *   T  Tensor, Tensor?                      tenon_tensor*, NULL = absent
 *   i  int, SymInt, ScalarType, Layout,
 *      MemoryFormat, DeviceIndex            int64_t
 *   b  bool                                 int64_t, 0 or 1
 *   d  float                                double
 *   I  int[], SymInt[]                      const int64_t*, int64_t count
 *   D  float[]                              const double*, int64_t count
 *   B  bool[]                               const uint8_t*, int64_t count
 *   L  Tensor[], Tensor?[]                  tenon_tensor* const*, int64_t count
 *   s  str                                  const char*, int64_t size
 *   v  everything else                      const tenon_value*
 *
 * Results: T is tenon_tensor** (one reference; NULL = absent, for Tensor? only), i and b are
 * int64_t*, d is double*, and v is tenon_value* (owned), used for everything else. A return that is
 * a written argument has no letter and no out parameter. Out parameters are written on success
 * only. tenon_schema_signature returns the letters of a schema.
 *
 * Test vectors: ">"      0xaf63b34c8601a6e1
 *               "T>T"    0x6c62fe19e196c2e9
 *               "TT>T"   0xa3775cfad220a37f
 *               "TTv>T"  0x75248d31ac81c403 */

/* Flags of a kernel.
 *
 * A kernel on Autograd, or on AutogradCPU and so on, runs for all tensors, tracked or not, like an
 * Autograd kernel that a user writes. With WHEN_TRACKED it only runs for calls with a tensor that
 * carries Autograd, and costs calls of untracked tensors nothing. A kernel without the flag affects
 * its whole operator, even if it is registered for one backend's Autograd: from then on untracked
 * calls reach the WHEN_TRACKED kernels of the other backends too. */
#define TENON_KERNEL_FALLTHROUGH 1u   /* skip this key; `boxed` is NULL */
#define TENON_KERNEL_SYMBOLIC 2u      /* accepts tensors and lists with symbolic sizes (symbol.h) */
#define TENON_KERNEL_NOBLOCK 4u       /* fast, never waits, for up to noblock_max_numel elements */
#define TENON_KERNEL_LEAF 8u          /* calls no operators: calls need no setup for nested calls */
#define TENON_KERNEL_WHEN_TRACKED 16u /* on Autograd: for tracked tensors only, see above */

/* Policies for an operator that already has a kernel for the key. */
#define TENON_REPLACE_LAYER 0u    /* on top: removing it restores the older kernel. The default. */
#define TENON_REPLACE_ERROR 1u    /* TENON_ERROR_ALREADY_EXISTS */
#define TENON_REPLACE_OVERRIDE 2u /* as LAYER; dumps mark the kernel "[override]" */

/* A kernel to register. Texts are copied. */
typedef struct tenon_kernel {
  uint32_t struct_size; /* sizeof(tenon_kernel) */
  uint32_t flags;       /* TENON_KERNEL_* */
  tenon_kernel_fn boxed;
  void* ctx;
  tenon_deleter deleter; /* runs on ctx exactly once, also when registration fails; may be NULL */
  tenon_typed_fn typed;  /* optional typed form, see above */
  uint64_t signature;    /* of `typed` */
  const char* schema;    /* NULL, or the inferred "(Tensor _0, int _1) -> Tensor", to check */
  uint32_t language;     /* TENON_LANGUAGE_*, or a registered number */
  uint32_t policy;       /* TENON_REPLACE_* */
  int64_t noblock_max_numel; /* with TENON_KERNEL_NOBLOCK */
  const char* name;          /* NULL or the function's name, for dumps and errors */
  const char* file;          /* NULL or the place of registration */
  int32_t line;
  uint32_t reserved0;   /* zero */
  tenon_bind_fn bind;   /* NULL, or plans calls for graphs */
  uint64_t reserved[1]; /* zero */
} tenon_kernel;

TENON_END_DECLS

#endif /* TENON_KERNEL_H */
