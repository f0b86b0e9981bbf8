// SPDX-License-Identifier: Apache-2.0
//! Dispatch keys and key sets.

use std::fmt;
use std::ops::{BitAnd, BitOr};
use std::str::FromStr;

use tenon_sys as sys;

use crate::buffer::Buffer;
use crate::error::{check, Error, Result};
use crate::status::Status;
use crate::text::{c_name, static_text};

/// One dispatch key: a runtime key such as [`DispatchKey::CPU`], or an alias key such as
/// [`DispatchKey::AUTOGRAD`] that stands for many.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct DispatchKey(pub(crate) sys::tenon_key);

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident = $value:ident,)*) => {
        impl DispatchKey {
            $($(#[$doc])* pub const $name: DispatchKey = DispatchKey(sys::$value);)*
        }
    };
}

keys! {
    /// Kernels on the host.
    CPU = TENON_KEY_CPU,
    /// Kernels on CUDA devices.
    CUDA = TENON_KEY_CUDA,
    /// Shapes and dtypes without data.
    META = TENON_KEY_META,
    /// Chooses a backend for operators without tensor arguments.
    BACKEND_SELECT = TENON_KEY_BACKEND_SELECT,
    /// Fake tensors.
    FAKE = TENON_KEY_FAKE,
    /// User tensor types and dispatch modes.
    WRAPPER = TENON_KEY_WRAPPER,
    /// In-place and view bookkeeping.
    AD_INPLACE_OR_VIEW = TENON_KEY_AD_INPLACE_OR_VIEW,
    /// Autograd on the host.
    AUTOGRAD_CPU = TENON_KEY_AUTOGRAD_CPU,
    /// Autograd on CUDA devices.
    AUTOGRAD_CUDA = TENON_KEY_AUTOGRAD_CUDA,
    /// Autograd on Meta.
    AUTOGRAD_META = TENON_KEY_AUTOGRAD_META,
    /// Recording of calls.
    TRACER = TENON_KEY_TRACER,
    /// Autocast on the host.
    AUTOCAST_CPU = TENON_KEY_AUTOCAST_CPU,
    /// Autocast on CUDA devices.
    AUTOCAST_CUDA = TENON_KEY_AUTOCAST_CUDA,
    /// Batched tensors.
    BATCHED = TENON_KEY_BATCHED,
    /// Overrides before dispatch.
    OVERRIDE = TENON_KEY_OVERRIDE,
    /// The slot of the empty key set.
    UNDEFINED = TENON_KEY_UNDEFINED,
    /// Alias: autograd on every backend.
    AUTOGRAD = TENON_KEY_AUTOGRAD,
    /// Alias: autocast on every backend.
    AUTOCAST = TENON_KEY_AUTOCAST,
    /// Alias: made of other operators, gradients included.
    COMPOSITE_IMPLICIT_AUTOGRAD = TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
    /// Alias: serves every backend, gradients apart.
    COMPOSITE_EXPLICIT_AUTOGRAD = TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
    /// Alias: as above for operators that return views or write.
    COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL =
        TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL,
    /// Alias: batched calls through other operators.
    BATCHED_DECOMPOSITION = TENON_KEY_BATCHED_DECOMPOSITION,
    /// No key given: the library's, else CompositeImplicitAutograd.
    NONE = TENON_KEY_NONE,
}

impl DispatchKey {
    /// The key with this number in the C interface.
    pub const fn from_code(code: u32) -> DispatchKey {
        DispatchKey(code)
    }

    /// The number in the C interface.
    pub const fn code(self) -> u32 {
        self.0
    }

    /// The name, such as `"AutogradCPU"`.
    pub fn name(self) -> &'static str {
        // SAFETY: tenon_key_name returns static text for any number.
        unsafe { static_text(sys::tenon_key_name(self.0)) }
    }

    /// The key of a device type such as `"cuda"`.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`], listing the device names that exist.
    pub fn for_device(device_type: &str) -> Result<DispatchKey> {
        let name = c_name("DispatchKey::for_device", "device type", device_type)?;
        let mut out = sys::TENON_KEY_NONE;
        // SAFETY: the text lives for the call and `out` is ours.
        check(unsafe { sys::tenon_key_for_device(name.as_ptr(), &mut out) })?;
        Ok(DispatchKey(out))
    }

    /// Gives a backend bit and device type to a new backend, such as `"npu"`, and returns the key
    /// of its kernels. The same name again returns the same key.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a bad name, [`Status::STATE`] when all numbers are taken.
    pub fn register_backend(name: &str) -> Result<Self> {
        let text = c_name("DispatchKey::register_backend", "name", name)?;
        let mut device_type = 0;
        // SAFETY: the text lives for the call and `device_type` is ours.
        check(unsafe { sys::tenon_backend_register(text.as_ptr(), &mut device_type) })?;
        DispatchKey::for_device(name)
    }

    /// Declares a functionality key by name, next to a known one such as `"Autograd"`.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`] for the anchor, [`Status::STATE`] when there is no room,
    /// [`Status::ALREADY_EXISTS`] when the name is taken otherwise.
    pub fn register(name: &str, anchor: &str, place: Place, per_backend: bool) -> Result<Self> {
        DispatchKey::register_with_default(name, anchor, place, per_backend, ThreadDefault::None)
    }

    /// The same for a key that all threads, now and later, include in their calls or keep out of
    /// them until a guard says otherwise.
    ///
    /// # Errors
    /// As [`DispatchKey::register`].
    pub fn register_with_default(
        name: &str,
        anchor: &str,
        place: Place,
        per_backend: bool,
        default: ThreadDefault,
    ) -> Result<Self> {
        let name = c_name("DispatchKey::register", "name", name)?;
        let anchor = c_name("DispatchKey::register", "anchor", anchor)?;
        let above = if place == Place::Above {
            sys::TENON_KEY_FLAG_ABOVE
        } else {
            0
        };
        let flags = above
            | if per_backend {
                sys::TENON_KEY_FLAG_PER_BACKEND
            } else {
                0
            }
            | default.flag();
        let mut out = sys::TENON_KEY_NONE;
        // SAFETY: the texts live for the call and `out` is ours.
        check(unsafe {
            sys::tenon_functionality_register(name.as_ptr(), anchor.as_ptr(), flags, &mut out)
        })?;
        Ok(DispatchKey(out))
    }
}

