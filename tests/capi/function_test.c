// SPDX-License-Identifier: Apache-2.0
// Custom autograd functions from C, and formulas that inspect each call.
#include "support.h"

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

// Calls an operator; a failure returns its code, so that callbacks can return it too.
static tenon_status run(const char* name, const tenon_value* args, int64_t count,
                        tenon_tensor** out) {
  tenon_value ret = tenon_value_of_none();
  const tenon_status status = tenon_op_call_named(find(name), args, count, NULL, NULL, 0, &ret, 1);
  *out = status == TENON_OK ? ret.as.tensor : NULL;
  return status;
}
static tenon_status run_binary(const char* name, tenon_tensor* a, tenon_tensor* b,
                               tenon_tensor** out) {
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  return run(name, args, 2, out);
}
static tenon_tensor* scaled(tenon_tensor* a, double factor) {
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_float(factor)};
  tenon_tensor* result = NULL;
  assert_ok(run("aten::mul.Scalar", args, 2, &result));
  return result;
}

static tenon_tensor* leaf_of(float element) {
  tenon_tensor* leaf = vector_of(&element, 1);
  assert_ok(tenon_tensor_set_requires_grad(leaf, 1));
  return leaf;
}
static float element_of(tenon_tensor* tensor) {
  void* data = NULL;
  assert_non_null(tensor);
  assert_int_equal(tenon_tensor_numel(tensor), 1);
  assert_ok(tenon_tensor_data(tensor, &data));
  return *(float*)data;
}
static tenon_status backward(tenon_tensor* output, uint32_t flags) {
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = flags;
  options.outputs = &output;
  options.noutputs = 1;
  return tenon_backward(&options);
}
// Computes the gradient of one input, with create_graph if `flags` say so; NULL if it fails.
static tenon_status gradient(tenon_tensor* output, tenon_tensor* input, uint32_t flags,
                             tenon_tensor** out) {
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = flags;
  options.outputs = &output;
  options.noutputs = 1;
  options.inputs = &input;
  options.ninputs = 1;
  return tenon_grad(&options, out);
}
static void assert_grad(tenon_tensor* leaf, float expected) {
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(leaf, &grad));
  assert_float_equal(element_of(grad), expected, 1e-5);
  tenon_tensor_release(grad);
}
static void assert_no_grad(tenon_tensor* leaf) {
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(leaf, &grad));
  assert_null(grad);
}

// ---- A product of tensors and a number, with options for the tests ------------------------------

typedef struct product {
  int deleted, backwards;
  int returns_first;       // forward returns its first argument
  int writes;              // forward writes its first argument, and returns that
  int marks;               // ... and marks it as dirty
  int not_differentiable;  // the result is marked
  int two;                 // returns a tuple of the product and its double
  int saves_result;        // instead of the arguments
  int gives_nothing;       // backward returns no gradient
  int no_zeros;            // receives no zeros for absent gradients
  int fails;               // forward, setup or backward (1, 2, 3)
  int needs[3];            // as backward saw it
  int seen[2];             // which gradients backward got
} product;

static void delete_product(void* ctx) { ((product*)ctx)->deleted++; }

static tenon_status leave_in(product* self, tenon_function_context* context,
                             const tenon_stack* call) {
  tenon_value saved[3] = {call->args[0], call->args[1], call->args[2]};
  if (self->fails == 2) return tenon_error_raise(TENON_ERROR_RUNTIME, "setup went wrong");
  if (self->saves_result) saved[0] = call->rets[0];
  if (self->marks) {
    const tenon_status status = tenon_function_context_mark_dirty(context, call->args[0].as.tensor);
    if (status != TENON_OK) return status;
  }
  if (self->not_differentiable) {
    const tenon_status status =
        tenon_function_context_mark_non_differentiable(context, call->rets[0].as.tensor);
    if (status != TENON_OK) return status;
  }
  if (self->no_zeros) tenon_function_context_set_materialize_grads(context, 0);
  return tenon_function_context_save(context, saved, 3);
}

