// SPDX-License-Identifier: Apache-2.0
// The language matrix: one process with five languages. Combines the language of kernels with that
// of schemas, gradient formulas, cast rules, batching rules, fake kernels and overriding objects,
// each with callers in all languages. Also checks transforms nested across three languages, custom
// autograd functions, graphs recorded and run by each language, and errors that pass through
// other languages.
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "c/role.h"
#include "polyglot.h"

static const char* const languages[] = {"c", "cpp", "python", "java", "rust"};
static const char* const titles[] = {"C", "C++", "Python", "Java", "Rust"};
enum { LANGUAGES = 5 };

static int step(const char* language, const char* verb, const char* ns) {
  char op[64];
  snprintf(op, sizeof op, "matrix_%s::%s", language, verb);
  if (polyglot_call_text(op, ns) == TENON_OK) {
    return 1;
  }
  char what[128];
  snprintf(what, sizeof what, "%s(\"%s\")", op, ns);
  polyglot_print_error(what);
  return 0;
}

// Runs the five callers of one schema language and kernel language; marks[caller] is 1 where the
// values and the shared memory were right.
static void run_pair(int definer, int implementer, int marks[LANGUAGES]) {
  char ns[64];
  snprintf(ns, sizeof ns, "mix_%s_%s", languages[definer], languages[implementer]);
  if (step(languages[definer], "define", ns) && step(languages[implementer], "implement", ns)) {
    for (int caller = 0; caller < LANGUAGES; ++caller) {
      marks[caller] = step(languages[caller], "call", ns);
    }
  }
  step(languages[implementer], "close", ns);
  if (definer != implementer) {
    step(languages[definer], "close", ns);
  }
}

// Runs the five callers of operators of one language whose gradients another one has; marks[caller]
// is 1 where gradients of first and second order were right, and what the caller raised inside of a
// formula came home.
static void run_gradients_of(int implementer, int deriver, int marks[LANGUAGES]) {
  char ns[64];
  snprintf(ns, sizeof ns, "grad_%s_%s", languages[implementer], languages[deriver]);
  if (step(languages[implementer], "products", ns) && step(languages[deriver], "formulas", ns)) {
    for (int caller = 0; caller < LANGUAGES; ++caller) {
      marks[caller] = step(languages[caller], "slopes", ns);
    }
  }
  step(languages[deriver], "close", ns);
  if (deriver != implementer) {
    step(languages[implementer], "close", ns);
  }
}

// Runs the five callers of operators of one language whose cast rule is another's; marks[caller] is
// 1 if the kernel got the region's dtype inside the caller's region and the original one outside.
static void run_casts_of(int implementer, int ruler, int marks[LANGUAGES]) {
  char ns[64];
  snprintf(ns, sizeof ns, "cast_%s_%s", languages[implementer], languages[ruler]);
  if (step(languages[implementer], "mirrors", ns) && step(languages[ruler], "casts", ns)) {
    for (int caller = 0; caller < LANGUAGES; ++caller) {
      marks[caller] = step(languages[caller], "cast", ns);
    }
  }
  step(languages[ruler], "close", ns);
  if (ruler != implementer) {
    step(languages[implementer], "close", ns);
  }
}

// Runs the five callers of operators of one language whose batching rule is another's;
// marks[caller] is 1 if the call under vmap returned the rule's result.
static void run_maps_of(int implementer, int ruler, int marks[LANGUAGES]) {
  char ns[64];
  snprintf(ns, sizeof ns, "map_%s_%s", languages[implementer], languages[ruler]);
  if (step(languages[implementer], "widens", ns) && step(languages[ruler], "rules", ns)) {
    for (int caller = 0; caller < LANGUAGES; ++caller) {
      marks[caller] = step(languages[caller], "map", ns);
    }
  }
  step(languages[ruler], "close", ns);
  if (ruler != implementer) {
    step(languages[implementer], "close", ns);
  }
}

