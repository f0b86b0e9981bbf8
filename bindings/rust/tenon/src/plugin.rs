// SPDX-License-Identifier: Apache-2.0
//! Plugins: loading shared libraries of registrations, and implementing one.

use std::ffi::{c_void, CString, OsStr};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::ptr::{self, NonNull};
use std::time::Duration;

use tenon_sys as sys;

use crate::error::{check, Error, Result};
use crate::kernel::contain;
use crate::library::nanoseconds;
use crate::text::{c_name, text};

/// A loaded plugin. Handles are never invalid; files stay mapped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Plugin(NonNull<sys::tenon_plugin>);

// SAFETY: plugin.h: handles are never freed and every function on them may run on any thread.
unsafe impl Send for Plugin {}
// SAFETY: as above.
unsafe impl Sync for Plugin {}

impl Plugin {
    /// Loads a plugin from a path. A plain `"name"` is found as `lib<name>.so` beside libtenon or
    /// on TENON_PLUGIN_PATH. If the plugin is already loaded, it is returned.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`](crate::Status::NOT_FOUND) if there is no such file,
    /// [`Status::SYSTEM`](crate::Status::SYSTEM) if the loader refuses it,
    /// [`Status::ABI`](crate::Status::ABI) for another ABI or sanitizer, or the error of its load
    /// function.
    pub fn load(path_or_name: impl AsRef<OsStr>) -> Result<Plugin> {
        let path = path_or_name.as_ref();
        // Bytes that are not UTF-8 are a valid path as well.
        let path = match CString::new(path.as_bytes()) {
            Ok(path) => path,
            Err(_) => c_name("Plugin::load", "path", &path.to_string_lossy())?,
        };
        let mut out = ptr::null_mut();
        // SAFETY: the text lives for the call and `out` is ours.
        check(unsafe { sys::tenon_plugin_load(path.as_ptr(), &mut out) })?;
        // SAFETY: a loaded plugin is not NULL.
        Ok(Plugin(unsafe { NonNull::new_unchecked(out) }))
    }

    /// Unloads the plugin: closes its libraries and drains them. `None` means no time limit.
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED) if it cannot be unloaded,
    /// [`Status::BUSY`](crate::Status::BUSY) if kernels still run after the time-out.
    pub fn unload(self, timeout: Option<Duration>) -> Result<()> {
        // SAFETY: the handle is never freed.
        check(unsafe { sys::tenon_plugin_unload(self.0.as_ptr(), nanoseconds(timeout)) })
    }

    /// Returns the plugin's name.
    pub fn name(self) -> String {
        // SAFETY: never freed.
        unsafe { text(sys::tenon_plugin_name(self.0.as_ptr())).into_owned() }
    }

    /// Returns the plugin's version.
    pub fn version(self) -> String {
        // SAFETY: never freed.
        unsafe { text(sys::tenon_plugin_version(self.0.as_ptr())).into_owned() }
    }

    /// Returns the path of the file that the plugin was loaded from.
    pub fn path(self) -> PathBuf {
        // SAFETY: never freed.
        unsafe { text(sys::tenon_plugin_path(self.0.as_ptr())).into_owned() }.into()
    }

    /// Returns true if the plugin is loaded now.
    pub fn is_loaded(self) -> bool {
        // SAFETY: the handle is never freed.
        unsafe { sys::tenon_plugin_is_loaded(self.0.as_ptr()) != 0 }
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plugin({} {})", self.name(), self.version())
    }
}

/// The ABI version that this package was built with.
pub const ABI_VERSION: u32 = (sys::TENON_ABI_MAJOR << 16) | sys::TENON_ABI_MINOR;

