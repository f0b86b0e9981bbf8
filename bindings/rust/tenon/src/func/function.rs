// SPDX-License-Identifier: Apache-2.0
//! Functions of tensors: closures, and transformed functions.

use std::fmt;

use crate::error::{Error, Result};
use crate::func::tree::TensorTree;
use crate::status::Status;
use crate::Tensor;

/// A function that can be transformed. `Kind` distinguishes closures with different parameters and
/// is inferred. The parameters of a closure must have types, as in `|x: &Tensor, y: &Tensor|`.
pub trait TensorFunction<Kind> {
    /// The result.
    type Output: TensorTree;

    /// Calls the function.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a wrong number of arguments, and what the function returns.
    fn apply(&self, args: &[Tensor]) -> Result<Self::Output>;
}

impl<F, R> TensorFunction<fn(&[Tensor])> for F
where
    F: Fn(&[Tensor]) -> Result<R>,
    R: TensorTree,
{
    type Output = R;

    fn apply(&self, args: &[Tensor]) -> Result<R> {
        self(args)
    }
}

macro_rules! function_of {
    ($count:literal: $($name:ident $of:ty),+) => {
        impl<F, R> TensorFunction<fn($($of),+)> for F
        where
            F: Fn($($of),+) -> Result<R>,
            R: TensorTree,
        {
            type Output = R;

            fn apply(&self, args: &[Tensor]) -> Result<R> {
                match args {
                    [$($name),+] => self($($name),+),
                    _ => Err(Error::new(
                        Status::INVALID_ARGUMENT,
                        format!("func: arguments must be {}, got {}", $count, args.len()),
                    )),
                }
            }
        }
    };
}

function_of!(1: a &Tensor);
function_of!(2: a &Tensor, b &Tensor);
function_of!(3: a &Tensor, b &Tensor, c &Tensor);
function_of!(4: a &Tensor, b &Tensor, c &Tensor, d &Tensor);

/// A function that takes all its arguments in a slice.
pub(super) type Apply<'f, R> = dyn Fn(&[Tensor]) -> Result<R> + 'f;

/// A transformed function.
pub struct Transformed<'f, R>(Box<Apply<'f, R>>);

impl<'f, R: TensorTree> Transformed<'f, R> {
    pub(super) fn new(function: impl Fn(&[Tensor]) -> Result<R> + 'f) -> Transformed<'f, R> {
        Transformed(Box::new(function))
    }

    /// Calls the function with one tensor, a tuple of up to four, or a slice.
    ///
    /// # Errors
    /// Errors of the transform and of the function.
    pub fn call(&self, args: impl TensorArgs) -> Result<R> {
        (self.0)(&args.into_tensors())
    }
}

/// Takes any number of arguments.
impl<R: TensorTree> TensorFunction<()> for Transformed<'_, R> {
    type Output = R;

    fn apply(&self, args: &[Tensor]) -> Result<R> {
        (self.0)(args)
    }
}

impl<R> fmt::Debug for Transformed<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transformed -> {}", std::any::type_name::<R>())
    }
}

/// The arguments of a [`Transformed`] function.
pub trait TensorArgs {
    /// Returns the tensors, shared.
    fn into_tensors(self) -> Vec<Tensor>;
}

impl TensorArgs for &Tensor {
    fn into_tensors(self) -> Vec<Tensor> {
        vec![self.clone()]
    }
}

impl TensorArgs for &[Tensor] {
    fn into_tensors(self) -> Vec<Tensor> {
        self.to_vec()
    }
}

impl<const N: usize> TensorArgs for [&Tensor; N] {
    fn into_tensors(self) -> Vec<Tensor> {
        self.into_iter().cloned().collect()
    }
}

macro_rules! args_of_tuple {
    ($($name:ident $of:ty),+) => {
        impl TensorArgs for ($($of,)+) {
            fn into_tensors(self) -> Vec<Tensor> {
                let ($($name,)+) = self;
                vec![$($name.clone()),+]
            }
        }
    };
}

args_of_tuple!(a & Tensor);
args_of_tuple!(a & Tensor, b & Tensor);
args_of_tuple!(a & Tensor, b & Tensor, c & Tensor);
args_of_tuple!(a & Tensor, b & Tensor, c & Tensor, d & Tensor);
