// SPDX-License-Identifier: Apache-2.0
//! Objects: values of custom Rust types, passed through boxed calls.

use std::any::TypeId;
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::fmt;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::kernel::contain;
use crate::text::{c_text, text};

/// A Rust type whose values can be passed through calls.
pub trait ObjectType: Send + Sync + 'static {
    /// The type's name, such as `"vision.Palette"`; class types in schemas match it.
    const NAME: &'static str;
}

/// A value of a custom type of some language. Cloning shares it.
///
/// ```
/// struct Palette(Vec<u32>);
/// impl tenon::ObjectType for Palette {
///     const NAME: &'static str = "vision.Palette";
/// }
/// let object = tenon::Object::new(Palette(vec![0xff0000]))?;
/// assert_eq!(object.type_name(), "vision.Palette");
/// assert_eq!(object.downcast_ref::<Palette>().unwrap().0, [0xff0000]);
/// # Ok::<(), tenon::Error>(())
/// ```
#[repr(transparent)]
pub struct Object(NonNull<sys::tenon_object>);

// SAFETY: object.h: reference counting on any thread; Rust values inside are Send + Sync, and those
// of other languages are never accessed from Rust.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

impl Object {
    /// Wraps a value.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn new<T: ObjectType>(value: T) -> Result<Object> {
        Object::with_type(type_of::<T>(Role::Plain, |_| ()), value)
    }

    /// Wraps a value with a type record of `T`.
    pub(crate) fn with_type<T: ObjectType>(
        record: &'static sys::tenon_object_type,
        value: T,
    ) -> Result<Object> {
        let value = Box::into_raw(Box::new(value));
        let mut out = ptr::null_mut();
        // SAFETY: the type record is never freed; on success `release` frees the box.
        let status = unsafe { sys::tenon_object_new(record, value.cast(), &mut out) };
        if let Err(error) = check(status) {
            // SAFETY: a failed call does not take over the box.
            drop(unsafe { Box::from_raw(value) });
            return Err(error);
        }
        // SAFETY: a new reference.
        Ok(unsafe { Object::from_raw(out) })
    }

    /// Takes over a reference.
    ///
    /// # Safety
    /// `raw` is a live object, not NULL, that the caller owns a reference to.
    pub unsafe fn from_raw(raw: *mut sys::tenon_object) -> Object {
        // SAFETY: the caller's promise.
        Object(unsafe { NonNull::new_unchecked(raw) })
    }

    /// Returns the handle, borrowed.
    pub fn as_raw(&self) -> *mut sys::tenon_object {
        self.0.as_ptr()
    }

    /// Passes the reference to C.
    pub fn into_raw(self) -> *mut sys::tenon_object {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    /// Returns the name of its type.
    pub fn type_name(&self) -> String {
        // SAFETY: object.h: type and name live as long as the object.
        unsafe { text((*sys::tenon_object_get_type(self.as_raw())).name).into_owned() }
    }

    /// Returns the Rust value, if it is a `T` made by this copy of the package.
    pub fn downcast_ref<T: ObjectType>(&self) -> Option<&T> {
        // SAFETY: the type records of T belong to this copy, so an equal address means that `self`
        // is a box made here, borrowed until the object dies.
        unsafe {
            if !is_type_of::<T>(sys::tenon_object_get_type(self.as_raw())) {
                return None;
            }
            Some(&*sys::tenon_object_self(self.as_raw()).cast::<T>())
        }
    }
}

impl Clone for Object {
    fn clone(&self) -> Object {
        // SAFETY: the object is live; retain returns a new reference.
        unsafe { Object::from_raw(sys::tenon_object_retain(self.as_raw())) }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_object_release(self.as_raw()) }
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Object({})", self.type_name())
    }
}

struct Record(sys::tenon_object_type);

// SAFETY: the record is read-only once made; its name is never freed.
unsafe impl Send for Record {}
// SAFETY: as above.
unsafe impl Sync for Record {}

/// Roles of a record's objects; each role has its own handlers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    Plain,
    Overrides,
    Dispatches,
    Function,
}

type Records = HashMap<(TypeId, Role), &'static Record>;

fn records() -> MutexGuard<'static, Records> {
    static TYPES: OnceLock<Mutex<Records>> = OnceLock::new();
    let types = TYPES.get_or_init(Default::default);
    types.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the type record of `T` in a role. It is made on first use and never freed. `complete`
/// adds its handlers.
pub(crate) fn type_of<T: ObjectType>(
    role: Role,
    complete: impl FnOnce(&mut sys::tenon_object_type),
) -> &'static sys::tenon_object_type {
    record_of::<T>(role, T::NAME, complete)
}

/// Returns the type record of a closure, named after its Rust type.
pub(crate) fn function_type<F: Send + Sync + 'static>(
    complete: impl FnOnce(&mut sys::tenon_object_type),
) -> &'static sys::tenon_object_type {
    record_of::<F>(Role::Function, std::any::type_name::<F>(), complete)
}

fn record_of<T: Send + Sync + 'static>(
    role: Role,
    name: &str,
    complete: impl FnOnce(&mut sys::tenon_object_type),
) -> &'static sys::tenon_object_type {
    let mut types = records();
    let record = types.entry((TypeId::of::<T>(), role)).or_insert_with(|| {
        let name: *const c_char = c_text(name).into_raw();
        let mut record = sys::tenon_object_type {
            struct_size: std::mem::size_of::<sys::tenon_object_type>() as u32,
            language: sys::TENON_LANGUAGE_RUST,
            name,
            base: ptr::null(),
            retain: None,
            release: Some(release::<T>),
            override_: None,
            dispatch: None,
            call: None,
            reserved: [0; 5],
        };
        complete(&mut record);
        Box::leak(Box::new(Record(record)))
    });
    &record.0
}

/// Returns true if a record belongs to `T`, in any role.
fn is_type_of<T: ObjectType>(record: *const sys::tenon_object_type) -> bool {
    let types = records();
    [Role::Plain, Role::Overrides, Role::Dispatches]
        .into_iter()
        .filter_map(|role| types.get(&(TypeId::of::<T>(), role)))
        .any(|known| ptr::eq(record, &known.0))
}

unsafe extern "C" fn release<T>(value: *mut c_void) {
    contain(|| {
        // SAFETY: object.h: called once when the object dies, on the box made for it.
        drop(unsafe { Box::from_raw(value.cast::<T>()) })
    });
}
