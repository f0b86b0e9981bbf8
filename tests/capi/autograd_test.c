// SPDX-License-Identifier: Apache-2.0
// Autograd from C: leaves, gradient formulas as text and as functions, views, backward passes, and
// leak checks.
#include "support.h"

#include <pthread.h>

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

static tenon_tensor* apply(const char* name, const tenon_value* args, int64_t count) {
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(find(name), args, count, NULL, NULL, 0, &ret, 1));
  return ret.as.tensor;
}
static tenon_tensor* unary(const char* name, tenon_tensor* a) {
  const tenon_value args[1] = {tenon_value_of_tensor(a)};
  return apply(name, args, 1);
}
static tenon_tensor* binary(const char* name, tenon_tensor* a, tenon_tensor* b) {
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  return apply(name, args, 2);
}
static tenon_tensor* with_int(const char* name, tenon_tensor* a, int64_t first, int64_t second) {
  const tenon_value args[3] = {tenon_value_of_tensor(a), tenon_value_of_int(first),
                               tenon_value_of_int(second)};
  return apply(name, args, 3);
}

static tenon_tensor* leaf_of(const float* elements, int64_t count) {
  tenon_tensor* leaf = vector_of(elements, count);
  assert_ok(tenon_tensor_set_requires_grad(leaf, 1));
  return leaf;
}

static tenon_backward_options from(tenon_tensor* const* output, uint32_t flags) {
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = flags;
  options.outputs = output;
  options.noutputs = 1;
  return options;
}
static tenon_status backward(tenon_tensor* output, uint32_t flags) {
  const tenon_backward_options options = from(&output, flags);
  return tenon_backward(&options);
}

static void assert_elements(tenon_tensor* tensor, const float* expected, int64_t count) {
  assert_non_null(tensor);
  tenon_tensor* dense = unary("aten::contiguous", tensor);
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(dense, &info));
  assert_int_equal(info.numel, count);
  for (int64_t i = 0; i < count; ++i) assert_float_equal(((float*)info.data)[i], expected[i], 1e-5);
  tenon_tensor_release(dense);
}
static void assert_grad(tenon_tensor* leaf, const float* expected, int64_t count) {
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(leaf, &grad));
  assert_elements(grad, expected, count);
  tenon_tensor_release(grad);
  assert_ok(tenon_tensor_set_grad(leaf, NULL));
}
static void assert_node(tenon_tensor* tensor, const char* name) {
  tenon_node* node = NULL;
  int64_t output = -1;
  assert_ok(tenon_tensor_copy_node(tensor, &node, &output));
  if (name == NULL) {
    assert_null(node);
  } else {
    assert_non_null(node);
    assert_string_equal(tenon_node_name(node), name);
  }
  tenon_node_release(node);
}