/// What a key declared at run time does on a thread that says nothing of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadDefault {
    /// Nothing.
    None,
    /// Every call has it, as `BackendSelect`.
    Included,
    /// No call has it, as `Autocast`.
    Excluded,
}

impl ThreadDefault {
    fn flag(self) -> u32 {
        match self {
            ThreadDefault::None => 0,
            ThreadDefault::Included => sys::TENON_KEY_FLAG_INCLUDED,
            ThreadDefault::Excluded => sys::TENON_KEY_FLAG_EXCLUDED,
        }
    }
}

/// Where [`DispatchKey::register`] puts a key, seen from its anchor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Considered before the anchor.
    Above,
    /// Considered after the anchor.
    Below,
}

impl FromStr for DispatchKey {
    type Err = Error;

    fn from_str(name: &str) -> Result<DispatchKey> {
        let name = c_name("DispatchKey::from_str", "name", name)?;
        let mut out = sys::TENON_KEY_NONE;
        // SAFETY: the text lives for the call and `out` is ours.
        check(unsafe { sys::tenon_key_parse(name.as_ptr(), &mut out) })?;
        Ok(DispatchKey(out))
    }
}

impl fmt::Display for DispatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for DispatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What names a key at registration: a [`DispatchKey`], a key's name (`"AutogradCPU"`), a device's
/// name (`"cpu"`), or `"default"` for every backend without a kernel of its own.
pub trait IntoDispatchKey {
    /// The key.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`] for an unknown name.
    fn into_dispatch_key(self) -> Result<DispatchKey>;
}

impl IntoDispatchKey for DispatchKey {
    fn into_dispatch_key(self) -> Result<DispatchKey> {
        Ok(self)
    }
}

