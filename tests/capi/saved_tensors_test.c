// SPDX-License-Identifier: Apache-2.0
// Saved tensors from C: pack hooks, access to a node's saved values, hooks for new nodes, anomaly
// mode, nested passes, and reports to cycle collectors.
#include "support.h"

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

static tenon_tensor* apply(const char* name, tenon_tensor* a, tenon_tensor* b) {
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(find(name), args, b != NULL ? 2 : 1, NULL, NULL, 0, &ret, 1));
  return ret.as.tensor;
}

static tenon_tensor* leaf_of(float element) {
  tenon_tensor* leaf = vector_of(&element, 1);
  assert_ok(tenon_tensor_set_requires_grad(leaf, 1));
  return leaf;
}

static void assert_grad(tenon_tensor* tensor, float expected) {
  tenon_tensor* grad = NULL;
  tenon_tensor_info info;
  assert_ok(tenon_tensor_copy_grad(tensor, &grad));
  assert_non_null(grad);
  assert_ok(tenon_tensor_describe(grad, &info));
  assert_float_equal(*(float*)info.data, expected, 1e-6);
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

// ---- Packing ------------------------------------------------------------------------------------

typedef struct counts {
  int packed, unpacked, deleted;
} counts;

static void forget(void* ctx) { ((counts*)ctx)->deleted++; }

// A tensor of one float becomes that number, and the number times ten a tensor.
static tenon_status pack_number(void* ctx, tenon_tensor* tensor, tenon_value* out_packed) {
  tenon_tensor_info info;
  ((counts*)ctx)->packed++;
  assert_int_equal(tenon_tensor_requires_grad(tensor), 0);
  assert_ok(tenon_tensor_describe(tensor, &info));
  *out_packed = tenon_value_of_float(*(float*)info.data);
  return TENON_OK;
}
static tenon_status unpack_number(void* ctx, const tenon_value* packed, tenon_tensor** out) {
  const float element = (float)(packed->as.f * 10);
  ((counts*)ctx)->unpacked++;
  *out = vector_of(&element, 1);
  return TENON_OK;
}
static tenon_status fails(void* ctx, tenon_tensor* tensor, tenon_value* out_packed) {
  (void)ctx, (void)tensor, (void)out_packed;
  return tenon_error_raise(TENON_ERROR_STATE, "there is no room");
}

static tenon_saved_hooks hooks_of(tenon_pack_fn pack, counts* ctx) {
  tenon_saved_hooks hooks;
  memset(&hooks, 0, sizeof hooks);
  hooks.struct_size = sizeof hooks;
  hooks.pack = pack;
  hooks.unpack = &unpack_number;
  hooks.ctx = ctx;
  hooks.deleter = &forget;
  hooks.language = TENON_LANGUAGE_C;
  return hooks;
}

static void hooks_pack_what_is_saved(void** state) {
  (void)state;
  const live_counts before = count_live();
  counts ctx = {0, 0, 0};
  const tenon_saved_hooks hooks = hooks_of(&pack_number, &ctx);
  tenon_tensor *x = leaf_of(2), *w = vector_of((const float[1]){3}, 1);
  assert_ok(tenon_saved_hooks_push(&hooks));
  tenon_tensor* y = apply("aten::mul.Tensor", x, w);  // needs w alone
  assert_ok(tenon_saved_hooks_pop(&ctx));
  tenon_tensor_release(w);
  assert_int_equal(ctx.packed, 1);
  assert_int_equal(ctx.deleted, 0);  // retained by the node
  assert_ok(backward(y, TENON_BACKWARD_KEEP_GRAPH));
  assert_grad(x, 30);
  assert_ok(backward(y, 0));
  assert_int_equal(ctx.unpacked, 2);
  assert_int_equal(ctx.deleted, 1);  // saved values are freed by the second pass
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// Packs an alias of the tensor without its autograd state.
static tenon_status pack_alias(void* ctx, tenon_tensor* tensor, tenon_value* out_packed) {
  ((counts*)ctx)->packed++;
  *out_packed = tenon_value_give(tenon_value_of_tensor(tenon_tensor_retain(tensor)));
  return TENON_OK;
}
static tenon_status unpack_alias(void* ctx, const tenon_value* packed, tenon_tensor** out) {
  ((counts*)ctx)->unpacked++;
  *out = tenon_tensor_retain(packed->as.tensor);
  return TENON_OK;
}

// squares(Tensor?[] xs) -> Tensor: the sum of the squares of the first and the last.
static tenon_status squares(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  tenon_tensor* const* xs = stack->args[0].as.list.data;
  tenon_tensor *first = apply("aten::mul.Tensor", xs[0], xs[0]),
               *last = apply("aten::mul.Tensor", xs[2], xs[2]);
  stack->rets[0] = tenon_value_give(tenon_value_of_tensor(apply("aten::add.Tensor", first, last)));
  tenon_tensor_release(first);
  tenon_tensor_release(last);
  return TENON_OK;
}
static tenon_status squares_backward(const tenon_backward_call* call) {
  tenon_tensor* const* xs = call->saved[0].as.list.data;
  assert_int_equal(call->saved[0].count, 3);
  assert_null(xs[1]);
  for (int i = 0; i < 3; i += 2) {
    tenon_tensor* twice = apply("aten::add.Tensor", xs[i], xs[i]);
    call->out_grads[i] = apply("aten::mul.Tensor", twice, call->grads[0]);
    tenon_tensor_release(twice);
  }
  return TENON_OK;
}

static tenon_tensor* squares_of(tenon_tensor* first, tenon_tensor* last) {
  tenon_tensor* xs[3] = {first, NULL, last};
  const tenon_value arg = tenon_value_of_elements(TENON_TAG_TENSOR_LIST, xs, 3);
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(find("saved_lists::squares"), &arg, 1, NULL, NULL, 0, &ret, 1));
  return ret.as.tensor;
}

static tenon_library* open_squares(void) {
  tenon_library* library = NULL;
  assert_ok(
      tenon_library_new(TENON_LIBRARY_FRAGMENT, "saved_lists", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, "squares(Tensor?[] xs) -> Tensor", NULL, NULL));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &squares;
  kernel.language = TENON_LANGUAGE_C;
  assert_ok(
      tenon_library_impl(library, "squares", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL));
  tenon_formula formula;
  memset(&formula, 0, sizeof formula);
  formula.struct_size = sizeof formula;
  formula.backward = &squares_backward;
  formula.saves = "xs";
  assert_ok(tenon_library_register_autograd(library, "squares", &formula, NULL));
  return library;
}

static void hooks_pack_each_tensor_of_a_list(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = open_squares();
  counts ctx = {0, 0, 0};
  tenon_saved_hooks hooks = hooks_of(&pack_alias, &ctx);
  hooks.unpack = &unpack_alias;
  tenon_tensor *x = leaf_of(3), *three = vector_of((const float[1]){3}, 1);
  tenon_tensor* cube = apply("aten::mul.Tensor", x, three);  // the last of the list leads to x, too
  assert_ok(tenon_saved_hooks_push(&hooks));
  tenon_tensor* y = squares_of(x, cube);
  assert_ok(tenon_saved_hooks_pop(&ctx));
  assert_int_equal(ctx.packed, 2);
  tenon_node* node = node_of(y);
  tenon_value saved;
  assert_ok(tenon_node_copy_saved(node, 0, &saved));
  assert_ptr_equal(((tenon_tensor* const*)saved.as.list.data)[1], NULL);
  tenon_value_clear(&saved);
  // Second order, because unpacked tensors must have the graph edges of the saved ones. y is 10
  // x^2.
  tenon_tensor *first = NULL, *second = NULL;
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = TENON_BACKWARD_CREATE_GRAPH | TENON_BACKWARD_KEEP_GRAPH;
  options.outputs = &y;
  options.noutputs = 1;
  options.inputs = &x;
  options.ninputs = 1;
  assert_ok(tenon_grad(&options, &first));
  options.outputs = &first;
  options.flags = 0;
  assert_ok(tenon_grad(&options, &second));
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(first, &info));
  assert_float_equal(*(float*)info.data, 60, 1e-5);
  assert_ok(tenon_tensor_describe(second, &info));
  assert_float_equal(*(float*)info.data, 20, 1e-5);
  assert_true(ctx.unpacked >= 4);
  // By hand: once, and not after a write.
  tenon_saved_hooks others = hooks_of(&pack_alias, &ctx);
  others.unpack = &unpack_alias;
  assert_error(tenon_node_pack_saved(node, 0, &others), TENON_ERROR_STATE, "packed");
  tenon_tensor* z = squares_of(x, three);
  tenon_tensor_bump_version(three);
  tenon_node* written = node_of(z);
  assert_error(tenon_node_pack_saved(written, 0, &others), TENON_ERROR_STATE, "modified");
  tenon_tensor* const all[] = {x, three, cube, y, z, first, second};
  tenon_node_release(node);
  tenon_node_release(written);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tenon_tensor_release(all[i]);
  tenon_library_close(library);
  tenon_library_release(library);
  assert_int_equal(ctx.deleted, 3);
  assert_nothing_left(before);
}

