// SPDX-License-Identifier: Apache-2.0
// warning.h from C: the handler, its life, sites that warn once, failures, threads, forks.
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

// The last warning that a handler received, and counters.
typedef struct told {
  atomic_int count, deleted;
  char category[32], message[64], op[64];
} told;

static tenon_status note(void* ctx, const char* category, const char* message, const char* op) {
  told* to = ctx;
  snprintf(to->category, sizeof to->category, "%s", category);
  snprintf(to->message, sizeof to->message, "%s", message);
  snprintf(to->op, sizeof to->op, "%s", op);
  ++to->count;
  return TENON_OK;
}

// Only counts: a handler without text buffers, which several threads may enter.
static tenon_status count_only(void* ctx, const char* category, const char* message,
                               const char* op) {
  (void)category, (void)message, (void)op;
  ++((told*)ctx)->count;
  return TENON_OK;
}

static void forget(void* ctx) { ++((told*)ctx)->deleted; }

// Must run first, before any handler is set in this process.
static void default_handler_serves_until_the_host_decides(void** state) {
  (void)state;
  told first = {0}, second = {0}, hosts = {0};
  assert_ok(tenon_warning_set_default_handler(note, &first, forget));
  assert_ok(tenon_warning_set_default_handler(note, &second, forget));
  assert_int_equal(second.deleted, 1);
  assert_ok(tenon_warning_emit("UserWarning", "to the first binding"));
  assert_string_equal(first.message, "to the first binding");
  assert_int_equal(second.count, 0);
  assert_ok(tenon_warning_set_handler(note, &hosts, forget));
  assert_int_equal(first.deleted, 1);
  assert_ok(tenon_warning_set_default_handler(note, &second, forget));
  assert_int_equal(second.deleted, 2);
  assert_ok(tenon_warning_emit("UserWarning", "to the host"));
  assert_string_equal(hosts.message, "to the host");
  // To drop warnings is a decision, too.
  assert_ok(tenon_warning_set_handler(NULL, NULL, NULL));
  assert_ok(tenon_warning_set_default_handler(note, &second, forget));
  assert_int_equal(second.deleted, 3);
  assert_ok(tenon_warning_emit("UserWarning", "to nobody"));
  assert_int_equal(first.count, 1);
  assert_int_equal(second.count, 0);
  assert_int_equal(hosts.count, 1);
}

static void without_handler_nothing_happens(void** state) {
  (void)state;
  static const int site = 0;
  assert_ok(tenon_warning_emit("UserWarning", "nobody hears"));
  assert_ok(tenon_warning_emit_once(&site, "UserWarning", "nobody hears"));
  told to = {0};
  assert_ok(tenon_warning_set_handler(note, &to, forget));
  assert_ok(tenon_warning_emit_once(&site, "UserWarning", "first heard"));
  assert_int_equal(to.count, 1);
  assert_ok(tenon_warning_set_handler(NULL, NULL, NULL));
  assert_int_equal(to.deleted, 1);
}

static void handler_is_told_and_replaced(void** state) {
  (void)state;
  told first = {0}, second = {0};
  assert_ok(tenon_warning_set_handler(note, &first, forget));
  assert_ok(tenon_warning_emit("DeprecationWarning", "old"));
  assert_string_equal(first.category, "DeprecationWarning");
  assert_string_equal(first.message, "old");
  assert_string_equal(first.op, "");
  assert_int_equal(first.deleted, 0);
  assert_ok(tenon_warning_set_handler(note, &second, forget));
  assert_int_equal(first.deleted, 1);
  assert_ok(tenon_warning_emit("UserWarning", "new"));
  assert_int_equal(first.count, 1);
  assert_int_equal(second.count, 1);
  assert_ok(tenon_warning_set_handler(NULL, &first, forget));
  assert_int_equal(second.deleted, 1);
  assert_int_equal(first.deleted, 2);  // a context without a handler is deleted at once
}

static tenon_status warn_in_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                   tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys, (void)stack;
  return tenon_warning_emit("UserWarning", "from a kernel");
}

// An operator "NS::warns() -> ()" whose kernel warns.
static const tenon_op* define_warner(const char* ns, tenon_library** out_library) {
  const tenon_op* op = NULL;
  const tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = warn_in_kernel};
  assert_ok(
      tenon_library_new(TENON_LIBRARY_DEF, ns, TENON_KEY_NONE, __FILE__, __LINE__, out_library));
  assert_ok(tenon_library_define(*out_library, "warns() -> ()", NULL, &op));
  assert_ok(tenon_library_impl(*out_library, "warns", TENON_KEY_CPU, &kernel, NULL));
  return op;
}

