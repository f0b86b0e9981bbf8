// SPDX-License-Identifier: Apache-2.0
// Wrong calls of graphs: recording, building, reading, running, texts and files.
#include "badinput.h"

static int is(const bad_case* one, const char* what) { return strcmp(one->args[0], what) == 0; }

// Builds a graph with one input, an `add` of the input to itself, and a number as output.
static tenon_graph* small_graph(void) {
  tenon_graph* graph = NULL;
  int64_t x = -1;
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  const tenon_value number = tenon_value_of_int(1);
  assert_ok(tenon_graph_add_output(graph, &number));
  return graph;
}

// WHAT while a graph is recorded; ends the recording.
static tenon_status recorded(const bad_case* one) {
  tenon_graph *graph = NULL, *other = NULL;
  if (is(one, "begin_flags")) {
    const tenon_status status = tenon_graph_begin(64, &graph);
    assert_null(graph);
    return status;
  }
  if (is(one, "end_null")) return tenon_graph_end(NULL);
  assert_ok(tenon_graph_new(&other));
  assert_ok(tenon_graph_begin(0, &graph));
  const tenon_status status = tenon_graph_end(other);
  tenon_error* error = tenon_error_take();
  assert_ok(tenon_graph_end(graph));
  tenon_graph_release(graph);
  tenon_graph_release(other);
  if (error != NULL) tenon_error_set(error);
  return status;
}

// WHAT with a graph of one input.
static tenon_status build(const bad_world* world, const bad_case* one, tenon_graph* graph) {
  int64_t value = 0;
  const tenon_value far = tenon_value_of_number(TENON_TAG_REF, 9);
  const tenon_value near = tenon_value_of_number(TENON_TAG_REF, 0);
  const tenon_value number = tenon_value_of_string("a", 1);
  if (is(one, "input_name")) return tenon_graph_add_input(graph, NULL, "1x", &value);
  if (is(one, "input_twice")) return tenon_graph_add_input(graph, NULL, "x", &value);
  if (is(one, "attribute_null")) return tenon_graph_add_attribute(graph, NULL, NULL, &value);
  if (is(one, "attribute_undefined")) {
    return tenon_graph_add_attribute(graph, tenon_tensor_undefined(), NULL, &value);
  }
  if (is(one, "append_null")) return tenon_graph_append(graph, NULL, &near, 1, &value);
  if (is(one, "append_count")) return tenon_graph_append(graph, world->taken, &near, 3, &value);
  if (is(one, "append_type")) return tenon_graph_append(graph, world->taken, &number, 1, &value);
  if (is(one, "append_index")) return tenon_graph_append(graph, world->taken, &far, 1, &value);
  if (is(one, "element_index")) return tenon_graph_add_element(graph, 9, 0, &value);
  if (is(one, "element_type")) return tenon_graph_add_element(graph, 0, 0, &value);
  if (is(one, "output_index")) return tenon_graph_add_output(graph, &far);
  return tenon_graph_add_output(graph, NULL);
}

