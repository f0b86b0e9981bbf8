/* SPDX-License-Identifier: Apache-2.0 */
/* Generators of random numbers: a seed and a place in its sequence, on a device. */
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
  67280421310721LL /* until tenon_generator_seed_all: PyTorch's */

/// Makes a generator on a device; NULL is the CPU: MT19937 (Matsumoto and Nishimura, 1998) with the
/// low 32 bits of `seed`, as PyTorch's. Other devices' are what their provider makes.
///
/// Errors:    TENON_ERROR_NOT_FOUND without provider, TENON_ERROR_NOT_SUPPORTED without generators,
///            TENON_ERROR_INVALID_ARGUMENT for no device, or what the provider raised.
/// Ownership: new reference in `out_generator`.
/// Threads:   any thread; *blocks* while a plugin loads.
/// Since:     0.1
TENON_API tenon_status tenon_generator_new(const tenon_device* device, uint64_t seed,
                                           tenon_generator** out_generator);

/// Returns the generator that operators draw from when they are given none: one per device, made
/// when first asked for, seeded as tenon_generator_seed_all said last. It lives for ever, and
/// counts as no live handle.
///
/// Errors:    as tenon_generator_new.
/// Ownership: new reference in `out_generator`.
/// Threads:   any thread; *blocks* while a plugin loads.
/// Since:     0.1
TENON_API tenon_status tenon_generator_open_default(const tenon_device* device,
                                                    tenon_generator** out_generator);

/// Seeds the default generators of all devices, those made later too.
///
/// Errors:    what a provider raised first; the other generators are seeded all the same.
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

/// Fills `out_device` with the device whose operators may draw from the generator.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_generator_device(const tenon_generator* generator, tenon_device* out_device);

/// Begins the sequence of a seed anew; a spare normal sample is dropped.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED, or what the provider raised; none on the CPU.
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API tenon_status tenon_generator_seed(tenon_generator* generator, uint64_t seed);

/// Returns the seed whose sequence the generator is in.
///
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API uint64_t tenon_generator_initial_seed(const tenon_generator* generator);

/// Writes the whole state (seed, place, spare normal sample) into `out_data`, of `capacity` bytes,
/// and its size into `out_nbytes`; only the size when `out_data` is NULL. The CPU's state is the
/// 5056 bytes of PyTorch's CPU generators, which may be carried over both ways.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT when capacity is less than the size (both named),
///            TENON_ERROR_NOT_SUPPORTED, or what the provider raised.
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API tenon_status tenon_generator_state(const tenon_generator* generator, int64_t capacity,
                                             void* out_data, int64_t* out_nbytes);

/// Goes to a state that tenon_generator_state wrote for a generator of the same device type.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for bytes that are no such state,
///            TENON_ERROR_NOT_SUPPORTED, or what the provider raised; the generator is unchanged.
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API tenon_status tenon_generator_set_state(tenon_generator* generator, const void* data,
                                                 int64_t nbytes);

/// Draws the next `count` numbers, uniform over all 2^32. No other thread's draw is served between
/// two of them.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a negative count, TENON_ERROR_NOT_SUPPORTED, or what
///            the provider raised.
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API tenon_status tenon_generator_random(tenon_generator* generator, int64_t count,
                                              uint32_t* out_numbers);

/// Draws `count` samples of the standard normal distribution by pairs (Box and Muller, 1958), each
/// from four numbers, PyTorch's samples on the CPU. The second of an odd count is the spare with
/// which the CPU's next draw begins; generators of other devices drop it.
///
/// Errors:    as tenon_generator_random, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; *blocks* while another thread draws.
/// Since:     0.1
TENON_API tenon_status tenon_generator_normal(tenon_generator* generator, int64_t count,
                                              double* out_samples);

/// Returns the provider's own object behind the generator, for the kernels of its device; NULL for
/// the CPU's.
///
/// Ownership: borrowed until the generator dies.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void* tenon_generator_native(const tenon_generator* generator);

TENON_END_DECLS

#endif /* TENON_GENERATOR_H */