static tenon_status product_forward(void* ctx, tenon_function_context* context,
                                    tenon_stack* stack) {
  product* self = ctx;
  tenon_tensor *both = NULL, *result = NULL;
  tenon_status status;
  if (self->fails == 1) return tenon_error_raise(TENON_ERROR_RUNTIME, "forward went wrong");
  if (self->returns_first) {
    stack->rets[0] =
        tenon_value_give(tenon_value_of_tensor(tenon_tensor_retain(stack->args[0].as.tensor)));
    return context != NULL ? leave_in(self, context, stack) : TENON_OK;
  }
  if (self->writes) {
    status = run_binary("aten::mul_.Tensor", stack->args[0].as.tensor, stack->args[1].as.tensor,
                        &result);
  } else {
    status =
        run_binary("aten::mul.Tensor", stack->args[0].as.tensor, stack->args[1].as.tensor, &both);
    if (status == TENON_OK) {
      const tenon_value args[2] = {tenon_value_of_tensor(both), stack->args[2]};
      status = run("aten::mul.Scalar", args, 2, &result);
    }
    tenon_tensor_release(both);
  }
  if (status != TENON_OK) return status;
  stack->rets[0] = tenon_value_give(tenon_value_of_tensor(result));
  if (self->two) {
    const tenon_value args[2] = {tenon_value_of_tensor(result), tenon_value_of_int(2)};
    tenon_tensor* twice = NULL;
    status = run("aten::mul.Scalar", args, 2, &twice);
    if (status != TENON_OK) return status;
    const tenon_value elements[3] = {tenon_value_of_tensor(result), tenon_value_of_int(7),
                                     tenon_value_of_tensor(twice)};
    tenon_value tuple;
    status = tenon_value_new_list(TENON_TAG_TUPLE, elements, 3, &tuple);
    tenon_tensor_release(twice);
    tenon_value_clear(&stack->rets[0]);
    stack->rets[0] = tuple;
    if (status != TENON_OK) return status;
  }
  return context != NULL ? leave_in(self, context, stack) : TENON_OK;
}

static tenon_status product_setup(void* ctx, tenon_function_context* context,
                                  const tenon_stack* call) {
  assert_int_equal(tenon_grad_mode_get(), TENON_GRAD_MODE_OFF);
  return leave_in(ctx, context, call);
}

static tenon_status product_backward(const tenon_backward_call* call) {
  product* self = call->ctx;
  self->backwards++;
  assert_ptr_equal(tenon_function_context_of(call->node), call->context);
  if (self->fails == 3) return tenon_error_raise(TENON_ERROR_RUNTIME, "backward went wrong");
  for (int64_t i = 0; i < 3 && i < call->ninputs; ++i) self->needs[i] = call->needs[i];
  self->seen[0] = call->grads[0] != NULL;
  if (call->noutputs > 2) self->seen[1] = call->grads[2] != NULL;
  if (self->gives_nothing) return TENON_OK;
  if (self->writes || self->returns_first || self->not_differentiable || self->saves_result) {
    tenon_tensor* first = call->grads[0];
    call->out_grads[0] = first != NULL ? scaled(first, 10) : NULL;
    return TENON_OK;
  }
  assert_int_equal(call->nsaved, 3);
  for (int i = 0; i < 2; ++i) {
    tenon_tensor *part = NULL, *grad = call->grads[0];
    if (!call->needs[i]) continue;
    if (grad == NULL) grad = call->grads[2];
    const tenon_value args[2] = {call->saved[1 - i], call->saved[2]};
    tenon_status status = run("aten::mul.Scalar", args, 2, &part);
    if (status == TENON_OK) {
      status = run_binary("aten::mul.Tensor", grad, part, &call->out_grads[i]);
    }
    tenon_tensor_release(part);
    if (status != TENON_OK) return status;
  }
  return TENON_OK;
}

static tenon_object* make(product* self, int with_setup, uint32_t flags) {
  tenon_function_type type;
  memset(&type, 0, sizeof type);
  type.struct_size = sizeof type;
  type.flags = flags;
  type.name = "Product";
  type.forward = &product_forward;
  type.setup = with_setup ? &product_setup : NULL;
  type.backward = &product_backward;
  type.ctx = self;
  type.deleter = &delete_product;
  type.language = TENON_LANGUAGE_C;
  tenon_object* function = NULL;
  assert_ok(tenon_function_new(&type, &function));
  return function;
}

static tenon_status apply(tenon_object* function, tenon_tensor* a, tenon_tensor* b, double factor,
                          tenon_value* out) {
  const tenon_value args[3] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b),
                               tenon_value_of_float(factor)};
  return tenon_function_apply(function, args, 3, out);
}

