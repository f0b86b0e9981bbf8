// SPDX-License-Identifier: Apache-2.0
//! Owned error objects of the C interface, with Rust errors and panics as payloads.

use std::any::Any;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::ffi::c_void;
use std::fmt;
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicU8;
use std::sync::{Mutex, OnceLock};

use tenon_sys as sys;

use crate::status::Status;
use crate::text::{c_text, language_name, text};

/// Result of every fallible function of this package.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A place in source code that an error passed through. They are innermost first in
/// [`Error::frames`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Language of the code, such as `"Rust"`.
    pub language: &'static str,
    /// Function or kernel; empty if unknown.
    pub function: String,
    /// Source file; empty if unknown.
    pub file: String,
    /// Line; 0 if unknown.
    pub line: u32,
}

impl Frame {
    /// # Safety
    /// The texts of `raw` live for this call.
    pub(crate) unsafe fn of(raw: &sys::tenon_error_frame) -> Frame {
        // SAFETY: what the caller promises; the texts are copied.
        unsafe {
            Frame {
                language: language_name(raw.language),
                function: text(raw.function).into_owned(),
                file: text(raw.file).into_owned(),
                line: u32::try_from(raw.line).unwrap_or(0),
            }
        }
    }
}

/// An error of any language.
///
/// Owns the C error object. An error value or a panic of a Rust kernel is carried as a payload and
/// can be recovered unchanged: [`Error::downcast_ref`], [`Error::into_panic`].
pub struct Error(Box<Inner>);

struct Inner {
    raw: NonNull<sys::tenon_error>,
    cause: OnceLock<Option<Error>>,
}

// SAFETY: error.h lets any thread read and release an error; it changes only through `&mut Error`.
unsafe impl Send for Error {}
// SAFETY: as above; `&Error` reads only, and payloads are Send + Sync.
unsafe impl Sync for Error {}

impl Error {
    /// Makes an error with the status's default kind.
    pub fn new(status: Status, message: impl AsRef<str>) -> Error {
        Error::build(status, None, message.as_ref())
    }

    /// Makes an error with a custom kind, such as `"PaletteError"`.
    pub fn with_kind(status: Status, kind: &str, message: impl AsRef<str>) -> Error {
        Error::build(status, Some(kind), message.as_ref())
    }