static void product_of_leaves(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, b[2] = {5, 7};
  tenon_tensor *x = leaf_of(a, 2), *w = leaf_of(b, 2);
  assert_true(tenon_tensor_requires_grad(x) && tenon_tensor_is_leaf(x));
  tenon_tensor* y = binary("aten::mul.Tensor", x, w);
  tenon_tensor* sum = unary("aten::sum", y);
  assert_true(tenon_tensor_requires_grad(sum) && !tenon_tensor_is_leaf(sum));
  assert_node(y, "MulBackward0");
  assert_node(x, "AccumulateGrad");
  assert_ok(backward(sum, TENON_BACKWARD_KEEP_GRAPH));
  assert_grad(x, b, 2);
  assert_grad(w, a, 2);
  // A second pass adds to the same gradient tensor.
  assert_ok(backward(sum, TENON_BACKWARD_KEEP_GRAPH));
  tenon_tensor *first = NULL, *second = NULL;
  assert_ok(tenon_tensor_copy_grad(x, &first));
  assert_ok(backward(sum, 0));
  assert_ok(tenon_tensor_copy_grad(x, &second));
  assert_ptr_equal(first, second);
  const float twice[2] = {10, 14};
  assert_grad(x, twice, 2);
  assert_error(backward(sum, 0), TENON_ERROR_STATE, "second time");
  tenon_tensor_release(first);
  tenon_tensor_release(second);
  tenon_tensor_release(sum);
  tenon_tensor_release(y);
  tenon_tensor_release(w);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

static void edges_lead_to_older_nodes(void** state) {
  (void)state;
  const float a[1] = {2};
  tenon_tensor* x = leaf_of(a, 1);
  tenon_tensor* y = unary("aten::exp", x);
  tenon_node *node = NULL, *next = NULL;
  int64_t output = -1;
  assert_ok(tenon_tensor_copy_node(y, &node, &output));
  assert_int_equal(tenon_node_edge_count(node), 1);
  assert_ok(tenon_node_copy_edge(node, 0, &next, &output));
  assert_string_equal(tenon_node_name(next), "AccumulateGrad");
  assert_int_equal(output, 0);
  assert_true(tenon_node_sequence(next) < tenon_node_sequence(node));
  tenon_node_release(next);
  assert_error(tenon_node_copy_edge(node, 1, &next, &output), TENON_ERROR_INDEX, "index");
  assert_null(next);
  tenon_node_release(tenon_node_retain(node));
  tenon_node_release(node);
  // The graph is freed with its last tensor; the leaf's node, retained here, stays.
  tenon_tensor_release(y);
  assert_ok(tenon_tensor_copy_node(x, &next, &output));
  tenon_tensor_release(x);
  assert_string_equal(tenon_node_name(next), "AccumulateGrad");
  tenon_node_release(next);
}

static void derivatives_of_gradients(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3};
  tenon_tensor* x = leaf_of(a, 2);
  tenon_tensor* square = binary("aten::mul.Tensor", x, x);
  tenon_tensor* cube = binary("aten::mul.Tensor", square, x);
  tenon_tensor* sum = unary("aten::sum", cube);
  tenon_backward_options options = from(&sum, TENON_BACKWARD_CREATE_GRAPH);
  tenon_tensor *slope = NULL, *curve = NULL;
  options.inputs = &x;
  options.ninputs = 1;
  assert_ok(tenon_grad(&options, &slope));
  const float slopes[2] = {12, 27}, curves[2] = {12, 18};
  assert_elements(slope, slopes, 2);
  tenon_tensor* total = unary("aten::sum", slope);
  options.outputs = &total;
  options.flags = 0;
  assert_ok(tenon_grad(&options, &curve));
  assert_elements(curve, curves, 2);
  assert_false(tenon_tensor_requires_grad(curve));
  tenon_tensor* const all[] = {curve, total, slope, sum, cube, square, x};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tenon_tensor_release(all[i]);
  assert_nothing_left(before);
}

static void writes_through_views(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float zeros[3] = {0, 0, 0}, two[1] = {2};
  tenon_tensor *w = leaf_of(two, 1), *buffer = vector_of(zeros, 3);
  tenon_tensor* sibling = with_int("aten::select.int", buffer, 0, 1);
  const tenon_value range[5] = {tenon_value_of_tensor(buffer), tenon_value_of_int(0),
                                tenon_value_of_int(0), tenon_value_of_int(2),
                                tenon_value_of_int(1)};
  tenon_tensor* view = apply("aten::slice.Tensor", range, 5);
  assert_false(tenon_tensor_requires_grad(sibling));
  tenon_tensor* base = tenon_tensor_copy_base(sibling);
  assert_ptr_equal(base, buffer);
  tenon_tensor_release(base);
  tenon_tensor* same = binary("aten::add_.Tensor", view, w);
  assert_ptr_equal(same, view);
  tenon_tensor_release(same);
  // The base is recorded now, and so is the view that existed before.
  assert_node(buffer, "CopySlices");
  assert_true(tenon_tensor_requires_grad(sibling));
  assert_node(sibling, "AsStridedBackward0");
  tenon_tensor* sum = unary("aten::sum", buffer);
  assert_ok(backward(sum, TENON_BACKWARD_KEEP_GRAPH));
  const float both[1] = {2}, one[1] = {1};
  assert_grad(w, both, 1);
  tenon_tensor* part = unary("aten::sum", sibling);
  assert_ok(backward(part, 0));
  assert_grad(w, one, 1);
  tenon_tensor* const all[] = {part, sum, view, sibling, buffer, w};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tenon_tensor_release(all[i]);
  assert_nothing_left(before);
}