static void assert_node(tenon_tensor* tensor, const char* name) {
  tenon_node* node = NULL;
  int64_t output = -1;
  assert_ok(tenon_tensor_copy_node(tensor, &node, &output));
  assert_non_null(node);
  assert_string_equal(tenon_node_name(node), name);
  tenon_node_release(node);
}

// ---- Tests --------------------------------------------------------------------------------------

static void one_node_with_its_own_gradient(void** state) {
  (void)state;
  const live_counts before = count_live();
  for (int with_setup = 0; with_setup < 2; ++with_setup) {
    product self = {0};
    tenon_object* function = make(&self, with_setup, 0);
    tenon_tensor *x = leaf_of(2), *w = leaf_of(5);
    tenon_value result;
    assert_ok(apply(function, x, w, 3, &result));
    assert_float_equal(element_of(result.as.tensor), 30, 1e-5);
    assert_node(result.as.tensor, "ProductBackward");
    assert_ok(backward(result.as.tensor, 0));
    assert_grad(x, 15);
    assert_grad(w, 6);
    assert_int_equal(self.needs[0] * 100 + self.needs[1] * 10 + self.needs[2], 110);
    assert_error(backward(result.as.tensor, 0), TENON_ERROR_STATE, "second time");
    tenon_object_release(function);
    assert_int_equal(self.deleted, 0);  // retained by the node
    tenon_value_clear(&result);
    assert_int_equal(self.deleted, 1);
    tenon_tensor_release(w);
    tenon_tensor_release(x);
  }
  assert_nothing_left(before);
}

static void untracked_arguments_record_nothing(void** state) {
  (void)state;
  const live_counts before = count_live();
  product self = {0};
  tenon_object* function = make(&self, 0, 0);
  const float two = 2;
  tenon_tensor *x = vector_of(&two, 1), *leaf = leaf_of(5);
  tenon_value result;
  assert_ok(apply(function, x, x, 3, &result));
  assert_false(tenon_tensor_requires_grad(result.as.tensor));
  tenon_value_clear(&result);
  tenon_key_guard guard;
  assert_ok(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard));
  assert_ok(apply(function, x, leaf, 3, &result));
  assert_ok(tenon_key_guard_leave(&guard));
  assert_false(tenon_tensor_requires_grad(result.as.tensor));
  tenon_value_clear(&result);
  // With one tracked argument, the untracked one gets no gradient.
  assert_ok(apply(function, x, leaf, 3, &result));
  assert_ok(backward(result.as.tensor, 0));
  assert_int_equal(self.needs[0] * 10 + self.needs[1], 1);
  assert_grad(leaf, 6);
  tenon_value_clear(&result);
  tenon_tensor_release(leaf);
  tenon_tensor_release(x);
  tenon_object_release(function);
  assert_nothing_left(before);
}

static void called_as_an_object(void** state) {
  (void)state;
  product self = {0};
  tenon_object* function = make(&self, 1, 0);
  tenon_tensor* x = leaf_of(2);
  tenon_value args[3] = {tenon_value_of_tensor(x), tenon_value_of_tensor(x),
                         tenon_value_of_float(1)};
  tenon_value ret = tenon_value_of_none();
  tenon_stack stack;
  memset(&stack, 0, sizeof stack);
  stack.args = args;
  stack.nargs = 3;
  stack.rets = &ret;
  stack.nrets = 1;
  assert_ok(tenon_object_call(function, &stack));
  assert_ok(backward(ret.as.tensor, 0));
  assert_grad(x, 4);
  tenon_value_clear(&ret);
  self.fails = 1;
  assert_error(tenon_object_call(function, &stack), TENON_ERROR_RUNTIME, "forward went wrong");
  tenon_tensor_release(x);
  tenon_object_release(function);
}

static void derived_twice(void** state) {
  (void)state;
  const live_counts before = count_live();
  product self = {0};
  tenon_object* function = make(&self, 1, 0);
  tenon_tensor *x = leaf_of(2), *slope = NULL, *curve = NULL;
  tenon_value result;
  assert_ok(apply(function, x, x, 1, &result));  // x², with two edges to x
  assert_ok(gradient(result.as.tensor, x, TENON_BACKWARD_CREATE_GRAPH, &slope));
  assert_float_equal(element_of(slope), 4, 1e-5);
  assert_ok(gradient(slope, x, 0, &curve));
  assert_float_equal(element_of(curve), 2, 1e-5);
  tenon_tensor_release(curve);
  tenon_tensor_release(slope);
  tenon_value_clear(&result);
  tenon_tensor_release(x);
  tenon_object_release(function);
  assert_nothing_left(before);
}

