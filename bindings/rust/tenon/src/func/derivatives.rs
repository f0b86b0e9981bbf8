// SPDX-License-Identifier: Apache-2.0
//! Derivatives of functions: grad, vjp, jvp, and Jacobians computed with these and vmap.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::aten;
use crate::error::{check, Error, Result};
use crate::func::call::call_by;
use crate::func::function::{Apply, TensorArgs, TensorFunction, Transformed};
use crate::func::tree::{leaves_of, tree_like, TensorTree};
use crate::func::vmap::{map, VmapOptions};
use crate::status::Status;
use crate::Tensor;

/// Computes the gradients of a function's arguments from those of its result. Can run any number of
/// times.
pub struct Pullback<R> {
    raw: NonNull<sys::tenon_pullback>,
    output: PhantomData<fn(&R)>,
}

// SAFETY: transforms.h: any thread retains, releases and runs a pullback.
unsafe impl<R> Send for Pullback<R> {}
// SAFETY: as above; running only reads it.
unsafe impl<R> Sync for Pullback<R> {}

impl<R: TensorTree> Pullback<R> {
    /// Computes the gradients, one for each argument.
    ///
    /// # Errors
    /// [`Status::STATE`] for cotangents of other sizes than the result's, and what a formula
    /// returned.
    pub fn call(&self, cotangents: &R) -> Result<Vec<Tensor>> {
        let leaves = leaves_of(cotangents);
        let handles: Vec<_> = leaves.iter().map(Tensor::as_raw).collect();
        self.run(&handles)
    }

    /// Starts from the gradient 1, for a 0-dim result.
    fn call_from_one(&self) -> Result<Vec<Tensor>> {
        self.run(&[ptr::null_mut()])
    }

    fn run(&self, cotangents: &[*mut sys::tenon_tensor]) -> Result<Vec<Tensor>> {
        let mut count = 0;
        // SAFETY: the pullback is live.
        unsafe { sys::tenon_pullback_count(self.raw.as_ptr(), &mut count) };
        let mut grads: Vec<Option<Tensor>> = Vec::new();
        grads.resize_with(count as usize, || None);
        // SAFETY: the handles live for the call; `grads` has room for one new reference per
        // argument, NULL is `None`, and a failure leaves no reference in it.
        check(unsafe {
            sys::tenon_pullback_run(
                self.raw.as_ptr(),
                cotangents.as_ptr(),
                cotangents.len() as i64,
                grads.as_mut_ptr().cast(),
            )
        })?;
        Ok(grads.into_iter().flatten().collect())
    }
}

impl<R> Drop for Pullback<R> {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_pullback_release(self.raw.as_ptr()) }
    }
}

impl<R> fmt::Debug for Pullback<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pullback of {}", std::any::type_name::<R>())
    }
}

/// Calls a function. Returns its result and the [`Pullback`] to its arguments.
///
/// ```
/// use tenon::{func::vjp, Tensor};
/// let (square, pullback) = vjp(|x: &Tensor| x * x, &Tensor::scalar(3.0f32)?)?;
/// assert_eq!(square.to_vec::<f32>()?, [9.0]);
/// assert_eq!(pullback.call(&Tensor::scalar(1.0f32)?)?[0].to_vec::<f32>()?, [6.0]);
/// # Ok::<(), tenon::Error>(())
/// ```
///
/// # Errors
/// [`Status::STATE`] for dtypes that are neither floating nor complex, and what the function
/// returned.
pub fn vjp<Kind, F>(
    function: F,
    primals: impl TensorArgs,
) -> Result<(F::Output, Pullback<F::Output>)>
where
    F: TensorFunction<Kind>,
{
    record(&|args| function.apply(args), &primals.into_tensors())
}

