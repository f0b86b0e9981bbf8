// SPDX-License-Identifier: Apache-2.0
// Hooks from C: their order, replaced gradients, removal, retained gradients of results, objects
// that languages attach to nodes, and callbacks at the end of a pass.
#include "support.h"

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

static tenon_tensor* binary(const char* name, tenon_tensor* a, tenon_tensor* b) {
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(find(name), args, 2, NULL, NULL, 0, &ret, 1));
  return ret.as.tensor;
}

static tenon_tensor* leaf_of(float element) {
  tenon_tensor* leaf = vector_of(&element, 1);
  assert_ok(tenon_tensor_set_requires_grad(leaf, 1));
  return leaf;
}

static float element_of(tenon_tensor* tensor) {
  tenon_tensor_info info;
  assert_non_null(tensor);
  assert_ok(tenon_tensor_describe(tensor, &info));
  return *(float*)info.data;
}

static void assert_grad(tenon_tensor* tensor, float expected) {
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(tensor, &grad));
  assert_float_equal(element_of(grad), expected, 1e-6);
  tenon_tensor_release(grad);
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

static tenon_node* node_of(tenon_tensor* tensor) {
  tenon_node* node = NULL;
  int64_t output;
  assert_ok(tenon_tensor_copy_node(tensor, &node, &output));
  assert_non_null(node);
  return node;
}

// ---- What hooks did -----------------------------------------------------------------------------

typedef struct diary {
  char text[64];
  int deleted;
  float factor;  // 0: the gradient is left alone
} diary;

static void note(diary* book, const char* what) { strcat(book->text, what); }
static void forget(void* ctx) { ((diary*)ctx)->deleted++; }

static tenon_tensor* scaled(tenon_tensor* grad, float factor) {
  const float elements[1] = {element_of(grad) * factor};
  return vector_of(elements, 1);
}

static tenon_status on_grad(tenon_hook_call* call) {
  diary* book = call->ctx;
  note(book, "g");
  assert_int_equal(call->ngrads, 1);
  if (book->factor != 0) {
    call->out_grads[0] = scaled(call->grads[0], book->factor);
    call->replaces = 1;
  }
  return TENON_OK;
}
static tenon_status on_accumulated(tenon_hook_call* call) {
  note(call->ctx, "p");
  assert_int_equal(call->ngrads, 0);
  assert_non_null(call->tensor);
  return TENON_OK;
}
static tenon_status on_before(tenon_hook_call* call) {
  note(call->ctx, "b");
  return TENON_OK;
}
static tenon_status on_after(tenon_hook_call* call) {
  note(call->ctx, "a");
  assert_int_equal(call->noutputs, 1);
  return TENON_OK;
}

static tenon_hook_options hook(uint32_t kind, tenon_hook_fn fn, diary* book) {
  tenon_hook_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.kind = kind;
  options.fn = fn;
  options.ctx = book;
  options.deleter = &forget;
  options.language = TENON_LANGUAGE_C;
  return options;
}
static tenon_hook* hook_tensor(tenon_tensor* tensor, uint32_t kind, tenon_hook_fn fn, diary* book) {
  const tenon_hook_options options = hook(kind, fn, book);
  tenon_hook* added = NULL;
  assert_ok(tenon_tensor_add_hook(tensor, &options, &added));
  return added;
}
static tenon_hook* hook_node(tenon_node* node, uint32_t kind, tenon_hook_fn fn, diary* book) {
  const tenon_hook_options options = hook(kind, fn, book);
  tenon_hook* added = NULL;
  assert_ok(tenon_node_add_hook(node, &options, &added));
  return added;
}

// ---- Hooks --------------------------------------------------------------------------------------

