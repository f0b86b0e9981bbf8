// SPDX-License-Identifier: Apache-2.0
// Refcounted random number generators: the CPU's, those of providers, and the defaults of devices.
#pragma once

#include <cstdint>

#include "base/intrusive_ptr.h"
#include "tenon/generator.h"

/// A generator. Functions may be called on any thread and throw as documented in tenon/generator.h.
struct tenon_generator : tenon::base::RefCounted<tenon_generator> {
 public:
  /// Says whether a generator counts as a live handle. The default generators do not, because they
  /// are never freed.
  enum class Counted : bool { kNo, kYes };

  virtual ~tenon_generator();

  const tenon_device& device() const noexcept { return device_; }
  virtual void seed(uint64_t seed) = 0;
  virtual uint64_t initial_seed() const noexcept = 0;
  /// Writes the state, unless `data` is NULL, and returns its size.
  virtual int64_t state(void* data, int64_t capacity) const = 0;
  virtual void set_state(const void* data, int64_t nbytes) = 0;
  virtual void random(uint32_t* out, int64_t count) = 0;
  virtual void normal(double* out, int64_t count) = 0;
  /// Returns the provider's object; NULL for the CPU's generator.
  virtual void* native() const noexcept { return nullptr; }

 protected:
  tenon_generator(const tenon_device& device, Counted counted) noexcept;

 private:
  const tenon_device device_;
  const Counted counted_;
};

namespace tenon::tensor {

using Generator = ::tenon_generator;
using GeneratorPtr = base::IntrusivePtr<Generator>;

/// Makes a generator for a device; NULL is the CPU.
GeneratorPtr new_generator(const tenon_device* device, uint64_t seed);
/// Returns the device's default generator, for operators called without one.
GeneratorPtr default_generator(const tenon_device* device);
/// Seeds all default generators, including those made later.
void manual_seed(uint64_t seed);

/// Returns the uniform double in [0, 1) made of two numbers: the low 53 bits of their 64.
constexpr double uniform_double(uint32_t high, uint32_t low) noexcept {
  constexpr uint64_t kMask = (uint64_t{1} << 53) - 1;
  return static_cast<double>((uint64_t{high} << 32 | low) & kMask) * 0x1p-53;
}

struct NormalPair {
  double first;
  double second;
};
/// Returns two samples of the standard normal distribution, made from two uniform ones.
NormalPair normal_pair(double uniform1, double uniform2) noexcept;

}  // namespace tenon::tensor