// Runs the five callers of operators of one language whose fake kernel is another's; marks[caller]
// is 1 if fake tensors, which the real kernel cannot serve, produced a fake tensor.
static void run_fakes_of(int implementer, int shaper, int marks[LANGUAGES]) {
  char ns[64];
  snprintf(ns, sizeof ns, "fake_%s_%s", languages[implementer], languages[shaper]);
  if (step(languages[implementer], "widens", ns) && step(languages[shaper], "shapes", ns)) {
    for (int caller = 0; caller < LANGUAGES; ++caller) {
      marks[caller] = step(languages[caller], "fake", ns);
    }
  }
  step(languages[shaper], "close", ns);
  if (shaper != implementer) {
    step(languages[implementer], "close", ns);
  }
}

// Runs a vmap of one language's function inside of another one's grad, inside of the five jvp.
static void run_nests_of(int inner, int middle, int marks[LANGUAGES]) {
  for (int outer = 0; outer < LANGUAGES; ++outer) {
    marks[outer] = matrix_c_nest(languages[inner], languages[middle], languages[outer]) == TENON_OK;
    if (!marks[outer]) polyglot_print_error("matrix_c_nest");
  }
}

// Raises in one language inside of another one's vmap and the five grads.
static void run_escapes_of(int home, int inner, int marks[LANGUAGES]) {
  for (int outer = 0; outer < LANGUAGES; ++outer) {
    marks[outer] = matrix_c_escape(languages[home], languages[inner], languages[outer]) == TENON_OK;
    if (!marks[outer]) polyglot_print_error("matrix_c_escape");
  }
}

// ---- Objects that override operators ------------------------------------------------------------

// Has the operator that every language's object overrides for every caller, without a kernel.
static tenon_library* overridden = NULL;

static tenon_status define_overridden(void) {
  const tenon_status status = tenon_library_new(TENON_LIBRARY_DEF, "overridden", TENON_KEY_NONE,
                                                __FILE__, __LINE__, &overridden);
  if (status != TENON_OK) return status;
  return tenon_library_define(overridden, "echo(Tensor a, int n) -> Tensor", NULL, NULL);
}

// Applies `verb` of each language to the object that each language makes. `more` is appended to the
// maker's name.
static int run_makers(const char* title, const char* verb, const char* more, int print) {
  int passed = 0;
  if (print) {
    printf("\n%-17s | called from\n%-17s |", title, "");
    for (int caller = 0; caller < LANGUAGES; ++caller) printf(" %-6s", titles[caller]);
    printf("\n");
  }
  for (int maker = 0; maker < LANGUAGES; ++maker) {
    if (print) printf("%-17s |", titles[maker]);
    for (int caller = 0; caller < LANGUAGES; ++caller) {
      char given[128];
      snprintf(given, sizeof given, "%s%s", languages[maker], more);
      const int good = step(languages[caller], verb, given);
      if (print) printf(" %-6s", good ? "ok" : "FAIL");
      passed += good;
    }
    if (print) printf("\n");
  }
  return passed;
}

// Passes each language's object, made by matrix_x::object, to a call from each language.
static int run_overrides(int print) {
  return run_makers("object of", "override", ",overridden", print);
}

// Passes each language's object to an operator that another language implements.
static void run_overrides_of(int implementer, int maker, int marks[LANGUAGES]) {
  char ns[64], spec[96];
  snprintf(ns, sizeof ns, "over_%s_%s", languages[implementer], languages[maker]);
  snprintf(spec, sizeof spec, "%s,%s", languages[maker], ns);
  if (step(languages[implementer], "mirrors", ns)) {
    for (int caller = 0; caller < LANGUAGES; ++caller) {
      marks[caller] = step(languages[caller], "override", spec);
    }
  }
  step(languages[implementer], "close", ns);
}

// Applies each language's custom autograd function, made by matrix_x::cube, from each language, and
// differentiates it twice.
static int run_functions(int print) { return run_makers("function of", "apply", "", print); }

// ---- Graphs -------------------------------------------------------------------------------------

