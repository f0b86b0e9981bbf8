// SPDX-License-Identifier: Apache-2.0
//! Tensor methods that call operators of `aten`, whose kernels libtenon_cpu provides on first use.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::arg::{Arg, IntoArg};
use crate::arguments::Arguments;
use crate::error::Result;
use crate::lazy_typed::{Default, LazyTyped};
use crate::op::LazyOp;
use crate::types::{DType, Device};
use crate::value::Scalar;
use crate::{Generator, Tensor};

fn call(op: &LazyOp, args: impl Arguments) -> Result<Tensor> {
    op.get()?.call(args)
}

impl Tensor {
    /// Returns the elements of `x` where `self` is true, and those of `y` elsewhere.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn where_(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        static OP: LazyTyped<(&Tensor, &Tensor, &Tensor), Tensor> =
            LazyTyped::new("aten::where.self");
        OP.get()?.call(self, x, y)
    }

    /// Sums over some dims.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn sum_dims(&self, dims: &[i64], keepdim: bool) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::sum.dim_IntList");
        call(&OP, (self, dims, keepdim))
    }

    /// Computes the mean over some dims.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn mean_dims(&self, dims: &[i64], keepdim: bool) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::mean.dim");
        call(&OP, (self, dims, keepdim))
    }

    /// Returns a view of every `step`-th element `start..end` of a dim. `None` means the first or
    /// last element.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn slice(
        &self,
        dim: i64,
        start: Option<i64>,
        end: Option<i64>,
        step: i64,
    ) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::slice.Tensor");
        call(&OP, (self, dim, start, end, step))
    }

    /// Concatenates tensors along a dim.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn cat(tensors: &[&Tensor], dim: i64) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::cat");
        call(&OP, (tensors, dim))
    }

    /// Copies the tensor to new memory, by `aten::clone`. ([`Clone::clone`] shares the tensor.)
    ///
    /// # Errors
    /// What the operator raises.
    pub fn copy(&self) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::clone");
        call(&OP, (self,))
    }

    /// Copies the elements of `source` into this tensor.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn copy_(&self, source: &Tensor) -> Result<()> {
        static OP: LazyOp = LazyOp::new("aten::copy_");
        OP.get()?.call((self, source))
    }

    /// Sets every element.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn fill_(&self, value: impl Into<Scalar>) -> Result<()> {
        static OP: LazyOp = LazyOp::new("aten::fill_.Scalar");
        OP.get()?.call((self, value.into()))
    }

    /// Fills the tensor with samples of the uniform distribution on [`low`, `high`). If `generator`
    /// is `None`, uses the device's default generator.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn uniform_(&self, low: f64, high: f64, generator: Option<&Generator>) -> Result<()> {
        static OP: LazyOp = LazyOp::new("aten::uniform_");
        OP.get()?.call((self, low, high, generator))
    }

    /// Fills the tensor with samples of the normal distribution. If `generator` is `None`, uses the
    /// device's default generator.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn normal_(&self, mean: f64, std: f64, generator: Option<&Generator>) -> Result<()> {
        static OP: LazyOp = LazyOp::new("aten::normal_");
        OP.get()?.call((self, mean, std, generator))
    }

    /// Converts to another dtype or device. `None` keeps the current one.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn to(&self, dtype: Option<DType>, device: Option<Device>) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::_to_copy");
        OP.get()?
            .args()
            .arg(self)
            .named("dtype", dtype)
            .named("device", device)
            .call()
    }
}

/// The right operand of an arithmetic operator: a tensor or a number.
pub trait Operand {
    #[doc(hidden)]
    fn operand<T>(self, function: impl FnOnce(&Tensor) -> Result<T>) -> Result<T>;
}

impl Operand for &Tensor {
    #[inline]
    fn operand<T>(self, function: impl FnOnce(&Tensor) -> Result<T>) -> Result<T> {
        function(self)
    }
}

macro_rules! number_operand {
    ($($type:ty),*) => {
        $(impl Operand for $type {
            fn operand<T>(self, function: impl FnOnce(&Tensor) -> Result<T>) -> Result<T> {
                function(&Tensor::from_number(self)?)
            }
        })*
    };
}

number_operand!(f64, f32, i64, i32, bool, Scalar);