static void what_a_gradient_needs_must_stay(void** state) {
  (void)state;
  const float a[2] = {1, 2};
  tenon_tensor* x = leaf_of(a, 2);
  tenon_tensor* y = unary("aten::exp", x);
  tenon_tensor_release(binary("aten::mul_.Tensor", y, y));
  tenon_tensor* sum = unary("aten::sum", y);
  assert_error(backward(sum, 0), TENON_ERROR_STATE, "inplace operation");
  tenon_value args[2] = {tenon_value_of_tensor(x), tenon_value_of_tensor(x)}, ret;
  assert_error(tenon_op_call_named(find("aten::mul_.Tensor"), args, 2, NULL, NULL, 0, &ret, 1),
               TENON_ERROR_STATE, "leaf");
  tenon_tensor* view = with_int("aten::select.int", x, 0, 0);
  args[0] = tenon_value_of_tensor(view);
  args[1] = args[0];
  assert_error(tenon_op_call_named(find("aten::mul_.Tensor"), args, 2, NULL, NULL, 0, &ret, 1),
               TENON_ERROR_STATE, "view of a leaf");
  tenon_key_guard guard;
  assert_ok(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard));
  tenon_tensor_release(binary("aten::mul_.Tensor", view, view));
  assert_ok(tenon_key_guard_leave(&guard));
  tenon_tensor* const all[] = {view, sum, y, x};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tenon_tensor_release(all[i]);
}

static void detached_tensors_become_leaves(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, ones[2] = {1, 1};
  tenon_tensor* x = vector_of(a, 2);
  // The number of earlier writes does not matter: the header can count 255 of them.
  for (int writes = 0; writes <= 256; ++writes) {
    tenon_tensor* leaf = unary("aten::detach", x);
    assert_ok(tenon_tensor_set_requires_grad(leaf, 1));
    tenon_node* node = NULL;
    int64_t output = -1;
    assert_ok(tenon_tensor_copy_node(leaf, &node, &output));
    assert_int_equal(output, 0);
    tenon_node_release(node);
    tenon_tensor* sum = unary("aten::sum", leaf);
    assert_ok(backward(sum, 0));
    assert_grad(leaf, ones, 2);
    tenon_tensor_release(sum);
    tenon_tensor_release(leaf);
    tenon_tensor_bump_version(x);
  }
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// ---- Custom formulas ----------------------------------------------------------------------------

// twice(x, by) = x * by.
static tenon_status twice_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  tenon_value product = tenon_value_of_none();
  const tenon_status status =
      tenon_op_call_named(find("aten::mul.Tensor"), stack->args, 2, NULL, NULL, 0, &product, 1);
  if (status != TENON_OK) return status;
  stack->rets[0] = product;
  return TENON_OK;
}

static tenon_library* open_twice(const char* ns) {
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, ns, TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, "twice(Tensor x, Tensor by) -> Tensor", NULL, NULL));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &twice_kernel;
  kernel.language = TENON_LANGUAGE_C;
  assert_ok(tenon_library_impl(library, "twice", TENON_KEY_CPU, &kernel, NULL));
  return library;
}

static tenon_formula empty_formula(void) {
  tenon_formula formula;
  memset(&formula, 0, sizeof formula);
  formula.struct_size = sizeof formula;
  formula.language = TENON_LANGUAGE_C;
  return formula;
}

typedef struct told {
  int calls;
  int deleted;
  uint8_t needs[2];
  int64_t nsaved;
} told;

