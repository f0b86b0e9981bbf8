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

// Opens a library, which matrix_c::close closes.
tenon_status matrix_c_open(const char* ns, tenon_library** out_library);
// Defines and implements an operator.
tenon_status matrix_c_add_operator(tenon_library* library, const char* schema, const char* name,
                                   tenon_kernel_fn boxed);
tenon_tensor* matrix_c_vector(const float* elements, int64_t count);
// Calls the first language of the path, which relays to the remaining ones or raises.
tenon_status matrix_c_relay(const char* path);
// Succeeds if a call failed with this role's own error, and clears that error.
tenon_status matrix_c_comes_home(tenon_status status);

// Calls an operator with one result; the caller owns `out_tensor`.
tenon_status matrix_c_call_tensors(const char* name, const tenon_value* args, int64_t nargs,
                                   tenon_tensor** out_tensor);
// Creates the tensor [2, 3] with requires_grad.
tenon_status matrix_c_new_leaf(tenon_tensor** out_leaf);
// Computes the gradient of the sum of `of` with respect to `x`, with create_graph.
tenon_status matrix_c_slope_of(tenon_tensor* of, tenon_tensor* x, tenon_tensor** out_slope);
// Checks that a tensor holds the two expected numbers.
tenon_status matrix_c_check_near(const tenon_tensor* tensor, const float* expected);

// Defines and implements `product` and `relayed`, whose gradient formulas another language
// registers.
tenon_status matrix_c_products(const char* ns);
// Registers the formulas of `product` and `relayed`; that of `relayed` relays along the path
// argument of the call.
tenon_status matrix_c_formulas(const char* ns);
// Differentiates x^3 twice, and checks the error of a formula that fails.
tenon_status matrix_c_slopes(const char* ns);
// Returns a custom autograd function that computes x^3.
tenon_status matrix_c_cube(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
// Applies another language's custom autograd function and differentiates it twice.
tenon_status matrix_c_apply(const char* language);

// Defines and implements `mirror`, whose cast rule another language registers, and `echo`, which
// objects of other languages override. Both return their first argument.
tenon_status matrix_c_mirrors(const char* ns);
// Registers the cast rule of `mirror`.
tenon_status matrix_c_casts(const char* ns);
// Calls `mirror` inside and outside of an autocast region.
tenon_status matrix_c_cast(const char* ns);

// Defines and implements `widen`, whose batching rule another language registers.
tenon_status matrix_c_widens(const char* ns);
// Registers the batching rule of `widen`.
tenon_status matrix_c_rules(const char* ns);
// Calls `widen` under vmap and checks that the batching rule ran.
tenon_status matrix_c_map(const char* ns);
// Registers the fake kernel of `widen`.
tenon_status matrix_c_shapes(const char* ns);
// Calls `widen` with a fake tensor.
tenon_status matrix_c_fake(const char* ns);
// Records a graph with all languages' products into a file and as an operator `powers`. `spec` is
// "ns,path".
tenon_status matrix_c_record(const char* spec);
// Runs the graph from the file, and as the operator.
tenon_status matrix_c_replay(const char* spec);
// Returns x^3 as a function value.
tenon_status matrix_c_power(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
// Transforms a function of any language: "vmap", "grad" of the sum, or "jvp" with tangents of ones.
tenon_status matrix_c_transform(void* ctx, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack);
// Calls a function that ends by raising this role's error, and checks the error.
tenon_status matrix_c_attempt(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
// Checks a vmap of one language's power inside of a grad and a jvp of others.
tenon_status matrix_c_nest(const char* inner, const char* middle, const char* outer);
// Checks that an error raised inside the transforms of two other languages arrives unchanged.
tenon_status matrix_c_escape(const char* home, const char* inner, const char* outer);

#endif
