// SPDX-License-Identifier: Apache-2.0
// Generators of CUDA devices: a seed, and the number of values drawn from each Philox sequence.
#include "kernels/cuda/random/generator.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "kernels/cuda/guarded.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/runtime.h"

namespace tenon::kernels::cuda {
namespace {

constexpr int64_t kBlock = 256;   // threads per block
constexpr uint64_t kNumbers = 4;  // numbers per Philox block

// The format of the state, which is that of PyTorch's CUDA generators.
struct State {
  uint64_t seed;
  uint64_t offset;  // numbers drawn from each sequence, a multiple of 4
};

class PhiloxGenerator {
 public:
  explicit PhiloxGenerator(uint64_t seed) : state_{seed, 0} {}

  State state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  void set_state(const State& state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }
  // Returns the state and advances it by a number of blocks.
  State take(uint64_t blocks) {
    const std::lock_guard lock(mutex_);
    const State taken = state_;
    state_.offset += blocks * kNumbers;
    return taken;
  }

 private:
  mutable std::mutex mutex_;
  State state_;
};

PhiloxGenerator& as_generator(void* generator) { return *static_cast<PhiloxGenerator*>(generator); }

tenon_status generator_new(void*, int32_t, uint64_t seed, void** out_generator) {
  return guarded([&] { *out_generator = new PhiloxGenerator(seed); });
}

void generator_release(void*, int32_t, void* generator) { delete &as_generator(generator); }

tenon_status generator_seed(void*, void* generator, uint64_t seed) {
  as_generator(generator).set_state({seed, 0});
  return TENON_OK;
}

tenon_status generator_state(void*, void* generator, void* data, int64_t capacity,
                             int64_t* out_nbytes) {
  *out_nbytes = sizeof(State);
  if (data == nullptr || capacity < static_cast<int64_t>(sizeof(State))) return TENON_OK;
  const State state = as_generator(generator).state();
  std::memcpy(data, &state, sizeof(State));
  return TENON_OK;
}

tenon_status generator_set_state(void*, void* generator, const void* data, int64_t nbytes) {
  return guarded([&] {
    State state{};
    if (nbytes == static_cast<int64_t>(sizeof(State))) std::memcpy(&state, data, sizeof(State));
    if (nbytes != static_cast<int64_t>(sizeof(State)) || state.offset % kNumbers != 0) {
      throw Error(TENON_ERROR_INVALID_ARGUMENT,
                  "cuda: a generator's state must be 16 bytes, a seed and a multiple of 4, got " +
                      std::to_string(nbytes) + " bytes" +
                      (state.offset % kNumbers != 0 ? " with another number" : ""));
    }
    as_generator(generator).set_state(state);
  });
}

tenon_status generator_random(void*, void* generator, uint32_t* out, int64_t count) {
  const uint64_t blocks = (static_cast<uint64_t>(count) + kNumbers - 1) / kNumbers;
  const State state = as_generator(generator).take(blocks);
  for (uint64_t block = 0; block < blocks; ++block) {
    const PhiloxNumbers numbers = philox(state.seed, 0, state.offset / kNumbers + block);
    const int64_t left = count - static_cast<int64_t>(block * kNumbers);
    std::copy_n(numbers.at, std::min<int64_t>(left, kNumbers), out + block * kNumbers);
  }
  return TENON_OK;
}

int64_t attribute(cudaDeviceAttr which, int32_t index) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, index), "cudaDeviceGetAttribute");
  return value;
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

PhiloxOffset draw_place(const char* op, const std::optional<Generator>& generator,
                        const Device& device, int64_t count, int64_t each) {
  const Generator source = generator ? *generator : Generator::default_of(device);
  if (!(settled(source.device()) == device)) {
    throw Error(TENON_ERROR_INVALID_ARGUMENT, std::string(op) + ": generator must be on " +
                                                  device.str() + " like self, got one on " +
                                                  source.device().str());
  }
  const int64_t most = attribute(cudaDevAttrMultiProcessorCount, device.index) *
                       (attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device.index) / kBlock);
  const int64_t blocks = std::min(most, (count + kBlock - 1) / kBlock);
  const int64_t threads = blocks * kBlock;
  const auto turns = static_cast<uint64_t>((count - 1) / (threads * each) + 1);
  void* const native = tenon_generator_native(source.get());
  const State state = as_generator(native).take(turns);
  return {state.seed, state.offset / kNumbers, threads};
}

}  // namespace tenon::kernels::cuda
