// SPDX-License-Identifier: Apache-2.0
//! All arguments of a call: tuples, arrays and values.

use crate::arg::{Arg, IntoArg};
use crate::value::Value;
use crate::value_ref::ValueRef;

/// All arguments of a call: a tuple `(&x, 2, "text")`, an array of [`Arg`] made by
/// [`args!`](crate::args), or values.
pub trait Arguments {
    /// Calls `function` with the arguments in order.
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T;
}

impl Arguments for &[Arg<'_>] {
    #[inline]
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
        function(self)
    }
}

impl<const N: usize> Arguments for [Arg<'_>; N] {
    #[inline]
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
        function(&self)
    }
}

impl<const N: usize> Arguments for &[Arg<'_>; N] {
    #[inline]
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
        function(self)
    }
}

impl Arguments for Vec<Arg<'_>> {
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
        function(&self)
    }
}

impl Arguments for &[Value] {
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
        let args: Vec<Arg<'_>> = self.iter().map(IntoArg::into_arg).collect();
        function(&args)
    }
}

impl<const N: usize> Arguments for &[Value; N] {
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
        self.as_slice().with(function)
    }
}

impl Arguments for &Vec<Value> {
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
        self.as_slice().with(function)
    }
}

impl Arguments for &[ValueRef<'_>] {
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
        let args: Vec<Arg<'_>> = self.iter().map(|value| value.into_arg()).collect();
        function(&args)
    }
}

impl Arguments for () {
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
        function(&[])
    }
}

macro_rules! arguments_tuple {
    ($($name:ident)+) => {
        impl<'a, $($name: IntoArg<'a>),+> Arguments for ($($name,)+) {
            #[inline]
            #[allow(non_snake_case)]
            fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
                let ($($name,)+) = self;
                function(&[$($name.into_arg()),+])
            }
        }
    };
}

arguments_tuple!(A);
arguments_tuple!(A B);
arguments_tuple!(A B C);
arguments_tuple!(A B C D);
arguments_tuple!(A B C D E);
arguments_tuple!(A B C D E F);
arguments_tuple!(A B C D E F G);
arguments_tuple!(A B C D E F G H);

/// Makes an array of arguments, for calls with more arguments than a tuple can hold or whose
/// arguments are built in steps.
///
/// ```
/// let x = tenon::Tensor::scalar(1.0f32)?;
/// let args = tenon::args![&x, 2, "text", &[1i64, 2], None::<f64>];
/// assert_eq!(args.len(), 5);
/// # Ok::<(), tenon::Error>(())
/// ```
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(,)?) => {
        [$($crate::IntoArg::into_arg($value)),*]
    };
}
