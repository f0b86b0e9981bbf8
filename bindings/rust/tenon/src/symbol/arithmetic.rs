// SPDX-License-Identifier: Apache-2.0
//! Operators on symbolic numbers.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Rem, Sub};

use tenon_sys as sys;

use super::{apply, SymBool, SymFunction, SymInt};
use crate::error::Result;

/// Unwraps a result, because operators cannot return an error.
pub(super) fn calculated<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $function:expr;)*) => {
        $(
            impl<T: Into<SymInt>> $trait<T> for SymInt {
                type Output = SymInt;
                fn $method(self, other: T) -> SymInt {
                    calculated(SymInt::calculate($function, self, other))
                }
            }

            impl<T: Into<SymInt>> $trait<T> for &SymInt {
                type Output = SymInt;
                fn $method(self, other: T) -> SymInt {
                    calculated(SymInt::calculate($function, self, other))
                }
            }

            impl $trait<SymInt> for i64 {
                type Output = SymInt;
                fn $method(self, other: SymInt) -> SymInt {
                    calculated(SymInt::calculate($function, self, other))
                }
            }

            impl $trait<&SymInt> for i64 {
                type Output = SymInt;
                fn $method(self, other: &SymInt) -> SymInt {
                    calculated(SymInt::calculate($function, self, other))
                }
            }
        )*
    };
}

operators! {
    Add add SymFunction::Add;
    Sub sub SymFunction::Sub;
    Mul mul SymFunction::Mul;
    Div div SymFunction::FloorDiv;
    Rem rem SymFunction::Mod;
}

impl Neg for &SymInt {
    type Output = SymInt;
    fn neg(self) -> SymInt {
        0 - self
    }
}

impl Neg for SymInt {
    type Output = SymInt;
    fn neg(self) -> SymInt {
        0 - self
    }
}

impl<T: Into<SymBool>> BitAnd<T> for SymBool {
    type Output = SymBool;
    fn bitand(self, other: T) -> SymBool {
        calculated(apply(sys::TENON_SYMBOL_AND, &[&self.0, &other.into().0]).map(SymBool))
    }
}

impl<T: Into<SymBool>> BitOr<T> for SymBool {
    type Output = SymBool;
    fn bitor(self, other: T) -> SymBool {
        calculated(apply(sys::TENON_SYMBOL_OR, &[&self.0, &other.into().0]).map(SymBool))
    }
}

impl Not for SymBool {
    type Output = SymBool;
    fn not(self) -> SymBool {
        calculated(apply(sys::TENON_SYMBOL_NOT, &[&self.0]).map(SymBool))
    }
}