static void order_of_the_hooks_of_a_leaf(void** state) {
  (void)state;
  const live_counts before = count_live();
  diary book = {"", 0, 0};
  tenon_tensor *x = leaf_of(2), *y = binary("aten::mul.Tensor", x, x);
  tenon_node* leaf = node_of(x);
  tenon_hook* hooks[4] = {hook_node(leaf, TENON_HOOK_AFTER, &on_after, &book),
                          hook_tensor(x, TENON_HOOK_ACCUMULATED, &on_accumulated, &book),
                          hook_node(leaf, TENON_HOOK_BEFORE, &on_before, &book),
                          hook_tensor(x, TENON_HOOK_GRAD, &on_grad, &book)};
  assert_ok(backward(y, 0));
  assert_string_equal(book.text, "gbpa");
  assert_grad(x, 4);
  tenon_node_release(leaf);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  assert_int_equal(book.deleted, 4);  // handles keep nothing that the node does not
  for (int i = 0; i < 4; ++i) {
    tenon_hook_remove(hooks[i]);
    tenon_hook_release(hooks[i]);
  }
  assert_int_equal(book.deleted, 4);
  assert_nothing_left(before);
}

static void hooks_replace_gradients_in_order(void** state) {
  (void)state;
  const live_counts before = count_live();
  diary first = {"", 0, 2}, second = {"", 0, 5};
  tenon_tensor *x = leaf_of(3), *w = leaf_of(1), *y = binary("aten::mul.Tensor", x, w);
  tenon_hook* one = hook_tensor(x, TENON_HOOK_GRAD, &on_grad, &first);
  tenon_hook* two = hook_tensor(x, TENON_HOOK_GRAD, &on_grad, &second);
  assert_ok(backward(y, TENON_BACKWARD_KEEP_GRAPH));
  assert_grad(x, 10);
  assert_grad(w, 3);
  tenon_hook_remove(one);
  assert_int_equal(first.deleted, 1);
  assert_ok(backward(y, 0));
  assert_grad(x, 15);
  assert_string_equal(first.text, "g");
  tenon_hook_release(one);
  tenon_hook_release(two);
  tenon_tensor_release(y);
  tenon_tensor_release(w);
  tenon_tensor_release(x);
  assert_int_equal(second.deleted, 1);
  assert_nothing_left(before);
}

static tenon_status fails(tenon_hook_call* call) {
  (void)call;
  return tenon_error_raise(TENON_ERROR_STATE, "the hook has had enough");
}
static tenon_status gives_another_shape(tenon_hook_call* call) {
  const float elements[2] = {1, 2};
  call->out_grads[0] = vector_of(elements, 2);
  call->replaces = 1;
  return TENON_OK;
}

static void failing_hooks_end_the_pass(void** state) {
  (void)state;
  const live_counts before = count_live();
  diary book = {"", 0, 0};
  tenon_tensor *x = leaf_of(3), *y = binary("aten::mul.Tensor", x, x);
  tenon_hook* bad = hook_tensor(y, TENON_HOOK_GRAD, &fails, &book);
  const tenon_status status = backward(y, TENON_BACKWARD_KEEP_GRAPH);
  assert_string_equal(tenon_error_note(tenon_error_peek(), 0), "raised by a hook of MulBackward0");
  assert_error(status, TENON_ERROR_STATE, "had enough");
  tenon_hook_remove(bad);
  tenon_hook_release(bad);
  bad = hook_tensor(x, TENON_HOOK_GRAD, &gives_another_shape, &book);
  assert_error(backward(y, TENON_BACKWARD_KEEP_GRAPH), TENON_ERROR_TYPE, "[1], got [2]");
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(x, &grad));
  assert_null(grad);
  tenon_hook_remove(bad);
  tenon_hook_release(bad);
  assert_int_equal(book.deleted, 2);
  assert_ok(backward(y, 0));
  assert_grad(x, 6);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

static tenon_status removes_itself(tenon_hook_call* call) {
  tenon_hook** own = call->ctx;
  tenon_hook_remove(*own);
  return TENON_OK;
}

