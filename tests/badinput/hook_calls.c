// SPDX-License-Identifier: Apache-2.0
// Wrong calls about hooks: adding them, retained gradients, cells of nodes, passes.
#include "badinput.h"

// Makes a vector of one element; if `leaf`, it requires gradients.
static tenon_tensor* fresh(int32_t leaf) {
  const float one = 1;
  tenon_tensor* tensor = vector_of(&one, 1);
  if (leaf) assert_ok(tenon_tensor_set_requires_grad(tensor, 1));
  return tensor;
}

static tenon_node* leaf_node(tenon_tensor* leaf) {
  tenon_node* node = NULL;
  int64_t output;
  assert_ok(tenon_tensor_copy_node(leaf, &node, &output));
  return node;
}

static tenon_status runs_nothing(tenon_hook_call* call) {
  (void)call;
  return TENON_OK;
}

// FIELDS: "kind=N", "fn=0" (NULL), "tracked=0", "tensor=0" (NULL), "options=0" (NULL),
// "struct_size=N", "language=N", "reserved=N"
static tenon_status add_hook(const bad_case* one, int to_node) {
  const int before = bad_deleted;
  const char* fields = one->args[0];
  tenon_tensor* leaf = fresh((int32_t)field_of(fields, "tracked", 1));
  tenon_node* node = leaf_node(leaf);
  tenon_hook_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = (uint32_t)field_of(fields, "struct_size", sizeof options);
  options.kind = (uint32_t)field_of(fields, "kind", to_node ? TENON_HOOK_BEFORE : TENON_HOOK_GRAD);
  options.fn = field_of(fields, "fn", 1) != 0 ? &runs_nothing : NULL;
  options.language = (uint32_t)field_of(fields, "language", TENON_LANGUAGE_C);
  options.deleter = &bad_delete;
  options.reserved[0] = (uint64_t)field_of(fields, "reserved", 0);
  const int given = field_of(fields, "options", 1) != 0,
            is_there = (int)field_of(fields, "tensor", 1);
  const tenon_hook_options* handed = given ? &options : NULL;
  tenon_hook* hook = NULL;
  const tenon_status status = to_node
                                  ? tenon_node_add_hook(is_there ? node : NULL, handed, &hook)
                                  : tenon_tensor_add_hook(is_there ? leaf : NULL, handed, &hook);
  assert_null(hook);
  if (given && options.struct_size >= 32) require_deleted(before, one->what);
  tenon_node_release(node);
  tenon_tensor_release(leaf);
  return status;
}

static tenon_status tensor_add_hook(const bad_world* world, const bad_case* one) {
  (void)world;
  return add_hook(one, 0);
}

static tenon_status node_add_hook(const bad_world* world, const bad_case* one) {
  (void)world;
  return add_hook(one, 1);
}

// WHAT: "NULL", "undefined" or "untracked"
static tenon_status retain_grad(const bad_world* world, const bad_case* one) {
  if (strcmp(one->args[0], "untracked") == 0) return tenon_tensor_retain_grad(world->tensor);
  return tenon_tensor_retain_grad(strcmp(one->args[0], "NULL") == 0 ? NULL
                                                                    : tenon_tensor_undefined());
}

// WHAT: "NULL", or a dtype's number
static tenon_status set_grad_dtype(const bad_world* world, const bad_case* one) {
  if (strcmp(one->args[0], "NULL") == 0) return tenon_tensor_set_grad_dtype(NULL, TENON_DTYPE_F32);
  const tenon_dtype dtype = (tenon_dtype)number_of(one->args[0]);
  return tenon_tensor_set_grad_dtype(world->tensor, dtype);
}

static tenon_status increment_version(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  return tenon_tensor_increment_version(NULL);
}

// LANGUAGE
static tenon_status node_own_cell(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_tensor* leaf = fresh(1);
  tenon_node* node = leaf_node(leaf);
  const tenon_status status =
      tenon_node_own_cell(node, (uint32_t)number_of(one->args[0]), node, NULL);
  tenon_node_release(node);
  tenon_tensor_release(leaf);
  return status;
}