    /// Wraps a Rust error value: its type's name becomes the kind, its sources become the causes,
    /// and [`Error::downcast_ref`] returns the value itself.
    pub fn from_error<E: StdError + Send + Sync + 'static>(error: E) -> Error {
        let kind = std::any::type_name::<E>();
        Error::from_boxed(Box::new(error), short_name(kind))
    }

    fn from_boxed(error: Box<dyn StdError + Send + Sync>, kind: &str) -> Error {
        let error = match error.downcast::<Error>() {
            Ok(own) => return *own,
            Err(other) => other,
        };
        let mut result = Error::with_kind(Status::FOREIGN, kind, error.to_string());
        let mut sources = Vec::new();
        let mut source = error.source();
        while let Some(one) = source {
            sources.push(Error::with_kind(Status::FOREIGN, "Error", one.to_string()));
            source = one.source();
        }
        let cause = sources.into_iter().rev().reduce(|inner, mut outer| {
            outer.set_cause(inner);
            outer
        });
        if let Some(cause) = cause {
            result.set_cause(cause);
        }
        result.set_payload(Carried::Error(error));
        result
    }

    pub(crate) fn from_panic(panic: Box<dyn Any + Send>) -> Error {
        let text = if let Some(text) = panic.downcast_ref::<&str>() {
            Cow::Borrowed(*text)
        } else if let Some(text) = panic.downcast_ref::<String>() {
            Cow::Owned(text.clone())
        } else {
            Cow::Borrowed("a panic without text")
        };
        let mut error = Error::with_kind(Status::FOREIGN, "panic", text.as_ref());
        error.set_payload(Carried::Panic(Mutex::new(Some(panic))));
        error
    }

    fn build(status: Status, kind: Option<&str>, message: &str) -> Error {
        let kind = kind.map(c_text);
        let message = c_text(message);
        let kind = kind.as_ref().map_or(ptr::null(), |kind| kind.as_ptr());
        // SAFETY: tenon_error_new copies both texts; a NULL kind takes the default.
        unsafe { Error::from_raw(sys::tenon_error_new(status.0, kind, message.as_ptr())) }
    }

    /// Takes over a reference.
    ///
    /// # Safety
    /// `raw` is a live error that the caller owns a reference to.
    pub unsafe fn from_raw(raw: *mut sys::tenon_error) -> Error {
        let raw = match NonNull::new(raw) {
            Some(raw) => raw,
            None => {
                // SAFETY: tenon_error_new never returns NULL (it falls back to a preallocated
                // error).
                unsafe {
                    NonNull::new_unchecked(sys::tenon_error_new(
                        Status::INTERNAL.0,
                        ptr::null(),
                        b"a failure left no error object\0".as_ptr().cast(),
                    ))
                }
            }
        };
        Error(Box::new(Inner {
            raw,
            cause: OnceLock::new(),
        }))
    }

    /// Passes the reference to C.
    pub fn into_raw(self) -> *mut sys::tenon_error {
        let raw = self.as_raw();
        // SAFETY: the retained reference outlives `self`, whose own reference is dropped here.
        unsafe { sys::tenon_error_retain(raw) }
    }

    /// Returns the handle, borrowed.
    pub fn as_raw(&self) -> *mut sys::tenon_error {
        self.0.raw.as_ptr()
    }

    /// Takes the error of a failed call out of the thread's slot.
    #[cold]
    pub(crate) fn take(status: sys::tenon_status) -> Error {
        // SAFETY: tenon_error_take moves the slot's reference to us.
        let raw = unsafe { sys::tenon_error_take() };
        if raw.is_null() {
            return Error::new(Status(status), "a call failed without an error");
        }
        // SAFETY: as above, and not NULL.
        unsafe { Error::from_raw(raw) }
    }

    /// Stores the error in the thread's slot, for the C function that called us, and returns its
    /// code.
    #[cold]
    pub(crate) fn leave(self) -> sys::tenon_status {
        // SAFETY: error.h: the slot takes over the reference.
        unsafe { sys::tenon_error_set(self.into_raw()) }
    }

    /// Returns the status code.
    pub fn status(&self) -> Status {
        // SAFETY: the error is live.
        Status(unsafe { sys::tenon_error_code(self.as_raw()) })
    }

    /// Returns the kind, such as `"TypeError"`, or the name of an exception type.
    pub fn kind(&self) -> Cow<'_, str> {
        // SAFETY: the text is borrowed until the error dies.
        unsafe { text(sys::tenon_error_kind(self.as_raw())) }
    }

    /// Returns the message, without kind, notes and frames.
    pub fn message(&self) -> Cow<'_, str> {
        // SAFETY: the text is borrowed until the error dies.
        unsafe { text(sys::tenon_error_message(self.as_raw())) }
    }

    /// Returns the notes: lines of context below the message.
    pub fn notes(&self) -> Vec<Cow<'_, str>> {
        // SAFETY: indices are in range and the texts are borrowed until the error dies.
        unsafe {
            let count = sys::tenon_error_note_count(self.as_raw());
            (0..count)
                .map(|index| text(sys::tenon_error_note(self.as_raw(), index)))
                .collect()
        }
    }

    /// Adds a note, a line of context.
    #[must_use]
    pub fn with_note(self, note: &str) -> Error {
        let note = c_text(note);
        // SAFETY: we own the error alone; the text is copied.
        unsafe { sys::tenon_error_add_note(self.as_raw(), note.as_ptr()) };
        self
    }

    /// Returns the places that the error passed through, innermost first.
    pub fn frames(&self) -> Vec<Frame> {
        let frame = |index| {
            // SAFETY: plain data; the all-zero frame is valid.
            let mut raw: sys::tenon_error_frame = unsafe { std::mem::zeroed() };
            // SAFETY: the index is in range, and the texts are copied before the error can die.
            unsafe {
                if sys::tenon_error_get_frame(self.as_raw(), index, &mut raw) != 0 {
                    return None;
                }
                Some(Frame::of(&raw))
            }
        };
        // SAFETY: the error is live.
        let count = unsafe { sys::tenon_error_frame_count(self.as_raw()) };
        (0..count).filter_map(frame).collect()
    }

    pub(crate) fn add_frame(&mut self, function: &str, file: &str, line: u32) {
        let (function, file) = (c_text(function), c_text(file));
        // SAFETY: we own the error alone; the texts are copied.
        unsafe {
            sys::tenon_error_add_frame(
                self.as_raw(),
                sys::TENON_LANGUAGE_RUST,
                function.as_ptr(),
                file.as_ptr(),
                line as i32,
            )
        }
    }

    /// Returns the error that caused this one.
    pub fn cause(&self) -> Option<&Error> {
        let cause = self.0.cause.get_or_init(|| {
            // SAFETY: the cause lives as long as the error, to which we keep our own reference.
            unsafe {
                let cause = sys::tenon_error_cause(self.as_raw());
                (!cause.is_null())
                    .then(|| Error::from_raw(sys::tenon_error_retain(cause.cast_mut())))
            }
        });
        cause.as_ref()
    }

    /// Sets the error that caused this one.
    pub fn set_cause(&mut self, cause: Error) {
        // SAFETY: we own the error alone; it takes over the reference.
        unsafe { sys::tenon_error_set_cause(self.as_raw(), cause.into_raw()) };
        self.0.cause = OnceLock::new();
    }

    /// Returns the Rust error value that this error was made from, if it has type `E` and was made
    /// by this copy of the package (each shared library has its own).
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        match self.payload()? {
            Carried::Error(error) => error.downcast_ref::<E>(),
            Carried::Panic(_) => None,
        }
    }

    /// Returns true if this error is a panic of a Rust kernel in this copy of the package.
    pub fn is_panic(&self) -> bool {
        matches!(self.payload(), Some(Carried::Panic(_)))
    }

    /// Returns the panic's payload, for [`std::panic::resume_unwind`].
    ///
    /// # Errors
    /// The error itself if it is no panic, or if its payload was taken before.
    pub fn into_panic(self) -> Result<Box<dyn Any + Send>> {
        let panic = match self.payload() {
            Some(Carried::Panic(panic)) => match panic.lock() {
                Ok(mut panic) => panic.take(),
                Err(poisoned) => poisoned.into_inner().take(),
            },
            _ => None,
        };
        panic.ok_or(self)
    }

    fn payload(&self) -> Option<&Carried> {
        // SAFETY: error.h: the payload of language RUST is borrowed until the error dies. Every
        // payload begins with a tag; the other fields are read only if the tag is that of this
        // copy.
        unsafe {
            let payload = sys::tenon_error_payload(self.as_raw(), sys::TENON_LANGUAGE_RUST);
            let payload = payload.cast::<Payload>();
            if payload.is_null() || (*payload).instance != instance() {
                return None;
            }
            Some(&(*payload).carried)
        }
    }

    fn set_payload(&mut self, carried: Carried) {
        let payload = Box::new(Payload {
            instance: instance(),
            carried,
        });
        // SAFETY: we own the error alone; `drop_payload` runs exactly once on this box.
        unsafe {
            sys::tenon_error_set_payload(
                self.as_raw(),
                sys::TENON_LANGUAGE_RUST,
                Box::into_raw(payload).cast(),
                Some(drop_payload),
            )
        }
    }
}