fn record<R: TensorTree>(function: &Apply<'_, R>, primals: &[Tensor]) -> Result<(R, Pullback<R>)> {
    let mut raw = ptr::null_mut();
    let called = call_by(function, primals, |callable, ctx, stack, _| {
        // SAFETY: transforms.h: all is the call's own; `raw` gets a new reference.
        unsafe { sys::tenon_vjp(callable, ctx, stack, &mut raw) }
    });
    let pullback = NonNull::new(raw).map(|raw| Pullback {
        raw,
        output: PhantomData,
    });
    let (output, _) = called?;
    let missing = || Error::new(Status::INTERNAL, "vjp: succeeded but returned no pullback");
    Ok((output, pullback.ok_or_else(missing)?))
}

/// Calls a function. Returns its result and the derivative of the result along the tangents, which
/// are one for each argument.
///
/// # Errors
/// [`Status::INVALID_ARGUMENT`] for a wrong number of tangents, [`Status::STATE`] for tangents of
/// other sizes or dtypes, and what the function returned.
pub fn jvp<Kind, F>(
    function: F,
    primals: impl TensorArgs,
    tangents: impl TensorArgs,
) -> Result<(F::Output, F::Output)>
where
    F: TensorFunction<Kind>,
{
    push(
        &|args| function.apply(args),
        &primals.into_tensors(),
        &tangents.into_tensors(),
    )
}

fn push<R: TensorTree>(
    function: &Apply<'_, R>,
    primals: &[Tensor],
    tangents: &[Tensor],
) -> Result<(R, R)> {
    if primals.len() != tangents.len() {
        let (want, got) = (primals.len(), tangents.len());
        return Err(Error::new(
            Status::INVALID_ARGUMENT,
            format!("jvp: tangents must be {want} like the primals, got {got}"),
        ));
    }
    let handles: Vec<_> = tangents.iter().map(Tensor::as_raw).collect();
    let (output, derivative) = call_by(function, primals, |callable, ctx, stack, other| {
        // SAFETY: transforms.h: all is the call's own; `other` gets an owned value.
        unsafe { sys::tenon_jvp(callable, ctx, stack, handles.as_ptr(), &mut other.0) }
    })?;
    let missing = || {
        Error::new(
            Status::INTERNAL,
            "jvp: succeeded but returned no derivative",
        )
    };
    Ok((output, derivative.ok_or_else(missing)?))
}

/// Returns the arguments at some indices.
fn some_of(name: &str, places: &[usize], args: &[Tensor]) -> Result<Vec<Tensor>> {
    if let Some(far) = places.iter().find(|&&place| place >= args.len()) {
        let count = args.len();
        return Err(Error::new(
            Status::INVALID_ARGUMENT,
            format!("{name}: argnums must be places of the {count} arguments, got {far}"),
        ));
    }
    Ok(places.iter().map(|&place| args[place].clone()).collect())
}

/// Makes a function of the arguments at some indices, with the others fixed.
fn of_places<'a, R: TensorTree + 'a>(
    function: &'a Apply<'a, R>,
    places: &'a [usize],
    args: &'a [Tensor],
) -> impl Fn(&[Tensor]) -> Result<R> + 'a {
    move |some: &[Tensor]| {
        let mut given = args.to_vec();
        for (&place, tensor) in places.iter().zip(some) {
            given[place] = tensor.clone();
        }
        function(&given)
    }
}

fn only<T>(mut all: Vec<T>) -> Result<T> {
    all.pop()
        .ok_or_else(|| Error::new(Status::INTERNAL, "func: succeeded but returned nothing"))
}

/// Makes a function that returns (gradient, value) of a function with a 0-dim result. The gradient
/// is that of the first argument.
pub fn grad_and_value<'f, Kind, F>(function: F) -> Transformed<'f, (Tensor, Tensor)>
where
    Kind: 'f,
    F: TensorFunction<Kind, Output = Tensor> + 'f,
{
    let all = grad_and_value_of(function, &[0]);
    Transformed::new(move |args| {
        let (grads, value) = all.apply(args)?;
        Ok((only(grads)?, value))
    })
}

