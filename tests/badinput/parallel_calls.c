// SPDX-License-Identifier: Apache-2.0
// Wrong calls of parallel loops and thread counts.
#include "badinput.h"

static tenon_status nothing(void* ctx, int64_t begin, int64_t end) {
  (void)ctx, (void)begin, (void)end;
  return TENON_OK;
}

static tenon_status failing(void* ctx, int64_t begin, int64_t end) {
  (void)ctx, (void)end;
  return begin < 4 ? TENON_OK : tenon_error_raise(TENON_ERROR_INDEX, "chunk at 4");
}

static void host_run(void* ctx, int64_t count, void (*chunk)(void* job, int64_t k), void* job) {
  (void)ctx;
  for (int64_t k = 0; k < count; ++k) chunk(job, k);
}

// COUNT GRAIN and "nothing", "failing" or NULL
static tenon_status parallel_for(const bad_world* world, const bad_case* one) {
  const char* run = text_of(one->args[2]);
  (void)world;
  return tenon_parallel_for(
      number_of(one->args[0]), number_of(one->args[1]),
      run == NULL ? NULL : (strcmp(run, "failing") == 0 ? &failing : &nothing), NULL);
}

static tenon_status parallel_set_threads(const bad_world* world, const bad_case* one) {
  const int32_t before = tenon_parallel_get_threads();
  const tenon_status status = tenon_parallel_set_threads((int32_t)number_of(one->args[0]));
  (void)world;
  assert_int_equal(tenon_parallel_get_threads(), before);
  return status;
}

static tenon_status parallel_set_spin(const bad_world* world, const bad_case* one) {
  (void)world;
  return tenon_parallel_set_spin(number_of(one->args[0]));
}

// FIELDS: "struct_size=N", "run=0" (NULL), "threads=N", "reserved=1"
static tenon_status parallel_set_host(const bad_world* world, const bad_case* one) {
  const char* fields = one->args[0];
  const tenon_parallel_host host = {(uint32_t)field_of(fields, "struct_size", sizeof host),
                                    (int32_t)field_of(fields, "threads", 1),
                                    field_of(fields, "run", 1) != 0 ? &host_run : NULL,
                                    NULL,
                                    {(uint64_t)field_of(fields, "reserved", 0), 0, 0, 0}};
  (void)world;
  return tenon_parallel_set_host(&host);
}

static tenon_status close_inside(void* ctx, int64_t begin, int64_t end) {
  (void)ctx, (void)begin, (void)end;
  return tenon_parallel_close();
}

static tenon_status parallel_close(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  assert_ok(tenon_parallel_set_threads(2));
  const tenon_status status = tenon_parallel_for(2, 1, &close_inside, NULL);
  assert_ok(tenon_parallel_set_threads(0));
  return status;
}

const bad_named_call bad_parallel_calls[] = {
    {"parallel_for", &parallel_for},           {"parallel_set_threads", &parallel_set_threads},
    {"parallel_set_spin", &parallel_set_spin}, {"parallel_set_host", &parallel_set_host},
    {"parallel_close", &parallel_close},       {NULL, NULL}};
