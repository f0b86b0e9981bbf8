// SPDX-License-Identifier: Apache-2.0
// Wrong calls of generator.h. After a refusal, a generator continues its sequence unchanged.
#include <stdlib.h>

#include "badinput.h"

enum { kStateBytes = 5056 };  // size of the CPU generators' state, as in generator.h

typedef tenon_status (*make_generator)(const tenon_device*, uint64_t, tenon_generator**);

static tenon_status default_of(const tenon_device* device, uint64_t seed,
                               tenon_generator** out_generator) {
  (void)seed;
  return tenon_generator_open_default(device, out_generator);
}

// "new" or "default", DEVICE
static tenon_status generator_make(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_device device;
  tenon_generator* generator = NULL;
  const make_generator make = strcmp(one->args[0], "new") == 0 ? &tenon_generator_new : &default_of;
  const tenon_status status = make(device_of(one->args[1], &device), 1, &generator);
  assert_null(generator);
  return status;
}

// Makes a generator that has drawn one number.
static tenon_generator* good_generator(void) {
  tenon_generator* generator = NULL;
  uint32_t first;
  assert_ok(tenon_generator_new(NULL, 42, &generator));
  assert_ok(tenon_generator_random(generator, 1, &first));
  return generator;
}

// Checks that the generator's state is unchanged, and releases it.
static void end_generator(tenon_generator* generator) {
  tenon_generator* fresh = good_generator();
  double samples[3], expected[3];
  assert_int_equal(tenon_generator_initial_seed(generator), 42);
  assert_ok(tenon_generator_normal(generator, 3, samples));
  assert_ok(tenon_generator_normal(fresh, 3, expected));
  assert_memory_equal(samples, expected, sizeof samples);
  tenon_generator_release(fresh);
  tenon_generator_release(generator);
}

// CAPACITY: bytes of the buffer, which must stay unchanged
static tenon_status generator_state(const bad_world* world, const bad_case* one) {
  (void)world;
  static unsigned char state[kStateBytes];
  int64_t size = 7;
  tenon_generator* generator = good_generator();
  memset(state, 0xee, sizeof state);
  const tenon_status status =
      tenon_generator_state(generator, number_of(one->args[0]), state, &size);
  assert_int_equal(size, 0);
  for (size_t i = 0; i < sizeof state; ++i) assert_int_equal(state[i], 0xee);
  end_generator(generator);
  return status;
}

// "@null N", "@size N", "@bytes N" (all bytes have that value), or "offset=N byte=N" in a valid
// state.
static tenon_status generator_set_state(const bad_world* world, const bad_case* one) {
  (void)world;
  static unsigned char state[2 * kStateBytes];
  const char* const text = one->args[0];
  int64_t size = 0;
  tenon_generator* generator = good_generator();
  memset(state, 0, sizeof state);
  assert_ok(tenon_generator_state(generator, kStateBytes, state, &size));
  assert_int_equal(size, kStateBytes);
  if (strncmp(text, "@null ", 6) == 0 || strncmp(text, "@size ", 6) == 0) {
    size = number_of(text + 6);
  } else if (strncmp(text, "@bytes ", 7) == 0) {
    memset(state, (int)number_of(text + 7), sizeof state);
  } else {
    state[field_of(text, "offset", 0)] = (unsigned char)field_of(text, "byte", 0);
  }
  const tenon_status status =
      tenon_generator_set_state(generator, text[1] == 'n' ? NULL : state, size);
  end_generator(generator);
  return status;
}

// "random" or "normal", COUNT or "@null COUNT"
static tenon_status generator_draw(const bad_world* world, const bad_case* one) {
  (void)world;
  uint32_t numbers[4];
  double samples[4];
  const int is_null = strncmp(one->args[1], "@null ", 6) == 0;
  const int64_t count = number_of(one->args[1] + (is_null ? 6 : 0));
  tenon_generator* generator = good_generator();
  const tenon_status status =
      strcmp(one->args[0], "random") == 0
          ? tenon_generator_random(generator, count, is_null ? NULL : numbers)
          : tenon_generator_normal(generator, count, is_null ? NULL : samples);
  end_generator(generator);
  return status;
}

const bad_named_call bad_generator_calls[] = {{"generator_make", &generator_make},
                                              {"generator_state", &generator_state},
                                              {"generator_set_state", &generator_set_state},
                                              {"generator_draw", &generator_draw},
                                              {NULL, NULL}};