// Opens or closes the operators that graphs are recorded with: each language's product, whose
// gradient formula the next language registers.
static int run_stages(int open) {
  int good = 1;
  for (int i = 0; i < LANGUAGES; ++i) {
    const char* deriver = languages[(i + 1) % LANGUAGES];
    char ns[64];
    snprintf(ns, sizeof ns, "stage_%s", languages[i]);
    if (open) {
      good = good && step(languages[i], "products", ns) && step(deriver, "formulas", ns);
    } else {
      good = step(deriver, "close", ns) && step(languages[i], "close", ns) && good;
    }
  }
  return good;
}

// Records in each language a graph of forward and backward through the kernels and formulas of all
// languages; runs it in each language, from a file and as an operator, and differentiates the
// latter.
static int run_graphs(int print) {
  int passed = 0;
  const char* folder = getenv("TMPDIR");
  if (print) {
    printf("\n%-17s | run by\n%-17s |", "graph of", "");
    for (int caller = 0; caller < LANGUAGES; ++caller) printf(" %-6s", titles[caller]);
    printf("\n");
  }
  const int open = run_stages(1);
  for (int maker = 0; open && maker < LANGUAGES; ++maker) {
    char ns[64], path[160], spec[240];
    snprintf(ns, sizeof ns, "graphs_%s", languages[maker]);
    snprintf(path, sizeof path, "%s/tenon_matrix_%ld_%s.graph", folder != NULL ? folder : "/tmp",
             (long)getpid(), languages[maker]);
    snprintf(spec, sizeof spec, "%s,%s", ns, path);
    const int recorded = step(languages[maker], "record", spec);
    if (print) printf("%-17s |", titles[maker]);
    for (int caller = 0; caller < LANGUAGES; ++caller) {
      const int good = recorded && step(languages[caller], "replay", spec);
      if (print) printf(" %-6s", good ? "ok" : "FAIL");
      passed += good;
    }
    if (print) printf("\n");
    step(languages[maker], "close", ns);
    remove(path);
  }
  return run_stages(0) ? passed : 0;
}

// ---- Errors through languages -------------------------------------------------------------------

// Calls `matrix_<home>::catch` with a path that ends at `home`: the error that `home` raises must
// pass through all others and arrive as the same object.
static int comes_home(int home, const char* path) {
  char op[64];
  snprintf(op, sizeof op, "matrix_%s::catch", languages[home]);
  if (polyglot_call_text(op, path) == TENON_OK) {
    return 1;
  }
  char what[160];
  snprintf(what, sizeof what, "%s(\"%s\")", op, path);
  polyglot_print_error(what);
  return 0;
}

// Checks the 25 pairs, and for each language the chain through the other four.
static int run_errors(int print) {
  int passed = 0;
  char path[96];
  if (print) printf("\nraised and caught in | home again through\n%-20s |", "");
  for (int via = 0; print && via < LANGUAGES; ++via) printf(" %-6s", titles[via]);
  if (print) printf(" %-6s\n", "all");
  for (int home = 0; home < LANGUAGES; ++home) {
    if (print) printf("%-20s |", titles[home]);
    path[0] = '\0';
    for (int via = 0; via <= LANGUAGES; ++via) {
      if (via < LANGUAGES) {
        snprintf(path, sizeof path, "%s,%s", languages[via], languages[home]);
      } else {
        int size = 0;
        for (int k = 1; k <= LANGUAGES; ++k) {
          size += snprintf(path + size, sizeof path - (size_t)size, "%s%s", k > 1 ? "," : "",
                           languages[(home + k) % LANGUAGES]);
        }
      }
      const int good = comes_home(home, path);
      if (print) printf(" %-6s", good ? "ok" : "FAIL");
      passed += good;
    }
    if (print) printf("\n");
  }
  return passed;
}

