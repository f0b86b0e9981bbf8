/* SPDX-License-Identifier: Apache-2.0 */
/* Random number generators: a seed and a position in its sequence, on a device. */
#ifndef TENON_GENERATOR_H
#define TENON_GENERATOR_H

#include "tenon/common.h"
#include "tenon/device.h"

// Usage:
//
//   tenon_generator* generator = NULL;
//   double samples[4];
//   status = tenon_generator_new(NULL, 42, &generator);
//   if (!status) status = tenon_generator_normal(generator, 4, samples);
//   tenon_generator_release(generator);

TENON_BEGIN_DECLS

#define TENON_GENERATOR_DEFAULT_SEED \
  67280421310721LL /* until tenon_generator_seed_all; PyTorch's value */

/// Creates a generator on a device, or on the CPU if `device` is NULL. CPU generators are MT19937
/// (Matsumoto and Nishimura, 1998), seeded with the low 32 bits of `seed` as in PyTorch. Generators
/// of other devices are created by their provider.
///
/// Errors:    TENON_ERROR_NOT_FOUND without provider, TENON_ERROR_NOT_SUPPORTED without generators,
///            TENON_ERROR_INVALID_ARGUMENT for an invalid device, or what the provider raised.
/// Ownership: new reference in `out_generator`.
/// Threads:   any thread; *blocks* while a plugin loads.
/// Since:     0.1
TENON_API tenon_status tenon_generator_new(const tenon_device* device, uint64_t seed,
                                           tenon_generator** out_generator);

/// Returns the default generator of a device, which operators use if no generator is passed. It is
/// created on first use and seeded with the seed of the last tenon_generator_seed_all. It is never
/// freed and not counted as a live handle.
///
/// Errors:    as tenon_generator_new.
/// Ownership: new reference in `out_generator`.
/// Threads:   any thread; *blocks* while a plugin loads.
/// Since:     0.1
TENON_API tenon_status tenon_generator_open_default(const tenon_device* device,
                                                    tenon_generator** out_generator);

/// Seeds the default generators of all devices, including those that are created later.
///
/// Errors:    the first error that a provider raised; the other generators are seeded nevertheless.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_generator_seed_all(uint64_t seed);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_generator* tenon_generator_retain(tenon_generator* generator);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_generator_release(tenon_generator* generator);

/// Sets `out_device` to the device whose operators may use the generator.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_generator_device(const tenon_generator* generator, tenon_device* out_device);

/// Restarts the generator with a seed. A spare normal sample is dropped.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED, or what the provider raised; none on the CPU.
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API tenon_status tenon_generator_seed(tenon_generator* generator, uint64_t seed);

/// Returns the seed that the generator was last seeded with.
///
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API uint64_t tenon_generator_initial_seed(const tenon_generator* generator);

/// Writes the whole state (seed, position, spare normal sample) into `out_data`, which has room for
/// `capacity` bytes, and its size into `out_nbytes`. If `out_data` is NULL, only the size is
/// written. The state of a CPU generator has the 5056 bytes of PyTorch's CPU generators, and can be
/// exchanged with PyTorch in both directions.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT if `capacity` is less than the size (the message has
///            both),
///            TENON_ERROR_NOT_SUPPORTED, or what the provider raised.
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API tenon_status tenon_generator_state(const tenon_generator* generator, int64_t capacity,
                                             void* out_data, int64_t* out_nbytes);

/// Restores a state that tenon_generator_state wrote for a generator of the same device type.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT if the bytes are no such state,
///            TENON_ERROR_NOT_SUPPORTED, or what the provider raised. The generator does not change
///            on failure.
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API tenon_status tenon_generator_set_state(tenon_generator* generator, const void* data,
                                                 int64_t nbytes);

/// Draws the next `count` numbers, uniformly distributed over all 2^32. The numbers are consecutive
/// even if other threads draw from the same generator.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a negative count, TENON_ERROR_NOT_SUPPORTED, or what
///            the provider raised.
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API tenon_status tenon_generator_random(tenon_generator* generator, int64_t count,
                                              uint32_t* out_numbers);

/// Draws `count` samples of the standard normal distribution in pairs (Box and Muller, 1958), each
/// from four numbers. On the CPU the samples are PyTorch's. If `count` is odd, the CPU keeps the
/// second sample of the last pair for the next draw; generators of other devices drop it.
///
/// Errors:    as tenon_generator_random, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API tenon_status tenon_generator_normal(tenon_generator* generator, int64_t count,
                                              double* out_samples);

/// Returns the provider's own generator object, for kernels of its device; NULL for a CPU
/// generator.
///
/// Ownership: borrowed until the generator dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void* tenon_generator_native(const tenon_generator* generator);

TENON_END_DECLS

#endif /* TENON_GENERATOR_H */