static void derived_once_only(void** state) {
  (void)state;
  const live_counts before = count_live();
  product self = {0};
  tenon_object* function = make(&self, 1, TENON_FUNCTION_ONCE_DIFFERENTIABLE);
  tenon_tensor *x = leaf_of(2), *slope = NULL, *curve = NULL;
  tenon_value result;
  assert_ok(apply(function, x, x, 1, &result));
  assert_ok(gradient(result.as.tensor, x, TENON_BACKWARD_CREATE_GRAPH, &slope));
  assert_float_equal(element_of(slope), 4, 1e-5);
  assert_error(gradient(slope, x, TENON_BACKWARD_KEEP_GRAPH, &curve), TENON_ERROR_STATE,
               "once_differentiable");
  assert_error(backward(slope, 0), TENON_ERROR_STATE, "once_differentiable");
  assert_null(curve);
  tenon_tensor_release(slope);
  tenon_value_clear(&result);
  tenon_tensor_release(x);
  tenon_object_release(function);
  assert_nothing_left(before);
}

static void argument_returned_becomes_an_alias(void** state) {
  (void)state;
  const live_counts before = count_live();
  product self = {.returns_first = 1};
  tenon_object* function = make(&self, 0, 0);
  tenon_tensor* x = leaf_of(2);
  tenon_value result;
  void *first = NULL, *second = NULL;
  assert_ok(apply(function, x, x, 1, &result));
  assert_ptr_not_equal(result.as.tensor, x);
  assert_ok(tenon_tensor_data(x, &first));
  assert_ok(tenon_tensor_data(result.as.tensor, &second));
  assert_ptr_equal(first, second);
  assert_node(result.as.tensor, "ProductBackward");
  // An in-place write would bypass the gradient.
  tenon_tensor* written = NULL;
  assert_error(run_binary("aten::mul_.Tensor", result.as.tensor, x, &written), TENON_ERROR_STATE,
               "view");
  assert_ok(backward(result.as.tensor, 0));
  assert_grad(x, 10);
  tenon_value_clear(&result);
  tenon_tensor_release(x);
  tenon_object_release(function);
  assert_nothing_left(before);
}

static void argument_written_in_place(void** state) {
  (void)state;
  const live_counts before = count_live();
  product self = {.writes = 1, .marks = 1};
  tenon_object* function = make(&self, 0, 0);
  const float three = 3;
  tenon_tensor *x = leaf_of(2), *w = vector_of(&three, 1), *h = scaled(x, 1);
  tenon_value result;
  assert_ok(apply(function, h, w, 1, &result));
  assert_ptr_equal(result.as.tensor, h);
  assert_node(h, "ProductBackward");
  assert_ok(backward(h, 0));
  assert_grad(x, 10);
  tenon_value_clear(&result);
  // Neither a leaf nor a tensor that is not returned may be marked as dirty.
  assert_error(apply(function, x, w, 1, &result), TENON_ERROR_STATE, "leaf");
  self.returns_first = 0, self.writes = 0;
  assert_error(apply(function, h, w, 1, &result), TENON_ERROR_STATE, "dirty");
  tenon_tensor_release(h);
  tenon_tensor_release(w);
  tenon_tensor_release(x);
  tenon_object_release(function);
  assert_nothing_left(before);
}

