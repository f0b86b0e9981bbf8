// SPDX-License-Identifier: Apache-2.0
// Graphs in C: recorded with operators of all languages, then run from a file and as operators.
#include <stdio.h>
#include <string.h>

#include "role.h"

// "ns,path"
typedef struct place {
  char ns[64];
  char path[200];
} place;

static place place_of(const char* spec) {
  place found;
  const char* comma = strchr(spec, ',');
  snprintf(found.ns, sizeof found.ns, "%.*s", (int)(comma - spec), spec);
  snprintf(found.path, sizeof found.path, "%s", comma + 1);
  return found;
}

// Computes x^6, with each multiplication done by another language's product operator.
static tenon_status power_of_six(tenon_tensor* x, tenon_tensor** out_power) {
  static const char* const products[] = {"stage_c::product", "stage_cpp::product",
                                         "stage_python::product", "stage_java::product",
                                         "stage_rust::product"};
  tenon_tensor* power = tenon_tensor_retain(x);
  for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
    const tenon_value args[2] = {tenon_value_of_tensor(power), tenon_value_of_tensor(x)};
    tenon_tensor* next = NULL;
    const tenon_status status = matrix_c_call_tensors(products[i], args, 2, &next);
    tenon_tensor_release(power);
    if (status != TENON_OK) return status;
    power = next;
  }
  *out_power = power;
  return TENON_OK;
}

static tenon_status add_output(tenon_graph* graph, tenon_tensor* tensor) {
  const tenon_value output = tenon_value_of_tensor(tensor);
  return tenon_graph_add_output(graph, &output);
}

// Records x^6 and its gradient, which uses the gradient formulas of all languages.
static tenon_status record_into(tenon_graph* graph, tenon_tensor* x) {
  tenon_tensor *power = NULL, *slope = NULL;
  tenon_status status = tenon_graph_add_input(graph, x, "x", NULL);
  if (status == TENON_OK) status = power_of_six(x, &power);
  if (status == TENON_OK) status = matrix_c_slope_of(power, x, &slope);
  if (status == TENON_OK) status = add_output(graph, power);
  if (status == TENON_OK) status = add_output(graph, slope);
  tenon_tensor_release(slope);
  tenon_tensor_release(power);
  return status;
}

tenon_status matrix_c_record(const char* spec) {
  const place to = place_of(spec);
  tenon_library* library = NULL;
  tenon_tensor* x = NULL;
  tenon_graph* graph = NULL;
  tenon_status status = matrix_c_open(to.ns, &library);
  if (status == TENON_OK) status = matrix_c_new_leaf(&x);
  if (status == TENON_OK) status = tenon_graph_begin(TENON_GRAPH_BELOW_AUTOGRAD, &graph);
  if (status == TENON_OK) {
    status = record_into(graph, x);
    const tenon_status ended = tenon_graph_end(graph);
    if (status == TENON_OK) status = ended;
  }
  if (status == TENON_OK) status = tenon_graph_save(graph, to.path);
  if (status == TENON_OK) status = tenon_graph_define(graph, library, "powers", NULL);
  tenon_graph_release(graph);
  tenon_tensor_release(x);
  return status;
}

static const float power[2] = {64, 729}, slope[2] = {192, 1458};

// Checks x^6 and its gradient.
static tenon_status check_powers(tenon_value rets[2]) {
  tenon_status status = matrix_c_check_near(rets[0].as.tensor, power);
  if (status == TENON_OK) status = matrix_c_check_near(rets[1].as.tensor, slope);
  return status;
}

static tenon_status run_file(const char* path, tenon_tensor* x) {
  tenon_graph* graph = NULL;
  tenon_value arg = tenon_value_of_tensor(x);
  tenon_value rets[2] = {tenon_value_of_none(), tenon_value_of_none()};
  tenon_stack stack;
  memset(&stack, 0, sizeof stack);
  stack.args = &arg;
  stack.nargs = 1;
  stack.rets = rets;
  stack.nrets = 2;
  tenon_status status = tenon_graph_load(path, &graph);
  if (status == TENON_OK) status = tenon_graph_run(graph, &stack);
  if (status == TENON_OK) status = check_powers(rets);
  tenon_value_clear_n(rets, 2);
  tenon_graph_release(graph);
  return status;
}

static tenon_status run_operator(const char* ns, tenon_tensor* x) {
  char name[96];
  snprintf(name, sizeof name, "%s::powers", ns);
  const tenon_op* op = NULL;
  const tenon_value arg = tenon_value_of_tensor(x);
  tenon_value rets[2] = {tenon_value_of_none(), tenon_value_of_none()};
  tenon_tensor* derived = NULL;
  tenon_status status = tenon_op_find(name, &op);
  if (status == TENON_OK) status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, rets, 2);
  if (status == TENON_OK) status = check_powers(rets);
  if (status == TENON_OK) status = matrix_c_slope_of(rets[0].as.tensor, x, &derived);
  if (status == TENON_OK) status = matrix_c_check_near(derived, slope);
  tenon_tensor_release(derived);
  tenon_value_clear_n(rets, 2);
  return status;
}

tenon_status matrix_c_replay(const char* spec) {
  const place from = place_of(spec);
  static const float elements[2] = {2, 3};
  tenon_tensor *x = matrix_c_vector(elements, 2), *leaf = NULL;
  tenon_status status = run_file(from.path, x);
  if (status == TENON_OK) status = matrix_c_new_leaf(&leaf);
  if (status == TENON_OK) status = run_operator(from.ns, leaf);
  tenon_tensor_release(leaf);
  tenon_tensor_release(x);
  return status;
}
