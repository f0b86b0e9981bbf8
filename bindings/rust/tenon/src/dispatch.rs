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

/// A dispatch key: a runtime key such as [`DispatchKey::CPU`], or an alias key such as
/// [`DispatchKey::AUTOGRAD`] for several of them.
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
    /// Shape and dtype computation without data.
    META = TENON_KEY_META,
    /// Chooses a backend for operators without tensor arguments.
    BACKEND_SELECT = TENON_KEY_BACKEND_SELECT,
    /// Operators on fake tensors.
    FAKE = TENON_KEY_FAKE,
    /// User tensor types and dispatch modes.
    WRAPPER = TENON_KEY_WRAPPER,
    /// Tracking of in-place writes and views.
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
    /// Alias: composed of other operators, which provide the gradients.
    COMPOSITE_IMPLICIT_AUTOGRAD = TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
    /// Alias: serves every backend, but provides no gradients.
    COMPOSITE_EXPLICIT_AUTOGRAD = TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
    /// Alias: like the previous one, for operators that return views or write.
    COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL =
        TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL,
    /// Alias: batched calls by decomposition into other operators.
    BATCHED_DECOMPOSITION = TENON_KEY_BATCHED_DECOMPOSITION,
    /// No key: the library's key, or CompositeImplicitAutograd if the library has none.
    NONE = TENON_KEY_NONE,
}

impl DispatchKey {
    /// Returns the key with this number in the C interface.
    pub const fn from_code(code: u32) -> DispatchKey {
        DispatchKey(code)
    }

    /// Returns the number in the C interface.
    pub const fn code(self) -> u32 {
        self.0
    }

    /// Returns the name, such as `"AutogradCPU"`.
    pub fn name(self) -> &'static str {
        // SAFETY: tenon_key_name returns static text for any number.
        unsafe { static_text(sys::tenon_key_name(self.0)) }
    }

    /// Returns the key of a device type such as `"cuda"`.
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

    /// Registers a backend, such as `"npu"`, and returns the key of its kernels. Registering the
    /// same name again returns the same key.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a bad name, [`Status::STATE`] if all numbers are taken.
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
    /// [`Status::NOT_FOUND`] for the anchor, [`Status::STATE`] if no number is free,
    /// [`Status::ALREADY_EXISTS`] if the name is taken by another key.
    pub fn register(name: &str, anchor: &str, place: Place, per_backend: bool) -> Result<Self> {
        DispatchKey::register_with_default(name, anchor, place, per_backend, ThreadDefault::None)
    }

    /// Declares a key like [`DispatchKey::register`], which all present and future threads include
    /// in their calls or exclude from them by default. Guards override the default.
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

/// Whether threads include or exclude a key declared at run time by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadDefault {
    /// Neither.
    None,
    /// Included in every call, like `BackendSelect`.
    Included,
    /// Excluded from every call, like `Autocast`.
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

/// Position of a key declared by [`DispatchKey::register`], relative to its anchor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Dispatched before the anchor.
    Above,
    /// Dispatched after the anchor.
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

/// A key to register for: a [`DispatchKey`], a key's name (`"AutogradCPU"`), a device's name
/// (`"cpu"`), or `"default"` for every backend without a kernel of its own.
pub trait IntoDispatchKey {
    /// Converts to the key.
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

    /// Returns the set with these bits in the C interface.
    pub const fn from_bits(bits: u64) -> DispatchKeySet {
        DispatchKeySet(bits)
    }

    /// Returns the bits in the C interface.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the set of some runtime keys.
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

    /// Returns all functionalities strictly below that of a key, with all backends. A kernel that
    /// redispatches below the key passes the AND of this set and its own key set.
    pub fn below(key: DispatchKey) -> DispatchKeySet {
        // SAFETY: no precondition.
        DispatchKeySet(unsafe { sys::tenon_keyset_below(key.0) })
    }

    /// Returns true if the set has a key.
    pub fn has(self, key: DispatchKey) -> bool {
        // SAFETY: no precondition.
        unsafe { sys::tenon_keyset_has(self.0, key.0) != 0 }
    }

    /// Returns the key that a call with this set is dispatched to.
    pub fn highest(self) -> DispatchKey {
        // SAFETY: no precondition.
        DispatchKey(unsafe { sys::tenon_keyset_highest(self.0) })
    }

    /// Returns the set without a key's functionality. Backends are kept.
    #[must_use]
    pub fn remove(self, key: DispatchKey) -> DispatchKeySet {
        // SAFETY: no precondition.
        DispatchKeySet(unsafe { sys::tenon_keyset_remove(self.0, key.0) })
    }

    /// Returns the keys that the calling thread adds to every call.
    pub fn included() -> DispatchKeySet {
        // SAFETY: no precondition.
        DispatchKeySet(unsafe { sys::tenon_keyset_included() })
    }

    /// Returns the keys that the calling thread removes from every call.
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

/// Formats the runtime keys, highest first, such as `{AutogradCPU, CPU}`.
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