static void view_written_in_place(void** state) {
  (void)state;
  const live_counts before = count_live();
  product self = {.writes = 1, .marks = 1};
  tenon_object* function = make(&self, 0, 0);
  const float two[2] = {2, 3}, three = 3;
  tenon_tensor *x = vector_of(two, 2), *w = vector_of(&three, 1), *sum = NULL, *part = NULL;
  assert_ok(tenon_tensor_set_requires_grad(x, 1));
  tenon_tensor* h = scaled(x, 1);
  const tenon_value args[4] = {tenon_value_of_tensor(h), tenon_value_of_int(0),
                               tenon_value_of_int(1), tenon_value_of_int(2)};
  assert_ok(run("aten::slice.Tensor", args, 4, &part));
  tenon_value result;
  assert_ok(apply(function, part, w, 1, &result));
  assert_ptr_equal(result.as.tensor, part);
  const tenon_value whole[1] = {tenon_value_of_tensor(h)};
  assert_ok(run("aten::sum", whole, 1, &sum));
  assert_float_equal(element_of(sum), 11, 1e-5);
  assert_ok(backward(sum, 0));
  tenon_tensor* grad = NULL;
  void* data = NULL;
  assert_ok(tenon_tensor_copy_grad(x, &grad));
  assert_ok(tenon_tensor_data(grad, &data));
  assert_float_equal(((float*)data)[0], 1, 1e-5);
  assert_float_equal(((float*)data)[1], 10, 1e-5);
  tenon_tensor_release(grad);
  tenon_tensor_release(sum);
  tenon_value_clear(&result);
  tenon_tensor_release(part);
  tenon_tensor_release(h);
  tenon_tensor_release(w);
  tenon_tensor_release(x);
  tenon_object_release(function);
  assert_nothing_left(before);
}

static void result_without_gradient(void** state) {
  (void)state;
  product self = {.not_differentiable = 1};
  tenon_object* function = make(&self, 1, 0);
  tenon_tensor* x = leaf_of(2);
  tenon_value result;
  assert_ok(apply(function, x, x, 1, &result));
  assert_false(tenon_tensor_requires_grad(result.as.tensor));
  tenon_value_clear(&result);
  tenon_tensor_release(x);
  tenon_object_release(function);
}

static void several_results(void** state) {
  (void)state;
  const live_counts before = count_live();
  for (int no_zeros = 0; no_zeros < 2; ++no_zeros) {
    product self = {.two = 1, .no_zeros = no_zeros};
    tenon_object* function = make(&self, 0, TENON_FUNCTION_SAVED_ON_DEMAND);
    self.gives_nothing = 1;
    tenon_tensor* x = leaf_of(2);
    tenon_value result;
    assert_ok(apply(function, x, x, 1, &result));
    assert_int_equal(result.tag, TENON_TAG_TUPLE);
    const tenon_value* elements = result.as.list.data;
    assert_int_equal(elements[1].as.i, 7);
    assert_true(tenon_tensor_requires_grad(elements[0].as.tensor));
    assert_ok(backward(elements[2].as.tensor, 0));
    assert_int_equal(self.seen[0], !no_zeros);
    assert_int_equal(self.seen[1], 1);
    assert_no_grad(x);
    tenon_value_clear(&result);
    tenon_tensor_release(x);
    tenon_object_release(function);
  }
  assert_nothing_left(before);
}

// If a function returns no gradient, the function before it receives zeros or NULL.
static void absent_gradients_travel_up(void** state) {
  (void)state;
  const live_counts before = count_live();
  for (int no_zeros = 0; no_zeros < 2; ++no_zeros) {
    product first = {.returns_first = 1, .no_zeros = no_zeros}, second = {.gives_nothing = 1};
    tenon_object *inner = make(&first, 0, 0), *outer = make(&second, 0, 0);
    tenon_tensor* x = leaf_of(2);
    tenon_value middle, result;
    assert_ok(apply(inner, x, x, 1, &middle));
    assert_ok(apply(outer, middle.as.tensor, middle.as.tensor, 1, &result));
    assert_ok(backward(result.as.tensor, 0));
    assert_int_equal(first.backwards, 1);
    assert_int_equal(first.seen[0], !no_zeros);
    tenon_value_clear(&result);
    tenon_value_clear(&middle);
    tenon_tensor_release(x);
    tenon_object_release(outer);
    tenon_object_release(inner);
  }
  assert_nothing_left(before);
}

