// SPDX-License-Identifier: Apache-2.0
//! Registrations: handles of what a library registered, and listeners of the registry.

use std::ffi::c_void;
use std::fmt;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::kernel::contain;
use crate::op::{failure, Op};
use crate::stack::Stack;

/// A definition, kernel, fallback or listener. Dropping the handle does not remove it: its library
/// owns it.
pub struct Registration(NonNull<sys::tenon_registration>);

// SAFETY: library.h: every function on a registration may run on any thread.
unsafe impl Send for Registration {}
// SAFETY: as above.
unsafe impl Sync for Registration {}

impl Registration {
    pub(crate) unsafe fn from_raw(raw: *mut sys::tenon_registration) -> Registration {
        // SAFETY: callers pass a new reference.
        Registration(unsafe { NonNull::new_unchecked(raw) })
    }

    /// Removes the registration. New calls are affected at once. Removing it again does nothing.
    pub fn remove(&self) {
        // SAFETY: library.h: any thread, any number of times.
        unsafe { sys::tenon_registration_remove(self.0.as_ptr()) }
    }

    /// Calls the kernel that this registration replaced, from inside its own kernel and on the same
    /// stack. That kernel sets the results.
    ///
    /// # Errors
    /// [`Status::NO_KERNEL`](crate::Status::NO_KERNEL) if it replaced none,
    /// [`Status::STATE`](crate::Status::STATE) if it has been removed or is no kernel's, and the
    /// older kernel's error.
    pub fn call_older(&self, stack: &mut Stack<'_>) -> Result<()> {
        let keys = stack.keys().bits();
        // SAFETY: library.h: called from inside a kernel on its own stack.
        let status =
            unsafe { sys::tenon_registration_call_older(self.0.as_ptr(), keys, stack.raw) };
        if status != 0 {
            return Err(failure(status, stack.raw));
        }
        Ok(())
    }

    /// Ties the registration to a scope: dropping the guard removes it.
    pub fn scoped(self) -> ScopedRegistration {
        ScopedRegistration(self)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_registration_release(self.0.as_ptr()) }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Registration")
    }
}

/// A registration that is removed at the end of its scope.
#[derive(Debug)]
#[must_use = "dropping it removes the registration"]
pub struct ScopedRegistration(Registration);

impl Drop for ScopedRegistration {
    fn drop(&mut self) {
        self.0.remove();
    }
}

/// Runs the deleters of removed kernels that are no longer running on any thread.
pub fn reap() {
    // SAFETY: no precondition.
    unsafe { sys::tenon_registry_reap() }
}

/// Events that are reported to a listener.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegistryEvent {
    /// The operator is defined, or was when the listener was added.
    Defined,
    /// Its definition was removed.
    Removed,
}

/// Calls `listener` with the name of each operator that exists, and of each that is defined or
/// removed later, until the guard is dropped.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
pub fn listen<F>(listener: F) -> Result<ScopedRegistration>
where
    F: Fn(RegistryEvent, &str) + Send + Sync + 'static,
{
    let ctx = Box::into_raw(Box::new(listener));
    let mut out = ptr::null_mut();
    // SAFETY: library.h: the box is taken over, also on failure; `out` gets a new reference.
    check(unsafe {
        let deleter = Some(drop_box::<F> as unsafe extern "C" fn(*mut c_void));
        sys::tenon_registry_add_listener(Some(tell::<F>), ctx.cast(), deleter, &mut out)
    })?;
    // SAFETY: as above.
    Ok(unsafe { Registration::from_raw(out) }.scoped())
}

unsafe extern "C" fn tell<F>(ctx: *mut c_void, event: u32, op: *const sys::tenon_op)
where
    F: Fn(RegistryEvent, &str) + Send + Sync + 'static,
{
    contain(|| {
        let event = match event {
            sys::TENON_EVENT_OP_DEFINED => RegistryEvent::Defined,
            sys::TENON_EVENT_OP_REMOVED => RegistryEvent::Removed,
            _ => return,
        };
        // SAFETY: library.h: the context lives while its listener runs.
        let listener = unsafe { &*ctx.cast::<F>() };
        listener(event, Op::unread(op).name());
    });
}

unsafe extern "C" fn drop_box<F>(ctx: *mut c_void) {
    contain(|| {
        // SAFETY: the deleter runs exactly once, on the box that was passed to C.
        drop(unsafe { Box::from_raw(ctx.cast::<F>()) })
    });
}
