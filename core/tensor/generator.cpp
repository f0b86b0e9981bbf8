// SPDX-License-Identifier: Apache-2.0
#include "tensor/generator.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <numbers>
#include <vector>

#include "base/check.h"
#include "base/fork.h"
#include "base/live_count.h"
#include "tensor/cpu_generator.h"
#include "tensor/device.h"
#include "tensor/device_provider.h"

using tenon::tensor::GeneratorPtr;

tenon_generator::tenon_generator(const tenon_device& device, Counted counted) noexcept
    : device_(device), counted_(counted) {
  if (counted_ == Counted::kYes) tenon::base::count_live(TENON_HANDLE_GENERATOR, 1);
}

tenon_generator::~tenon_generator() {
  if (counted_ == Counted::kYes) tenon::base::count_live(TENON_HANDLE_GENERATOR, -1);
}

namespace tenon::tensor {

namespace {

using Counted = Generator::Counted;

// A provider's generator. Like all provider functions, these run without a lock of the library.
class ProviderGenerator final : public Generator {
 public:
  ProviderGenerator(const tenon_device_provider& provider, const tenon_device& device,
                    uint64_t seed, Counted counted)
      : Generator(device, counted), provider_(provider), seed_(seed) {
    check_provider(provider.generator_new(provider.ctx, device.index, seed, &native_),
                   "tenon_generator_new", device.type);
  }
  ~ProviderGenerator() override {
    provider_.generator_release(provider_.ctx, device().index, native_);
  }

  void seed(uint64_t seed) override {
    ask("tenon_generator_seed", provider_.generator_seed, seed);
    seed_.store(seed, std::memory_order_relaxed);
  }
  uint64_t initial_seed() const noexcept override { return seed_.load(std::memory_order_relaxed); }

  int64_t state(void* data, int64_t capacity) const override {
    constexpr const char* kState = "tenon_generator_state";
    int64_t nbytes = 0;
    ask(kState, provider_.generator_state, nullptr, 0, &nbytes);
    nbytes += kHeaderBytes;
    if (data == nullptr) return nbytes;
    TENON_CHECK_ARG(capacity >= nbytes, kState, ": capacity must be at least ", nbytes, ", got ",
                    capacity);
    const Header header{kMagic, initial_seed()};
    auto* bytes = static_cast<unsigned char*>(data);
    ask(kState, provider_.generator_state, bytes + kHeaderBytes, capacity - kHeaderBytes, &nbytes);
    std::memcpy(bytes, &header, sizeof header);
    return nbytes + kHeaderBytes;
  }

  void set_state(const void* data, int64_t nbytes) override {
    constexpr const char* kSet = "tenon_generator_set_state";
    Header header{};
    if (nbytes >= kHeaderBytes) std::memcpy(&header, data, sizeof header);
    TENON_CHECK_ARG(header.magic == kMagic, kSet, ": state must be from a generator of ",
                    device_type_name(device().type), ", got ", nbytes, " bytes of another kind");
    ask(kSet, provider_.generator_set_state, static_cast<const unsigned char*>(data) + kHeaderBytes,
        nbytes - kHeaderBytes);
    seed_.store(header.seed, std::memory_order_relaxed);
  }

  void random(uint32_t* out, int64_t count) override {
    ask("tenon_generator_random", provider_.generator_random, out, count);
  }

  void normal(double* out, int64_t count) override {
    struct Numbers {
      uint32_t of[4];
    };
    static_assert(sizeof(Numbers) == 4 * sizeof(uint32_t));
    const int64_t pairs = count / 2 + count % 2;
    const std::unique_ptr<Numbers[]> numbers(new Numbers[static_cast<size_t>(pairs)]);
    ask("tenon_generator_normal", provider_.generator_random, numbers[0].of, 4 * pairs);
    for (int64_t i = 0; i < pairs; ++i) {
      const uint32_t* four = numbers[i].of;
      const NormalPair pair =
          normal_pair(uniform_double(four[0], four[1]), uniform_double(four[2], four[3]));
      out[2 * i] = pair.first;
      if (2 * i + 1 < count) out[2 * i + 1] = pair.second;
    }
  }