static void pack_that_fails_ends_the_call(void** state) {
  (void)state;
  const live_counts before = count_live();
  counts ctx = {0, 0, 0};
  const tenon_saved_hooks hooks = hooks_of(&fails, &ctx);
  tenon_tensor* x = leaf_of(2);
  const tenon_value args[2] = {tenon_value_of_tensor(x), tenon_value_of_tensor(x)};
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_saved_hooks_push(&hooks));
  assert_error(tenon_op_call_named(find("aten::mul.Tensor"), args, 2, NULL, NULL, 0, &ret, 1),
               TENON_ERROR_STATE, "no room");
  assert_int_equal(ret.tag, TENON_TAG_NONE);
  assert_ok(tenon_saved_hooks_pop(&ctx));
  assert_int_equal(ctx.deleted, 1);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

static void hooks_are_refused_with_a_reason(void** state) {
  (void)state;
  assert_null(tenon_saved_hooks_refusal());
  assert_ok(tenon_saved_hooks_disable("first"));
  assert_ok(tenon_saved_hooks_disable("second"));
  assert_string_equal(tenon_saved_hooks_refusal(), "second");
  counts ctx = {0, 0, 0};
  const tenon_saved_hooks hooks = hooks_of(&pack_number, &ctx);
  assert_error(tenon_saved_hooks_push(&hooks), TENON_ERROR_STATE, "second");
  assert_int_equal(ctx.deleted, 1);
  assert_ok(tenon_saved_hooks_disable(NULL));
  assert_null(tenon_saved_hooks_refusal());
}

