// SPDX-License-Identifier: Apache-2.0
//! Guards on the calling thread's keys, and captured thread states.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;
use std::thread::JoinHandle;

use tenon_sys as sys;

use crate::dispatch::DispatchKeySet;
use crate::error::{check, Result};

/// A guard on the calling thread's keys. Dropping it restores the keys. It stays on its thread, and
/// guards must be dropped in reverse order, as scopes do.
///
/// # Panics
/// Panics, and leaves the keys unchanged, if a guard that the thread entered later is still alive.
///
/// ```
/// use tenon::{DispatchKey, DispatchKeySet, KeyGuard};
/// let tracer = DispatchKeySet::of(&[DispatchKey::TRACER])?;
/// {
///     let _guard = KeyGuard::exclude(tracer)?;
///     assert!(DispatchKeySet::excluded().has(DispatchKey::TRACER));
/// }
/// assert!(!DispatchKeySet::excluded().has(DispatchKey::TRACER));
/// # Ok::<(), tenon::Error>(())
/// ```
#[must_use = "the guard ends when it is dropped"]
#[derive(Debug)]
pub struct KeyGuard {
    raw: sys::tenon_key_guard,
    owner_thread: PhantomData<*const ()>,
}

impl KeyGuard {
    pub(crate) fn enter(
        function: impl FnOnce(*mut sys::tenon_key_guard) -> sys::tenon_status,
    ) -> Result<KeyGuard> {
        let mut raw = MaybeUninit::uninit();
        check(function(raw.as_mut_ptr()))?;
        Ok(KeyGuard {
            // SAFETY: key_guard.h: the function that enters fills it.
            raw: unsafe { raw.assume_init() },
            owner_thread: PhantomData,
        })
    }

    /// Adds keys to every call of this thread.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY) on a thread's first use.
    pub fn include(keys: DispatchKeySet) -> Result<KeyGuard> {
        // SAFETY: the guard is plain memory of ours, left on this thread: it is not Send.
        KeyGuard::enter(|out| unsafe { sys::tenon_key_guard_include(keys.0, out) })
    }

    /// Removes keys from every call of this thread. Backends are ignored.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY) on a thread's first use.
    pub fn exclude(keys: DispatchKeySet) -> Result<KeyGuard> {
        // SAFETY: as in `include`.
        KeyGuard::enter(|out| unsafe { sys::tenon_key_guard_exclude(keys.0, out) })
    }

    /// Replaces the included and excluded keys.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY) on a thread's first use.
    pub fn force(include: DispatchKeySet, exclude: DispatchKeySet) -> Result<KeyGuard> {
        // SAFETY: as in `include`.
        KeyGuard::enter(|out| unsafe { sys::tenon_key_guard_force(include.0, exclude.0, out) })
    }
}

impl Drop for KeyGuard {
    fn drop(&mut self) {
        // SAFETY: key_guard.h: filled by the function that entered it.
        left(unsafe { sys::tenon_key_guard_leave(&self.raw) })
    }
}

/// The state that affects a thread's calls, to carry to another thread.
#[derive(Debug)]
pub struct ThreadState(ptr::NonNull<sys::tenon_thread_state>);

// SAFETY: thread.h: any thread may retain, release and enter a captured state.
unsafe impl Send for ThreadState {}
// SAFETY: as above; entering only reads it.
unsafe impl Sync for ThreadState {}

impl ThreadState {
    /// Captures the calling thread's state.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn capture() -> Result<ThreadState> {
        let mut out = ptr::null_mut();
        // SAFETY: `out` gets a new reference.
        check(unsafe { sys::tenon_thread_state_capture(&mut out) })?;
        // SAFETY: as above, and not NULL.
        Ok(ThreadState(unsafe { ptr::NonNull::new_unchecked(out) }))
    }

    /// Enters the state on the calling thread until the guard is dropped.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn enter(&self) -> Result<ThreadStateGuard> {
        let mut previous = ptr::null_mut();
        // SAFETY: the state is live; `previous` is consumed by leave, on this thread.
        check(unsafe { sys::tenon_thread_state_enter(self.0.as_ptr(), &mut previous) })?;
        Ok(ThreadStateGuard { previous })
    }
}

impl ThreadState {
    /// Returns a function that runs `task` under this state, on any thread.
    ///
    /// ```
    /// let state = tenon::ThreadState::capture()?;
    /// let answer = std::thread::spawn(state.bind(|| 6 * 7)).join().unwrap()?;
    /// assert_eq!(answer, 42);
    /// # Ok::<(), tenon::Error>(())
    /// ```
    pub fn bind<T>(&self, task: impl FnOnce() -> T) -> impl FnOnce() -> Result<T> {
        let state = self.clone();
        move || {
            let _guard = state.enter()?;
            Ok(task())
        }
    }

    /// Starts a thread that runs `task` under the calling thread's state.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn spawn<T: Send + 'static>(
        task: impl FnOnce() -> T + Send + 'static,
    ) -> Result<JoinHandle<Result<T>>> {
        Ok(std::thread::spawn(ThreadState::capture()?.bind(task)))
    }
}

impl Clone for ThreadState {
    fn clone(&self) -> ThreadState {
        // SAFETY: retain returns a new reference to the live state.
        unsafe {
            let raw = sys::tenon_thread_state_retain(self.0.as_ptr());
            ThreadState(ptr::NonNull::new_unchecked(raw))
        }
    }
}

impl Drop for ThreadState {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_thread_state_release(self.0.as_ptr()) }
    }
}

/// Restores the thread's own state when it is dropped. It stays on its thread.
///
/// # Panics
/// Like [`KeyGuard`], panics if states or guards that were entered later are still alive.
#[must_use = "the state is left when the guard is dropped"]
#[derive(Debug)]
pub struct ThreadStateGuard {
    previous: *mut sys::tenon_thread_state,
}

impl Drop for ThreadStateGuard {
    fn drop(&mut self) {
        // SAFETY: thread.h: left once; a raw pointer is not Send.
        left(unsafe { sys::tenon_thread_state_leave(self.previous) })
    }
}

/// Checks the status of leaving a guard. On the thread that entered, leaving only fails if guards
/// are left out of order. That is a bug in the program, so it panics.
pub(crate) fn left(status: sys::tenon_status) {
    if let Err(error) = check(status) {
        if !std::thread::panicking() {
            panic!("{}", error.message());
        }
    }
}