static void hook_that_removes_itself(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor *x = leaf_of(3), *y = binary("aten::mul.Tensor", x, x);
  tenon_hook* own = NULL;
  tenon_hook_options options = hook(TENON_HOOK_GRAD, &removes_itself, NULL);
  options.ctx = &own;
  options.deleter = NULL;
  assert_ok(tenon_tensor_add_hook(x, &options, &own));
  assert_ok(backward(y, 0));
  tenon_hook_release(own);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// ---- Gradients that results retain --------------------------------------------------------------

static void retained_gradients_follow_writes(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor *x = leaf_of(2), *two = vector_of((const float[1]){2}, 1);
  tenon_tensor* y = binary("aten::mul.Tensor", x, x);
  assert_int_equal(tenon_tensor_retains_grad(y), 0);
  assert_ok(tenon_tensor_retain_grad(y));
  assert_int_equal(tenon_tensor_retains_grad(y), 1);
  tenon_tensor_release(binary("aten::mul_.Tensor", y, two));
  assert_int_equal(tenon_tensor_retains_grad(y), 1);
  tenon_tensor* z = binary("aten::mul.Tensor", y, two);
  assert_ok(backward(z, TENON_BACKWARD_KEEP_GRAPH));
  assert_grad(y, 2);  // with respect to the value of y now; for the earlier x * x it would be 4
  assert_grad(x, 16);
  assert_ok(backward(z, 0));
  assert_grad(y, 4);
  assert_ok(tenon_tensor_set_grad(y, NULL));
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(y, &grad));
  assert_null(grad);
  assert_ok(tenon_tensor_retain_grad(x));  // leaves have theirs anyway
  assert_int_equal(tenon_tensor_retains_grad(x), 0);
  tenon_tensor_release(z);
  tenon_tensor_release(y);
  tenon_tensor_release(two);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

static void gradients_of_another_dtype(void** state) {
  (void)state;
  tenon_tensor *x = leaf_of(2), *y = binary("aten::mul.Tensor", x, x), *grad = NULL;
  assert_int_equal(tenon_tensor_grad_dtype(x), TENON_DTYPE_F32);
  assert_ok(tenon_tensor_set_grad_dtype(x, TENON_DTYPE_F64));
  assert_ok(backward(y, 0));
  assert_ok(tenon_tensor_copy_grad(x, &grad));
  assert_int_equal(tenon_tensor_dtype(grad), TENON_DTYPE_F64);
  tenon_tensor_release(grad);
  assert_error(tenon_tensor_set_grad_dtype(x, TENON_DTYPE_F32), TENON_ERROR_STATE, "float64");
  assert_ok(tenon_tensor_set_grad_dtype(y, TENON_DTYPE_F32)); /* what the call's formula gets */
  tenon_tensor_release(y);
  tenon_tensor_release(x);
}

// ---- Nodes --------------------------------------------------------------------------------------

static void words_of_languages(void** state) {
  (void)state;
  const live_counts before = count_live();
  diary first = {"", 0, 0}, second = {"", 0, 0};
  tenon_tensor* x = leaf_of(2);
  tenon_node* node = node_of(x);
  void** word = tenon_node_cell(node, TENON_LANGUAGE_C);
  assert_non_null(word);
  assert_null(*word);
  assert_ptr_equal(tenon_node_cell(node, TENON_LANGUAGE_C), word);
  assert_ptr_not_equal(tenon_node_cell(node, TENON_LANGUAGE_RUST), word);
  assert_null(tenon_node_cell(node, 31));
  assert_ok(tenon_node_own_cell(node, TENON_LANGUAGE_C, &first, &forget));
  assert_ptr_equal(*word, &first);
  assert_ok(tenon_node_own_cell(node, TENON_LANGUAGE_C, &second, &forget));
  assert_int_equal(first.deleted, 1);
  tenon_tensor* variable = tenon_node_copy_variable(node);
  assert_ptr_equal(variable, x);
  tenon_tensor_release(variable);
  tenon_tensor_release(x);
  assert_null(tenon_node_copy_variable(node));
  assert_int_equal(tenon_node_use_count(node), 1);
  tenon_node_release(node);
  assert_int_equal(second.deleted, 1);
  assert_nothing_left(before);
}

static void passes_from_node_to_node(void** state) {
  (void)state;
  tenon_tensor *x = leaf_of(2), *y = binary("aten::mul.Tensor", x, x);
  tenon_tensor* z = binary("aten::mul.Tensor", y, y);
  tenon_node *from = node_of(z), *to = node_of(y);
  const int64_t first = 0;
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.output_nodes = &from;
  options.output_numbers = &first;
  options.noutputs = 1;
  options.input_nodes = &to;
  options.input_numbers = &first;
  options.ninputs = 1;
  tenon_tensor* grad = NULL;
  assert_ok(tenon_grad(&options, &grad));
  assert_float_equal(element_of(grad), 8, 1e-6);
  tenon_tensor_release(grad);
  const int64_t none = 1;
  options.input_numbers = &none;
  assert_error(tenon_grad(&options, &grad), TENON_ERROR_INDEX, "MulBackward0");
  tenon_node_release(to);
  tenon_node_release(from);
  tenon_tensor_release(z);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
}

// ---- The pass that runs -------------------------------------------------------------------------

static tenon_status takes_what_waits(tenon_hook_call* call) {
  tenon_node* next = NULL;
  int64_t output = -1;
  tenon_tensor** waiting = call->ctx;
  assert_ok(tenon_node_copy_edge(call->node, 0, &next, &output));
  assert_ok(tenon_backward_copy_waiting(next, output, waiting));
  assert_error(tenon_backward_copy_waiting(next, 1, waiting + 1), TENON_ERROR_INDEX, "[0, 1)");
  assert_null(waiting[1]);
  tenon_node_release(next);
  return TENON_OK;
}

static void what_waits_is_given_as_it_is(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float seven = 7;
  tenon_tensor *x = leaf_of(2), *seven_of = vector_of(&seven, 1);
  tenon_tensor* early = binary("aten::mul.Tensor", x, x);
  tenon_tensor* late = binary("aten::mul.Tensor", x, seven_of);
  tenon_tensor* later = binary("aten::mul.Tensor", x, seven_of);
  tenon_tensor* some = binary("aten::mul.Tensor", late, later);
  tenon_tensor* y = binary("aten::mul.Tensor", early, some);
  tenon_node *node = node_of(early), *leaf = node_of(x);
  tenon_tensor* waiting[2] = {NULL, y};
  tenon_hook_options options = hook(TENON_HOOK_BEFORE, &takes_what_waits, NULL);
  options.ctx = waiting;
  options.deleter = NULL;
  tenon_hook* added = NULL;
  assert_ok(tenon_node_add_hook(node, &options, &added));
  assert_ok(backward(y, 0));
  // Holds the gradients from `late` and `later` but not that from `early`: x^2 * (49 x^2)' at x =
  // 2.
  assert_float_equal(element_of(waiting[0]), 4 * 2 * 49 * 2, 1e-3);
  assert_grad(x, 49 * 4 * 8);
  tenon_tensor_release(waiting[0]);
  assert_ok(tenon_backward_copy_waiting(leaf, 0, waiting));  // no pass runs
  assert_null(waiting[0]);
  tenon_hook_release(added);
  tenon_node_release(leaf);
  tenon_node_release(node);
  tenon_tensor* const all[] = {y, some, later, late, early, seven_of, x};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tenon_tensor_release(all[i]);
  assert_nothing_left(before);
}

static tenon_status is_done(void* ctx) {
  note(ctx, "d");
  return TENON_OK;
}
static tenon_status asks_for_more(tenon_hook_call* call) {
  diary* book = call->ctx;
  note(book, "g");
  assert_true(tenon_backward_pass() > 0);
  assert_int_equal(tenon_backward_reaches(call->node), 1);
  return tenon_backward_when_done(&is_done, book, &forget);
}

static void what_runs_when_a_pass_is_done(void** state) {
  (void)state;
  const live_counts before = count_live();
  diary book = {"", 0, 0};
  tenon_tensor *x = leaf_of(2), *y = binary("aten::mul.Tensor", x, x);
  tenon_hook_release(hook_tensor(y, TENON_HOOK_GRAD, &asks_for_more, &book));
  tenon_hook_release(hook_tensor(x, TENON_HOOK_GRAD, &asks_for_more, &book));
  assert_int_equal(tenon_backward_pass(), 0);
  assert_ok(backward(y, TENON_BACKWARD_KEEP_GRAPH));
  assert_string_equal(book.text, "ggdd");
  assert_int_equal(book.deleted, 2);
  assert_int_equal(tenon_backward_pass(), 0);
  // A failed pass runs none of them, and frees them.
  diary bad = {"", 0, 0};
  tenon_hook_release(hook_tensor(x, TENON_HOOK_GRAD, &fails, &bad));
  assert_error(backward(y, 0), TENON_ERROR_STATE, "had enough");
  assert_string_equal(book.text, "ggddgg");
  assert_int_equal(book.deleted, 4);
  assert_error(tenon_backward_when_done(&is_done, &book, &forget), TENON_ERROR_STATE, "pass");
  assert_int_equal(book.deleted, 5);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

typedef struct inner_pass {
  tenon_tensor* output;
  int fails;  // when its pass is done
} inner_pass;

static tenon_status runs_a_pass(tenon_hook_call* call) {
  const inner_pass* inner = call->ctx;
  assert_ok(backward(inner->output, TENON_BACKWARD_KEEP_GRAPH));
  return inner->fails ? fails(call) : TENON_OK;
}

static void assert_grads(tenon_tensor* x, float first, float second, tenon_tensor* w, float third) {
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(x, &grad));
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(grad, &info));
  assert_float_equal(((float*)info.data)[0], first, 1e-3);
  assert_float_equal(((float*)info.data)[1], second, 1e-3);
  tenon_tensor_release(grad);
  assert_grad(w, third);
  assert_ok(tenon_tensor_set_grad(x, NULL));
  assert_ok(tenon_tensor_set_grad(w, NULL));
}