static void nodes_tell_what_they_saved(void** state) {
  (void)state;
  const live_counts before = count_live();
  counts ctx = {0, 0, 0};
  const tenon_saved_hooks hooks = hooks_of(&pack_number, &ctx);
  tenon_tensor *x = leaf_of(0), *y = apply("aten::exp", x, NULL);
  tenon_node* node = node_of(y);
  tenon_buffer* name = NULL;
  tenon_value value;
  assert_int_equal(tenon_node_saved_count(node), 1);
  assert_ok(tenon_node_saved_name(node, 0, &name));
  assert_string_equal(tenon_buffer_data(name), "result");
  tenon_buffer_release(name);
  assert_ok(tenon_node_copy_saved(node, 0, &value));
  assert_int_equal(value.tag, TENON_TAG_TENSOR);
  assert_ptr_not_equal(value.as.tensor, y);
  assert_int_equal(tenon_tensor_requires_grad(value.as.tensor), 1);  // it is y to the graph
  tenon_value_clear(&value);
  assert_ok(tenon_node_pack_saved(node, 0, &hooks));
  assert_error(tenon_node_pack_saved(node, 0, &hooks), TENON_ERROR_STATE, "result");
  assert_int_equal(ctx.deleted, 1);
  assert_ok(backward(y, 0));
  assert_grad(x, 10);
  assert_error(tenon_node_copy_saved(node, 0, &value), TENON_ERROR_STATE, "freed");
  assert_int_equal(ctx.deleted, 2);
  tenon_node_release(node);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// ---- New nodes ----------------------------------------------------------------------------------

typedef struct names {
  char text[64];
  int deleted;
} names;

static void forget_names(void* ctx) { ((names*)ctx)->deleted++; }
static tenon_status note_node(void* ctx, tenon_node* node) {
  strcat(strcat(((names*)ctx)->text, tenon_node_name(node)), " ");
  return TENON_OK;
}

static void hooks_of_new_nodes(void** state) {
  (void)state;
  const live_counts before = count_live();
  names book = {"", 0};
  tenon_tensor* x = leaf_of(2);
  assert_ok(tenon_creation_hook_push(&note_node, &book, &forget_names));
  tenon_tensor *y = apply("aten::mul.Tensor", x, x), *z = apply("aten::exp", y, NULL);
  assert_ok(tenon_creation_hook_pop(&book));
  assert_int_equal(book.deleted, 1);
  tenon_tensor_release(apply("aten::exp", z, NULL));
  assert_string_equal(book.text, "AccumulateGrad MulBackward0 ExpBackward0 ");
  tenon_tensor_release(z);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// ---- Anomaly mode -------------------------------------------------------------------------------

static void frames_of_a_game(void* ctx, tenon_error* error) {
  tenon_error_add_frame(error, *(const uint32_t*)ctx, "play", "game.toy", 7);
}

static void nan_names_node_and_origin(void** state) {
  (void)state;
  static uint32_t language;
  if (language == 0) {
    assert_ok(tenon_language_register("Toy", &language));
    assert_ok(tenon_language_set_frames(language, &frames_of_a_game, &language));
    assert_error(tenon_language_set_frames(language, &frames_of_a_game, &language),
                 TENON_ERROR_ALREADY_EXISTS, "Toy");
  }
  const live_counts before = count_live();
  tenon_tensor *x = leaf_of(0), *zero = vector_of((const float[1]){0}, 1);
  assert_ok(tenon_anomaly_set(TENON_ANOMALY_RECORD | TENON_ANOMALY_CHECK_NAN));
  tenon_tensor* root = apply("aten::sqrt", x, NULL);
  tenon_tensor* y = apply("aten::mul.Tensor", root, zero);
  const tenon_status status = backward(y, TENON_BACKWARD_KEEP_GRAPH);
  assert_non_null(strstr(tenon_error_note(tenon_error_peek(), 0), "Toy game.toy:7 in play"));
  assert_error(status, TENON_ERROR_STATE,
               "SqrtBackward0: backward returned nan values in the gradient of input 0");
  assert_ok(tenon_anomaly_set(0));
  assert_ok(backward(y, 0));
  tenon_tensor_release(y);
  tenon_tensor_release(root);
  tenon_tensor_release(zero);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// The gradient of x, for a product by a factor: weight * factor, recorded.
static tenon_tensor* slope_of(tenon_tensor* y, tenon_tensor* x, tenon_tensor* weight) {
  tenon_tensor* slope = NULL;
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = TENON_BACKWARD_CREATE_GRAPH;
  options.outputs = &y;
  options.grads = &weight;
  options.inputs = &x;
  options.noutputs = options.ninputs = 1;
  assert_ok(tenon_grad(&options, &slope));
  return slope;
}

// If a double backward fails, its error names where the node was created and during which node's
// run.
static void origins_lead_through_passes(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor *x = leaf_of(2), *weight = leaf_of(3), *factor = vector_of((const float[1]){5}, 1);
  assert_ok(tenon_anomaly_set(TENON_ANOMALY_RECORD));
  tenon_tensor* y = apply("aten::mul.Tensor", x, factor);
  tenon_tensor* slope = slope_of(y, x, weight);
  assert_ok(tenon_tensor_increment_version(factor));  // which the slope's node has saved
  const tenon_status status = backward(slope, 0);
  const tenon_error* error = tenon_error_peek();
  assert_non_null(strstr(tenon_error_note(error, 0), "MulBackward0 was created by this call"));
  assert_non_null(strstr(tenon_error_note(error, 0), "Toy game.toy:7 in play"));
  assert_non_null(
      strstr(tenon_error_note(error, 1),
             "that call was part of the backward of MulBackward0, which was created by"));
  assert_non_null(strstr(tenon_error_note(error, 1), "Toy game.toy:7 in play"));
  assert_null(tenon_error_note(error, 2));
  assert_error(status, TENON_ERROR_STATE, "MulBackward0");
  assert_ok(tenon_anomaly_set(0));
  tenon_tensor_release(slope);
  tenon_tensor_release(y);
  tenon_tensor_release(factor);
  tenon_tensor_release(weight);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// For a node created before anomaly mode, only its name is known.
static void origins_without_frames(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor *x = leaf_of(2), *weight = leaf_of(3), *factor = vector_of((const float[1]){5}, 1);
  tenon_tensor* y = apply("aten::mul.Tensor", x, factor);
  assert_ok(tenon_anomaly_set(TENON_ANOMALY_RECORD));
  tenon_tensor* slope = slope_of(y, x, weight);
  assert_ok(tenon_tensor_increment_version(factor));
  const tenon_status status = backward(slope, 0);
  assert_string_equal(
      tenon_error_note(tenon_error_peek(), 1),
      "that call was part of the backward of MulBackward0, which was created without anomaly mode");
  assert_error(status, TENON_ERROR_STATE, "MulBackward0");
  assert_ok(tenon_anomaly_set(0));
  tenon_tensor_release(slope);
  tenon_tensor_release(y);
  tenon_tensor_release(factor);
  tenon_tensor_release(weight);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// ---- Passes inside passes -----------------------------------------------------------------------

typedef struct depth {
  int left, reached;
} depth;

static tenon_status goes_deeper(tenon_hook_call* call) {
  depth* here = call->ctx;
  here->reached++;
  if (here->left == 0) return TENON_OK;
  here->left--;
  tenon_tensor* x = leaf_of(1);
  tenon_hook_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.kind = TENON_HOOK_GRAD;
  options.fn = &goes_deeper;
  options.ctx = here;
  options.language = TENON_LANGUAGE_C;
  assert_ok(tenon_tensor_add_hook(x, &options, NULL));
  const tenon_status status = backward(x, 0);
  tenon_tensor_release(x);
  return status;
}

// A sanitizer's frames are several times as large.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NESTED_PASSES 100
#else
#define NESTED_PASSES 1000
#endif

static void passes_inside_each_other(void** state) {
  (void)state;
  const live_counts before = count_live();
  depth here = {NESTED_PASSES, 0};
  tenon_hook_call call;
  memset(&call, 0, sizeof call);
  call.ctx = &here;
  assert_ok(goes_deeper(&call));
  assert_int_equal(here.reached, NESTED_PASSES + 1);
  assert_nothing_left(before);
}

// ---- Collectors ---------------------------------------------------------------------------------

static tenon_status stays(tenon_hook_call* call) {
  (void)call;
  return TENON_OK;
}

typedef struct told {
  int cells, hooks;
} told;

static int32_t count_owned(void* ctx, uint32_t kind, void* object) {
  told* seen = ctx;
  assert_non_null(object);
  seen->cells += kind == TENON_OWNED_CELL;
  seen->hooks += kind == TENON_OWNED_HOOK;
  return 0;
}

static void what_only_a_tensor_keeps(void** state) {
  (void)state;
  const live_counts before = count_live();
  counts hook = {0, 0, 0}, cell = {0, 0, 0};
  tenon_tensor *x = leaf_of(2), *y = apply("aten::exp", x, NULL);
  tenon_hook_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.kind = TENON_HOOK_GRAD;
  options.fn = &stays;
  options.ctx = &hook;
  options.deleter = &forget;
  options.language = TENON_LANGUAGE_C;
  assert_ok(tenon_tensor_add_hook(x, &options, NULL));
  tenon_node* node = node_of(y);
  assert_ok(tenon_node_own_cell(node, TENON_LANGUAGE_C, &cell, &forget));
  told seen = {0, 0};
  assert_int_equal(tenon_tensor_visit_owned(y, TENON_LANGUAGE_C, &count_owned, &seen), 0);
  assert_int_equal(seen.cells + seen.hooks, 0);  // others hold the node, and x
  tenon_node_release(node);
  assert_int_equal(tenon_tensor_visit_owned(y, TENON_LANGUAGE_C, &count_owned, &seen), 0);
  assert_int_equal(seen.cells, 1);
  assert_int_equal(seen.hooks, 0);
  tenon_tensor_release(x);
  assert_int_equal(tenon_tensor_visit_owned(y, TENON_LANGUAGE_RUST, &count_owned, &seen), 0);
  assert_int_equal(tenon_tensor_visit_owned(y, TENON_LANGUAGE_C, &count_owned, &seen), 0);
  assert_int_equal(seen.cells, 2);
  assert_int_equal(seen.hooks, 1);
  tenon_tensor_clear_owned(y, TENON_LANGUAGE_C);
  assert_int_equal(hook.deleted, 1);
  tenon_tensor_release(y);
  assert_int_equal(cell.deleted, 1);
  assert_nothing_left(before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hooks_pack_what_is_saved),
      cmocka_unit_test(hooks_pack_each_tensor_of_a_list),
      cmocka_unit_test(pack_that_fails_ends_the_call),
      cmocka_unit_test(hooks_are_refused_with_a_reason),
      cmocka_unit_test(nodes_tell_what_they_saved),
      cmocka_unit_test(hooks_of_new_nodes),
      cmocka_unit_test(nan_names_node_and_origin),
      cmocka_unit_test(origins_lead_through_passes),
      cmocka_unit_test(origins_without_frames),
      cmocka_unit_test(passes_inside_each_other),
      cmocka_unit_test(what_only_a_tensor_keeps),
  };
  // Load the shipped operators before counting: they stay registered, which is no leak.
  (void)find("aten::mul.Tensor");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
