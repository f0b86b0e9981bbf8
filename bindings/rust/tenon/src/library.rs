// SPDX-License-Identifier: Apache-2.0
//! Libraries: owners of registrations. They define operators and register kernels and fallbacks.

use std::ffi::{c_char, CString};
use std::panic::Location;
use std::ptr::{self, NonNull};
use std::time::Duration;

use tenon_sys as sys;

use crate::dispatch::{DispatchKey, IntoDispatchKey};
use crate::error::{check, Result};
use crate::kernel::Kernel;
use crate::op::Op;
use crate::registration::Registration;
use crate::schema::Schema;
use crate::stack::{KernelContext, Stack};
use crate::text::{c_name, text};
use crate::typed_kernel::TypedKernel;
use crate::value::Value;
use crate::value_ref::ValueRef;

/// Kinds of libraries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LibraryKind {
    /// The only owner of a namespace: defines operators and registers kernels.
    Def,
    /// Registers kernels only.
    Impl,
    /// Defines operators and registers kernels in a namespace that another library owns or shares.
    Fragment,
}

/// Definitions, kernels and fallbacks that belong together. Dropping the library removes them; new
/// calls are affected at once.
///
/// ```
/// use tenon::{DispatchKey, Library, Op, Tensor};
/// let library = Library::define_namespace("library_doc")?;
/// library.define("scale(Tensor x, float factor=2.0) -> Tensor")?;
/// library.impl_fn("scale", DispatchKey::CPU, |x: &Tensor, factor: f64| {
///     let scaled = x.to_vec::<f32>()?.iter().map(|v| v * factor as f32).collect();
///     Tensor::from_vec(scaled, &x.shape())
/// })?;
/// let x = Tensor::from_vec(vec![1.0f32, 2.0], &[2])?;
/// let y: Tensor = Op::find("library_doc::scale")?.call((&x,))?;
/// assert_eq!(y.to_vec::<f32>()?, [2.0, 4.0]);
/// # Ok::<(), tenon::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "dropping a library removes what it registered"]
pub struct Library(NonNull<sys::tenon_library>);

// SAFETY: library.h: every function on a library may run on any thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// Options for the definition of an operator.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefineOptions<'a> {
    /// Tags, such as `"pointwise"`.
    pub tags: &'a [&'a str],
    /// `""` (from the schema), `"FROM_SCHEMA"` or `"CONSERVATIVE"`.
    pub alias_analysis: &'a str,
}

impl Library {
    /// Opens a library. Its kernels are registered for `key` if none is given
    /// ([`DispatchKey::NONE`] for no default key).
    ///
    /// # Errors
    /// [`Status::ALREADY_EXISTS`](crate::Status::ALREADY_EXISTS) for a second DEF library of a
    /// namespace, [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a bad namespace
    /// or key.
    #[track_caller]
    pub fn open(kind: LibraryKind, namespace: &str, key: DispatchKey) -> Result<Library> {
        let location = Location::caller();
        let namespace = c_name("Library::open", "namespace", namespace)?;
        let file = file_text(location);
        let kind = match kind {
            LibraryKind::Def => sys::TENON_LIBRARY_DEF,
            LibraryKind::Impl => sys::TENON_LIBRARY_IMPL,
            LibraryKind::Fragment => sys::TENON_LIBRARY_FRAGMENT,
        };
        let mut out = ptr::null_mut();
        // SAFETY: the texts live for the call and `out` gets a new reference.
        check(unsafe {
            let line = location.line() as i32;
            sys::tenon_library_new(
                kind,
                namespace.as_ptr(),
                key.code(),
                file.as_ptr(),
                line,
                &mut out,
            )
        })?;
        // SAFETY: as above, and not NULL.
        Ok(Library(unsafe { NonNull::new_unchecked(out) }))
    }

    /// Opens the DEF library of a namespace.
    ///
    /// # Errors
    /// As [`Library::open`].
    #[track_caller]
    pub fn define_namespace(namespace: &str) -> Result<Library> {
        Library::open(LibraryKind::Def, namespace, DispatchKey::NONE)
    }