static void saved_values_are_read_from_outside(void** state) {
  (void)state;
  const live_counts before = count_live();
  product self = {.saves_result = 1};
  tenon_object* function = make(&self, 0, TENON_FUNCTION_SAVED_ON_DEMAND);
  tenon_tensor* x = leaf_of(2);
  tenon_value result, saved;
  tenon_node* node = NULL;
  int64_t output;
  assert_ok(apply(function, x, x, 3, &result));
  assert_ok(tenon_tensor_copy_node(result.as.tensor, &node, &output));
  tenon_function_context* context = tenon_function_context_of(node);
  assert_non_null(context);
  assert_int_equal(tenon_function_context_saved_count(context), 3);
  assert_true(tenon_function_context_needs_grad(context, 0));
  assert_false(tenon_function_context_needs_grad(context, 2));
  assert_false(tenon_function_context_needs_grad(context, 9));
  // The saved result is an alias whose node is this one; a saved argument is the tensor itself.
  assert_ok(tenon_function_context_copy_saved(context, 0, &saved));
  assert_node(saved.as.tensor, "ProductBackward");
  tenon_value_clear(&saved);
  assert_ok(tenon_function_context_copy_saved(context, 1, &saved));
  assert_ptr_equal(saved.as.tensor, x);
  tenon_value_clear(&saved);
  assert_ok(tenon_function_context_copy_saved(context, 2, &saved));
  assert_int_equal(saved.tag, TENON_TAG_FLOAT);
  assert_error(tenon_function_context_copy_saved(context, 3, &saved), TENON_ERROR_INDEX, "index");
  // The call is recorded: nothing is saved or marked any more.
  assert_error(tenon_function_context_save(context, &saved, 1), TENON_ERROR_STATE, "recorded");
  assert_error(tenon_function_context_mark_dirty(context, x), TENON_ERROR_STATE, "recorded");
  // Written since.
  tenon_tensor* written = NULL;
  tenon_key_guard guard;
  assert_ok(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard));
  assert_ok(run_binary("aten::mul_.Tensor", result.as.tensor, x, &written));
  assert_ok(tenon_key_guard_leave(&guard));
  tenon_tensor_release(written);
  assert_error(tenon_function_context_copy_saved(context, 0, &saved), TENON_ERROR_STATE,
               "modified");
  // Freed by a pass.
  assert_ok(backward(result.as.tensor, 0));
  assert_error(tenon_function_context_copy_saved(context, 1, &saved), TENON_ERROR_STATE, "freed");
  tenon_node_release(node);
  tenon_value_clear(&result);
  tenon_tensor_release(x);
  tenon_object_release(function);
  assert_nothing_left(before);
}

static void errors_come_from_where_they_happen(void** state) {
  (void)state;
  const live_counts before = count_live();
  product self = {0};
  tenon_object* function = make(&self, 1, 0);
  tenon_tensor* x = leaf_of(2);
  tenon_value result;
  self.fails = 1;
  assert_error(apply(function, x, x, 1, &result), TENON_ERROR_RUNTIME, "forward went wrong");
  assert_int_equal(tenon_grad_mode_get(), TENON_GRAD_MODE_ON);
  self.fails = 2;
  assert_error(apply(function, x, x, 1, &result), TENON_ERROR_RUNTIME, "setup went wrong");
  self.fails = 3;
  assert_ok(apply(function, x, x, 1, &result));
  assert_error(backward(result.as.tensor, 0), TENON_ERROR_RUNTIME, "backward went wrong");
  assert_no_grad(x);
  tenon_value_clear(&result);
  tenon_tensor_release(x);
  tenon_object_release(function);
  assert_int_equal(self.deleted, 1);
  assert_nothing_left(before);
}

// ---- In two halves ------------------------------------------------------------------------------

static int states_dropped;
static void drop_state(void* self) { states_dropped += *(int*)self; }

static void begun_and_finished(void** state) {
  (void)state;
  const live_counts before = count_live();
  product self = {.gives_nothing = 1};
  tenon_object* function = make(&self, 0, TENON_FUNCTION_SAVED_ON_DEMAND);
  tenon_tensor *x = leaf_of(2), *inputs[2] = {x, NULL};
  tenon_function_context* context = NULL;
  tenon_node* node = NULL;
  int one = 1, ten = 10;
  states_dropped = 0;
  assert_ok(tenon_function_begin(function, inputs, 2, &context));
  tenon_function_context_set_state(context, &one, &drop_state);
  tenon_function_context_set_state(context, &ten, &drop_state);
  assert_int_equal(states_dropped, 1);
  assert_ptr_equal(tenon_function_context_state(context, TENON_LANGUAGE_C), &ten);
  assert_null(tenon_function_context_state(context, TENON_LANGUAGE_PYTHON));
  tenon_function_cancel(context);
  assert_int_equal(states_dropped, 11);
  tenon_function_cancel(NULL);

  assert_ok(tenon_function_begin(function, inputs, 2, &context));
  tenon_function_context_set_state(context, &one, &drop_state);
  const float three = 3;
  tenon_tensor* outputs[2] = {vector_of(&three, 1), NULL};
  assert_ok(tenon_function_finish(context, outputs, 2, &node));
  assert_non_null(node);
  assert_ptr_equal(tenon_function_context_of(node), context);
  assert_node(outputs[0], "ProductBackward");
  assert_ok(backward(outputs[0], 0));
  assert_int_equal(self.backwards, 1);
  tenon_tensor_release(outputs[0]);
  assert_int_equal(states_dropped, 11);
  tenon_node_release(node);
  assert_int_equal(states_dropped, 12);
  tenon_tensor_release(x);
  tenon_object_release(function);
  assert_nothing_left(before);
}