// The arguments include the operator's name and the types of its other arguments' defaults.
macro_rules! arithmetic {
    ($($trait:ident $method:ident $op:literal $($default:ident: $type:ty)?;)*) => {
        $(
            /// Elementwise, with broadcasting and type promotion. `Err` is the operator's error.
            impl<T: Operand> $trait<T> for &Tensor {
                type Output = Result<Tensor>;

                #[inline]
                fn $method(self, other: T) -> Result<Tensor> {
                    static OP: LazyTyped<
                        (&'static Tensor, &'static Tensor, $(Default<$type>)?),
                        Tensor,
                        ($(Default<$type>,)?),
                    > = LazyTyped::new($op);
                    let (op, ($($default,)?)) = OP.with_defaults()?;
                    other.operand(|other| op.call(self, other, $($default.get())?))
                }
            }
        )*
    };
}

arithmetic! {
    Add add "aten::add.Tensor" alpha: Scalar;
    Sub sub "aten::sub.Tensor" alpha: Scalar;
    Mul mul "aten::mul.Tensor";
    Div div "aten::div.Tensor";
}

// Operators with a number on the left.
macro_rules! number_left {
    ($($type:ty),*) => {
        $(
            /// Elementwise. `Err` is the operator's error.
            impl Add<&Tensor> for $type {
                type Output = Result<Tensor>;

                fn add(self, other: &Tensor) -> Result<Tensor> {
                    other + self
                }
            }

            /// Elementwise. `Err` is the operator's error.
            impl Sub<&Tensor> for $type {
                type Output = Result<Tensor>;

                fn sub(self, other: &Tensor) -> Result<Tensor> {
                    &Tensor::from_number(self)? - other
                }
            }

            /// Elementwise. `Err` is the operator's error.
            impl Mul<&Tensor> for $type {
                type Output = Result<Tensor>;

                fn mul(self, other: &Tensor) -> Result<Tensor> {
                    other * self
                }
            }

            /// Multiplies the reciprocals by the number, as PyTorch does. `Err` is an operator's
            /// error.
            impl Div<&Tensor> for $type {
                type Output = Result<Tensor>;

                fn div(self, other: &Tensor) -> Result<Tensor> {
                    Mul::mul(&other.reciprocal()?, self)
                }
            }
        )*
    };
}

number_left!(f64, f32, i64, i32);

/// Elementwise. `Err` is the operator's error.
impl Neg for &Tensor {
    type Output = Result<Tensor>;

    fn neg(self) -> Result<Tensor> {
        static OP: LazyTyped<(&Tensor,), Tensor> = LazyTyped::new("aten::neg");
        OP.get()?.call(self)
    }
}

/// Factories. They call operators, so that modes and profiles see them.
impl Tensor {
    fn factory(op: &LazyOp, lead: &[Arg<'_>], dtype: DType, device: Device) -> Result<Tensor> {
        let mut builder = op.get()?.args();
        for arg in lead {
            builder = builder.arg(arg.value());
        }
        builder.named("dtype", dtype).named("device", device).call()
    }

    /// Creates a tensor of zeros.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn zeros(shape: &[i64], dtype: DType, device: Device) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::zeros");
        Tensor::factory(&OP, &[shape.into_arg()], dtype, device)
    }

    /// Creates a tensor of ones.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn ones(shape: &[i64], dtype: DType, device: Device) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::ones");
        Tensor::factory(&OP, &[shape.into_arg()], dtype, device)
    }

    /// Creates a tensor whose elements all have one value.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn full(
        shape: &[i64],
        value: impl Into<Scalar>,
        dtype: DType,
        device: Device,
    ) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::full");
        let value: Scalar = value.into();
        Tensor::factory(&OP, &[shape.into_arg(), value.into_arg()], dtype, device)
    }

    /// Creates a tensor of samples of the uniform distribution on [0, 1). If `generator` is `None`,
    /// uses the device's default generator.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn rand(
        shape: &[i64],
        generator: Option<&Generator>,
        dtype: DType,
        device: Device,
    ) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::rand.generator");
        Tensor::drawn(&OP, shape, generator, dtype, device)
    }

    /// Creates a tensor of samples of the standard normal distribution. If `generator` is `None`,
    /// uses the device's default generator.
    ///
    /// # Errors
    /// What the operator raises.
    pub fn randn(
        shape: &[i64],
        generator: Option<&Generator>,
        dtype: DType,
        device: Device,
    ) -> Result<Tensor> {
        static OP: LazyOp = LazyOp::new("aten::randn.generator");
        Tensor::drawn(&OP, shape, generator, dtype, device)
    }

    fn drawn(
        op: &LazyOp,
        shape: &[i64],
        generator: Option<&Generator>,
        dtype: DType,
        device: Device,
    ) -> Result<Tensor> {
        let args = op.get()?.args().arg(shape);
        let args = args.named("generator", generator);
        args.named("dtype", dtype).named("device", device).call()
    }
}