// WHAT with the numbers of a graph of one input.
static tenon_status numbers(const bad_case* one, tenon_graph* graph) {
  const int64_t low = INT64_MIN, high = INT64_MAX, hint = 9;
  int64_t value = 0, n = 0;
  assert_ok(tenon_graph_add_size(graph, 0, 0, "n", NULL, low, high, &n));
  const tenon_value tensor[2] = {tenon_value_of_number(TENON_TAG_REF, 0), tenon_value_of_int(1)};
  const tenon_value far[2] = {tenon_value_of_number(TENON_TAG_REF, 9), tenon_value_of_int(1)};
  const tenon_value good[2] = {tenon_value_of_number(TENON_TAG_REF, n), tenon_value_of_int(1)};
  tenon_graph_number number = {.struct_size = sizeof number};
  tenon_graph_guard guard = {.struct_size = sizeof guard};
  tenon_buffer* text = NULL;
  tenon_status status = TENON_OK;
  const char* const name = is(one, "size_name") ? "1n" : is(one, "size_taken") ? "n" : NULL;
  if (name != NULL) status = tenon_graph_add_size(graph, 0, 0, name, NULL, low, high, &value);
  if (is(one, "size_index")) {
    status = tenon_graph_add_size(graph, 9, 0, NULL, NULL, low, high, &value);
  }
  if (is(one, "size_number")) {
    status = tenon_graph_add_size(graph, n, 0, NULL, NULL, low, high, &value);
  }
  if (is(one, "size_dim")) {
    status = tenon_graph_add_size(graph, 0, -1, NULL, NULL, low, high, &value);
  }
  if (is(one, "size_bounds")) status = tenon_graph_add_size(graph, 0, 0, NULL, NULL, 2, 1, &value);
  if (is(one, "size_hint")) status = tenon_graph_add_size(graph, 0, 0, NULL, &hint, 2, 4, &value);
  if (is(one, "number_function")) status = tenon_graph_add_number(graph, 99, good, 2, &value);
  if (is(one, "number_count")) status = tenon_graph_add_number(graph, 0, good, 1, &value);
  if (is(one, "number_null")) status = tenon_graph_add_number(graph, 0, NULL, 2, &value);
  if (is(one, "number_tensor")) status = tenon_graph_add_number(graph, 0, tensor, 2, &value);
  if (is(one, "number_index")) status = tenon_graph_add_number(graph, 0, far, 2, &value);
  if (is(one, "guard_function")) status = tenon_graph_add_guard(graph, 0, good, 2);
  if (is(one, "guard_tensor")) status = tenon_graph_add_guard(graph, TENON_SYMBOL_LT, tensor, 2);
  if (is(one, "dims_unknown")) status = tenon_graph_set_dims(graph, 0, good, 1);
  if (is(one, "dims_count")) status = tenon_graph_set_dims(graph, 0, good, 65);
  if (is(one, "get_tensor")) status = tenon_graph_get_number(graph, 0, &number);
  if (is(one, "get_index")) status = tenon_graph_get_number(graph, 9, &number);
  if (is(one, "get_struct")) {
    number.struct_size = 8;
    status = tenon_graph_get_number(graph, n, &number);
  }
  if (is(one, "text_null")) status = tenon_graph_print_number(graph, NULL, &text);
  if (is(one, "text_index")) status = tenon_graph_print_number(graph, &far[0], &text);
  if (is(one, "guard_index")) status = tenon_graph_get_guard(graph, 0, &guard, &text);
  if (is(one, "guard_struct")) {
    guard.struct_size = 8;
    status = tenon_graph_get_guard(graph, 0, &guard, &text);
  }
  assert_null(text);
  return status;
}

static tenon_status no_pass(void* ctx, const tenon_graph* from, int64_t node,
                            const tenon_value* args, tenon_graph* to, tenon_value* results) {
  (void)ctx, (void)from, (void)node, (void)args, (void)to, (void)results;
  return TENON_DECLINED;
}