static tenon_status twice_backward(const tenon_backward_call* call) {
  told* seen = call->ctx;
  ++seen->calls;
  seen->needs[0] = call->needs[0];
  seen->needs[1] = call->needs[1];
  seen->nsaved = call->nsaved;
  if (call->needs[0] != 0) {
    const tenon_value args[2] = {tenon_value_of_tensor(call->grads[0]), call->saved[0]};
    call->out_grads[0] = apply("aten::mul.Tensor", args, 2);
  }
  if (call->needs[1] != 0)
    return tenon_error_raise(TENON_ERROR_DATA_DEPENDENT, "no gradient for by");
  return TENON_OK;
}

static void count_deleted(void* ctx) { ++((told*)ctx)->deleted; }

// A view that was made in no_grad mode, and whose base was written since, has no usable node. It is
// no leaf, and a query for is_leaf must not fail.
static void unusable_views_are_no_leaves(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, b[2] = {5, 7};
  tenon_tensor *buffer = vector_of(a, 2), *w = leaf_of(b, 2);
  tenon_key_guard guard;
  assert_ok(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard));
  tenon_tensor* view = with_int("aten::select.int", buffer, 0, 1);
  assert_ok(tenon_key_guard_leave(&guard));
  tenon_tensor* usable = with_int("aten::select.int", buffer, 0, 1);
  assert_true(tenon_tensor_is_leaf(view) && tenon_tensor_is_leaf(usable));
  tenon_tensor_release(binary("aten::mul_.Tensor", buffer, w));
  assert_true(tenon_tensor_requires_grad(view) && tenon_tensor_requires_grad(usable));
  assert_false(tenon_tensor_is_leaf(view) || tenon_tensor_is_leaf(usable));
  tenon_node* node = NULL;
  int64_t output = -1;
  assert_error(tenon_tensor_copy_node(view, &node, &output), TENON_ERROR_STATE, "no_grad");
  assert_null(node);
  assert_false(tenon_tensor_is_leaf(view) || tenon_tensor_is_leaf(usable));
  assert_node(usable, "AsStridedBackward0");
  assert_false(tenon_tensor_is_leaf(usable));
  tenon_tensor_release(usable);
  tenon_tensor_release(view);
  tenon_tensor_release(w);
  tenon_tensor_release(buffer);
  assert_nothing_left(before);
}