// ---- A formula that inspects each call ----------------------------------------------------------

static tenon_status total_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  tenon_tensor* const* list = stack->args[0].as.list.data;
  tenon_tensor* sum = NULL;
  const tenon_status status = run_binary("aten::add.Tensor", list[0], list[1], &sum);
  if (status == TENON_OK) stack->rets[0] = tenon_value_give(tenon_value_of_tensor(sum));
  return status;
}

static tenon_status total_setup(void* ctx, tenon_function_context* context,
                                const tenon_stack* call) {
  int* calls = ctx;
  ++*calls;
  assert_int_equal(tenon_function_context_needs_grad(context, 0), 0);
  assert_int_equal(tenon_function_context_needs_grad(context, 1), 1);
  const tenon_value saved[2] = {call->args[1], call->rets[0]};
  return tenon_function_context_save(context, saved, 2);
}

static tenon_status total_backward(const tenon_backward_call* call) {
  assert_int_equal(call->ninputs, 2);
  assert_int_equal(call->nsaved, 2);
  assert_int_equal(call->needs[0] * 10 + call->needs[1], 1);
  assert_float_equal(element_of(call->saved[1].as.tensor), 7, 1e-5);
  call->out_grads[1] = scaled(call->grads[0], call->saved[0].as.f);
  return TENON_OK;
}

static void formula_that_looks_at_each_call(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_FRAGMENT, "function_test", TENON_KEY_NONE, NULL, 0,
                              &library));
  const tenon_op* op = NULL;
  assert_ok(tenon_library_define(library, "total(Tensor[] xs, float k) -> Tensor", NULL, &op));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &total_kernel;
  kernel.language = TENON_LANGUAGE_C;
  assert_ok(
      tenon_library_impl(library, "total", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL));
  int calls = 0;
  tenon_formula formula;
  memset(&formula, 0, sizeof formula);
  formula.struct_size = sizeof formula;
  formula.backward = &total_backward;
  formula.setup = &total_setup;
  formula.ctx = &calls;
  formula.language = TENON_LANGUAGE_C;
  assert_ok(tenon_library_register_autograd(library, "total", &formula, NULL));
  formula.saves = "k";
  assert_error(tenon_library_register_autograd(library, "total", &formula, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "setup");

  const float four = 4;
  tenon_tensor *a = vector_of(&four, 1), *b = leaf_of(3), *both[2] = {a, b};
  tenon_value args[2] = {tenon_value_of_tensors(both, 2), tenon_value_of_float(5)}, ret;
  assert_ok(call(op, args, 2, &ret, 1));
  assert_int_equal(calls, 1);
  assert_node(ret.as.tensor, "TotalBackward0");
  assert_ok(backward(ret.as.tensor, 0));
  assert_grad(b, 5);
  tenon_value_clear(&ret);
  // Untracked tensors: the formula is not consulted.
  tenon_tensor* plain[2] = {a, a};
  args[0] = tenon_value_of_tensors(plain, 2);
  assert_ok(call(op, args, 2, &ret, 1));
  assert_int_equal(calls, 1);
  tenon_value_clear(&ret);
  tenon_tensor_release(b);
  tenon_tensor_release(a);
  tenon_library_close(library);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static tenon_status twice_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  tenon_tensor* sum = NULL;
  tenon_tensor* const x = stack->args[0].as.tensor;
  const tenon_status status = run_binary("aten::add.Tensor", x, x, &sum);
  if (status == TENON_OK) stack->rets[0] = tenon_value_give(tenon_value_of_tensor(sum));
  return status;
}

