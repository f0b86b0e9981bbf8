// SPDX-License-Identifier: Apache-2.0
//! Symbolic numbers: sizes without a fixed value, and the guards on them.
//!
//! ```
//! use tenon::symbol::ShapeEnv;
//! use tenon::{DType, Op, Tensor};
//! let env = ShapeEnv::new()?;
//! let batch = env.new_size(4)?;
//! let x = Tensor::empty_symbolic(&[batch.clone(), 3.into()], DType::F32)?;
//! let y: Tensor = Op::find("aten::t")?.call((&x,))?;
//! assert_eq!(y.sym_shape()?, [3.into(), batch.clone()]);
//! assert!(batch.sym_lt(10)?.guard()?); // decided by the hint: a guard
//! assert!(env.first_failure(&[(&batch, 7)])?.is_none());
//! assert!(env.first_failure(&[(&batch, 12)])?.is_some());
//! # Ok::<(), tenon::Error>(())
//! ```
//!
//! Kernels that accept symbols are boxed and must be marked:
//! [`Kernel::symbolic`](crate::Kernel::symbolic).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;

use tenon_sys as sys;

use crate::arg::{Arg, IntoArg};
use crate::error::{check, Error, Result};
use crate::returns::FromValue;
use crate::status::Status;
use crate::text::c_text;
use crate::value::{RawValue, Value};
use crate::value_ref::ValueRef;

mod arithmetic;
mod shape;
mod shape_env;

pub use shape::sizes;
use shape_env::put_in;
pub use shape_env::{ShapeEnv, ShapeGuard, SymbolOptions};

/// Returns true if a word of a tensor or list is a symbol, which is the case below -2^62.
fn is_symbol_word(word: i64) -> bool {
    word < -(1i64 << 62)
}

/// An int that may be symbolic: a size such as `s0`, or an expression such as `s0*s1 + 1`.
///
/// `==` returns true if two are the same number or expression, and decides nothing. Relations of
/// the numbers are [`SymInt::sym_eq`] and similar functions. Arithmetic stays symbolic.
///
/// # Panics
/// Operators panic where [`SymInt::calculate`] would return an error: for a result beyond 64 bits,
/// a division by 0, and symbols of two environments.
#[derive(Clone)]
pub struct SymInt(RawValue);

/// A float that may be symbolic, such as `s0 / 2`.
#[derive(Clone)]
pub struct SymFloat(RawValue);

/// A bool that may be symbolic, such as `s0 < s1`.
#[derive(Clone)]
pub struct SymBool(RawValue);

/// Functions of two ints that return an int. Division rounds down and a remainder has the sign of
/// the divisor, as in Python.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SymFunction {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a // b`
    FloorDiv,
    /// `a % b`
    Mod,
    /// `max(a, b)`
    Max,
    /// `min(a, b)`
    Min,
}

impl SymFunction {
    fn number(self) -> u32 {
        match self {
            SymFunction::Add => sys::TENON_SYMBOL_ADD,
            SymFunction::Sub => sys::TENON_SYMBOL_SUB,
            SymFunction::Mul => sys::TENON_SYMBOL_MUL,
            SymFunction::FloorDiv => sys::TENON_SYMBOL_FLOORDIV,
            SymFunction::Mod => sys::TENON_SYMBOL_MOD,
            SymFunction::Max => sys::TENON_SYMBOL_MAX,
            SymFunction::Min => sys::TENON_SYMBOL_MIN,
        }
    }
}

fn apply(function: u32, args: &[&RawValue]) -> Result<RawValue> {
    let mut raw = [RawValue::NONE; 2];
    for (to, from) in raw.iter_mut().zip(args) {
        *to = *from.as_raw();
    }
    let mut out = RawValue::NONE;
    // SAFETY: symbol.h: arguments are borrowed for the call; `out` is overwritten and ours.
    check(unsafe { sys::tenon_symbol_apply(function, raw.as_ptr(), args.len() as i64, &mut out) })?;
    Ok(RawValue(out))
}

/// Converts a symbol to a number and records a guard with the place.
fn guard(value: &RawValue, place: &Location<'_>) -> Result<RawValue> {
    let file = c_text(place.file());
    let mut out = RawValue::NONE;
    // SAFETY: symbol.h: the text lives for the call; `out` is overwritten and ours.
    check(unsafe {
        sys::tenon_symbol_guard(value.as_raw(), file.as_ptr(), place.line() as i32, &mut out)
    })?;
    Ok(RawValue(out))
}

/// Returns the hint: for a number the value itself, and NONE for an unbacked symbol.
fn hint(value: &RawValue) -> sys::tenon_value {
    let Some(symbol) = symbol_of(value) else {
        return *value.as_raw();
    };
    let mut out = RawValue::NONE;
    // SAFETY: the symbol is live; a hint is a plain number.
    unsafe { sys::tenon_symbol_hint(symbol, &mut out) };
    out
}