  void* native() const noexcept override { return native_; }

 private:
  // Precedes the provider's bytes in a state.
  struct Header {
    uint64_t magic;
    uint64_t seed;
  };
  static constexpr uint64_t kMagic = 0x3130'6e6f'6e65'5447;
  static constexpr int64_t kHeaderBytes = sizeof(Header);

  template <class... Parameters, class... Arguments>
  void ask(const char* function, tenon_status (*asked)(void*, void*, Parameters...),
           Arguments... arguments) const {
    if (asked == nullptr) not_supported(function, device().type);
    check_provider(asked(provider_.ctx, native_, arguments...), function, device().type);
  }

  const tenon_device_provider& provider_;
  void* native_ = nullptr;
  std::atomic<uint64_t> seed_;
};

// Makes a generator; `device` must have an index.
GeneratorPtr make(const tenon_device& device, uint64_t seed, Counted counted) {
  constexpr const char* kNew = "tenon_generator_new";
  if (device.type == TENON_DEVICE_CPU) {
    return GeneratorPtr::adopt(new CpuGenerator(seed, counted));
  }
  const tenon_device_provider& provider = require_provider(device.type);
  if (provider.generator_new == nullptr || provider.generator_release == nullptr) {
    not_supported(kNew, device.type);
  }
  const int32_t count = device_count(device.type);
  TENON_CHECK_ARG(device.index < count, kNew, ": device must be one of ", count, " of ",
                  device_type_name(device.type), ", got ", print_device(device));
  return GeneratorPtr::adopt(new ProviderGenerator(provider, device, seed, counted));
}

// The default generators, which are never freed, and the seed of those still to be made.
class Defaults {
 public:
  Defaults() { base::hold_across_fork(mutex_, base::ForkOrder::kDefaultGenerators); }
  static Defaults& get() {
    return base::singleton<Defaults, base::ForkOrder::kDefaultGenerators>();
  }

  // Returns the default generator of a device, made on first use. The provider makes it with no
  // lock held. If manual_seed() was called in the meantime, the new generator is discarded and made
  // again.
  GeneratorPtr of(const tenon_device& device) {
    for (;;) {
      uint64_t seed, seedings;
      {
        const std::lock_guard lock(mutex_);
        if (GeneratorPtr known = find_locked(device)) return known;
        seed = seed_;
        seedings = seedings_;
      }
      GeneratorPtr made = make(device, seed, Counted::kNo);
      const std::lock_guard lock(mutex_);
      if (GeneratorPtr known = find_locked(device)) return known;
      if (seedings != seedings_) continue;
      made_.push_back(made);
      return made;
    }
  }

  void seed(uint64_t seed) {
    std::vector<GeneratorPtr> all;
    {
      const std::lock_guard lock(mutex_);
      seed_ = seed;
      ++seedings_;
      all = made_;
    }
    std::exception_ptr first;
    for (const GeneratorPtr& generator : all) {
      try {
        generator->seed(seed);
      } catch (const Error&) {
        if (first == nullptr) first = std::current_exception();
      }
    }
    if (first != nullptr) std::rethrow_exception(first);
  }

 private:
  GeneratorPtr find_locked(const tenon_device& device) const noexcept {
    for (const GeneratorPtr& generator : made_) {
      if (same_device(generator->device(), device)) return generator;
    }
    return {};
  }

  std::mutex mutex_;
  std::vector<GeneratorPtr> made_;
  uint64_t seed_ = TENON_GENERATOR_DEFAULT_SEED;
  uint64_t seedings_ = 0;
};

}  // namespace

GeneratorPtr new_generator(const tenon_device* device, uint64_t seed) {
  return make(resolve_device("tenon_generator_new", device), seed, Counted::kYes);
}

GeneratorPtr default_generator(const tenon_device* device) {
  return Defaults::get().of(resolve_device("tenon_generator_open_default", device));
}

void manual_seed(uint64_t seed) { Defaults::get().seed(seed); }

NormalPair normal_pair(double uniform1, double uniform2) noexcept {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform2));
  const double angle = 2.0 * std::numbers::pi * uniform1;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace tenon::tensor