impl IntoDispatchKey for &str {
    fn into_dispatch_key(self) -> Result<DispatchKey> {
        if self == "default" {
            return Ok(DispatchKey::COMPOSITE_EXPLICIT_AUTOGRAD);
        }
        match self.parse() {
            Err(error) if Error::status(&error) == Status::NOT_FOUND => {
                DispatchKey::for_device(self).map_err(|_| error)
            }
            result => result,
        }
    }
}

/// A set of dispatch keys.
///
/// ```
/// use tenon::{DispatchKey, DispatchKeySet};
/// let set = DispatchKeySet::of(&[DispatchKey::CPU, DispatchKey::AUTOGRAD_CPU])?;
/// assert_eq!(set.highest(), DispatchKey::AUTOGRAD_CPU);
/// let below = set & DispatchKeySet::below(DispatchKey::AUTOGRAD_CPU);
/// assert_eq!(below.highest(), DispatchKey::CPU);
/// # Ok::<(), tenon::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct DispatchKeySet(pub(crate) sys::tenon_keyset);

impl DispatchKeySet {
    /// No keys.
    pub const EMPTY: DispatchKeySet = DispatchKeySet(0);

    /// The set with these bits in the C interface.
    pub const fn from_bits(bits: u64) -> DispatchKeySet {
        DispatchKeySet(bits)
    }

    /// The bits in the C interface.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set of some runtime keys.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for an alias key or the Undefined key.
    pub fn of(keys: &[DispatchKey]) -> Result<DispatchKeySet> {
        keys.iter().try_fold(DispatchKeySet::EMPTY, |set, key| {
            let mut out = 0;
            // SAFETY: `out` is ours.
            check(unsafe { sys::tenon_keyset_from_key(key.0, &mut out) })?;
            Ok(set | DispatchKeySet(out))
        })
    }

    /// All functionalities strictly below the key's, with all backends: AND it with a kernel's keys
    /// to redispatch below that key.
    pub fn below(key: DispatchKey) -> DispatchKeySet {
        // SAFETY: no precondition.
        DispatchKeySet(unsafe { sys::tenon_keyset_below(key.0) })
    }

    /// Whether the set has a key.
    pub fn has(self, key: DispatchKey) -> bool {
        // SAFETY: no precondition.
        unsafe { sys::tenon_keyset_has(self.0, key.0) != 0 }
    }

    /// The key that a call with this set goes to.
    pub fn highest(self) -> DispatchKey {
        // SAFETY: no precondition.
        DispatchKey(unsafe { sys::tenon_keyset_highest(self.0) })
    }

    /// The set without a key's functionality; backends stay.
    #[must_use]
    pub fn remove(self, key: DispatchKey) -> DispatchKeySet {
        // SAFETY: no precondition.
        DispatchKeySet(unsafe { sys::tenon_keyset_remove(self.0, key.0) })
    }

    /// The keys that the calling thread adds to every call.
    pub fn included() -> DispatchKeySet {
        // SAFETY: no precondition.
        DispatchKeySet(unsafe { sys::tenon_keyset_included() })
    }

    /// The keys that the calling thread removes from every call.
    pub fn excluded() -> DispatchKeySet {
        // SAFETY: no precondition.
        DispatchKeySet(unsafe { sys::tenon_keyset_excluded() })
    }
}

impl BitOr for DispatchKeySet {
    type Output = DispatchKeySet;

    fn bitor(self, other: DispatchKeySet) -> DispatchKeySet {
        DispatchKeySet(self.0 | other.0)
    }
}

impl BitAnd for DispatchKeySet {
    type Output = DispatchKeySet;

    fn bitand(self, other: DispatchKeySet) -> DispatchKeySet {
        DispatchKeySet(self.0 & other.0)
    }
}

/// The runtime keys, highest first, such as `{AutogradCPU, CPU}`.
impl fmt::Display for DispatchKeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: `out` gets a new reference.
        let text = Buffer::fill(|out| unsafe { sys::tenon_keyset_print(self.0, out) });
        f.write_str(&text.map_err(|_| fmt::Error)?.text())
    }
}

impl fmt::Debug for DispatchKeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