    /// Opens a FRAGMENT library, for definitions in a namespace that another library owns or
    /// shares.
    ///
    /// # Errors
    /// As [`Library::open`].
    #[track_caller]
    pub fn fragment(namespace: &str) -> Result<Library> {
        Library::open(LibraryKind::Fragment, namespace, DispatchKey::NONE)
    }

    /// Opens an IMPL library, for kernels of operators that other libraries define. Namespace `"_"`
    /// is for fallbacks.
    ///
    /// # Errors
    /// As [`Library::open`].
    #[track_caller]
    pub fn implement(namespace: &str, key: impl IntoDispatchKey) -> Result<Library> {
        Library::open(LibraryKind::Impl, namespace, key.into_dispatch_key()?)
    }

    pub(crate) fn as_raw(&self) -> *mut sys::tenon_library {
        self.0.as_ptr()
    }

    /// Returns the namespace.
    pub fn namespace(&self) -> String {
        // SAFETY: borrowed until the library dies.
        unsafe { text(sys::tenon_library_namespace(self.as_raw())).into_owned() }
    }

    /// Defines an operator from the text of a schema, with or without the namespace in its name.
    ///
    /// # Errors
    /// [`Status::PARSE`](crate::Status::PARSE);
    /// [`Status::ALREADY_EXISTS`](crate::Status::ALREADY_EXISTS), naming the first definition;
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) in an IMPL library, for
    /// another namespace, or if a registered kernel does not match;
    /// [`Status::STATE`](crate::Status::STATE) for a closed library.
    #[track_caller]
    pub fn define(&self, schema: &str) -> Result<Op> {
        self.define_with(schema, DefineOptions::default())
    }

    /// As [`Library::define`], with options.
    ///
    /// # Errors
    /// As [`Library::define`].
    #[track_caller]
    pub fn define_with(&self, schema: &str, options: DefineOptions<'_>) -> Result<Op> {
        let location = Location::caller();
        let schema = c_name("Library::define", "schema", schema)?;
        let tag = |tag: &&str| c_name("Library::define", "tag", tag);
        let tags: Vec<CString> = options.tags.iter().map(tag).collect::<Result<_>>()?;
        let tags: Vec<*const c_char> = tags.iter().map(|tag| tag.as_ptr()).collect();
        let alias = c_name("Library::define", "alias analysis", options.alias_analysis)?;
        let file = file_text(location);
        let options = sys::tenon_define_options {
            struct_size: std::mem::size_of::<sys::tenon_define_options>() as u32,
            tag_count: tags.len() as u32,
            tags: tags.as_ptr(),
            alias_analysis: alias.as_ptr(),
            file: file.as_ptr(),
            line: location.line() as i32,
            reserved0: 0,
            reserved: [0; 2],
        };
        let mut out = ptr::null();
        // SAFETY: all texts live for the call; the operator is never freed.
        check(unsafe {
            sys::tenon_library_define(self.as_raw(), schema.as_ptr(), &options, &mut out)
        })?;
        // SAFETY: a defined operator is not NULL.
        unsafe { Op::from_raw(out) }
    }

    /// Registers a function of Rust types as the kernel of an operator (`"name.overload"`) for a
    /// key, which may be a key's or device's name, or `"default"`. If the operator is not defined
    /// yet, the kernel is always called boxed.
    ///
    /// Parameters are `&Tensor`, `Option<&Tensor>`, `i64`, `f64`, `bool`, `&str`, `&[i64]`,
    /// `&[f64]`, `&[Tensor]`, `&[Option<Tensor>]`, [`Scalar`](crate::Scalar),
    /// [`DType`](crate::DType), [`Device`](crate::Device), options of them, [`ValueRef`] for any
    /// value, and additionally `&KernelContext`. Results are `()`, one type or a tuple, or a
    /// `Result` of those.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) naming the argument whose type
    /// does not fit the schema, or for a bad key or another namespace;
    /// [`Status::STATE`](crate::Status::STATE) for a closed library.
    #[track_caller]
    pub fn impl_fn<A, R>(
        &self,
        name: &str,
        key: impl IntoDispatchKey,
        function: impl TypedKernel<A, R>,
    ) -> Result<Registration> {
        self.impl_kernel(name, key, Kernel::typed(function))
    }

    /// Registers a function that takes values.
    ///
    /// ```
    /// use tenon::{KernelContext, Library, Op, Value, ValueRef};
    /// let library = Library::define_namespace("boxed_doc")?;
    /// library.define("count(...) -> int")?;
    /// library.impl_boxed("count", "default", |_: &KernelContext, args: &[ValueRef]| {
    ///     Ok(vec![Value::from(args.len() as i64)])
    /// })?;
    /// # Ok::<(), tenon::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Library::impl_fn`].
    #[track_caller]
    pub fn impl_boxed<F>(
        &self,
        name: &str,
        key: impl IntoDispatchKey,
        function: F,
    ) -> Result<Registration>
    where
        F: Fn(&KernelContext, &[ValueRef<'_>]) -> Result<Vec<Value>> + Send + Sync + 'static,
    {
        self.impl_kernel(name, key, Kernel::boxed(function))
    }

    /// Registers a fallthrough: calls skip the key.
    ///
    /// # Errors
    /// As [`Library::impl_fn`].
    pub fn impl_fallthrough(&self, name: &str, key: impl IntoDispatchKey) -> Result<Registration> {
        self.impl_kernel(name, key, Kernel::fallthrough())
    }

    /// Registers a kernel with options.
    ///
    /// # Errors
    /// As [`Library::impl_fn`]; [`Status::ALREADY_EXISTS`](crate::Status::ALREADY_EXISTS) under
    /// [`Policy::Error`](crate::Policy::Error).
    pub fn impl_kernel(
        &self,
        name: &str,
        key: impl IntoDispatchKey,
        mut kernel: Kernel,
    ) -> Result<Registration> {
        let key = key.into_dispatch_key()?;
        self.fit(name, &mut kernel)?;
        let name = c_name("Library::impl", "name", name)?;
        let mut out = ptr::null_mut();
        // SAFETY: the texts live for the call; the kernel's context is taken over, also on failure.
        kernel.register(|kernel| unsafe {
            sys::tenon_library_impl(self.as_raw(), name.as_ptr(), key.code(), kernel, &mut out)
        })?;
        // SAFETY: a new reference.
        Ok(unsafe { Registration::from_raw(out) })
    }

    /// Registers a function as the fake kernel of an operator: it creates results of the right
    /// shape, dtype and device without computing elements, and serves fake tensors and those on
    /// Meta.
    ///
    /// ```
    /// use tenon::{fake::FakeMode, DispatchKey, Library, Op, Tensor};
    /// let library = Library::define_namespace("fake_doc")?;
    /// library.define("twice(Tensor x) -> Tensor")?;
    /// library.register_fake("twice", |x: &Tensor| {
    ///     Op::find("aten::empty_like")?.call::<Tensor>((x,))
    /// })?;
    /// let mode = FakeMode::new()?;
    /// let x = mode.from_tensor(&Tensor::from_vec(vec![1.0f32; 3], &[3])?)?;
    /// let y: Tensor = Op::find("fake_doc::twice")?.call((&x,))?;
    /// assert!(y.is_fake());
    /// # Ok::<(), tenon::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Status::ALREADY_EXISTS`](crate::Status::ALREADY_EXISTS) if the operator has a fake kernel
    /// or one for Meta, [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) if its
    /// composite kernel serves it; otherwise as [`Library::impl_fn`].
    #[track_caller]
    pub fn register_fake<A, R>(
        &self,
        name: &str,
        function: impl TypedKernel<A, R>,
    ) -> Result<Registration> {
        self.register_fake_kernel(name, Kernel::typed(function))
    }

    /// Registers a fake kernel with options, such as [`Kernel::symbolic`].
    ///
    /// # Errors
    /// As [`Library::register_fake`].
    pub fn register_fake_kernel(&self, name: &str, mut kernel: Kernel) -> Result<Registration> {
        self.fit(name, &mut kernel)?;
        let name = c_name("Library::register_fake", "name", name)?;
        let mut out = ptr::null_mut();
        // SAFETY: the texts live for the call; the kernel's context is taken over, also on failure.
        kernel.register(|kernel| unsafe {
            sys::tenon_library_register_fake(self.as_raw(), name.as_ptr(), kernel, &mut out)
        })?;
        // SAFETY: a new reference.
        Ok(unsafe { Registration::from_raw(out) })
    }

    // Checks a kernel's Rust types against the schema, if the operator is defined.
    fn fit(&self, name: &str, kernel: &mut Kernel) -> Result<()> {
        let full = match name.contains("::") {
            true => name.to_owned(),
            false => format!("{}::{name}", self.namespace()),
        };
        let schema = Op::find(&full).and_then(Op::schema).ok();
        kernel.fit(schema.as_ref())
    }

    /// Registers a kernel for all operators at a key, in an IMPL library of namespace `"_"`.
    ///
    /// ```
    /// use tenon::{DispatchKey, Library, Stack};
    /// let library = Library::implement("_", DispatchKey::NONE)?;
    /// library.fallback("Tracer", |stack: &mut Stack| {
    ///     println!("{} {:?}", stack.op(), stack.args());
    ///     stack.redispatch(stack.keys_below(DispatchKey::TRACER))
    /// })?;
    /// # Ok::<(), tenon::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Status::ALREADY_EXISTS`](crate::Status::ALREADY_EXISTS) if a key has one, naming where;
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) in another library.
    #[track_caller]
    pub fn fallback<F>(&self, key: impl IntoDispatchKey, function: F) -> Result<Registration>
    where
        F: Fn(&mut Stack<'_>) -> Result<()> + Send + Sync + 'static,
    {
        self.fallback_kernel(key, Kernel::on_stack(function))
    }

    /// As [`Library::fallback`], with a kernel: also [`Kernel::fallthrough`].
    ///
    /// # Errors
    /// As [`Library::fallback`].
    pub fn fallback_kernel(
        &self,
        key: impl IntoDispatchKey,
        kernel: Kernel,
    ) -> Result<Registration> {
        self.add_fallback(key, kernel, None)
    }

    /// Like [`Library::fallback`], but only for operators for which `select` returns true. It is
    /// called once per operator and must not call Tenon; a panic in it counts as true.
    ///
    /// # Errors
    /// As [`Library::fallback`].
    #[track_caller]
    pub fn fallback_select<F, S>(
        &self,
        key: impl IntoDispatchKey,
        select: S,
        function: F,
    ) -> Result<Registration>
    where
        F: Fn(&mut Stack<'_>) -> Result<()> + Send + Sync + 'static,
        S: Fn(&Schema) -> bool + Send + Sync + 'static,
    {
        let (kernel, select) = Kernel::selected(function, select);
        self.add_fallback(key, kernel, select)
    }

    fn add_fallback(
        &self,
        key: impl IntoDispatchKey,
        kernel: Kernel,
        select: sys::tenon_fallback_select,
    ) -> Result<Registration> {
        let key = key.into_dispatch_key()?;
        let mut out = ptr::null_mut();
        // SAFETY: the texts live for the call; the kernel's context is taken over, also on failure.
        kernel.register(|kernel| unsafe {
            sys::tenon_library_fallback(self.as_raw(), key.code(), kernel, select, &mut out)
        })?;
        // SAFETY: a new reference.
        Ok(unsafe { Registration::from_raw(out) })
    }

    /// Removes everything that the library registered. New calls are affected at once; running ones
    /// are not waited for. Closing a closed library does nothing. Dropping the library closes it,
    /// too.
    pub fn close(&self) {
        // SAFETY: library.h: any thread, any number of times.
        unsafe { sys::tenon_library_close(self.as_raw()) }
    }

    /// Waits until no thread runs a kernel of the closed library and all its functions have been
    /// dropped. `None` means no time limit.
    ///
    /// # Errors
    /// [`Status::BUSY`](crate::Status::BUSY) on time-out, naming operator and thread;
    /// [`Status::STATE`](crate::Status::STATE) inside one of its kernels, or if the library is not
    /// closed.
    pub fn drain(&self, timeout: Option<Duration>) -> Result<()> {
        // SAFETY: the library is live.
        check(unsafe { sys::tenon_library_drain(self.as_raw(), nanoseconds(timeout)) })
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: this is our reference; the last release closes the library.
        unsafe { sys::tenon_library_release(self.as_raw()) }
    }
}

pub(crate) fn nanoseconds(timeout: Option<Duration>) -> i64 {
    timeout.map_or(-1, |timeout| {
        i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX)
    })
}

fn file_text(location: &Location<'_>) -> CString {
    crate::text::c_text(location.file())
}