// OUTPUT of a leaf's node, which has one output
static tenon_status backward_waiting(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_tensor *leaf = fresh(1), *grad = leaf;
  tenon_node* node = leaf_node(leaf);
  const tenon_status status = tenon_backward_copy_waiting(node, number_of(one->args[0]), &grad);
  assert_null(grad);
  tenon_node_release(node);
  tenon_tensor_release(leaf);
  return status;
}

static tenon_status done(void* ctx) {
  (void)ctx;
  return TENON_OK;
}

// WHAT: "fn" (NULL), or "outside" a pass
static tenon_status when_done(const bad_world* world, const bad_case* one) {
  (void)world;
  const int before = bad_deleted;
  const int outside = strcmp(one->args[0], "outside") == 0;
  const tenon_status status = tenon_backward_when_done(outside ? &done : NULL, NULL, &bad_delete);
  require_deleted(before, one->what);
  return status;
}

// ---- Saved tensors ------------------------------------------------------------------------------

static tenon_status packs(void* ctx, tenon_tensor* tensor, tenon_value* out_packed) {
  (void)ctx, (void)tensor, (void)out_packed;
  return TENON_OK;
}
static tenon_status unpacks(void* ctx, const tenon_value* packed, tenon_tensor** out_tensor) {
  (void)ctx, (void)packed, (void)out_tensor;
  return TENON_OK;
}

// FIELDS: "pack=0", "unpack=0" (NULL), "struct_size=N", "language=N", "reserved=N"
static tenon_saved_hooks hooks_of(const char* fields) {
  tenon_saved_hooks hooks;
  memset(&hooks, 0, sizeof hooks);
  hooks.struct_size = (uint32_t)field_of(fields, "struct_size", sizeof hooks);
  hooks.pack = field_of(fields, "pack", 1) != 0 ? &packs : NULL;
  hooks.unpack = field_of(fields, "unpack", 1) != 0 ? &unpacks : NULL;
  hooks.language = (uint32_t)field_of(fields, "language", TENON_LANGUAGE_C);
  hooks.deleter = &bad_delete;
  hooks.reserved[0] = (uint64_t)field_of(fields, "reserved", 0);
  return hooks;
}

// FIELDS, or "NULL" for no hooks; "disabled=1"
static tenon_status saved_hooks_push(const bad_world* world, const bad_case* one) {
  (void)world;
  if (strcmp(one->args[0], "NULL") == 0) return tenon_saved_hooks_push(NULL);
  const int before = bad_deleted, disabled = (int)field_of(one->args[0], "disabled", 0);
  if (disabled) assert_ok(tenon_saved_hooks_disable("not while this runs"));
  const tenon_saved_hooks hooks = hooks_of(one->args[0]);
  const tenon_status status = tenon_saved_hooks_push(&hooks);
  if (disabled) assert_ok(tenon_saved_hooks_disable(NULL));
  if (hooks.struct_size >= 40) require_deleted(before, one->what);
  return status;
}

// WHAT: "none" if no hooks are pushed, or "other" hooks
static tenon_status saved_hooks_pop(const bad_world* world, const bad_case* one) {
  (void)world;
  if (strcmp(one->args[0], "none") == 0) return tenon_saved_hooks_pop(NULL);
  const tenon_saved_hooks hooks = hooks_of("");
  assert_ok(tenon_saved_hooks_push(&hooks));
  int another = 0;
  const tenon_status status = tenon_saved_hooks_pop(&another);
  tenon_error* error = tenon_error_take();
  assert_ok(tenon_saved_hooks_pop(NULL));
  if (error != NULL) tenon_error_set(error);
  return status;
}