// Raises an error that no language on the path catches: its text must name the frames of every
// language. Tried with each language last; returns how many of the five texts are complete.
static int run_profiles(int print) {
  static const char* const frames[] = {"[C]", "[C++]", "[Python]", "[Java]", "[Rust]"};
  int passed = 0;
  for (int last = 0; last < LANGUAGES; ++last) {
    char path[96], op[64];
    int size = 0;
    for (int k = 2; k <= LANGUAGES; ++k) {
      size += snprintf(path + size, sizeof path - (size_t)size, "%s%s", k > 2 ? "," : "",
                       languages[(last + k) % LANGUAGES]);
    }
    snprintf(op, sizeof op, "matrix_%s::relay", languages[(last + 1) % LANGUAGES]);
    if (polyglot_call_text(op, path) == TENON_OK) continue;
    tenon_error* error = tenon_error_take();
    const char* text = tenon_error_format(error);
    int named = 0;
    for (int language = 0; language < LANGUAGES; ++language) {
      named += strstr(text, frames[language]) != NULL;
    }
    if (named == LANGUAGES) {
      ++passed;
    } else {
      fprintf(stderr, "matrix: the profile must name frames of five languages, got %d:\n%s\n",
              named, text);
    }
    if (print && last == LANGUAGES - 1) printf("\n%s\n\n", text);
    tenon_error_release(error);
  }
  return passed;
}

// ---- Recursion without end ----------------------------------------------------------------------

// An endless recursion along a path, on a thread with the given stack size in bytes, or on the
// current thread if 0.
typedef struct dive {
  const char* path;
  size_t stack_size;
  tenon_status status;
  tenon_error* error;
} dive;

static void* run_dive(void* given) {
  dive* one = given;
  char op[64];
  snprintf(op, sizeof op, "matrix_%.*s::dive", (int)strcspn(one->path, ","), one->path);
  one->status = polyglot_call_text(op, one->path);
  one->error = tenon_error_take();
  return NULL;
}

static int start_dive(dive* one) {
  if (one->stack_size == 0) {
    run_dive(one);
    return 1;
  }
  // Allocate the stack ourselves: one that the C library cached from another thread may be larger.
  const size_t guard = 4096;
  char* memory = mmap(NULL, guard + one->stack_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return 0;
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  const int ended = mprotect(memory, guard, PROT_NONE) == 0 &&
                    pthread_attr_setstack(&attributes, memory + guard, one->stack_size) == 0 &&
                    pthread_create(&thread, &attributes, run_dive, one) == 0 &&
                    pthread_join(thread, NULL) == 0;
  pthread_attr_destroy(&attributes);
  munmap(memory, guard + one->stack_size);
  return ended;
}

// Returns true if the recursion ends with an error whose text names the cause and has a readable
// length.
static int ends_well(const char* path, size_t stack_size) {
  enum { LONGEST = 16 * 1024 };
  dive one = {path, stack_size, TENON_OK, NULL};
  const int started = start_dive(&one);
  const char* kind = one.error != NULL ? tenon_error_kind(one.error) : "no error";
  const char* text = one.error != NULL ? tenon_error_format(one.error) : "";
  const int good = started && one.status != TENON_OK && strlen(text) < LONGEST &&
                   (strcmp(kind, "RecursionError") == 0 || strcmp(kind, "StackOverflowError") == 0);
  if (!good) {
    fprintf(stderr, "matrix: dive \"%s\", stack of %zu KiB: status %d, %s, %zu bytes: %.2000s\n",
            path, stack_size / 1024, (int)one.status, kind, strlen(text), text);
  }
  tenon_error_release(one.error);
  return good;
}

// Recurses in each language alone, in each pair, and in a ring of all five, on the current thread
// and on threads with small stacks.
static int run_dives(int print) {
  static const size_t stack_sizes[] = {0, 8 << 20, 1 << 20, 512 << 10, 256 << 10};
  enum { SIZES = sizeof stack_sizes / sizeof *stack_sizes };
  int passed = 0;
  if (print) {
    printf("\n%-26s | ends in an error on stacks of\n%-26s |", "recursion without end", "");
    for (int size = 0; size < SIZES; ++size) {
      if (size == 0) {
        printf(" main  ");
      } else {
        printf(" %5zuK", stack_sizes[size] / 1024);
      }
    }
    printf("\n");
  }
  for (int first = 0; first < LANGUAGES; ++first) {
    for (int second = first; second <= LANGUAGES; ++second) {
      char path[96];
      if (second == first) {
        snprintf(path, sizeof path, "%s", languages[first]);
      } else if (second < LANGUAGES) {
        snprintf(path, sizeof path, "%s,%s", languages[first], languages[second]);
      } else if (first == 0) {
        snprintf(path, sizeof path, "c,cpp,python,java,rust");
      } else {
        continue;
      }
      if (print) printf("%-26s |", path);
      for (int size = 0; size < SIZES; ++size) {
        const int good = ends_well(path, stack_sizes[size]);
        if (print) printf(" %-6s", good ? "ok" : "FAIL");
        passed += good;
      }
      if (print) printf("\n");
      fflush(stdout);
    }
  }
  return passed;
}

static tenon_status start_all(void) {
  tenon_plugin* plugin = NULL;
  tenon_status status = define_overridden();
  if (status == TENON_OK) status = matrix_c_register();
  if (status == TENON_OK) status = tenon_plugin_load(MATRIX_CPP_PLUGIN, &plugin);
  if (status == TENON_OK) status = tenon_plugin_load(MATRIX_RUST_PLUGIN, &plugin);
  if (status == TENON_OK) status = polyglot_start_python(MATRIX_PYTHON_PATH, "matrix_role");
  if (status == TENON_OK) {
    status = polyglot_start_java(MATRIX_CLASSPATH, MATRIX_JAVA_LIBRARY_PATH, "MatrixRole");
  }
  return status;
}

static void count_live(int64_t counts[32]) {
  memset(counts, 0, 32 * sizeof *counts);
  for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
    counts[kind] = tenon_introspect_live_count(kind);
  }
}