static void operator_that_runs_is_named(void** state) {
  (void)state;
  tenon_library* library = NULL;
  const tenon_op* op = define_warner("warn_named", &library);
  told to = {0};
  assert_ok(tenon_warning_set_handler(note, &to, forget));
  assert_ok(call(op, NULL, 0, NULL, 0));
  assert_string_equal(to.op, "warn_named::warns");
  assert_ok(tenon_warning_emit("UserWarning", "outside again"));
  assert_string_equal(to.op, "");
  assert_ok(tenon_warning_set_handler(NULL, NULL, NULL));
  tenon_library_release(library);
}

// Like a host that turns warnings into errors.
static tenon_status refuse(void* ctx, const char* category, const char* message, const char* op) {
  (void)category, (void)op;
  ++((told*)ctx)->count;
  return tenon_error_set(tenon_error_new(TENON_ERROR_FOREIGN, "Warned", message));
}

static tenon_status refuse_in_silence(void* ctx, const char* category, const char* message,
                                      const char* op) {
  (void)ctx, (void)category, (void)message, (void)op;
  return TENON_ERROR_RUNTIME;
}

static void failure_becomes_the_callers(void** state) {
  (void)state;
  static const int site = 0;
  tenon_library* library = NULL;
  const tenon_op* op = define_warner("warn_fails", &library);
  told to = {0};
  assert_ok(tenon_warning_set_handler(refuse, &to, forget));
  assert_error(tenon_warning_emit("UserWarning", "as error"), TENON_ERROR_FOREIGN, "as error");
  assert_error(call(op, NULL, 0, NULL, 0), TENON_ERROR_FOREIGN, "from a kernel");
  // A site counts as used only after its warning was handled successfully.
  assert_error(tenon_warning_emit_once(&site, "UserWarning", "again"), TENON_ERROR_FOREIGN,
               "again");
  assert_error(tenon_warning_emit_once(&site, "UserWarning", "again"), TENON_ERROR_FOREIGN,
               "again");
  assert_int_equal(to.count, 4);
  assert_ok(tenon_warning_set_handler(refuse_in_silence, NULL, NULL));
  assert_error(
      tenon_warning_emit("UserWarning", "lost"), TENON_ERROR_RUNTIME,
      "tenon_warning_emit: handler failed with TENON_ERROR_RUNTIME without raising an error");
  assert_ok(tenon_warning_set_handler(NULL, NULL, NULL));
  tenon_library_release(library);
}

static void site_warns_once_until_reset(void** state) {
  (void)state;
  static const int one = 0, other = 0;
  told to = {0};
  assert_ok(tenon_warning_set_handler(note, &to, forget));
  for (int i = 0; i < 3; ++i) {
    assert_ok(tenon_warning_emit_once(&one, "UserWarning", "one"));
    assert_ok(tenon_warning_emit_once(&other, "UserWarning", "other"));
  }
  assert_int_equal(to.count, 2);
  tenon_warning_reset_once();
  assert_ok(tenon_warning_emit_once(&one, "UserWarning", "one"));
  assert_int_equal(to.count, 3);
  assert_ok(tenon_warning_set_handler(NULL, NULL, NULL));
  tenon_warning_reset_once();
}

// Emits a warning for its own site and one without a site, then replaces itself; it receives
// neither warning.
static tenon_status warn_again(void* ctx, const char* category, const char* message,
                               const char* op) {
  (void)op;
  told* to = ctx;
  if (++to->count == 1) {
    assert_int_equal(tenon_warning_emit_once(to, category, message), TENON_OK);
    assert_int_equal(tenon_warning_emit(category, message), TENON_OK);
    assert_int_equal(tenon_warning_set_handler(NULL, NULL, NULL), TENON_OK);
    assert_int_equal(to->deleted, 0);  // it runs still
  }
  return TENON_OK;
}

static void handler_may_warn_and_go(void** state) {
  (void)state;
  told to = {0};
  assert_ok(tenon_warning_set_handler(warn_again, &to, forget));
  assert_ok(tenon_warning_emit_once(&to, "UserWarning", "outer"));
  assert_int_equal(to.count, 2);
  assert_int_equal(to.deleted, 1);
  tenon_warning_reset_once();
}

static const int forgotten_site = 0;

// Resets the sites, emits the same site's warning again, and fails for the first one.
static tenon_status forget_and_fail(void* ctx, const char* category, const char* message,
                                    const char* op) {
  (void)op;
  if (++((told*)ctx)->count != 1) return TENON_OK;
  tenon_warning_reset_once();
  assert_int_equal(tenon_warning_emit_once(&forgotten_site, category, message), TENON_OK);
  return tenon_error_raise(TENON_ERROR_FOREIGN, "the first one");
}

