// SPDX-License-Identifier: Apache-2.0
//! Typed operators for a `static`, with the defaults of arguments that their callers omit.

// The lifetimes are written out where the trait's methods have them, so that implementations match.
#![allow(clippy::needless_lifetimes)]

use std::marker::PhantomData;
use std::sync::OnceLock;

use tenon_sys as sys;

use crate::arg::Arg;
use crate::error::{Error, Result};
use crate::op::{LazyOp, Op};
use crate::parameter::Parameter;
use crate::pattern::Pattern;
use crate::results::Results;
use crate::schema::Schema;
use crate::status::Status;
use crate::typed::{Parameters, TypedOp};
use crate::value::RawValue;

/// An operator with Rust types that is looked up on first use, for a `static`.
///
/// ```
/// # let library = tenon::Library::define_namespace("lazy_typed_doc")?;
/// # library.define("double(int x) -> int")?;
/// # library.impl_fn("double", "default", |x: i64| 2 * x)?;
/// use tenon::LazyTyped;
///
/// static DOUBLE: LazyTyped<(i64,), i64> = LazyTyped::new("lazy_typed_doc::double");
/// assert_eq!(DOUBLE.get()?.call(21)?, 42);
/// # Ok::<(), tenon::Error>(())
/// ```
///
/// `D` are the defaults of its last parameters, which are read from the schema on lookup. Calls
/// pass them like any other argument.
pub struct LazyTyped<A, R, D = ()> {
    op: LazyOp,
    found: OnceLock<(TypedOp<A, R>, D)>,
}

impl<A, R, D> LazyTyped<A, R, D> {
    /// Stores the operator's name. Nothing is looked up yet.
    pub const fn new(name: &'static str) -> LazyTyped<A, R, D> {
        LazyTyped {
            op: LazyOp::new(name),
            found: OnceLock::new(),
        }
    }
}

impl<A: Parameters, R: Results> LazyTyped<A, R> {
    /// Returns the operator.
    ///
    /// # Errors
    /// As [`LazyOp::get`] and [`Op::typed`]; a failed lookup is repeated on the next call.
    #[inline]
    pub fn get(&self) -> Result<&TypedOp<A, R>> {
        Ok(&self.with_defaults()?.0)
    }
}

impl<A: Parameters, R: Results, D: Defaults> LazyTyped<A, R, D> {
    /// Returns the operator and the defaults.
    #[inline]
    pub(crate) fn with_defaults(&self) -> Result<&(TypedOp<A, R>, D)> {
        match self.found.get() {
            Some(found) => Ok(found),
            None => self.find(),
        }
    }

    #[cold]
    fn find(&self) -> Result<&(TypedOp<A, R>, D)> {
        let op = self.op.get()?;
        let found = (op.typed()?, D::read(op, &op.schema()?)?);
        Ok(self.found.get_or_init(|| found))
    }
}

/// Defaults of an operator's last parameters, in a form that calls can pass.
#[doc(hidden)]
pub trait Defaults: Sized {
    fn read(op: Op, schema: &Schema) -> Result<Self>;
}

impl Defaults for () {
    fn read(_: Op, _: &Schema) -> Result<()> {
        Ok(())
    }
}

impl<P: BoxedParameter> Defaults for (Default<P>,) {
    fn read(op: Op, schema: &Schema) -> Result<(Default<P>,)> {
        let last = schema.arguments().pop();
        // SAFETY: schema.h: NULL or a value borrowed until the schema dies.
        let raw = last.and_then(|argument| unsafe { argument.raw_default.as_ref() });
        // SAFETY: as above.
        match raw.filter(|raw| unsafe { P::from_value(raw) }.is_some()) {
            Some(raw) => Ok((Default {
                value: RawValue::copy_of(raw)?,
                type_: PhantomData,
            },)),
            None => {
                let (name, type_) = (op.name(), P::TYPE);
                let text = format!("{name}: the last argument must have a default of type {type_}");
                Err(Error::new(Status::INVALID_ARGUMENT, text))
            }
        }
    }
}

/// Parameters that are passed as `const tenon_value*`.
pub(crate) trait BoxedParameter:
    Parameter<First = *const sys::tenon_value, Second = ()> + 'static
{
}

impl<P: Parameter<First = *const sys::tenon_value, Second = ()> + 'static> BoxedParameter for P {}

/// The default of a parameter `P`, lowered once for all calls. It is used as a parameter type.
pub(crate) struct Default<P> {
    value: RawValue,
    type_: PhantomData<fn(P)>,
}

// SAFETY: as for `P`: v is const tenon_value*, here of a value that lives with the default.
unsafe impl<P: BoxedParameter> Parameter for Default<P> {
    type Item<'a> = &'a RawValue;
    type First = *const sys::tenon_value;
    type Second = ();
    type Temp<'a> = ();
    const LETTER: u8 = P::LETTER;
    const TYPE: &'static str = P::TYPE;
    const PATTERN: Pattern = P::PATTERN;

    unsafe fn from_value<'a>(raw: &'a sys::tenon_value) -> Option<&'a RawValue> {
        // SAFETY: the caller's promise.
        unsafe { P::from_value(raw) }.map(|_| RawValue::view(raw))
    }

    unsafe fn lift<'a>(first: &'a Self::First, _: &'a ()) -> Option<&'a RawValue> {
        // SAFETY: kernel.h: not NULL, and it lives for the call.
        unsafe { Self::from_value(&**first) }
    }

    #[inline(always)]
    fn temp<'a>(_: Self::Item<'a>) -> Self::Temp<'a> {}

    #[inline(always)]
    fn lower<'a>(item: Self::Item<'a>, (): &()) -> (Self::First, ()) {
        (item.as_raw(), ())
    }

    fn to_arg(item: Self::Item<'_>) -> Arg<'_> {
        // SAFETY: the value obeys value.h and lives for the call.
        unsafe { Arg::borrow(item.as_raw()) }
    }
}

impl<P> Default<P> {
    /// Returns the default as an argument.
    #[inline(always)]
    pub(crate) fn get(&self) -> &RawValue {
        &self.value
    }
}