static void formula_of_a_function(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = open_twice("gradc");
  told seen = {0, 0, {9, 9}, 0};
  tenon_formula formula = empty_formula();
  formula.backward = &twice_backward;
  formula.saves = "by x";
  formula.ctx = &seen;
  formula.deleter = &count_deleted;
  tenon_registration* registration = NULL;
  assert_ok(tenon_library_register_autograd(library, "twice", &formula, &registration));
  const float a[2] = {2, 3}, b[2] = {5, 7};
  tenon_tensor *x = leaf_of(a, 2), *by = vector_of(b, 2);
  tenon_tensor* y = binary("gradc::twice", x, by);
  assert_node(y, "TwiceBackward0");
  tenon_tensor* sum = unary("aten::sum", y);
  // A node keeps its formula after the registration is removed.
  tenon_registration_remove(registration);
  tenon_registration_release(registration);
  assert_int_equal(seen.deleted, 0);
  assert_ok(backward(sum, TENON_BACKWARD_KEEP_GRAPH));
  assert_int_equal(seen.calls, 1);
  assert_true(seen.needs[0] == 1 && seen.needs[1] == 0 && seen.nsaved == 2);
  assert_grad(x, b, 2);
  tenon_tensor_release(sum);
  tenon_tensor_release(y);
  tenon_registry_reap();
  assert_int_equal(seen.deleted, 1);
  // A call without a gradient formula is recorded; backward then names the operator without
  // formula.
  y = binary("gradc::twice", x, by);
  assert_node(y, "NotImplemented");
  sum = unary("aten::sum", y);
  assert_error(backward(sum, 0), TENON_ERROR_NOT_SUPPORTED, "gradc::twice");
  tenon_tensor* const all[] = {sum, y, by, x};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tenon_tensor_release(all[i]);
  tenon_library_close(library);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static void error_of_a_formula(void** state) {
  (void)state;
  tenon_library* library = open_twice("grade");
  told seen = {0, 0, {9, 9}, 0};
  tenon_formula formula = empty_formula();
  formula.backward = &twice_backward;
  formula.saves = "by x";
  formula.ctx = &seen;
  assert_ok(tenon_library_register_autograd(library, "twice", &formula, NULL));
  const float a[1] = {2};
  tenon_tensor* x = leaf_of(a, 1);
  tenon_tensor* y = binary("grade::twice", x, x);
  assert_error(backward(y, 0), TENON_ERROR_DATA_DEPENDENT, "no gradient for by");
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  tenon_library_close(library);
  tenon_library_release(library);
}

static void formula_of_a_text(void** state) {
  (void)state;
  tenon_library* library = open_twice("gradt");
  tenon_formula formula = empty_formula();
  formula.gradient = "x: grad * by + 0.5 * (grad - grad); by: -2 * grad * x.exp()";
  assert_ok(tenon_library_register_autograd(library, "twice", &formula, NULL));
  const float a[2] = {0, 0}, b[2] = {5, 7}, expected[2] = {-2, -2};
  tenon_tensor *x = leaf_of(a, 2), *by = leaf_of(b, 2);
  tenon_tensor* y = binary("gradt::twice", x, by);
  tenon_tensor* sum = unary("aten::sum", y);
  assert_ok(backward(sum, 0));
  assert_grad(x, b, 2);
  assert_grad(by, expected, 2);
  tenon_tensor* const all[] = {sum, y, by, x};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tenon_tensor_release(all[i]);
  tenon_library_close(library);
  tenon_library_release(library);
}

// Returns a copy of each half, as an operator with one list as its result.
static tenon_status copy_halves(void* ctx, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  tenon_tensor* halves[2];
  for (int64_t i = 0; i < 2; ++i) {
    const tenon_value range[5] = {stack->args[0], tenon_value_of_int(0), tenon_value_of_int(i),
                                  tenon_value_of_int(i + 1), tenon_value_of_int(1)};
    tenon_tensor* half = apply("aten::slice.Tensor", range, 5);
    halves[i] = unary("aten::clone", half);
    tenon_tensor_release(half);
  }
  const tenon_status status =
      tenon_value_new_list(TENON_TAG_TENSOR_LIST, halves, 2, &stack->rets[0]);
  for (int i = 0; i < 2; ++i) tenon_tensor_release(halves[i]);
  return status;
}

static void text_with_all_gradients_of_a_list(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "gradl", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, "halves(Tensor x) -> Tensor[]", NULL, NULL));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &copy_halves;
  kernel.language = TENON_LANGUAGE_C;
  assert_ok(tenon_library_impl(library, "halves", TENON_KEY_CPU, &kernel, NULL));
  tenon_formula formula = empty_formula();
  formula.gradient = "x: cat(grads, 0) * 2";
  assert_ok(tenon_library_register_autograd(library, "halves", &formula, NULL));
  const float a[2] = {1, 2}, expected[2] = {0, 2};
  tenon_tensor* x = leaf_of(a, 2);
  tenon_value halves = {0};
  tenon_value args[1] = {tenon_value_of_tensor(x)};
  const tenon_op* op;
  assert_ok(tenon_op_find("gradl::halves", &op));
  assert_ok(call(op, args, 1, &halves, 1));
  tenon_tensor* const* parts = halves.as.list.data;
  assert_node(parts[0], "HalvesBackward0");
  tenon_tensor* sum = unary("aten::sum", parts[1]);
  assert_ok(backward(sum, 0));
  assert_grad(x, expected, 2);
  tenon_value_clear(&halves);
  tenon_tensor_release(sum);
  tenon_tensor_release(x);
  tenon_library_close(library);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static void multi_output_views_share_a_node(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[3] = {1, 2, 3}, two[1] = {2}, expected[3] = {0, 4, 0};
  tenon_tensor *x = leaf_of(a, 3), *factor = vector_of(two, 1);
  tenon_tensor* base = binary("aten::mul.Tensor", x, factor);
  tenon_value views = {0};
  tenon_value args[2] = {tenon_value_of_tensor(base), tenon_value_of_int(0)};
  const tenon_op *unbind, *multiply;
  assert_ok(tenon_op_find("aten::unbind.int", &unbind));
  assert_ok(tenon_op_find("aten::mul_.Tensor", &multiply));
  assert_ok(call(unbind, args, 2, &views, 1));
  tenon_tensor* const* parts = views.as.list.data;
  tenon_node* nodes[2];
  int64_t outputs[2];
  for (int i = 0; i < 2; ++i) {
    assert_ok(tenon_tensor_copy_node(parts[i + 1], &nodes[i], &outputs[i]));
  }
  assert_ptr_equal(nodes[0], nodes[1]);
  assert_int_equal(outputs[0], 1);
  assert_int_equal(outputs[1], 2);
  tenon_value written = {0};
  tenon_value product[2] = {tenon_value_of_tensor(parts[1]), tenon_value_of_tensor(factor)};
  assert_error(call(multiply, product, 2, &written, 1), TENON_ERROR_STATE,
               "output 1 of UnbindBackward0");
  assert_int_equal(tenon_tensor_version(base), 0);
  tenon_tensor* square = binary("aten::mul.Tensor", parts[1], factor);
  assert_ok(backward(square, 0));
  assert_grad(x, expected, 3);
  for (int i = 0; i < 2; ++i) tenon_node_release(nodes[i]);
  tenon_value_clear(&views);
  tenon_tensor* const all[] = {square, base, factor, x};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tenon_tensor_release(all[i]);
  assert_nothing_left(before);
}

