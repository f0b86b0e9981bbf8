// SPDX-License-Identifier: Apache-2.0
//! Thread slots: state of a layer on each thread, which thread states carry.

use std::any::{Any, TypeId};
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex, PoisonError};

use tenon_sys as sys;

use crate::error::{check, Error, Result};
use crate::kernel::contain;
use crate::status::Status;
use crate::text::c_name;

/// The boxed target of a word: one thin pointer for values of any type.
type Carried = Arc<dyn Any + Send + Sync>;

/// A value of type `T` that each thread has, initially `None`. [`ThreadState`](crate::ThreadState)s
/// carry it: a thread that enters a state sees the value of the time when it was captured. Threads
/// share a value, so it can be replaced but not changed.
///
/// ```
/// use std::sync::Arc;
/// use tenon::{ThreadSlot, ThreadState};
/// let depth = ThreadSlot::<u32>::register("doc.depth")?;
/// depth.replace(Some(Arc::new(3)))?;
/// let seen = ThreadState::spawn(move || depth.get())?.join().unwrap()??;
/// assert_eq!(seen.as_deref(), Some(&3));
/// # depth.replace(None)?;
/// # Ok::<(), tenon::Error>(())
/// ```
pub struct ThreadSlot<T> {
    index: u32,
    value: PhantomData<fn() -> T>,
}

/// The type of each slot that was registered here, by its number. The library compares only
/// functions, and our functions are the same for all types.
static TYPES: Mutex<Vec<(u32, TypeId)>> = Mutex::new(Vec::new());

impl<T: Send + Sync + 'static> ThreadSlot<T> {
    /// Declares a slot. Declaring the same name and type again returns the same slot.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for an empty name, [`Status::ALREADY_EXISTS`] for a name that
    /// was registered for another type or not by this package, [`Status::STATE`] if all slots are
    /// taken.
    pub fn register(name: &str) -> Result<ThreadSlot<T>> {
        let text = c_name("ThreadSlot::register", "name", name)?;
        let slot = sys::tenon_thread_slot {
            struct_size: std::mem::size_of::<sys::tenon_thread_slot>() as u32,
            reserved0: 0,
            copy: Some(copy_word),
            drop: Some(drop_word),
            reserved: [0; 4],
        };
        let mut types = TYPES.lock().unwrap_or_else(PoisonError::into_inner);
        let mut index = 0;
        // SAFETY: thread.h: the struct is copied, and its functions are static.
        check(unsafe { sys::tenon_thread_slot_register(text.as_ptr(), &slot, &mut index) })?;
        let own = TypeId::of::<T>();
        match types.iter().find(|(known, _)| *known == index) {
            None => types.push((index, own)),
            Some((_, known)) if *known == own => {}
            Some(_) => {
                return Err(Error::new(
                    Status::ALREADY_EXISTS,
                    format!(
                        "ThreadSlot::register: {name} must have the type that it was registered \
                         with, got {}",
                        std::any::type_name::<T>()
                    ),
                ));
            }
        }
        Ok(ThreadSlot {
            index,
            value: PhantomData,
        })
    }

    /// Returns the calling thread's value.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`] on a thread's first use.
    pub fn get(&self) -> Result<Option<Arc<T>>> {
        let word = self.word()?;
        // SAFETY: thread.h: the word belongs to this thread, and is NULL or was stored by `replace`
        // or `copy_word`. Cloning an `Arc` runs no code that could replace it.
        let carried = unsafe { word.as_ref().cast::<Carried>().as_ref() }.cloned();
        Ok(carried.and_then(typed))
    }

    /// Sets the calling thread's value and returns the previous one.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`] on a thread's first use.
    pub fn replace(&self, value: Option<Arc<T>>) -> Result<Option<Arc<T>>> {
        let mut word = self.word()?;
        let fresh = value.map_or(ptr::null_mut(), |value| boxed(value));
        // SAFETY: as in `get`; the old box is ours from here on.
        let old = unsafe {
            let old = std::mem::replace(word.as_mut(), fresh).cast::<Carried>();
            (!old.is_null()).then(|| *Box::from_raw(old))
        };
        Ok(old.and_then(typed))
    }

    fn word(&self) -> Result<NonNull<*mut c_void>> {
        // SAFETY: thread.h: the address of the calling thread's word.
        NonNull::new(unsafe { sys::tenon_thread_slot_peek(self.index) }).ok_or_else(|| {
            Error::new(
                Status::OUT_OF_MEMORY,
                "ThreadSlot: the thread must have memory for its slots, got none",
            )
        })
    }
}

fn boxed(value: Carried) -> *mut c_void {
    Box::into_raw(Box::new(value)).cast()
}

/// Cannot fail, because `register` refuses a second type for a slot.
fn typed<T: Send + Sync + 'static>(value: Carried) -> Option<Arc<T>> {
    let typed = value.downcast();
    debug_assert!(typed.is_ok(), "a slot's value must have the slot's type");
    typed.ok()
}

unsafe extern "C" fn copy_word(word: *mut c_void, out: *mut *mut c_void) -> sys::tenon_status {
    // SAFETY: thread.h: never NULL, made by `boxed`, and not dropped during the call.
    unsafe { *out = boxed((*word.cast::<Carried>()).clone()) };
    0
}

unsafe extern "C" fn drop_word(word: *mut c_void) {
    contain(|| {
        // SAFETY: thread.h: never NULL, made by `boxed`, and freed once by the library.
        drop(unsafe { Box::from_raw(word.cast::<Carried>()) })
    });
}

impl<T> Clone for ThreadSlot<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ThreadSlot<T> {}

impl<T> fmt::Debug for ThreadSlot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ThreadSlot({})", self.index)
    }
}
