// SPDX-License-Identifier: Apache-2.0
//! Profiles: dispatches of one thread with times and nesting.

use std::fmt;
use std::ptr::{self, NonNull};
use std::time::Duration;

use tenon_sys as sys;

use crate::dispatch::{DispatchKey, DispatchKeySet};
use crate::error::{check, Result};
use crate::op::Op;
use crate::status::Status;
use crate::text::{language_name, static_text};

/// A dispatch of a profile.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProfileEvent {
    /// The operator.
    pub op: &'static str,
    /// The key whose slot was called.
    pub key: DispatchKey,
    /// True for a redispatch from inside a kernel.
    pub redispatch: bool,
    /// The dispatch's key set.
    pub keys: DispatchKeySet,
    /// Number of the profile's events that it ran inside.
    pub depth: usize,
    /// Index of the innermost of those events.
    pub parent: Option<usize>,
    /// The kernel's language, such as `"Rust"`.
    pub language: &'static str,
    /// The kernel's name; empty if unknown.
    pub kernel: &'static str,
    /// File in which the kernel was registered; empty if unknown.
    pub file: &'static str,
    /// Line of the registration; 0 if unknown.
    pub line: i32,
    /// Start time, relative to the beginning of the profile.
    pub begin: Duration,
    /// Duration; `None` if it was still running when the profile ended.
    pub duration: Option<Duration>,
    /// Status of a failed kernel; `None` if it succeeded or did not return.
    pub error: Option<Status>,
}

impl ProfileEvent {
    fn from_span(span: &sys::tenon_profile_span) -> ProfileEvent {
        let nanoseconds = |count: i64| Duration::from_nanos(u64::try_from(count).unwrap_or(0));
        // SAFETY: profile.h: the texts are never freed.
        let (kernel, file) = unsafe { (static_text(span.kernel), static_text(span.file)) };
        ProfileEvent {
            op: Op::unread(span.op).name(),
            key: DispatchKey::from_code(span.key),
            redispatch: span.redispatch != 0,
            keys: DispatchKeySet::from_bits(span.keys),
            depth: usize::try_from(span.depth).unwrap_or(0),
            parent: usize::try_from(span.parent).ok(),
            language: language_name(span.language),
            kernel,
            file,
            line: span.line,
            begin: nanoseconds(span.begin_ns),
            duration: (span.end_ns >= 0).then(|| nanoseconds(span.end_ns - span.begin_ns)),
            error: (span.status != sys::TENON_OK as sys::tenon_status)
                .then_some(Status(span.status)),
        }
    }
}

/// One line, indented by depth, with the duration at its end if that is known.
impl fmt::Display for ProfileEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (op, key, language) = (self.op, self.key, self.language);
        let what = if self.redispatch {
            "redispatch"
        } else {
            "call"
        };
        let indent = 2 * self.depth;
        write!(f, "{:indent$}{what} {op} [{key}] {language}", "")?;
        if !self.kernel.is_empty() {
            write!(f, " {}", self.kernel)?;
        }
        if self.error.is_some() {
            f.write_str(" failed")?;
        }
        match self.duration {
            Some(duration) => write!(f, " {:.1} us", duration.as_secs_f64() * 1e6),
            None => Ok(()),
        }
    }
}

/// A profile of this thread, which records until it is dropped.
struct Recording {
    raw: NonNull<sys::tenon_profile>,
    on: bool,
}

impl Recording {
    fn begin() -> Result<Recording> {
        let mut out = ptr::null_mut();
        // SAFETY: `out` is ours and gets a new reference.
        check(unsafe { sys::tenon_profile_begin(0, &mut out) })?;
        let raw = NonNull::new(out).ok_or_else(|| {
            crate::Error::new(Status::INTERNAL, "tenon_profile_begin returned no profile")
        })?;
        Ok(Recording { raw, on: true })
    }

    fn end(&mut self) -> Result<()> {
        self.on = false;
        // SAFETY: a raw pointer is not Send: this is the thread that began it.
        check(unsafe { sys::tenon_profile_end(self.raw.as_ptr()) })
    }

    fn events(&self) -> Result<Vec<ProfileEvent>> {
        let (raw, mut count, mut dropped) = (self.raw.as_ptr(), 0, 0);
        // SAFETY: the profile lives, and both numbers are ours.
        check(unsafe { sys::tenon_profile_span_count(raw, &mut count, &mut dropped) })?;
        (0..count)
            .map(|index| {
                // SAFETY: plain data, for which zeros are a value.
                let mut span: sys::tenon_profile_span = unsafe { std::mem::zeroed() };
                span.struct_size = std::mem::size_of_val(&span) as u32;
                // SAFETY: the profile lives, and `span` is ours and says its size.
                check(unsafe { sys::tenon_profile_get_span(raw, index, &mut span) })?;
                Ok(ProfileEvent::from_span(&span))
            })
            .collect()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if self.on {
            // A panic is propagated. Ending a recording on its own thread does not fail.
            let _ = self.end();
        }
        // SAFETY: this is our reference.
        unsafe { sys::tenon_profile_release(self.raw.as_ptr()) }
    }
}

/// Runs `body` and returns the dispatches of the calling thread during it. Profiles can be nested.
///
/// ```
/// use tenon::{introspect, DispatchKey, Library, Op, Tensor};
/// let library = Library::define_namespace("profile_doc")?;
/// library.define("same(Tensor x) -> Tensor")?;
/// library.impl_fn("same", DispatchKey::CPU, |x: &Tensor| x.clone())?;
/// let x = Tensor::scalar(1.0f32)?;
/// let (y, events) = introspect::profile(|| Op::find("profile_doc::same")?.call::<Tensor>((&x,)))?;
/// assert_eq!((events.len(), events[0].op), (1, "profile_doc::same"));
/// assert_eq!(events[0].key, DispatchKey::CPU);
/// assert!(events[0].duration.is_some());
/// # y?;
/// # Ok::<(), tenon::Error>(())
/// ```
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`].
pub fn profile<T>(body: impl FnOnce() -> T) -> Result<(T, Vec<ProfileEvent>)> {
    let mut recording = Recording::begin()?;
    let result = body();
    recording.end()?;
    Ok((result, recording.events()?))
}