// Collects garbage in Java and Python: exceptions hold errors of other languages, and Java frees
// objects on a separate thread some time after a collection.
static void collect(void) {
  const struct timespec pause = {0, 20 * 1000 * 1000};
  for (int i = 0; i < 10; ++i) {
    polyglot_call_text("matrix_java::collect", "");
    polyglot_call_text("matrix_python::collect", "");
    nanosleep(&pause, NULL);
  }
  tenon_registry_reap();
}

// Collects garbage until the counts of live handles no longer change, and stores them in `counts`.
static void count_settled(int64_t counts[32]) {
  int64_t former[32];
  collect();
  count_live(counts);
  do {
    memcpy(former, counts, sizeof former);
    collect();
    count_live(counts);
  } while (memcmp(former, counts, sizeof former) != 0);
}

static int is_more(const int64_t counts[32], const int64_t before[32]) {
  for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
    if (counts[kind] > before[kind]) return 1;
  }
  return 0;
}

// Runs all pairs of two languages, each with the five callers.
static int run_pairs(const char* first_title, const char* second_title,
                     void (*run)(int first, int second, int marks[LANGUAGES]), int print) {
  int passed = 0;
  if (print) {
    printf("\n%-8s %-8s | called from\n%-8s %-8s |", first_title, second_title, "", "");
    for (int caller = 0; caller < LANGUAGES; ++caller) printf(" %-6s", titles[caller]);
    printf("\n");
  }
  for (int first = 0; first < LANGUAGES; ++first) {
    for (int second = 0; second < LANGUAGES; ++second) {
      int marks[LANGUAGES] = {0};
      run(first, second, marks);
      if (print) printf("%-8s %-8s |", titles[first], titles[second]);
      for (int caller = 0; caller < LANGUAGES; ++caller) {
        if (print) printf(" %-6s", marks[caller] ? "ok" : "FAIL");
        passed += marks[caller];
      }
      if (print) printf("\n");
    }
  }
  return passed;
}

static int run_all(int print) { return run_pairs("schema", "kernel", run_pair, print); }

static int run_gradients(int print) {
  return run_pairs("kernel", "formula", run_gradients_of, print);
}

static int run_casts(int print) { return run_pairs("kernel", "rule", run_casts_of, print); }

static int run_maps(int print) { return run_pairs("kernel", "batching", run_maps_of, print); }

static int run_fakes(int print) { return run_pairs("kernel", "fake", run_fakes_of, print); }

static int run_implemented_overrides(int print) {
  return run_pairs("kernel", "object", run_overrides_of, print);
}

