// SPDX-License-Identifier: Apache-2.0
// Wrong calls about a thread's state: grad mode, guards, thread states, slots and languages.
#include <pthread.h>

#include "badinput.h"

// Runs `function` on another thread, and moves the error that it raised to this thread.
typedef struct elsewhere {
  tenon_status (*function)(void* ctx);
  void* ctx;
  tenon_status status;
  tenon_error* error;
} elsewhere;

static void* run_elsewhere(void* given) {
  elsewhere* told = given;
  told->status = told->function(told->ctx);
  told->error = tenon_error_take();
  return NULL;
}

static tenon_status on_another_thread(tenon_status (*function)(void* ctx), void* ctx) {
  elsewhere told = {function, ctx, TENON_OK, NULL};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, &run_elsewhere, &told), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  if (told.error != NULL) tenon_error_set(told.error);
  return told.status;
}

// ---- Grad mode and guards -----------------------------------------------------------------------

static tenon_status grad_mode_enter(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_key_guard guard;
  return tenon_grad_mode_enter((uint32_t)number_of(one->args[0]), &guard);
}

static tenon_status grad_mode_set(const bad_world* world, const bad_case* one) {
  (void)world;
  const tenon_status status = tenon_grad_mode_set((uint32_t)number_of(one->args[0]));
  assert_int_equal(tenon_grad_mode_get(), TENON_GRAD_MODE_ON);
  return status;
}

static tenon_status leave_guard(void* guard) { return tenon_key_guard_leave(guard); }

// "order" or "elsewhere"
static tenon_status guard_leave(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_key_guard outer, inner;
  const tenon_keyset before = tenon_keyset_included();
  tenon_keyset tracer = 0;
  assert_ok(tenon_keyset_from_key(TENON_KEY_TRACER, &tracer));
  assert_ok(tenon_key_guard_include(tracer, &outer));
  assert_ok(tenon_key_guard_exclude(tracer, &inner));
  const tenon_status status = strcmp(one->args[0], "order") == 0
                                  ? tenon_key_guard_leave(&outer)
                                  : on_another_thread(&leave_guard, &inner);
  assert_ok(tenon_key_guard_leave(&inner));
  assert_ok(tenon_key_guard_leave(&outer));
  assert_true(tenon_keyset_included() == before);
  return status;
}

// ---- Thread states and slots --------------------------------------------------------------------

static int copy_fails = 0;

static tenon_status copy_word(void* word, void** out_word) {
  if (copy_fails) return tenon_error_raise(TENON_ERROR_BUSY, "bad.word: the copy fails");
  *out_word = word;
  return TENON_OK;
}

static uint32_t word_slot(void) {
  const tenon_thread_slot slot = {.struct_size = sizeof slot, .copy = &copy_word};
  uint32_t index = 0;
  assert_ok(tenon_thread_slot_register("bad.word", &slot, &index));
  return index;
}

// Enters another thread's state that has a word in a slot whose copy function fails.
static tenon_status thread_state_capture(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  tenon_thread_state* state = NULL;
  void** const word = tenon_thread_slot_peek(word_slot());
  assert_non_null(word);
  *word = &copy_fails;
  copy_fails = 1;
  const tenon_status status = tenon_thread_state_capture(&state);
  copy_fails = 0;
  *word = NULL;
  assert_null(state);
  return status;
}

static tenon_status thread_state_enter(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  tenon_thread_state *state = NULL, *previous = NULL;
  void** const word = tenon_thread_slot_peek(word_slot());
  *word = &copy_fails;
  assert_ok(tenon_thread_state_capture(&state));
  *word = NULL;
  copy_fails = 1;
  const tenon_status status = tenon_thread_state_enter(state, &previous);
  copy_fails = 0;
  assert_null(previous);
  assert_null(*word);
  tenon_thread_state_release(state);
  return status;
}

static tenon_status leave_state(void* previous) { return tenon_thread_state_leave(previous); }

// "order" or "elsewhere"
static tenon_status thread_state_leave(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_thread_state *state = NULL, *outer = NULL, *inner = NULL;
  assert_ok(tenon_thread_state_capture(&state));
  assert_ok(tenon_thread_state_enter(state, &outer));
  assert_ok(tenon_thread_state_enter(state, &inner));
  const tenon_status status = strcmp(one->args[0], "order") == 0
                                  ? tenon_thread_state_leave(outer)
                                  : on_another_thread(&leave_state, inner);
  assert_ok(tenon_thread_state_leave(inner));
  assert_ok(tenon_thread_state_leave(outer));
  tenon_thread_state_release(state);
  return status;
}

static void drop_word(void* word) { (void)word; }

// NAME, "ok", "NULL" or field=value pairs. "bad.word" is registered already, with other functions.
static tenon_status thread_slot_register(const bad_world* world, const bad_case* one) {
  (void)world;
  union {
    tenon_thread_slot slot;
    unsigned char bytes[sizeof(tenon_thread_slot) + 8];
  } given;
  uint32_t index = 0;
  word_slot();
  memset(&given, 0, sizeof given);
  given.slot.struct_size =
      (uint32_t)field_of(one->args[1], "struct_size", (int64_t)sizeof given.slot);
  given.slot.drop = &drop_word;
  given.slot.reserved[0] = (uint64_t)field_of(one->args[1], "reserved", 0);
  given.bytes[sizeof given.slot] = (unsigned char)field_of(one->args[1], "tail", 0);
  if (given.bytes[sizeof given.slot] != 0) given.slot.struct_size = sizeof given;
  return tenon_thread_slot_register(text_of(one->args[0]),
                                    text_of(one->args[1]) != NULL ? &given.slot : NULL, &index);
}

// ---- Languages ----------------------------------------------------------------------------------

static tenon_status language_register(const bad_world* world, const bad_case* one) {
  (void)world;
  uint32_t language = 0;
  return tenon_language_register(text_of(one->args[0]), &language);
}

static tenon_status warning_emit(const bad_world* world, const bad_case* one) {
  (void)world;
  return tenon_warning_emit(text_of(one->args[0]), text_of(one->args[1]));
}

static tenon_status warning_emit_once(const bad_world* world, const bad_case* one) {
  static const int site = 0;
  const int no_site = strcmp(one->args[2], "no site") == 0;
  (void)world;
  return tenon_warning_emit_once(no_site ? NULL : &site, text_of(one->args[0]),
                                 text_of(one->args[1]));
}

static tenon_status warning_set_default_handler(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  return tenon_warning_set_default_handler(NULL, NULL, NULL);
}

const bad_named_call bad_thread_calls[] = {{"grad_mode_enter", &grad_mode_enter},
                                           {"grad_mode_set", &grad_mode_set},
                                           {"guard_leave", &guard_leave},
                                           {"thread_state_capture", &thread_state_capture},
                                           {"thread_state_enter", &thread_state_enter},
                                           {"thread_state_leave", &thread_state_leave},
                                           {"thread_slot_register", &thread_slot_register},
                                           {"language_register", &language_register},
                                           {"warning_emit", &warning_emit},
                                           {"warning_emit_once", &warning_emit_once},
                                           {"warning_default", &warning_set_default_handler},
                                           {NULL, NULL}};
