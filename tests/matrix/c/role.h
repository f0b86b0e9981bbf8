// SPDX-License-Identifier: Apache-2.0
// The C role of the matrix, and the schema that every role defines.
#ifndef MATRIX_C_ROLE_H
#define MATRIX_C_ROLE_H

#include <tenon/tenon.h>

#define MIX_SCHEMA                                                                   \
  "mix(Tensor a, int n, float f, str s, Tensor? opt, int[] dims, Tensor[] list) -> " \
  "(Tensor, int)"

// Registers matrix_c::define, ::implement, ::call, ::close, ::override, ::products, ::formulas,
// ::slopes, ::apply, ::mirrors, ::casts, ::cast, ::widens, ::rules, ::map, ::shapes, ::fake,
// ::record and ::replay, each "(str ns) -> ()"; ::object, ::cube and ::power, "() -> Any", which
// make an object that overrides operators, and functions; and ::transform.
tenon_status matrix_c_register(void);
void matrix_c_unregister(void);

// ---- What the role's files share ----------------------------------------------------------------

// Opens a library that matrix_c::close closes.
tenon_status matrix_c_open(const char* ns, tenon_library** out_library);
// Defines and implements an operator.
tenon_status matrix_c_add_operator(tenon_library* library, const char* schema, const char* name,
                                   tenon_kernel_fn boxed);
tenon_tensor* matrix_c_vector(const float* elements, int64_t count);
// Calls the first language of the path, which relays along the rest or raises.
tenon_status matrix_c_relay(const char* path);
// Whether a call has failed with what this role raises, which it takes.
tenon_status matrix_c_comes_home(tenon_status status);

// Calls an operator of one result; `out_tensor` is owned by the caller.
tenon_status matrix_c_call_tensors(const char* name, const tenon_value* args, int64_t nargs,
                                   tenon_tensor** out_tensor);
// 2 and 3, with a gradient wanted.
tenon_status matrix_c_new_leaf(tenon_tensor** out_leaf);
// The gradient of the sum of a tensor, recorded itself.
tenon_status matrix_c_slope_of(tenon_tensor* of, tenon_tensor* x, tenon_tensor** out_slope);
// Whether a tensor is these two numbers.
tenon_status matrix_c_check_near(const tenon_tensor* tensor, const float* expected);

// Defines and implements `product` and `relayed`, which another language gives gradients.
tenon_status matrix_c_products(const char* ns);
// Registers their formulas: that of `relayed` relays along the path that the call was given.
tenon_status matrix_c_formulas(const char* ns);
// Derives x^3 twice, and comes home through a formula that fails.
tenon_status matrix_c_slopes(const char* ns);
// Gives a function with a gradient of its own, x^3.
tenon_status matrix_c_cube(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
// Derives that of another language twice.
tenon_status matrix_c_apply(const char* language);

// Defines and implements `mirror`, which another language gives a cast rule, and `echo`, which
// objects of other languages override. Both return their first argument.
tenon_status matrix_c_mirrors(const char* ns);
// Registers its cast rule.
tenon_status matrix_c_casts(const char* ns);
// Calls it inside and outside of a region.
tenon_status matrix_c_cast(const char* ns);

// Defines and implements `widen`, which another language gives a batching rule.
tenon_status matrix_c_widens(const char* ns);
// Registers its batching rule.
tenon_status matrix_c_rules(const char* ns);
// Maps it, with what only the rule gives.
tenon_status matrix_c_map(const char* ns);
// Registers its fake kernel.
tenon_status matrix_c_shapes(const char* ns);
// Calls it with a fake tensor.
tenon_status matrix_c_fake(const char* ns);
// Records a graph of all languages' products, for "ns,path": a file, and an operator `powers`.
tenon_status matrix_c_record(const char* spec);
// Runs both.
tenon_status matrix_c_replay(const char* spec);
// Gives x^3 as a function.
tenon_status matrix_c_power(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
// Transforms a function of any language: "vmap", "grad" of the sum, or "jvp" along ones.
tenon_status matrix_c_transform(void* ctx, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack);
// Calls a function that ends in what this role raises.
tenon_status matrix_c_attempt(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
// Checks a vmap of one language's power inside of a grad and a jvp of others.
tenon_status matrix_c_nest(const char* inner, const char* middle, const char* outer);
// Checks that what a language raises inside of transforms of two others comes home.
tenon_status matrix_c_escape(const char* home, const char* inner, const char* outer);

#endif