static tenon_status saved_hooks_disable(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  const tenon_saved_hooks hooks = hooks_of("");
  assert_ok(tenon_saved_hooks_push(&hooks));
  const tenon_status status = tenon_saved_hooks_disable("too late");
  tenon_error* error = tenon_error_take();
  assert_null(tenon_saved_hooks_refusal());
  assert_ok(tenon_saved_hooks_pop(NULL));
  if (error != NULL) tenon_error_set(error);
  return status;
}

// INDEX of a saved value of a leaf's node, which saves nothing
static tenon_status saved_name(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_tensor* leaf = fresh(1);
  tenon_node* node = leaf_node(leaf);
  tenon_buffer* name = NULL;
  const tenon_status status = tenon_node_saved_name(node, number_of(one->args[0]), &name);
  assert_null(name);
  tenon_node_release(node);
  tenon_tensor_release(leaf);
  return status;
}
static tenon_status copy_saved(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_tensor* leaf = fresh(1);
  tenon_node* node = leaf_node(leaf);
  tenon_value value;
  const tenon_status status = tenon_node_copy_saved(node, number_of(one->args[0]), &value);
  assert_int_equal(value.tag, TENON_TAG_NONE);
  tenon_node_release(node);
  tenon_tensor_release(leaf);
  return status;
}

// FIELDS: "index=N", and those of hooks; the node is a leaf's
static tenon_status pack_saved(const bad_world* world, const bad_case* one) {
  (void)world;
  const int before = bad_deleted;
  tenon_tensor* leaf = fresh(1);
  tenon_node* node = leaf_node(leaf);
  const tenon_saved_hooks hooks = hooks_of(one->args[0]);
  const tenon_status status =
      tenon_node_pack_saved(node, field_of(one->args[0], "index", 0), &hooks);
  require_deleted(before, one->what);
  tenon_node_release(node);
  tenon_tensor_release(leaf);
  return status;
}

// ---- Node creation hooks, anomaly mode, frames --------------------------------------------------

static tenon_status creation_hook_push(const bad_world* world, const bad_case* one) {
  (void)world;
  const int before = bad_deleted;
  const tenon_status status = tenon_creation_hook_push(NULL, NULL, &bad_delete);
  require_deleted(before, one->what);
  return status;
}

static tenon_status creation_hook_pop(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  return tenon_creation_hook_pop(NULL);
}

static tenon_status anomaly_set(const bad_world* world, const bad_case* one) {
  (void)world;
  const tenon_status status = tenon_anomaly_set((uint32_t)number_of(one->args[0]));
  assert_int_equal(tenon_anomaly_get(), 0);
  return status;
}

static void tells_nothing(void* ctx, tenon_error* error) { (void)ctx, (void)error; }

// LANGUAGE: no function, or one of this language
static tenon_status set_frames(const bad_world* world, const bad_case* one) {
  (void)world;
  const uint32_t language = (uint32_t)number_of(one->args[0]);
  return tenon_language_set_frames(language, language == TENON_LANGUAGE_C ? NULL : &tells_nothing,
                                   NULL);
}

const bad_named_call bad_hook_calls[] = {{"tensor_add_hook", &tensor_add_hook},
                                         {"node_add_hook", &node_add_hook},
                                         {"retain_grad", &retain_grad},
                                         {"set_grad_dtype", &set_grad_dtype},
                                         {"increment_version", &increment_version},
                                         {"node_own_cell", &node_own_cell},
                                         {"backward_waiting", &backward_waiting},
                                         {"when_done", &when_done},
                                         {"saved_hooks_push", &saved_hooks_push},
                                         {"saved_hooks_pop", &saved_hooks_pop},
                                         {"saved_hooks_disable", &saved_hooks_disable},
                                         {"node_saved_name", &saved_name},
                                         {"node_copy_saved", &copy_saved},
                                         {"node_pack_saved", &pack_saved},
                                         {"creation_hook_push", &creation_hook_push},
                                         {"creation_hook_pop", &creation_hook_pop},
                                         {"anomaly_set", &anomaly_set},
                                         {"set_frames", &set_frames},
                                         {NULL, NULL}};
