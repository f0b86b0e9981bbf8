// SPDX-License-Identifier: Apache-2.0
// Generator: a seed and a position in its sequence of random numbers, on a device.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/generator.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tenon/generator.h"
#include "tenon/hpp/error.hpp"
#include "tenon/hpp/types.hpp"

// Usage:
//
//   const tenon::Generator generator(42);
//   std::vector<double> samples(4);
//   generator.normal(samples);

namespace tenon::inline hpp {

// A reference to a generator. Copies draw from the same sequence.
class Generator {
 public:
  // Creates a generator with a seed.
  explicit Generator(uint64_t seed, const Device& device = Device()) {
    check(tenon_generator_new(&device, seed, &handle_));
  }
  // Returns a device's default generator, which operators use if no generator is passed.
  static Generator default_of(const Device& device = Device()) {
    tenon_generator* handle = nullptr;
    check(tenon_generator_open_default(&device, &handle));
    return adopt(handle);
  }
  // Takes over the reference.
  static Generator adopt(tenon_generator* handle) noexcept { return Generator(Handle{handle}); }
  // Adds a reference to a borrowed handle.
  static Generator retain(tenon_generator* handle) noexcept {
    return adopt(tenon_generator_retain(handle));
  }
  Generator(const Generator& other) noexcept : handle_(tenon_generator_retain(other.handle_)) {}
  Generator(Generator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Generator& operator=(Generator other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Generator() { tenon_generator_release(handle_); }

  tenon_generator* get() const noexcept { return handle_; }
  // Passes the reference to the caller.
  tenon_generator* release() noexcept { return std::exchange(handle_, nullptr); }

  Device device() const {
    tenon_device device{};
    tenon_generator_device(handle_, &device);
    return device;
  }
  // Restarts the generator with a seed.
  void seed(uint64_t seed) const { check(tenon_generator_seed(handle_, seed)); }
  uint64_t initial_seed() const { return tenon_generator_initial_seed(handle_); }
  // Returns the whole state, for set_state(); see tenon_generator_state.
  std::vector<uint8_t> state() const {
    int64_t nbytes = 0;
    check(tenon_generator_state(handle_, 0, nullptr, &nbytes));
    std::vector<uint8_t> bytes(static_cast<size_t>(nbytes));
    check(tenon_generator_state(handle_, nbytes, bytes.data(), &nbytes));
    return bytes;
  }
  void set_state(std::span<const uint8_t> bytes) const {
    check(tenon_generator_set_state(handle_, bytes.data(), static_cast<int64_t>(bytes.size())));
  }

  // Fills the span with the next numbers, uniformly distributed over all 2^32.
  void random(std::span<uint32_t> numbers) const {
    check(tenon_generator_random(handle_, static_cast<int64_t>(numbers.size()), numbers.data()));
  }
  // Fills the span with samples of the standard normal distribution.
  void normal(std::span<double> samples) const {
    check(tenon_generator_normal(handle_, static_cast<int64_t>(samples.size()), samples.data()));
  }
  // Returns the provider's generator object, for kernels of its device; NULL for a CPU generator.
  void* native() const noexcept { return tenon_generator_native(handle_); }

  friend bool operator==(const Generator& a, const Generator& b) noexcept {
    return a.handle_ == b.handle_;
  }

 private:
  struct Handle {
    tenon_generator* of;
  };
  explicit Generator(Handle handle) noexcept : handle_(handle.of) {}

  tenon_generator* handle_ = nullptr;
};

// Seeds the default generators of all devices, including those that are created later.
inline void manual_seed(uint64_t seed) { check(tenon_generator_seed_all(seed)); }

}  // namespace tenon::inline hpp

#endif
