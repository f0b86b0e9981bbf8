// SPDX-License-Identifier: Apache-2.0
// Generators of random numbers; see tenon/generator.h.
#include "tensor/generator.h"

#include "base/check.h"
#include "guard.h"
#include "not_null.h"
#include "tenon/generator.h"

using tenon::capi::guarded;
namespace tensor = tenon::tensor;

namespace {

template <class Draw>
tenon_status draw(const char* function, const char* what, const void* out, int64_t count,
                  Draw draw) {
  return guarded([&] {
    TENON_CHECK_ARG(count >= 0, function, ": count must be >= 0, got ", count);
    TENON_CHECK_ARG(out != nullptr || count == 0, function, ": ", what,
                    " must be given, got NULL for ", count);
    if (count != 0) draw();
  });
}

}  // namespace

extern "C" {

tenon_status tenon_generator_new(const tenon_device* device, uint64_t seed,
                                 tenon_generator** out_generator) {
  TENON_REQUIRE(out_generator);
  *out_generator = nullptr;
  return guarded([&] { *out_generator = tensor::new_generator(device, seed).detach(); });
}

tenon_status tenon_generator_open_default(const tenon_device* device,
                                          tenon_generator** out_generator) {
  TENON_REQUIRE(out_generator);
  *out_generator = nullptr;
  return guarded([&] { *out_generator = tensor::default_generator(device).detach(); });
}

tenon_status tenon_generator_seed_all(uint64_t seed) {
  return guarded([&] { tensor::manual_seed(seed); });
}

tenon_generator* tenon_generator_retain(tenon_generator* generator) {
  if (generator != nullptr) generator->retain();
  return generator;
}

void tenon_generator_release(tenon_generator* generator) {
  if (generator != nullptr) generator->release();
}

void tenon_generator_device(const tenon_generator* generator, tenon_device* out_device) {
  TENON_NEVER_NULL(generator);
  TENON_NEVER_NULL(out_device);
  *out_device = generator->device();
}

tenon_status tenon_generator_seed(tenon_generator* generator, uint64_t seed) {
  TENON_REQUIRE(generator);
  return guarded([&] { generator->seed(seed); });
}

uint64_t tenon_generator_initial_seed(const tenon_generator* generator) {
  TENON_NEVER_NULL(generator);
  return generator->initial_seed();
}

tenon_status tenon_generator_state(const tenon_generator* generator, int64_t capacity,
                                   void* out_data, int64_t* out_nbytes) {
  TENON_REQUIRE(out_nbytes);
  TENON_REQUIRE(generator, out_nbytes);
  *out_nbytes = 0;
  return guarded([&] { *out_nbytes = generator->state(out_data, capacity); });
}

tenon_status tenon_generator_set_state(tenon_generator* generator, const void* data,
                                       int64_t nbytes) {
  TENON_REQUIRE(generator);
  return guarded([&] {
    TENON_CHECK_ARG(data != nullptr || nbytes == 0,
                    "tenon_generator_set_state: state must be given, got NULL for ", nbytes,
                    " bytes");
    generator->set_state(data, nbytes);
  });
}

tenon_status tenon_generator_random(tenon_generator* generator, int64_t count,
                                    uint32_t* out_numbers) {
  return draw("tenon_generator_random", "numbers", out_numbers, count,
              [&] { generator->random(out_numbers, count); });
}

tenon_status tenon_generator_normal(tenon_generator* generator, int64_t count,
                                    double* out_samples) {
  return draw("tenon_generator_normal", "samples", out_samples, count,
              [&] { generator->normal(out_samples, count); });
}

void* tenon_generator_native(const tenon_generator* generator) {
  TENON_NEVER_NULL(generator);
  return generator->native();
}

}  // extern "C"
