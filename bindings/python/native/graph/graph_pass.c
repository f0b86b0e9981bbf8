/* SPDX-License-Identifier: Apache-2.0 */
/* Passes over graphs, pattern replacement, users of values, and recorded source locations. */
#include "graph.h"

static tenon_graph* graph_get(PyObject* object) { return tnp_handle_get(object, TNP_HANDLE_GRAPH); }

/* ---- Passes ---------------------------------------------------------------------------------- */

/* A running pass. */
typedef struct {
  PyObject* function;
  PyObject* given; /* replacements of the last call's results; C reads values borrowed from them */
  tnp_call kept;
  bool has_kept;
} running_pass;

static void release_kept_values(running_pass* running) {
  if (running->has_kept) tnp_call_end(&running->kept);
  running->has_kept = false;
  Py_CLEAR(running->given);
}

/* Reads the replacements of a call's results. Returns 0, or -1 with an exception. */
static int read_results(running_pass* running, PyObject* given, int64_t count,
                        tenon_value* results) {
  if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != count) {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                     "graph_rewrite: results must be the call's %lld, got %S", (long long)count,
                     given);
    return -1;
  }
  tnp_call_begin(&running->kept, false);
  running->has_kept = true;
  for (int64_t i = 0; i < count; i++) {
    PyObject* object = PyTuple_GET_ITEM(given, i);
    int result = tnp_to_graph_value(&running->kept, object, &results[i]);
    if (result == 1) {
      char kind[96];
      tnp_describe(object, kind, sizeof kind);
      tnp_raise_format(TENON_ERROR_TYPE,
                       "graph_rewrite: result %lld must be a value that a graph holds, got %s",
                       (long long)i, kind);
    }
    if (result != 0) return -1;
  }
  return 0;
}

static tenon_status look(void* ctx, const tenon_graph* from, int64_t index, const tenon_value* args,
                         tenon_graph* to, tenon_value* results) {
  running_pass* running = ctx;
  release_kept_values(running);
  tenon_graph_node node = {.struct_size = sizeof node};
  tenon_status status = tenon_graph_get_node(from, index, &node);
  if (status != TENON_OK) return status;
  PyObject* arguments = tnp_graph_arguments(args, node.nargs);
  PyObject* handle = arguments ? tnp_handle_new(TNP_HANDLE_GRAPH, tenon_graph_retain(to)) : NULL;
  PyObject* given = handle ? PyObject_CallFunction(running->function, "LNOLO", (long long)index,
                                                   tnp_op_object(node.op), arguments,
                                                   (long long)node.nresults, handle)
                           : NULL;
  Py_XDECREF(handle);
  Py_XDECREF(arguments);
  const bool keeps = given == Py_None;
  const int read = given && !keeps ? read_results(running, given, node.nresults, results) : 0;
  const bool failed = given == NULL || read != 0;
  running->given = given;
  if (failed) return tnp_exception_to_slot();
  return keeps ? TENON_DECLINED : TENON_OK;
}

/* (graph, function): returns the new graph. The function receives the node's number, operator,
 * arguments, number of results and the new graph, and returns the results' replacements as a tuple,
 * or None to keep the call. */
static PyObject* rewrite(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *handle, *function;
  if (!PyArg_ParseTuple(args, "OO:graph_rewrite", &handle, &function)) return NULL;
  tenon_graph* graph = graph_get(handle);
  if (graph == NULL) return NULL;
  running_pass running = {.function = function};
  tenon_graph* made = NULL;
  const int result = tnp_check(tenon_graph_rewrite(graph, look, &running, &made));
  release_kept_values(&running);
  return result == 0 ? tnp_handle_new(TNP_HANDLE_GRAPH, made) : NULL;
}

/* (graph, pattern, replacement, flags): returns (graph, number of matches). */
static PyObject* replace_pattern(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* handles[3];
  unsigned flags;
  if (!PyArg_ParseTuple(args, "OOOI:graph_replace_pattern", &handles[0], &handles[1], &handles[2],
                        &flags)) {
    return NULL;
  }
  tenon_graph* graphs[3];
  for (int i = 0; i < 3; i++) {
    graphs[i] = graph_get(handles[i]);
    if (graphs[i] == NULL) return NULL;
  }
  int64_t count = 0;
  tenon_graph* made = NULL;
  if (tnp_check(tenon_graph_replace_pattern(graphs[0], graphs[1], graphs[2], flags, &count,
                                            &made)) != 0) {
    return NULL;
  }
  return Py_BuildValue("(NL)", tnp_handle_new(TNP_HANDLE_GRAPH, made), (long long)count);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* (graph, value): returns the numbers of the nodes that use it. */
static PyObject* list_users(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* handle;
  long long value;
  if (!PyArg_ParseTuple(args, "OL:graph_users", &handle, &value)) return NULL;
  tenon_graph* graph = graph_get(handle);
  tenon_buffer* buffer = NULL;
  if (graph == NULL || tnp_check(tenon_graph_list_users(graph, value, &buffer)) != 0) return NULL;
  const int64_t* nodes = tenon_buffer_data(buffer);
  Py_ssize_t count = (Py_ssize_t)(tenon_buffer_size(buffer) / (int64_t)sizeof *nodes);
  PyObject* users = PyList_New(count);
  for (Py_ssize_t i = 0; users != NULL && i < count; i++) {
    PyObject* number = PyLong_FromLongLong(nodes[i]);
    if (number == NULL)
      Py_CLEAR(users);
    else
      PyList_SET_ITEM(users, i, number);
  }
  tenon_buffer_release(buffer);
  return users;
}

/* (graph, node): returns [(language, function, file, line)], innermost first. */
static PyObject* list_frames(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* handle;
  long long node;
  if (!PyArg_ParseTuple(args, "OL:graph_frames", &handle, &node)) return NULL;
  tenon_graph* graph = graph_get(handle);
  PyObject* frames = graph != NULL ? PyList_New(0) : NULL;
  int64_t count = graph != NULL ? tenon_graph_frame_count(graph, node) : 0;
  for (int64_t i = 0; frames != NULL && i < count; i++) {
    tenon_error_frame frame;
    PyObject* tuple = NULL;
    if (tnp_check(tenon_graph_get_frame(graph, node, i, &frame)) == 0) {
      const char* language = tenon_language_name(frame.language);
      tuple = Py_BuildValue("(sssi)", language != NULL ? language : "", frame.function, frame.file,
                            (int)frame.line);
    }
    if (tuple == NULL || PyList_Append(frames, tuple) != 0) Py_CLEAR(frames);
    Py_XDECREF(tuple);
  }
  return frames;
}

static PyMethodDef functions[] = {{"graph_rewrite", rewrite, METH_VARARGS, NULL},
                                  {"graph_replace_pattern", replace_pattern, METH_VARARGS, NULL},
                                  {"graph_users", list_users, METH_VARARGS, NULL},
                                  {"graph_frames", list_frames, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int tnp_graph_pass_init(PyObject* module) { return PyModule_AddFunctions(module, functions); }