static void warning_from_before_a_reset_leaves_later_ones_alone(void** state) {
  (void)state;
  told to = {0};
  assert_ok(tenon_warning_set_handler(forget_and_fail, &to, forget));
  assert_error(tenon_warning_emit_once(&forgotten_site, "UserWarning", "text"), TENON_ERROR_FOREIGN,
               "the first one");
  assert_int_equal(to.count, 2);
  // The warning after the reset was handled; the failure of the earlier one does not undo that.
  assert_ok(tenon_warning_emit_once(&forgotten_site, "UserWarning", "text"));
  assert_int_equal(to.count, 2);
  assert_ok(tenon_warning_set_handler(NULL, NULL, NULL));
  tenon_warning_reset_once();
}

static void null_is_refused(void** state) {
  (void)state;
  static const int site = 0;
  told to = {0};
  assert_error(tenon_warning_set_default_handler(NULL, &to, forget), TENON_ERROR_INVALID_ARGUMENT,
               "handler");
  assert_int_equal(to.deleted, 1);
  assert_error(tenon_warning_emit(NULL, "text"), TENON_ERROR_INVALID_ARGUMENT, "category");
  assert_error(tenon_warning_emit("UserWarning", NULL), TENON_ERROR_INVALID_ARGUMENT, "message");
  assert_error(tenon_warning_emit_once(NULL, "UserWarning", "text"), TENON_ERROR_INVALID_ARGUMENT,
               "site");
  assert_error(tenon_warning_emit_once(&site, NULL, "text"), TENON_ERROR_INVALID_ARGUMENT,
               "category");
}

enum { THREADS = 4, ROUNDS = 200, HANDLERS = 50 };
static told handlers[HANDLERS];
static const char sites[ROUNDS];

static void* warn_much(void* unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; ++i) {
    tenon_warning_emit_once(&sites[i], "UserWarning", "once for all threads");
    tenon_warning_emit("UserWarning", "always");
  }
  return NULL;
}

static void threads_warn_while_handlers_change(void** state) {
  (void)state;
  pthread_t threads[THREADS];
  memset(handlers, 0, sizeof handlers);
  assert_ok(tenon_warning_set_handler(count_only, &handlers[0], forget));
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, warn_much, NULL);
  for (int i = 1; i < HANDLERS; ++i) {
    assert_ok(tenon_warning_set_handler(count_only, &handlers[i], forget));
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  assert_ok(tenon_warning_set_handler(NULL, NULL, NULL));
  int total = 0;
  for (int i = 0; i < HANDLERS; ++i) {
    assert_int_equal(handlers[i].deleted, 1);
    total += handlers[i].count;
  }
  assert_int_equal(total, THREADS * ROUNDS + ROUNDS);
  tenon_warning_reset_once();
}

static atomic_int stopping;

static void* warn_until_stopped(void* unused) {
  while (!stopping) {
    warn_much(unused);
    tenon_warning_reset_once();
  }
  return NULL;
}

static void child_warns_while_parents_threads_do(void** state) {
  (void)state;
  pthread_t threads[THREADS];
  memset(handlers, 0, sizeof handlers);
  assert_ok(tenon_warning_set_handler(count_only, &handlers[0], forget));
  stopping = 0;
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, warn_until_stopped, NULL);
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      warn_much(NULL);
      tenon_warning_reset_once();
      const tenon_status status = tenon_warning_set_handler(NULL, NULL, NULL);
      _exit(status == TENON_OK && handlers[0].count >= ROUNDS ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
  }
  stopping = 1;
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  assert_ok(tenon_warning_set_handler(NULL, NULL, NULL));
  tenon_warning_reset_once();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(default_handler_serves_until_the_host_decides),
      cmocka_unit_test(without_handler_nothing_happens),
      cmocka_unit_test(handler_is_told_and_replaced),
      cmocka_unit_test(operator_that_runs_is_named),
      cmocka_unit_test(failure_becomes_the_callers),
      cmocka_unit_test(site_warns_once_until_reset),
      cmocka_unit_test(handler_may_warn_and_go),
      cmocka_unit_test(warning_from_before_a_reset_leaves_later_ones_alone),
      cmocka_unit_test(null_is_refused),
      cmocka_unit_test(threads_warn_while_handlers_change),
      cmocka_unit_test(child_warns_while_parents_threads_do),
  };
  return cmocka_run_group_tests_name("warning", tests, NULL, NULL);
}