// WHAT: how an existing graph is used wrongly
static tenon_status use(const bad_world* world, const bad_case* one, tenon_graph* graph) {
  tenon_graph_node node = {.struct_size = sizeof node};
  tenon_graph_value value = {.struct_size = sizeof value};
  tenon_error_frame frame;
  tenon_graph* made = NULL;
  tenon_buffer* bytes = NULL;
  const tenon_op* op = NULL;
  tenon_value arg = tenon_value_of_int(1), ret = tenon_value_of_none();
  tenon_stack stack = {.args = &arg, .nargs = 1, .rets = &ret, .nrets = 1};
  tenon_status status = TENON_OK;
  if (is(one, "node_index")) status = tenon_graph_get_node(graph, 0, &node);
  if (is(one, "node_struct")) {
    node.struct_size = 8;
    status = tenon_graph_get_node(graph, 0, &node);
  }
  if (is(one, "value_index")) status = tenon_graph_get_value(graph, -1, &value);
  if (is(one, "value_struct")) {
    value.struct_size = 8;
    status = tenon_graph_get_value(graph, 0, &value);
  }
  if (is(one, "run_type")) status = tenon_graph_run(graph, &stack);
  if (is(one, "run_count")) {
    stack.nargs = 0;
    status = tenon_graph_run(graph, &stack);
  }
  if (is(one, "bind_null")) status = tenon_graph_bind(NULL, &arg, 1, &bytes);
  if (is(one, "bind_type")) status = tenon_graph_bind(graph, &arg, 1, &bytes);
  if (is(one, "bind_count")) status = tenon_graph_bind(graph, &arg, 2, &bytes);
  if (is(one, "bind_inputs")) status = tenon_graph_bind(graph, NULL, 1, &bytes);
  if (is(one, "define_null")) status = tenon_graph_define(graph, NULL, "bad::graph", &op);
  if (is(one, "define_output")) {
    status = tenon_graph_define(graph, world->fragment, "bad::graph", &op);
  }
  if (is(one, "transform_bits")) status = tenon_graph_transform(graph, 64, &made);
  if (is(one, "frame_index")) status = tenon_graph_get_frame(graph, 0, 0, &frame);
  if (is(one, "add_frame_index")) {
    status = tenon_graph_add_frame(graph, 0, TENON_LANGUAGE_C, "f", "f.c", 1);
  }
  if (is(one, "users_index")) status = tenon_graph_list_users(graph, 9, &bytes);
  if (is(one, "rewrite_null")) status = tenon_graph_rewrite(NULL, &no_pass, NULL, &made);
  if (is(one, "rewrite_function")) status = tenon_graph_rewrite(graph, NULL, NULL, &made);
  if (is(one, "pattern_null")) {
    status = tenon_graph_replace_pattern(graph, NULL, graph, 0, NULL, &made);
  }
  if (is(one, "replacement_null")) {
    status = tenon_graph_replace_pattern(graph, graph, NULL, 0, NULL, &made);
  }
  if (is(one, "pattern_flags")) {
    status = tenon_graph_replace_pattern(graph, graph, graph, 2, NULL, &made);
  }
  if (is(one, "pattern_empty")) {
    status = tenon_graph_replace_pattern(graph, graph, graph, 0, NULL, &made);
  }
  if (is(one, "check_null")) status = tenon_graph_check(NULL);
  if (is(one, "functionalize_null")) status = tenon_graph_functionalize(NULL, 0, &made);
  if (is(one, "functionalize_bits")) status = tenon_graph_functionalize(graph, 2, &made);
  if (is(one, "print_null")) status = tenon_graph_print(NULL, &bytes);
  if (is(one, "write_null")) status = tenon_graph_write(NULL, &bytes);
  if (is(one, "parse_null")) status = tenon_graph_parse(NULL, 0, NULL, 0, &made);
  if (is(one, "parse_text")) status = tenon_graph_parse("graph", 5, NULL, 0, &made);
  if (is(one, "read_null")) status = tenon_graph_read(NULL, 0, &made);
  if (is(one, "read_bytes")) status = tenon_graph_read("graph", 5, &made);
  if (is(one, "save_path")) status = tenon_graph_save(graph, "/no/such/folder/graph");
  if (is(one, "load_path")) status = tenon_graph_load("/no/such/folder/graph", &made);
  assert_null(made);
  assert_null(bytes);
  assert_null(op);
  return status;
}

static tenon_status graph(const bad_world* world, const bad_case* one) {
  if (is(one, "begin_flags") || is(one, "end_null") || is(one, "end_other")) return recorded(one);
  tenon_graph* there = small_graph();
  const tenon_status status = strcmp(one->args[1], "build") == 0     ? build(world, one, there)
                              : strcmp(one->args[1], "numbers") == 0 ? numbers(one, there)
                                                                     : use(world, one, there);
  tenon_error* error = tenon_error_take();
  tenon_graph_release(there);
  if (error != NULL) tenon_error_set(error);
  return status;
}

const bad_named_call bad_graph_calls[] = {{"graph", &graph}, {NULL, NULL}};