/// Like [`grad_and_value`], with the gradients of the arguments at some indices.
pub fn grad_and_value_of<'f, Kind, F>(
    function: F,
    argnums: &[usize],
) -> Transformed<'f, (Vec<Tensor>, Tensor)>
where
    Kind: 'f,
    F: TensorFunction<Kind, Output = Tensor> + 'f,
{
    let argnums = argnums.to_vec();
    Transformed::new(move |args| {
        let whole = |args: &[Tensor]| function.apply(args);
        let some = some_of("grad", &argnums, args)?;
        let of_some = of_places(&whole, &argnums, args);
        let (value, pullback) = record(&of_some, &some)?;
        Ok((pullback.call_from_one()?, value))
    })
}

/// Makes a function that returns the gradient, with respect to its first argument, of a function
/// with a 0-dim result.
pub fn grad<'f, Kind, F>(function: F) -> Transformed<'f, Tensor>
where
    Kind: 'f,
    F: TensorFunction<Kind, Output = Tensor> + 'f,
{
    let both = grad_and_value(function);
    Transformed::new(move |args| Ok(both.apply(args)?.0))
}

/// Like [`grad`], with the gradients of the arguments at some indices.
pub fn grad_of<'f, Kind, F>(function: F, argnums: &[usize]) -> Transformed<'f, Vec<Tensor>>
where
    Kind: 'f,
    F: TensorFunction<Kind, Output = Tensor> + 'f,
{
    let both = grad_and_value_of(function, argnums);
    Transformed::new(move |args| Ok(both.apply(args)?.0))
}

/// Returns the unit vectors of all tensors together: for each tensor, a batch whose first dim runs
/// over the elements of all tensors.
fn unit_vectors(tensors: &[Tensor]) -> Result<Vec<Tensor>> {
    let total: usize = tensors.iter().map(Tensor::numel).sum();
    let mut start = 0;
    let mut units = Vec::with_capacity(tensors.len());
    for tensor in tensors {
        let (rows, columns) = (total as i64, tensor.numel() as i64);
        let options = aten::ZerosOptions {
            dtype: Some(tensor.dtype()),
            device: Some(tensor.device()),
            ..Default::default()
        };
        let unit = aten::zeros_with(&[rows, columns], options)?;
        let place = aten::AsStridedOptions {
            storage_offset: Some(start * columns),
        };
        let diagonal = aten::as_strided_with(&unit, &[columns], &[columns + 1], place)?;
        aten::fill_scalar_(&diagonal, 1)?;
        units.push(aten::reshape(&unit, &joined(&[rows], &tensor.shape()))?);
        start += columns;
    }
    Ok(units)
}

fn joined(first: &[i64], second: &[i64]) -> Vec<i64> {
    [first, second].concat()
}

/// Returns the slice along a dim that belongs to one of several tensors, reshaped to the
/// concatenated sizes.
fn block_of(
    tensor: &Tensor,
    dim: i64,
    start: usize,
    count: usize,
    sizes: &[i64],
) -> Result<Tensor> {
    let options = aten::SliceTensorOptions {
        dim,
        start: Some(start as i64),
        end: Some((start + count) as i64),
        ..Default::default()
    };
    aten::reshape(&aten::slice_tensor_with(tensor, options)?, sizes)
}

/// Makes a function that returns the Jacobian of another one with respect to its first argument,
/// computed by one backward pass for all rows. For each tensor of the result it has a tensor with
/// the sizes of the result followed by those of the argument.
pub fn jacrev<'f, Kind, F>(function: F) -> Transformed<'f, F::Output>
where
    Kind: 'f,
    F: TensorFunction<Kind> + 'f,
{
    first_of(jacrev_of(function, &[0], VmapOptions::new()))
}