// Returns the number of elements up to which a call promises not to block, or -1 if it does not
// promise that.
static int64_t promise_of_twice(const tenon_op* op, tenon_tensor* x) {
  tenon_value args[2] = {tenon_value_of_tensor(x), tenon_value_of_tensor(x)};
  tenon_value ret = tenon_value_of_none();
  tenon_stack stack = {.args = args, .rets = &ret, .nargs = 2, .nrets = 1};
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin_boxed(op, args, 2, &frame);
  assert_non_null(entry);
  const int quick = (entry->flags & TENON_KERNEL_NOBLOCK) != 0;
  const int64_t promise = quick ? entry->noblock_max_numel : -1;
  assert_ok(tenon_frame_call(&frame, &stack));
  tenon_frame_leave(&frame);
  assert_node(ret.as.tensor, tenon_tensor_requires_grad(x) ? "TwiceBackward0" : NULL);
  tenon_tensor_release(ret.as.tensor);
  return promise;
}

static tenon_registration* put_on_top(tenon_library* library, int64_t promise) {
  tenon_registration* registration = NULL;
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &twice_kernel;
  kernel.flags = TENON_KERNEL_NOBLOCK;
  kernel.noblock_max_numel = promise;
  kernel.language = TENON_LANGUAGE_C;
  assert_ok(tenon_library_impl(library, "twice", TENON_KEY_CPU, &kernel, &registration));
  return registration;
}