/// The payload that is passed to `tenon_error_set_payload`. Its first word identifies the copy of
/// the package that made it, because layouts and type ids of another copy cannot be used here.
#[repr(C)]
struct Payload {
    instance: *const AtomicU8,
    carried: Carried,
}

enum Carried {
    Error(Box<dyn StdError + Send + Sync>),
    Panic(Mutex<Option<Box<dyn Any + Send>>>),
}

fn instance() -> *const AtomicU8 {
    static INSTANCE: AtomicU8 = AtomicU8::new(0);
    &INSTANCE
}

unsafe extern "C" fn drop_payload(payload: *mut c_void) {
    crate::kernel::contain(|| {
        // SAFETY: error.h: a deleter runs exactly once, on the box that `set_payload` made.
        drop(unsafe { Box::from_raw(payload.cast::<Payload>()) })
    });
}

impl Drop for Error {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_error_release(self.as_raw()) }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        if let Some(Carried::Error(error)) = self.payload() {
            return error.source();
        }
        self.cause().map(|cause| cause as &(dyn StdError + 'static))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind(), self.message())?;
        for note in self.notes() {
            write!(f, "\n  {note}")?;
        }
        Ok(())
    }
}

/// Formats the whole error: kind, message, notes, frames and causes.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        for frame in self.frames() {
            write!(f, "\n  in {} ({}", frame.function, frame.language)?;
            if !frame.file.is_empty() {
                write!(f, ", {}:{}", frame.file, frame.line)?;
            }
            write!(f, ")")?;
        }
        if let Some(cause) = self.cause() {
            write!(f, "\ncaused by {cause:?}")?;
        }
        Ok(())
    }
}

impl From<Box<dyn StdError + Send + Sync>> for Error {
    fn from(error: Box<dyn StdError + Send + Sync>) -> Error {
        Error::from_boxed(error, "Error")
    }
}

macro_rules! from_error {
    ($($error:ty),*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::from_error(error)
            }
        })*
    };
}

from_error!(
    std::io::Error,
    fmt::Error,
    std::num::TryFromIntError,
    std::num::ParseIntError,
    std::num::ParseFloatError,
    std::str::Utf8Error,
    std::string::FromUtf8Error
);

/// Turns a status into a result, taking the error out of the thread's slot.
pub(crate) fn check(status: sys::tenon_status) -> Result<()> {
    if status == 0 {
        Ok(())
    } else {
        Err(Error::take(status))
    }
}

fn short_name(path: &str) -> &str {
    let end = path.find('<').unwrap_or(path.len());
    let start = path[..end].rfind("::").map_or(0, |at| at + 2);
    &path[start..]
}