fn symbol_of(value: &RawValue) -> Option<*mut sys::tenon_symbol> {
    match u32::from(value.0.tag) {
        sys::TENON_TAG_SYMINT | sys::TENON_TAG_SYMFLOAT | sys::TENON_TAG_SYMBOOL => {
            // SAFETY: value.h: the field of these tags.
            Some(unsafe { value.0.as_.symbol })
        }
        _ => None,
    }
}

macro_rules! symbolic {
    ($($type:ident, $number:ty, $tag:ident, $symbol:ident, $field:ident, |$word:ident| $read:expr,
       $what:literal;)*) => {
        $(
            impl $type {
                /// Returns true if it is a symbol and not a number.
                pub fn is_symbolic(&self) -> bool {
                    symbol_of(&self.0).is_some()
                }

                /// Returns the hint, the number in the current example, or `None` if it is
                /// unbacked.
                pub fn hint(&self) -> Option<$number> {
                    let raw = hint(&self.0);
                    // SAFETY: value.h: the tag's field.
                    let $word = unsafe { raw.as_.$field };
                    (u32::from(raw.tag) != sys::TENON_TAG_NONE).then_some($read)
                }

                /// Decides the value. If it is not known, uses hints and records a guard with the
                /// caller's place.
                ///
                /// # Errors
                /// [`Status::DATA_DEPENDENT`] if the value depends on data.
                #[track_caller]
                pub fn guard(&self) -> Result<$number> {
                    let number = guard(&self.0, Location::caller())?;
                    // SAFETY: symbol.h: a number of this kind; value.h: the tag's field.
                    let $word = unsafe { number.0.as_.$field };
                    Ok($read)
                }

                fn of(raw: RawValue) -> Option<$type> {
                    matches!(u32::from(raw.0.tag), sys::$tag | sys::$symbol).then_some($type(raw))
                }
            }

            /// Formats the expression in Python syntax.
            impl fmt::Display for $type {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Debug::fmt(&self.0, f)
                }
            }

            impl fmt::Debug for $type {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Debug::fmt(&self.0, f)
                }
            }

            impl<'a> IntoArg<'a> for &'a $type {
                fn into_arg(self) -> Arg<'a> {
                    // SAFETY: the value borrows for 'a.
                    unsafe { Arg::borrow(self.0.as_raw()) }
                }
            }

            impl From<$type> for Value {
                fn from(number: $type) -> Value {
                    Value::Other(number.0)
                }
            }

            impl FromValue for $type {
                const TYPE: &'static str = $what;

                fn from_value(value: Value) -> Option<$type> {
                    $type::of(value.into_owned_raw().ok()?)
                }
            }

            impl TryFrom<ValueRef<'_>> for $type {
                type Error = Error;

                fn try_from(value: ValueRef<'_>) -> Result<$type> {
                    let arg = value.into_arg();
                    $type::of(RawValue::copy_of(arg.as_raw())?).ok_or_else(|| {
                        Error::new(
                            Status::TYPE,
                            format!("{} must be one, got {}", $what, value.type_name()),
                        )
                    })
                }
            }
        )*
    };
}

symbolic! {
    SymInt, i64, TENON_TAG_INT, TENON_TAG_SYMINT, i, |word| word, "SymInt";
    SymFloat, f64, TENON_TAG_FLOAT, TENON_TAG_SYMFLOAT, f, |word| word, "SymFloat";
    SymBool, bool, TENON_TAG_BOOL, TENON_TAG_SYMBOOL, i, |word| word != 0, "SymBool";
}

macro_rules! from_number {
    ($($type:ident: $($number:ty)*;)*) => {
        $($(impl From<$number> for $type {
            fn from(number: $number) -> $type {
                // A plain number, which owns nothing.
                $type(RawValue(*std::mem::ManuallyDrop::new(number.into_arg()).as_raw()))
            }
        })*)*
    };
}

from_number! {
    SymInt: i64 i32 u32 u16 u8;
    SymFloat: f64 f32;
    SymBool: bool;
}

impl SymInt {
    /// Applies a function without deciding anything.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a division by 0, a result beyond 64 bits and symbols of two
    /// environments.
    pub fn calculate(
        function: SymFunction,
        a: impl Into<SymInt>,
        b: impl Into<SymInt>,
    ) -> Result<SymInt> {
        apply(function.number(), &[&a.into().0, &b.into().0]).map(SymInt)
    }

    /// Returns the maximum, without deciding which operand it is.
    ///
    /// # Errors
    /// As [`SymInt::calculate`].
    pub fn max(&self, other: impl Into<SymInt>) -> Result<SymInt> {
        SymInt::calculate(SymFunction::Max, self.clone(), other)
    }

    /// Returns the minimum, without deciding which operand it is.
    ///
    /// # Errors
    /// As [`SymInt::calculate`].
    pub fn min(&self, other: impl Into<SymInt>) -> Result<SymInt> {
        SymInt::calculate(SymFunction::Min, self.clone(), other)
    }