/// Like [`jacrev`], for the arguments at some indices, one Jacobian for each. The dims in the
/// options are ignored.
pub fn jacrev_of<'f, Kind, F>(
    function: F,
    argnums: &[usize],
    options: VmapOptions,
) -> Transformed<'f, Vec<F::Output>>
where
    Kind: 'f,
    F: TensorFunction<Kind> + 'f,
{
    let argnums = argnums.to_vec();
    let options = options.in_dims(&[Some(0)]).out_dims(&[Some(0)]);
    Transformed::new(move |args| {
        let whole = |args: &[Tensor]| function.apply(args);
        let inputs = some_of("jacrev", &argnums, args)?;
        let of_some = of_places(&whole, &argnums, args);
        let (output, pullback) = record(&of_some, &inputs)?;
        let results = leaves_of(&output);
        let pull = |units: &[Tensor]| pullback.call(&tree_like(&output, units.to_vec())?);
        let rows = map(&pull, &options, &unit_vectors(&results)?)?;
        let blocks = |(rows, input): (&Tensor, &Tensor)| {
            let mut start = 0;
            let block = |result: &Tensor| {
                let sizes = joined(&result.shape(), &input.shape());
                let block = block_of(rows, 0, start, result.numel(), &sizes);
                start += result.numel();
                block
            };
            tree_like(&output, results.iter().map(block).collect::<Result<_>>()?)
        };
        rows.iter().zip(&inputs).map(blocks).collect()
    })
}

/// Like [`jacrev`], but in forward mode, for all columns at once.
pub fn jacfwd<'f, Kind, F>(function: F) -> Transformed<'f, F::Output>
where
    Kind: 'f,
    F: TensorFunction<Kind> + 'f,
{
    first_of(jacfwd_of(function, &[0], VmapOptions::new()))
}

/// Like [`jacfwd`], for the arguments at some indices, one Jacobian for each. The dims in the
/// options are ignored.
pub fn jacfwd_of<'f, Kind, F>(
    function: F,
    argnums: &[usize],
    options: VmapOptions,
) -> Transformed<'f, Vec<F::Output>>
where
    Kind: 'f,
    F: TensorFunction<Kind> + 'f,
{
    let argnums = argnums.to_vec();
    let options = options.in_dims(&[Some(0)]).out_dims(&[Some(-1)]);
    Transformed::new(move |args| {
        let whole = |args: &[Tensor]| function.apply(args);
        let inputs = some_of("jacfwd", &argnums, args)?;
        let of_some = of_places(&whole, &argnums, args);
        let along = |units: &[Tensor]| Ok(push(&of_some, &inputs, units)?.1);
        let columns = map(&along, &options, &unit_vectors(&inputs)?)?;
        let leaves = leaves_of(&columns);
        let mut start = 0;
        let blocks = |input: &Tensor| {
            let block = |column: &Tensor| {
                let shape = column.shape();
                let sizes = joined(&shape[..shape.len() - 1], &input.shape());
                block_of(column, -1, start, input.numel(), &sizes)
            };
            let tree = tree_like(&columns, leaves.iter().map(block).collect::<Result<_>>()?);
            start += input.numel();
            tree
        };
        inputs.iter().map(blocks).collect()
    })
}

fn first_of<'f, R: TensorTree + 'f>(all: Transformed<'f, Vec<R>>) -> Transformed<'f, R> {
    Transformed::new(move |args| only(all.apply(args)?))
}

/// Makes a function that returns the Hessian of another one with respect to its first argument:
/// forward mode over backward passes.
pub fn hessian<'f, Kind, F>(function: F) -> Transformed<'f, F::Output>
where
    Kind: 'f,
    F: TensorFunction<Kind> + 'f,
    F::Output: 'f,
{
    jacfwd(jacrev(function))
}

/// Like [`hessian`], for the arguments at some indices: `[i][j]` is the derivative with respect to
/// argument j and then to argument i.
pub fn hessian_of<'f, Kind, F>(
    function: F,
    argnums: &[usize],
) -> Transformed<'f, Vec<Vec<F::Output>>>
where
    Kind: 'f,
    F: TensorFunction<Kind> + 'f,
    F::Output: 'f,
{
    let inner = jacrev_of(function, argnums, VmapOptions::new());
    jacfwd_of(inner, argnums, VmapOptions::new())
}