static int warnings;
static tenon_status count_warning(void* ctx, const char* category, const char* message,
                                  const char* op) {
  (void)ctx;
  assert_string_equal(category, "UserWarning");
  assert_non_null(strstr(message, "no gradient formula"));
  assert_string_equal(op, "function_policy::twice");
  ++warnings;
  return TENON_OK;
}

// Sets gradient policies for the operator `name`, or for all operators.
static void check_policies(tenon_library* library, const char* name, const tenon_op* op) {
  tenon_tensor* x = leaf_of(2);
  tenon_value arg = tenon_value_of_tensor(x), ret;
  warnings = 0;
  for (uint32_t policy = TENON_GRADIENT_ERROR; policy <= TENON_GRADIENT_STOP; ++policy) {
    tenon_registration* registration = NULL;
    assert_ok(tenon_library_set_gradient_policy(library, name, policy, &registration));
    assert_ok(call(op, &arg, 1, &ret, 1));
    assert_float_equal(element_of(ret.as.tensor), 4, 1e-5);
    assert_int_equal(tenon_tensor_requires_grad(ret.as.tensor), policy != TENON_GRADIENT_STOP);
    if (policy == TENON_GRADIENT_ERROR) {
      assert_error(backward(ret.as.tensor, 0), TENON_ERROR_NOT_SUPPORTED, "function_policy::twice");
    } else if (policy == TENON_GRADIENT_WARN) {
      assert_ok(backward(ret.as.tensor, 0));
      assert_int_equal(warnings, 1);
    }
    assert_no_grad(x);
    tenon_value_clear(&ret);
    tenon_registration_remove(registration);
    tenon_registration_release(registration);
  }
  tenon_tensor_release(x);
}

static void policies_of_operators_without_formula(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_FRAGMENT, "function_policy", TENON_KEY_NONE, NULL, 0,
                              &library));
  const tenon_op* op = NULL;
  assert_ok(tenon_library_define(library, "twice(Tensor x) -> Tensor", NULL, &op));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &twice_kernel;
  kernel.language = TENON_LANGUAGE_C;
  assert_ok(
      tenon_library_impl(library, "twice", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL));
  assert_ok(tenon_warning_set_handler(&count_warning, NULL, NULL));
  check_policies(library, "twice", op);
  tenon_library* all = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_IMPL, "_", TENON_KEY_NONE, NULL, 0, &all));
  check_policies(all, "_", op);
  // An operator's own policy takes precedence.
  assert_ok(tenon_library_set_gradient_policy(library, "twice", TENON_GRADIENT_STOP, NULL));
  assert_ok(tenon_library_set_gradient_policy(all, "_", TENON_GRADIENT_WARN, NULL));
  tenon_tensor* x = leaf_of(2);
  tenon_value arg = tenon_value_of_tensor(x), ret;
  assert_ok(call(op, &arg, 1, &ret, 1));
  assert_int_equal(tenon_tensor_requires_grad(ret.as.tensor), 0);
  tenon_value_clear(&ret);
  assert_error(tenon_library_set_gradient_policy(all, "_", TENON_GRADIENT_WARN, NULL),
               TENON_ERROR_ALREADY_EXISTS, "fallback");
  assert_ok(tenon_warning_set_handler(NULL, NULL, NULL));
  tenon_tensor_release(x);
  tenon_library_close(all);
  tenon_library_release(all);
  tenon_library_close(library);
  tenon_library_release(library);
  assert_nothing_left(before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_node_with_its_own_gradient),
      cmocka_unit_test(untracked_arguments_record_nothing),
      cmocka_unit_test(called_as_an_object),
      cmocka_unit_test(derived_twice),
      cmocka_unit_test(derived_once_only),
      cmocka_unit_test(argument_returned_becomes_an_alias),
      cmocka_unit_test(argument_written_in_place),
      cmocka_unit_test(view_written_in_place),
      cmocka_unit_test(result_without_gradient),
      cmocka_unit_test(several_results),
      cmocka_unit_test(absent_gradients_travel_up),
      cmocka_unit_test(saved_values_are_read_from_outside),
      cmocka_unit_test(errors_come_from_where_they_happen),
      cmocka_unit_test(begun_and_finished),
      cmocka_unit_test(formula_that_looks_at_each_call),
      cmocka_unit_test(policies_of_operators_without_formula),
  };
  // Load the shipped operators before counting: they stay registered, which is no leak.
  (void)find("aten::mul.Tensor");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