// A binding may keep its interpreter lock during a recorded call if the kernel promises not to
// block.
static void recorded_calls_promise_what_their_kernel_does(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = open_twice("gradq");
  tenon_formula formula = empty_formula();
  formula.gradient = "x: grad * by; by: grad * x";
  assert_ok(tenon_library_register_autograd(library, "twice", &formula, NULL));
  const tenon_op* op = find("gradq::twice");
  const float a[1] = {3};
  tenon_tensor *x = leaf_of(a, 1), *plain = vector_of(a, 1);
  assert_int_equal(promise_of_twice(op, x), -1);
  tenon_registration* hundred = put_on_top(library, 100);
  assert_int_equal(promise_of_twice(op, plain), 100);
  assert_int_equal(promise_of_twice(op, x), 100);
  // The recorded call's promise comes from the first kernel: a newer kernel that promises less
  // cancels it, one that promises more leaves it unchanged.
  tenon_registration* ten = put_on_top(library, 10);
  assert_int_equal(promise_of_twice(op, x), -1);
  tenon_registration* thousand = put_on_top(library, 1000);
  assert_int_equal(promise_of_twice(op, x), 100);
  tenon_registration* const all[] = {thousand, ten, hundred};
  for (int i = 0; i < 3; ++i) {
    tenon_registration_remove(all[i]);
    tenon_registration_release(all[i]);
  }
  assert_int_equal(promise_of_twice(op, x), -1);
  tenon_tensor_release(plain);
  tenon_tensor_release(x);
  tenon_library_close(library);
  tenon_library_release(library);
  assert_nothing_left(before);
}

// ---- Size and threads ---------------------------------------------------------------------------

static tenon_tensor* chain(tenon_tensor* x, int length) {
  tenon_tensor* y = unary("aten::neg", x);
  for (int i = 1; i < length; ++i) {
    tenon_tensor* next = unary("aten::neg", y);
    tenon_tensor_release(y);
    y = next;
  }
  return y;
}

static void* run_long_chain(void* unused) {
  (void)unused;
  const float a[1] = {3}, one[1] = {1};
  tenon_tensor* x = leaf_of(a, 1);
  tenon_tensor* y = chain(x, 1000000);
  assert_ok(backward(y, 0));
  assert_grad(x, one, 1);
  tenon_tensor_release(y);
  y = chain(x, 1000000);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  return NULL;
}

static void million_nodes_on_a_small_stack(void** state) {
  (void)state;
  const live_counts before = count_live();
  pthread_attr_t attributes;
  pthread_t thread;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
  assert_int_equal(pthread_create(&thread, &attributes, &run_long_chain, NULL), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
  assert_nothing_left(before);
}

enum { kThreads = 8, kRounds = 200 };
typedef struct shared_work {
  tenon_tensor* leaf;
  tenon_tensor* output;
} shared_work;

static void* run_shared(void* given) {
  const shared_work* work = given;
  for (int i = 0; i < kRounds; ++i) assert_ok(backward(work->output, TENON_BACKWARD_KEEP_GRAPH));
  return NULL;
}

static void threads_lose_nothing(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[1] = {1};
  shared_work work;
  work.leaf = leaf_of(a, 1);
  work.output = chain(work.leaf, 20);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, &run_shared, &work), 0);
  for (int i = 0; i < kThreads; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
  const float all[1] = {kThreads * kRounds};
  assert_grad(work.leaf, all, 1);
  tenon_tensor_release(work.output);
  tenon_tensor_release(work.leaf);
  assert_nothing_left(before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(product_of_leaves),
      cmocka_unit_test(edges_lead_to_older_nodes),
      cmocka_unit_test(derivatives_of_gradients),
      cmocka_unit_test(writes_through_views),
      cmocka_unit_test(what_a_gradient_needs_must_stay),
      cmocka_unit_test(detached_tensors_become_leaves),
      cmocka_unit_test(unusable_views_are_no_leaves),
      cmocka_unit_test(formula_of_a_function),
      cmocka_unit_test(error_of_a_formula),
      cmocka_unit_test(formula_of_a_text),
      cmocka_unit_test(text_with_all_gradients_of_a_list),
      cmocka_unit_test(multi_output_views_share_a_node),
      cmocka_unit_test(recorded_calls_promise_what_their_kernel_does),
      cmocka_unit_test(million_nodes_on_a_small_stack),
      cmocka_unit_test(threads_lose_nothing),
  };
  // Load the shipped operators before counting: they stay registered, which is no leak.
  (void)find("aten::mul.Tensor");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