// While gradients wait for a node with two outputs, a node with one and a leaf, a nested pass goes
// through all of them. Neither pass gets the other's gradients, even if the outer one fails.
static void passes_inside_of_passes(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float elements[2] = {2, 3};
  tenon_tensor *x = vector_of(elements, 2), *w = leaf_of(5);
  assert_ok(tenon_tensor_set_requires_grad(x, 1));
  const tenon_value args[1] = {tenon_value_of_tensor(x)};
  tenon_value parts = tenon_value_of_none();
  assert_ok(tenon_op_call_named(find("aten::unbind.int"), args, 1, NULL, NULL, 0, &parts, 1));
  tenon_tensor* const* part = parts.as.list.data;
  tenon_tensor* product = binary("aten::mul.Tensor", part[0], w);
  tenon_tensor* hooked = binary("aten::mul.Tensor", product, part[0]);
  tenon_tensor* outputs[3] = {binary("aten::mul.Tensor", hooked, product)};
  outputs[1] = binary("aten::mul.Tensor", outputs[0], part[1]);
  outputs[2] = binary("aten::mul.Tensor", outputs[1], w);  // x0³ * x1 * w³
  inner_pass inner = {binary("aten::mul.Tensor", product, part[1]), 0};
  const tenon_hook_options options = {.struct_size = sizeof options,
                                      .kind = TENON_HOOK_GRAD,
                                      .language = TENON_LANGUAGE_C,
                                      .fn = &runs_a_pass,
                                      .ctx = &inner};
  tenon_hook* hook = NULL;
  assert_ok(tenon_tensor_add_hook(hooked, &options, &hook));
  assert_ok(backward(outputs[2], TENON_BACKWARD_KEEP_GRAPH));
  assert_grads(x, 4500 + 15, 1000 + 10, w, 1800 + 6);
  inner.fails = 1;
  assert_error(backward(outputs[2], TENON_BACKWARD_KEEP_GRAPH), TENON_ERROR_STATE, "had enough");
  assert_grads(x, 15, 10, w, 6);
  tenon_hook_remove(hook);
  assert_ok(backward(outputs[2], 0));
  assert_grads(x, 4500, 1000, w, 1800);
  tenon_hook_release(hook);
  tenon_tensor_release(inner.output);
  for (int i = 0; i < 3; ++i) tenon_tensor_release(outputs[i]);
  tenon_tensor_release(hooked);
  tenon_tensor_release(product);
  tenon_value_clear(&parts);
  tenon_tensor_release(w);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_of_the_hooks_of_a_leaf),
      cmocka_unit_test(hooks_replace_gradients_in_order),
      cmocka_unit_test(failing_hooks_end_the_pass),
      cmocka_unit_test(hook_that_removes_itself),
      cmocka_unit_test(retained_gradients_follow_writes),
      cmocka_unit_test(gradients_of_another_dtype),
      cmocka_unit_test(words_of_languages),
      cmocka_unit_test(passes_from_node_to_node),
      cmocka_unit_test(what_runs_when_a_pass_is_done),
      cmocka_unit_test(what_waits_is_given_as_it_is),
      cmocka_unit_test(passes_inside_of_passes),
  };
  // Load the shipped operators before counting: they stay registered, which is no leak.
  (void)find("aten::mul.Tensor");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