/// Turns a `cdylib` into a plugin: defines its `tenon_plugin_query`.
///
/// `load` is a function that registers and returns the owner of the registrations: a
/// [`Library`](crate::Library), a tuple or vector of them, or a custom type. It is dropped when the
/// plugin is unloaded. `requires` names plugins to load first. Compiling the plugin fails in a
/// profile with `panic = "abort"`, because a panic of a kernel must reach the caller as an error.
///
/// ```
/// use tenon::{DispatchKey, Library, Tensor};
///
/// fn load() -> tenon::Result<Library> {
///     let library = Library::fragment("plugin_doc")?;
///     library.define("identity(Tensor x) -> Tensor")?;
///     library.impl_fn("identity", DispatchKey::CPU, |x: &Tensor| x.clone())?;
///     Ok(library)
/// }
///
/// tenon::plugin! { name: "plugin_doc", version: "1.0", load: load }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! plugin {
    (name: $name:literal, version: $version:expr, load: $load:expr $(,)?) => {
        $crate::plugin! { name: $name, version: $version, requires: [], load: $load }
    };
    (name: $name:literal, version: $version:expr, requires: [$($require:literal),* $(,)?],
     load: $load:expr $(,)?) => {
        #[cfg(panic = "abort")]
        ::core::compile_error!(
            "tenon::plugin!: panic must be \"unwind\" in the profile that builds a plugin, got \
             \"abort\": a kernel that panics would end the host's process"
        );

        /// The only function that a plugin must export.
        #[no_mangle]
        pub extern "C" fn tenon_plugin_query(
            host_abi_min: u32,
            host_abi_max: u32,
        ) -> *const $crate::sys::tenon_plugin_descriptor {
            const REQUIRES: &[$crate::PluginText] =
                &[$($crate::PluginText::new(concat!($require, "\0"))),*];
            static DESCRIPTOR: $crate::PluginDescriptor = $crate::PluginDescriptor::new(
                $crate::PluginText::new(concat!($name, "\0")),
                $crate::PluginText::new(concat!($version, "\0")),
                REQUIRES,
                {
                    // Macro items are not hygienic: a plain name would shadow the caller's
                    // function.
                    unsafe extern "C" fn __tenon_plugin_load(
                        _: *mut $crate::sys::tenon_plugin,
                        out_state: *mut *mut ::core::ffi::c_void,
                    ) -> $crate::sys::tenon_status {
                        // SAFETY: plugin.h: called once per load, with room for the state.
                        unsafe { $crate::plugin_load($load, out_state) }
                    }
                    __tenon_plugin_load
                },
            );
            DESCRIPTOR.query(host_abi_min, host_abi_max)
        }
    };
}

/// NUL-terminated text, for [`plugin!`].
#[doc(hidden)]
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct PluginText(*const std::ffi::c_char);

impl PluginText {
    #[doc(hidden)]
    pub const fn new(text: &'static str) -> PluginText {
        PluginText(text.as_ptr().cast())
    }
}

/// The descriptor that [`plugin!`] defines.
#[doc(hidden)]
pub struct PluginDescriptor(sys::tenon_plugin_descriptor);

// SAFETY: read-only, with static texts and functions.
unsafe impl Sync for PluginDescriptor {}

type LoadFn = unsafe extern "C" fn(*mut sys::tenon_plugin, *mut *mut c_void) -> sys::tenon_status;

impl PluginDescriptor {
    #[doc(hidden)]
    pub const fn new(
        name: PluginText,
        version: PluginText,
        requires: &'static [PluginText],
        load: LoadFn,
    ) -> PluginDescriptor {
        PluginDescriptor(sys::tenon_plugin_descriptor {
            struct_size: std::mem::size_of::<sys::tenon_plugin_descriptor>() as u32,
            abi_version: ABI_VERSION,
            name: name.0,
            version: version.0,
            build_id: b"\0".as_ptr().cast(),
            sanitizer: sys::TENON_SANITIZER_NONE,
            requirement_count: requires.len() as u32,
            requirements: requires.as_ptr().cast(),
            load: Some(load),
            unload: Some(plugin_unload),
            reserved: [0; 4],
        })
    }

    #[doc(hidden)]
    pub fn query(&'static self, min: u32, max: u32) -> *const sys::tenon_plugin_descriptor {
        if min <= ABI_VERSION && ABI_VERSION <= max {
            &self.0
        } else {
            ptr::null()
        }
    }
}

type State = Box<dyn std::any::Any + Send>;

/// Runs a plugin's load function.
///
/// # Safety
/// `out_state` may be written.
#[doc(hidden)]
pub unsafe fn plugin_load<S: Send + 'static, E: Into<Error>>(
    load: fn() -> Result<S, E>,
    out_state: *mut *mut c_void,
) -> sys::tenon_status {
    let loaded = match catch_unwind(AssertUnwindSafe(load)) {
        Ok(loaded) => loaded.map_err(Into::into),
        Err(panic) => Err(Error::from_panic(panic)),
    };
    match loaded {
        Ok(state) => {
            let state: Box<State> = Box::new(Box::new(state));
            // SAFETY: the caller's promise.
            unsafe { *out_state = Box::into_raw(state).cast() };
            0
        }
        Err(error) => error.leave(),
    }
}

unsafe extern "C" fn plugin_unload(state: *mut c_void) {
    contain(|| {
        // SAFETY: plugin.h: called once per successful load, with its state.
        drop(unsafe { Box::from_raw(state.cast::<State>()) })
    });
}
