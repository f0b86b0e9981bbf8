// SPDX-License-Identifier: Apache-2.0
// Step 3, random numbers: generators whose numbers depend only on seed and position, so that the
// device can compute them later, and a kernel that draws from them.
#include <array>
#include <cstring>
#include <mutex>
#include <optional>

#include "host.h"
#include "npu.h"

namespace npu {

namespace {

using tenon::Dtype;
using tenon::Generator;
using tenon::Tensor;

using Block = std::array<uint32_t, 4>;

// Philox 4x32-10 of Salmon, Moraes, Dror and Shaw (2011): the numbers 4 n to 4 n + 3 of a seed.
Block philox(uint64_t seed, uint64_t n) {
  Block block = {static_cast<uint32_t>(n), static_cast<uint32_t>(n >> 32), 0, 0};
  auto key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * block[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57} * block[2];
    block = {
        static_cast<uint32_t>(product1 >> 32) ^ block[1] ^ key0, static_cast<uint32_t>(product1),
        static_cast<uint32_t>(product0 >> 32) ^ block[3] ^ key1, static_cast<uint32_t>(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return block;
}

// A position in a generator's sequence. A draw reserves its numbers immediately, although they may
// be computed later and on another thread.
struct Place {
  uint64_t seed;
  uint64_t next;  // number of drawn numbers

  template <class Take>
  void numbers(int64_t count, Take take) const {
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t at = next + static_cast<uint64_t>(i);
      take(i, philox(seed, at / 4)[at % 4]);
    }
  }
};

class Sequence {
 public:
  explicit Sequence(uint64_t seed) : place_{seed, 0} {}

  Place draw(int64_t count) {
    const std::lock_guard lock(mutex_);
    const Place drawn = place_;
    place_.next += static_cast<uint64_t>(count);
    return drawn;
  }
  Place place() { return draw(0); }
  void go_to(const Place& place) {
    const std::lock_guard lock(mutex_);
    place_ = place;
  }

 private:
  std::mutex mutex_;
  Place place_;
};

Sequence& sequence_of(void* generator) { return *static_cast<Sequence*>(generator); }

tenon_status generator_new(void*, int32_t, uint64_t seed, void** out_generator) {
  *out_generator = new Sequence(seed);
  return TENON_OK;
}

void generator_release(void*, int32_t, void* generator) { delete &sequence_of(generator); }

tenon_status generator_seed(void*, void* generator, uint64_t seed) {
  sequence_of(generator).go_to({seed, 0});
  return TENON_OK;
}

// The library first asks for the size, and then passes a buffer of that size.
tenon_status generator_state(void*, void* generator, void* data, int64_t, int64_t* out_nbytes) {
  *out_nbytes = sizeof(Place);
  const Place place = sequence_of(generator).place();
  if (data != nullptr) std::memcpy(data, &place, sizeof place);
  return TENON_OK;
}

tenon_status generator_set_state(void*, void* generator, const void* data, int64_t nbytes) {
  Place place;
  if (nbytes != sizeof place) {
    return tenon_error_raise(TENON_ERROR_INVALID_ARGUMENT,
                             "npu: the state of a generator must be 16 bytes, got others");
  }
  std::memcpy(&place, data, sizeof place);
  sequence_of(generator).go_to(place);
  return TENON_OK;
}

tenon_status generator_random(void*, void* generator, uint32_t* out, int64_t count) {
  sequence_of(generator).draw(count).numbers(count,
                                             [&](int64_t i, uint32_t number) { out[i] = number; });
  return TENON_OK;
}

// Returns the caller's generator, which must be one of this device, or the default one.
Generator generator_for(const char* op, const std::optional<Generator>& given,
                        const tenon::Device& device) {
  if (!given) return Generator::default_of(device);
  if (given->device() == device) return *given;
  throw tenon::Error(TENON_ERROR_INVALID_ARGUMENT, std::string(op) + ": generator must be on " +
                                                       device.str() + " like self, got one on " +
                                                       given->device().str());
}

Tensor& uniform(Tensor& self, double from, double to, const std::optional<Generator>& given) {
  const Generator generator = generator_for("aten::uniform_", given, self.device());
  if (self.dtype() != Dtype::F32 || !self.is_contiguous()) {
    // Drawn as the device supports, then cast and copied to the strides of self.
    Tensor drawn = Tensor::empty(self.sizes(), Dtype::F32, self.device());
    uniform(drawn, from, to, generator);
    tenon::Op("aten::copy_")(self, drawn);
    return self;
  }
  const Place place = sequence_of(generator.native()).draw(self.numel());
  enqueue(current_stream(), [self, place, from = static_cast<float>(from),
                             range = static_cast<float>(to) - static_cast<float>(from)] {
    place.numbers(self.numel(), [&](int64_t i, uint32_t number) {
      self.data<float>()[i] = static_cast<float>(number >> 8) * 0x1p-24f * range + from;
    });
  });
  return self;
}

}  // namespace

void provide_generators(tenon_device_provider& provider) {
  provider.generator_new = &generator_new;
  provider.generator_release = &generator_release;
  provider.generator_seed = &generator_seed;
  provider.generator_state = &generator_state;
  provider.generator_set_state = &generator_set_state;
  provider.generator_random = &generator_random;
}

void register_random(tenon::Library& aten) { aten.impl("uniform_", &uniform); }

}  // namespace npu
