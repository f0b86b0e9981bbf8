// SPDX-License-Identifier: Apache-2.0
//! Random number generators.

use std::ffi::c_void;
use std::fmt;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::types::Device;

/// A seed and a position in its sequence, on a device. Cloning shares the generator.
///
/// Random operators take a generator as their `generator` argument, and use their device's default
/// generator if none is passed. Several threads may draw from one generator at the same time: the
/// numbers of each draw are consecutive, but the order of the draws is not determined.
///
/// ```
/// use tenon::{Device, Generator};
/// let generator = Generator::new(Device::CPU, 7)?;
/// let state = generator.state()?;
/// let mut numbers = [0; 4];
/// generator.random(&mut numbers)?;
/// let mut again = [0; 4];
/// generator.set_state(&state)?;
/// generator.random(&mut again)?;
/// assert_eq!(numbers, again);
/// # Ok::<(), tenon::Error>(())
/// ```
#[repr(transparent)]
pub struct Generator(NonNull<sys::tenon_generator>);

// SAFETY: generator.h: any thread may retain, release, seed and draw; each draw holds the
// generator's own lock.
unsafe impl Send for Generator {}
// SAFETY: as above.
unsafe impl Sync for Generator {}

impl Generator {
    /// Creates a generator with a seed.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`](crate::Status::NOT_FOUND) for a device without provider,
    /// [`Status::NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED) for one without generators, and what
    /// the provider raised.
    pub fn new(device: Device, seed: u64) -> Result<Generator> {
        let device = device.to_raw();
        let mut out = ptr::null_mut();
        // SAFETY: the device lives for the call and `out` gets a new reference.
        check(unsafe { sys::tenon_generator_new(&device, seed, &mut out) })?;
        // SAFETY: as above.
        Ok(unsafe { Generator::from_raw(out) })
    }

    /// Returns the default generator of a device, which operators use if none is passed.
    ///
    /// # Errors
    /// As [`Generator::new`].
    pub fn default_for(device: Device) -> Result<Generator> {
        let device = device.to_raw();
        let mut out = ptr::null_mut();
        // SAFETY: the device lives for the call and `out` gets a new reference.
        check(unsafe { sys::tenon_generator_open_default(&device, &mut out) })?;
        // SAFETY: as above.
        Ok(unsafe { Generator::from_raw(out) })
    }

    /// Takes over a reference.
    ///
    /// # Safety
    /// `raw` is a live generator, not NULL, that the caller owns a reference to.
    pub unsafe fn from_raw(raw: *mut sys::tenon_generator) -> Generator {
        // SAFETY: the caller's promise.
        Generator(unsafe { NonNull::new_unchecked(raw) })
    }

    /// Returns the handle, borrowed.
    pub fn as_raw(&self) -> *mut sys::tenon_generator {
        self.0.as_ptr()
    }

    /// Passes the reference to C.
    pub fn into_raw(self) -> *mut sys::tenon_generator {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    /// Returns the device whose operators may use the generator.
    pub fn device(&self) -> Device {
        let mut out = sys::tenon_device {
            type_: -1,
            index: -1,
        };
        // SAFETY: the generator is live and `out` ours.
        unsafe { sys::tenon_generator_device(self.as_raw(), &mut out) };
        Device::from_raw(out)
    }

    /// Restarts the generator with a seed.
    ///
    /// # Errors
    /// What the device's provider raised.
    pub fn seed(&self, seed: u64) -> Result<()> {
        // SAFETY: the generator is live.
        check(unsafe { sys::tenon_generator_seed(self.as_raw(), seed) })
    }

    /// Returns the seed that the generator was last seeded with.
    pub fn initial_seed(&self) -> u64 {
        // SAFETY: the generator is live.
        unsafe { sys::tenon_generator_initial_seed(self.as_raw()) }
    }

    /// Returns the whole state, for [`Generator::set_state`] of a generator on the same kind of
    /// device.
    ///
    /// # Errors
    /// What the device's provider raised.
    pub fn state(&self) -> Result<Vec<u8>> {
        let mut size = 0;
        // SAFETY: generator.h: NULL queries the size.
        check(unsafe { sys::tenon_generator_state(self.as_raw(), 0, ptr::null_mut(), &mut size) })?;
        let mut state = vec![0u8; usize::try_from(size).unwrap_or(0)];
        let (data, capacity) = (state.as_mut_ptr(), state.len() as i64);
        // SAFETY: `capacity` bytes may be written.
        check(unsafe {
            sys::tenon_generator_state(self.as_raw(), capacity, data.cast(), &mut size)
        })?;
        state.truncate(usize::try_from(size).unwrap_or(0));
        Ok(state)
    }

    /// Restores a state returned by [`Generator::state`].
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) if the bytes are no state of
    /// this kind of device; the generator does not change then.
    pub fn set_state(&self, state: &[u8]) -> Result<()> {
        let (data, size) = (state.as_ptr(), state.len() as i64);
        // SAFETY: `size` bytes are read.
        check(unsafe { sys::tenon_generator_set_state(self.as_raw(), data.cast(), size) })
    }

    /// Fills `out` with uniformly distributed 32-bit numbers.
    ///
    /// # Errors
    /// What the device's provider raised.
    pub fn random(&self, out: &mut [u32]) -> Result<()> {
        let (data, count) = (out.as_mut_ptr(), out.len() as i64);
        // SAFETY: `count` numbers may be written.
        check(unsafe { sys::tenon_generator_random(self.as_raw(), count, data) })
    }

    /// Fills `out` with samples of the standard normal distribution. They are drawn in pairs: if
    /// the length is odd, the second sample of the last pair is kept for the next draw.
    ///
    /// # Errors
    /// What the device's provider raised.
    pub fn normal(&self, out: &mut [f64]) -> Result<()> {
        let (data, count) = (out.as_mut_ptr(), out.len() as i64);
        // SAFETY: `count` numbers may be written.
        check(unsafe { sys::tenon_generator_normal(self.as_raw(), count, data) })
    }

    /// Returns the provider's generator object, for kernels of the device; NULL for a CPU
    /// generator.
    pub fn native(&self) -> *mut c_void {
        // SAFETY: the generator is live.
        unsafe { sys::tenon_generator_native(self.as_raw()) }
    }
}

/// Seeds the default generators of all devices, including those that are created later.
///
/// # Errors
/// What a device's provider raised; the other generators are seeded nevertheless.
pub fn manual_seed(seed: u64) -> Result<()> {
    // SAFETY: no precondition.
    check(unsafe { sys::tenon_generator_seed_all(seed) })
}

impl Clone for Generator {
    fn clone(&self) -> Generator {
        // SAFETY: the generator is live; retain returns a new reference.
        unsafe { Generator::from_raw(sys::tenon_generator_retain(self.as_raw())) }
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_generator_release(self.as_raw()) }
    }
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Generator({}, seed {})",
            self.device(),
            self.initial_seed()
        )
    }
}