    /// Returns the quotient as a float.
    ///
    /// # Errors
    /// As [`SymInt::calculate`].
    pub fn true_div(&self, other: impl Into<SymInt>) -> Result<SymFloat> {
        apply(sys::TENON_SYMBOL_TRUEDIV, &[&self.0, &other.into().0]).map(SymFloat)
    }

    /// Returns the square root of a number that is at least 0.
    ///
    /// # Errors
    /// As [`SymInt::calculate`].
    pub fn sqrt(&self) -> Result<SymFloat> {
        apply(sys::TENON_SYMBOL_SQRT, &[&self.0]).map(SymFloat)
    }

    /// Returns the number, if it is not symbolic.
    pub fn as_int(&self) -> Option<i64> {
        if self.is_symbolic() {
            return None;
        }
        // SAFETY: value.h: the field of INT.
        Some(unsafe { self.0 .0.as_.i })
    }

    /// Returns the known lower and upper bound; `None` means no bound.
    ///
    /// # Errors
    /// [`Status::TYPE`] for a symbol that is no int, which a `SymInt` never is.
    pub fn bounds(&self) -> Result<(Option<i64>, Option<i64>)> {
        let Some(symbol) = symbol_of(&self.0) else {
            return Ok((self.as_int(), self.as_int()));
        };
        let (mut min, mut max) = (0, 0);
        // SAFETY: the symbol is live, and an int.
        check(unsafe { sys::tenon_symbol_bounds(symbol, &mut min, &mut max) })?;
        Ok((
            (min != i64::MIN).then_some(min),
            (max != i64::MAX).then_some(max),
        ))
    }

    /// Evaluates the expression with numbers for its variables. Records no guard.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] if a variable is missing.
    pub fn evaluate(&self, numbers: &[(&SymInt, i64)]) -> Result<i64> {
        let Some(symbol) = symbol_of(&self.0) else {
            return Ok(self.as_int().unwrap_or_default());
        };
        let (variables, numbers) = put_in(numbers)?;
        let mut out = 0;
        // SAFETY: symbol.h: one live symbol per number.
        check(unsafe {
            sys::tenon_symbol_evaluate(
                symbol,
                variables.as_ptr(),
                numbers.as_ptr(),
                numbers.len() as i64,
                &mut out,
            )
        })?;
        Ok(out)
    }

    /// Returns the word, which borrows the symbol.
    pub(crate) fn word(&self) -> i64 {
        match symbol_of(&self.0) {
            // SAFETY: the symbol is live.
            Some(symbol) => unsafe { sys::tenon_dim_of_symbol(symbol) },
            None => self.as_int().unwrap_or_default(),
        }
    }

    /// Makes a SymInt from a word. Retains the word's symbol.
    ///
    /// # Safety
    /// The owner of the word's symbol is live.
    unsafe fn of_word(word: i64) -> SymInt {
        if !is_symbol_word(word) {
            return SymInt::from(word);
        }
        let symbol = (word as u64 & !(1 << 63)) as usize as *mut sys::tenon_symbol;
        let mut raw = RawValue::NONE;
        raw.tag = sys::TENON_TAG_SYMINT as u16;
        raw.flags = sys::TENON_VALUE_OWNED as u16;
        // SAFETY: the caller's promise.
        raw.as_.symbol = unsafe { sys::tenon_symbol_retain(symbol) };
        SymInt(RawValue(raw))
    }
}

macro_rules! relations {
    ($($name:ident, $function:ident, $text:literal;)*) => {
        impl SymInt {
            $(
                #[doc = concat!("`self ", $text, " other`, as far as known without a guard; ")]
                /// [`SymBool::guard`] decides it.
                ///
                /// # Errors
                /// [`Status::INVALID_ARGUMENT`] for symbols of two environments.
                pub fn $name(&self, other: impl Into<SymInt>) -> Result<SymBool> {
                    apply(sys::$function, &[&self.0, &other.into().0]).map(SymBool)
                }
            )*
        }
    };
}

relations! {
    sym_eq, TENON_SYMBOL_EQ, "==";
    sym_ne, TENON_SYMBOL_NE, "!=";
    sym_lt, TENON_SYMBOL_LT, "<";
    sym_le, TENON_SYMBOL_LE, "<=";
    sym_gt, TENON_SYMBOL_GT, ">";
    sym_ge, TENON_SYMBOL_GE, ">=";
}

/// True for the same number or expression; decides nothing.
impl PartialEq for SymInt {
    fn eq(&self, other: &SymInt) -> bool {
        self.is_symbolic() == other.is_symbolic() && self.word() == other.word()
    }
}

impl Eq for SymInt {}

impl Hash for SymInt {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.word().hash(state);
    }
}

impl From<&SymInt> for SymInt {
    fn from(number: &SymInt) -> SymInt {
        number.clone()
    }
}
