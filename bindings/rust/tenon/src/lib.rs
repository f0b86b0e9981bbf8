// SPDX-License-Identifier: Apache-2.0
//! Operators of any language, called and implemented from Rust.
//!
//! An operator has a name, a schema and kernels per dispatch key. Each part may be written in
//! another language. Tensors are shared, never copied.
//!
//! ```
//! use tenon::{DispatchKey, Library, Op, Tensor};
//!
//! let library = Library::define_namespace("quick")?;
//! library.define("scale(Tensor x, float factor=2.0) -> Tensor")?;
//! library.impl_fn("scale", DispatchKey::CPU, |x: &Tensor, factor: f64| {
//!     let scaled = x.to_vec::<f32>()?.iter().map(|v| v * factor as f32).collect();
//!     Tensor::from_vec(scaled, &x.shape())
//! })?;
//!
//! let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0], &[3])?;
//! let y: Tensor = Op::find("quick::scale")?.args().arg(&x).named("factor", 10.0).call()?;
//! assert_eq!(y.to_vec::<f32>()?, [10.0, 20.0, 30.0]);
//! # Ok::<(), tenon::Error>(())
//! ```
//!
//! [`Library`] defines and registers operators, [`Op`] finds and calls them, [`TypedOp`] calls them
//! without boxing, [`KeyGuard`] and [`KernelContext`] control dispatch, [`autograd`] computes
//! derivatives, [`Plugin`] and [`plugin!`] load and make shared libraries, and [`introspect`] shows
//! what is registered and what runs. The C interface below is in [`sys`].
#![warn(missing_docs, unsafe_op_in_unsafe_fn)]
#![warn(clippy::undocumented_unsafe_blocks)]
// arrays.rs is compiled once for each version of `ndarray`.
#![allow(clippy::duplicate_mod)]

// Generated code uses the crate's public name.
extern crate self as tenon;

mod arg;
mod arguments;
#[path = "generated/aten.rs"]
#[rustfmt::skip]
pub mod aten;
pub mod autocast;
pub mod autograd;
mod buffer;
mod call_builder;
mod dims;
mod dispatch;
pub mod dlpack;
mod elements;
mod error;
pub mod fake;
pub mod func;
mod function;
mod generator;
pub mod grad_mode;
pub mod graph;
mod guard;
pub mod introspect;
mod kernel;
mod lazy_typed;
mod library;
mod mode;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "ndarray-0_15")]
pub mod ndarray_0_15;
#[cfg(feature = "ndarray-0_16")]
pub mod ndarray_0_16;
mod object;
mod op;
mod ops;
mod overrides;
pub mod parallel;
mod parameter;
mod pattern;
mod plugin;
mod registration;
mod results;
mod returns;
mod schema;
mod signature;
mod stack;
mod status;
pub mod symbol;
mod tensor;
#[path = "generated/tensor_methods.rs"]
#[rustfmt::skip]
mod tensor_methods;
mod text;
mod thread_slot;
mod typed;
mod typed_kernel;
mod types;
mod value;
mod value_ref;
pub mod warning;
mod weak_tensor;
mod wrapper;

pub use tenon_sys as sys;

pub use arg::{Arg, IntoArg};
pub use arguments::Arguments;
pub use call_builder::CallBuilder;
pub use dims::{Dims, Geometry};
pub use dispatch::{DispatchKey, DispatchKeySet, IntoDispatchKey, Place, ThreadDefault};
pub use error::{Error, Frame, Result};
pub use function::Function;
pub use generator::{manual_seed, Generator};
pub use guard::{KeyGuard, ThreadState, ThreadStateGuard};
pub use kernel::{Kernel, Policy};
pub use lazy_typed::LazyTyped;
pub use library::{DefineOptions, Library, LibraryKind};
pub use mode::Mode;
pub use object::{Object, ObjectType};
pub use op::{LazyOp, Op};
pub use ops::Operand;
pub use overrides::{Dispatches, Handled, Overridden, Overrides};
pub use parameter::Parameter;
#[doc(hidden)]
pub use plugin::{plugin_load, PluginDescriptor, PluginText};
pub use plugin::{Plugin, ABI_VERSION};
pub use registration::{listen, reap, Registration, RegistryEvent, ScopedRegistration};
pub use results::Results;
pub use returns::{FromReturns, FromValue};
pub use schema::{Argument, Schema};
pub use stack::{KernelContext, Stack};
pub use status::Status;
pub use tensor::Tensor;
pub use thread_slot::ThreadSlot;
pub use typed::{Parameters, TypedOp};
pub use typed_kernel::{KernelResult, TypedKernel};
pub use types::{
    Complex, DType, Device, Element, Layout, MemoryFormat, BF16, F16, F8E4M3FN, F8E5M2,
};
pub use value::{RawValue, Scalar, Value};
pub use value_ref::{ValueRef, Values};
pub use weak_tensor::WeakTensor;
pub use wrapper::WrapperOptions;

/// Returns the release of the loaded library, as `"major.minor.patch"`.
pub fn version() -> String {
    // SAFETY: common.h: static text.
    unsafe { text::static_text(sys::tenon_version()).to_owned() }
}

/// Returns the ABI version of the loaded library. Compare it with [`ABI_VERSION`].
pub fn abi_version() -> u32 {
    // SAFETY: no precondition.
    unsafe { sys::tenon_abi_version() }
}