static int run_nests(int print) { return run_pairs("vmap", "grad", run_nests_of, print); }

static int run_escapes(int print) { return run_pairs("raised", "vmap", run_escapes_of, print); }

int main(void) {
  if (start_all() != TENON_OK) {
    polyglot_print_error("matrix");
    return 1;
  }
  const int combinations = LANGUAGES * LANGUAGES * LANGUAGES;
  const int errors = LANGUAGES * (LANGUAGES + 1) + LANGUAGES;
  const int overrides = LANGUAGES * LANGUAGES;
  const int dives = 5 * (LANGUAGES + LANGUAGES * (LANGUAGES - 1) / 2 + 1);
  int64_t before[32], after[32];
  // A warm-up round: afterwards every language has created its caches and threads.
  run_all(0);
  run_gradients(0);
  run_casts(0);
  run_maps(0);
  run_fakes(0);
  run_nests(0);
  run_escapes(0);
  run_errors(0);
  run_overrides(0);
  run_implemented_overrides(0);
  run_graphs(0);
  run_functions(0);
  run_dives(0);
  count_settled(before);
  const int good_errors = run_errors(1) + run_profiles(1);
  const int good_dives = run_dives(1);
  const int good_overrides = run_overrides(1);
  const int good_implemented = run_implemented_overrides(1);
  const int good_functions = run_functions(1);
  const int good_graphs = run_graphs(1);
  const int good_combinations = run_all(1);
  const int good_gradients = run_gradients(1);
  const int good_casts = run_casts(1);
  const int good_maps = run_maps(1);
  const int good_fakes = run_fakes(1);
  const int good_nests = run_nests(1);
  const int good_escapes = run_escapes(1);
  count_settled(after);
  // On a busy machine Java's cleaner thread may run late, and handles held by an error may live
  // until more errors arrive. Only a count that grows in every pass is a leak.
  int leaked = is_more(after, before);
  for (int pass = 0; leaked && pass < 3; ++pass) {
    memcpy(before, after, sizeof before);
    run_escapes(0);
    count_settled(after);
    leaked = is_more(after, before);
  }
  for (uint32_t kind = 0; leaked && kind < tenon_introspect_handle_count(); ++kind) {
    if (after[kind] <= before[kind]) continue;
    fprintf(stderr, "matrix: live %s handles must be %lld again, got %lld\n",
            tenon_introspect_handle_name(kind), (long long)before[kind], (long long)after[kind]);
  }
  printf(
      "passed: %d of %d errors, %d of %d endless recursions, %d of %d overrides, %d of %d "
      "overrides of kernels, %d of %d combinations, %d of %d gradients, %d of %d functions, "
      "%d of %d graphs, %d of %d casts, %d of %d batching rules, %d of %d fakes, %d of %d nested "
      "transforms, %d of %d errors out of these; live handles %s\n",
      good_errors, errors, good_dives, dives, good_overrides, overrides, good_implemented,
      combinations, good_combinations, combinations, good_gradients, combinations, good_functions,
      overrides, good_graphs, overrides, good_casts, combinations, good_maps, combinations,
      good_fakes, combinations, good_nests, combinations, good_escapes, combinations,
      leaked ? "LEAKED" : "as before");
  int stopped = 1;
  if (polyglot_stop_java("MatrixRole") != TENON_OK) {
    polyglot_print_error("matrix: Java");
    stopped = 0;
  }
  if (polyglot_stop_python("matrix_role") != TENON_OK) {
    polyglot_print_error("matrix: Python");
    stopped = 0;
  }
  matrix_c_unregister();
  tenon_library_release(overridden);
  const int good = good_errors == errors && good_dives == dives && good_overrides == overrides &&
                   good_combinations == combinations && good_gradients == combinations &&
                   good_functions == overrides && good_graphs == overrides &&
                   good_implemented == combinations && good_casts == combinations &&
                   good_maps == combinations && good_fakes == combinations &&
                   good_nests == combinations && good_escapes == combinations;
  return good && !leaked && stopped ? 0 : 1;
}
