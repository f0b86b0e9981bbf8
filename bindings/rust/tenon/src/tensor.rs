// SPDX-License-Identifier: Apache-2.0
//! Tensor: creation, inspection and access to elements.

use std::ffi::c_void;
use std::fmt;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::buffer::Buffer;
use crate::dims::{Dims, Geometry};
use crate::dispatch::DispatchKeySet;
use crate::elements::with_room;
use crate::error::{check, Error, Result};
use crate::kernel::contain;
use crate::status::Status;
use crate::types::{DType, Device, Element};
use crate::value::{RawValue, Scalar, Value};

/// A strided view of a storage. Cloning shares the tensor.
///
/// Operators with written arguments (`add_`, `out=`) change the elements of all views of a storage.
/// As in every array library, a program must not let one thread write elements that another one
/// reads: the reader may see old, new or uninitialised values. Shapes, strides and addresses stay
/// consistent. While another thread resizes a tensor (`out=`), a reader sees either the old or the
/// new shape, and the old memory lives as long as the tensor.
///
/// ```
/// use tenon::{DType, Tensor};
/// let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// assert_eq!((&x.shape()[..], x.dtype()), (&[2, 2][..], DType::F32));
/// assert_eq!(x.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
/// println!("{x}");
/// # Ok::<(), tenon::Error>(())
/// ```
#[repr(transparent)]
pub struct Tensor(NonNull<sys::tenon_tensor>);

// SAFETY: tensor.h lets any thread retain, release and read a tensor, and the last release may
// happen on any thread.
unsafe impl Send for Tensor {}
// SAFETY: tensor.h lets several threads read a tensor while another one resizes it: sizes and
// strides are copied under a lock, and memory that was outgrown lives as long as the storage.
// Elements are only accessed through raw pointers, in unsafe functions or by copying each one; safe
// code makes no `&T` or `&mut T` to an element.
unsafe impl Sync for Tensor {}

impl Tensor {
    /// Makes a row-major CPU tensor that owns the vector, without copying its elements.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] if `shape` does not have as many elements.
    pub fn from_vec<T: Element>(data: Vec<T>, shape: &[i64]) -> Result<Tensor> {
        check_count("Tensor::from_vec", data.len(), shape)?;
        let mut data = Box::new(data);
        let first = data.as_mut_ptr();
        // SAFETY: the vector is `shape` elements of T in a row; the deleter drops it once, after
        // the last tensor on it or on failure.
        let made = unsafe { Tensor::wrap(first.cast(), T::DTYPE, shape, None, data) };
        fake_if_on(made?)
    }

    /// Makes a row-major CPU tensor from a copy of elements.
    ///
    /// # Errors
    /// As [`Tensor::from_vec`].
    pub fn from_slice<T: Element>(data: &[T], shape: &[i64]) -> Result<Tensor> {
        check_count("Tensor::from_slice", data.len(), shape)?;
        let tensor = Tensor::allocate(shape, T::DTYPE, Device::CPU)?;
        // SAFETY: the new tensor's memory holds `shape` elements of T in a row, as many as `data`.
        unsafe { ptr::copy_nonoverlapping(data.as_ptr(), tensor.data_ptr()?.cast(), data.len()) };
        fake_if_on(tensor)
    }

    /// Makes a CPU tensor whose elements all have one value.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a bad shape, [`Status::OUT_OF_MEMORY`].
    pub fn filled<T: Element>(value: T, shape: &[i64]) -> Result<Tensor> {
        let count = numel(shape).ok_or_else(|| {
            Error::new(
                Status::INVALID_ARGUMENT,
                format!("Tensor::filled: shape must be sizes of 0 or more, got {shape:?}"),
            )
        })?;
        let mut data = with_room("Tensor::filled", count)?;
        data.resize(count, value);
        Tensor::from_vec(data, shape)
    }

    /// Makes a 0-dim CPU tensor.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn scalar<T: Element>(value: T) -> Result<Tensor> {
        Tensor::from_slice(&[value], &[])
    }

    /// Makes the 0-dim tensor of a plain number: bool, int64, float64 or complex128, with the
    /// lowest priority in type promotion. An operator receives the 2 of `x * 2` in this form.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn from_number(number: impl Into<Scalar>) -> Result<Tensor> {
        let number = crate::arg::IntoArg::into_arg(number.into());
        let mut out = ptr::null_mut();
        // SAFETY: the value is a number and `out` gets a new reference.
        check(unsafe { sys::tenon_tensor_new_number(number.as_raw(), &mut out) })?;
        // SAFETY: as above.
        Ok(unsafe { Tensor::from_raw(out) })
    }

    /// Allocates a row-major tensor with uninitialised elements. On Meta nothing is allocated. In a
    /// fake mode the tensor is fake, as are all tensors made here from a shape or from elements.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a bad shape or dtype, [`Status::NOT_FOUND`] for a device
    /// without provider, [`Status::OUT_OF_MEMORY`].
    pub fn empty(shape: &[i64], dtype: DType, device: Device) -> Result<Tensor> {
        if is_fake_mode_on() {
            let options = crate::aten::EmptyMemoryFormatOptions {
                dtype: Some(dtype),
                device: Some(device),
                ..Default::default()
            };
            return crate::aten::empty_memory_format_with(shape, options);
        }
        Tensor::allocate(shape, dtype, device)
    }

    /// Allocates a tensor with memory, even in a fake mode.
    fn allocate(shape: &[i64], dtype: DType, device: Device) -> Result<Tensor> {
        let device = device.to_raw();
        let mut out = ptr::null_mut();
        // SAFETY: pointers live for the call and `out` gets a new reference.
        check(unsafe {
            let ndim = shape.len() as i64;
            sys::tenon_tensor_new(
                dtype.0,
                &device,
                ndim,
                shape.as_ptr(),
                ptr::null(),
                &mut out,
            )
        })?;
        // SAFETY: as above.
        Ok(unsafe { Tensor::from_raw(out) })
    }

    /// Wraps CPU memory that `owner` keeps alive. `owner` is dropped with the last tensor on the
    /// memory. `strides` are in elements; `None` is row-major.
    ///
    /// # Safety
    /// `data` points to elements of `dtype` for every index of the shape, valid and writable until
    /// `owner` is dropped, which can happen on any thread.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a bad shape, dtype or stride; `owner` is dropped on
    /// failure, too.
    pub unsafe fn wrap<O: Send + 'static>(
        data: *mut c_void,
        dtype: DType,
        shape: &[i64],
        strides: Option<&[i64]>,
        owner: Box<O>,
    ) -> Result<Tensor> {
        if let Some(strides) = strides {
            require_as_many("Tensor::wrap", shape, strides)?;
        }
        let mut out = ptr::null_mut();
        let strides = strides.map_or(ptr::null(), <[i64]>::as_ptr);
        // SAFETY: tensor.h: the memory is the caller's promise; `deleter(ctx)` runs exactly once,
        // also on failure; a NULL device is the CPU.
        check(unsafe {
            sys::tenon_tensor_wrap(
                data,
                dtype.0,
                ptr::null(),
                shape.len() as i64,
                shape.as_ptr(),
                strides,
                Box::into_raw(owner).cast(),
                Some(drop_owner::<O>),
                &mut out,
            )
        })?;
        // SAFETY: a new reference.
        Ok(unsafe { Tensor::from_raw(out) })
    }

    /// Makes a view of the same storage with other sizes, strides and offset, which shares data and
    /// version. It is for kernels of view operators below ADInplaceOrView; all other code calls
    /// view operators.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] if the view would reach outside the storage.
    pub fn alias(&self, shape: &[i64], strides: &[i64], offset: i64) -> Result<Tensor> {
        require_as_many("Tensor::alias", shape, strides)?;
        let mut out = ptr::null_mut();
        // SAFETY: both arrays hold `ndim` numbers and `out` gets a new reference.
        check(unsafe {
            let (ndim, sizes) = (shape.len() as i64, shape.as_ptr());
            let strides = strides.as_ptr();
            sys::tenon_tensor_new_alias(self.as_raw(), ndim, sizes, strides, offset, &mut out)
        })?;
        // SAFETY: as above.
        Ok(unsafe { Tensor::from_raw(out) })
    }

    /// Like [`Tensor::alias`], with elements of another dtype, in which shape, strides and offset
    /// are counted. For `view.dtype`, `view_as_real` and similar operators.
    ///
    /// # Errors
    /// As [`Tensor::alias`], and [`Status::INVALID_ARGUMENT`] for a bad dtype, or if the first
    /// element is not aligned for it.
    pub fn alias_as(
        &self,
        dtype: DType,
        shape: &[i64],
        strides: &[i64],
        offset: i64,
    ) -> Result<Tensor> {
        require_as_many("Tensor::alias_as", shape, strides)?;
        let mut out = ptr::null_mut();
        // SAFETY: as in `alias`.
        check(unsafe {
            let (base, ndim, sizes) = (self.as_raw(), shape.len() as i64, shape.as_ptr());
            let strides = strides.as_ptr();
            sys::tenon_tensor_new_alias_as(base, dtype.0, ndim, sizes, strides, offset, &mut out)
        })?;
        // SAFETY: as above.
        Ok(unsafe { Tensor::from_raw(out) })
    }

    /// Returns the undefined tensor, which has no shape, dtype or keys.
    pub fn undefined() -> Tensor {
        // SAFETY: tensor.h: a singleton that accepts retain and release.
        unsafe { Tensor::from_raw(sys::tenon_tensor_retain(sys::tenon_tensor_undefined())) }
    }

    /// Takes over a reference.
    ///
    /// # Safety
    /// `raw` is a live tensor, not NULL, that the caller owns a reference to.
    #[inline]
    pub unsafe fn from_raw(raw: *mut sys::tenon_tensor) -> Tensor {
        debug_assert!(!raw.is_null());
        // SAFETY: the caller's promise.
        Tensor(unsafe { NonNull::new_unchecked(raw) })
    }

    /// Returns the handle, borrowed.
    #[inline]
    pub fn as_raw(&self) -> *mut sys::tenon_tensor {
        self.0.as_ptr()
    }

    /// Passes the reference to C.
    #[inline]
    pub fn into_raw(self) -> *mut sys::tenon_tensor {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    /// Returns true if this is not the undefined tensor.
    pub fn is_defined(&self) -> bool {
        self.flags() & sys::TENON_TENSOR_UNDEFINED == 0
    }

    /// Returns the number of dims.
    pub fn ndim(&self) -> usize {
        // SAFETY: the tensor is live.
        unsafe { sys::tenon_tensor_ndim(self.as_raw()) as usize }
    }

    /// Returns the sizes.
    pub fn shape(&self) -> Dims {
        Dims::copied(|numbers| {
            // SAFETY: the tensor is live, and the arrays hold TENON_TENSOR_MAX_DIMS numbers.
            unsafe { sys::tenon_tensor_copy_dims(self.as_raw(), numbers, ptr::null_mut()) }
        })
    }

    /// Returns the strides in elements.
    pub fn strides(&self) -> Dims {
        Dims::copied(|numbers| {
            // SAFETY: as in `shape`.
            unsafe { sys::tenon_tensor_copy_dims(self.as_raw(), ptr::null_mut(), numbers) }
        })
    }

    /// Returns consistent sizes and strides, even while another thread resizes the tensor.
    pub(crate) fn shape_and_strides(&self) -> (Dims, Dims) {
        let mut strides = [0; sys::TENON_TENSOR_MAX_DIMS as usize];
        let shape = Dims::copied(|numbers| {
            // SAFETY: the tensor is live, and the arrays hold TENON_TENSOR_MAX_DIMS numbers.
            unsafe { sys::tenon_tensor_copy_dims(self.as_raw(), numbers, strides.as_mut_ptr()) }
        });
        let strides = Dims::new(strides.get(..shape.len()).unwrap_or(&[]));
        (shape, strides)
    }

    /// Returns sizes, strides, offset or number of elements as a value: an int list or an int. For
    /// a tensor with symbolic dims it is a [`Value::Other`]; [`Tensor::shape`] and similar
    /// functions have no numbers to return then.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn geometry(&self, what: Geometry) -> Result<Value> {
        let mut out = RawValue::NONE;
        // SAFETY: tensor.h: `out` is overwritten and ours to clear.
        check(unsafe { sys::tenon_tensor_dims(self.as_raw(), what.number(), &mut out) })?;
        Value::from_owned(RawValue(out))
    }

    /// Returns the number of elements.
    pub fn numel(&self) -> usize {
        // SAFETY: the tensor is live.
        unsafe { sys::tenon_tensor_numel(self.as_raw()) as usize }
    }

    /// Returns the element type; [`DType::NONE`] for the undefined tensor.
    pub fn dtype(&self) -> DType {
        // SAFETY: the tensor is live.
        DType(unsafe { sys::tenon_tensor_dtype(self.as_raw()) })
    }

    /// Returns the device.
    pub fn device(&self) -> Device {
        let mut out = sys::tenon_device {
            type_: -1,
            index: -1,
        };
        // SAFETY: the tensor is live and `out` ours.
        unsafe { sys::tenon_tensor_device(self.as_raw(), &mut out) };
        Device::from_raw(out)
    }

    /// Returns true if the tensor is fake: it claims its device and has no memory.
    pub fn is_fake(&self) -> bool {
        // SAFETY: the tensor is live.
        unsafe { sys::tenon_tensor_is_fake(self.as_raw()) != 0 }
    }

    fn flags(&self) -> u32 {
        // SAFETY: the tensor is live.
        unsafe { sys::tenon_tensor_flags(self.as_raw()) }
    }

    /// Returns true if the elements are in row-major order without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.flags() & sys::TENON_TENSOR_CONTIGUOUS != 0
    }

    /// Returns true if the memory was imported from a producer that forbids writing.
    pub fn is_read_only(&self) -> bool {
        self.flags() & sys::TENON_TENSOR_READ_ONLY != 0
    }

    /// Returns true if the tensor was made from a plain number, so that it has the lowest priority
    /// in type promotion.
    pub fn is_wrapped_number(&self) -> bool {
        self.flags() & sys::TENON_TENSOR_WRAPPED_NUMBER != 0
    }

    /// Returns the dispatch keys that the tensor carries.
    pub fn keys(&self) -> DispatchKeySet {
        // SAFETY: the tensor is live.
        DispatchKeySet(unsafe { sys::tenon_tensor_keys(self.as_raw()) })
    }

    /// Returns the version: how often the data that the tensor shares with its views was written in
    /// place.
    pub fn version(&self) -> i64 {
        // SAFETY: the tensor is live.
        unsafe { sys::tenon_tensor_version(self.as_raw()) }
    }

    /// Returns the number of references, which is exact only while no other thread holds one.
    pub fn use_count(&self) -> i64 {
        // SAFETY: the tensor is live.
        unsafe { sys::tenon_tensor_use_count(self.as_raw()) }
    }

    /// Returns the address of the first element. The caller is responsible for accesses through it.
    ///
    /// # Errors
    /// [`Status::STATE`] if the tensor has no memory (Meta, undefined).
    pub fn data_ptr(&self) -> Result<*mut c_void> {
        let mut out = ptr::null_mut();
        // SAFETY: the tensor is live and `out` ours.
        check(unsafe { sys::tenon_tensor_data(self.as_raw(), &mut out) })?;
        Ok(out)
    }

    /// Returns true if both tensors have the same storage.
    pub fn shares_storage(&self, other: &Tensor) -> bool {
        // SAFETY: both are live; the storages are compared, not used.
        unsafe {
            ptr::eq(
                sys::tenon_tensor_storage(self.as_raw()),
                sys::tenon_tensor_storage(other.0.as_ptr()),
            )
        }
    }
}

unsafe extern "C" fn drop_owner<O>(owner: *mut c_void) {
    contain(|| {
        // SAFETY: tensor.h: the deleter runs once, on the box that `wrap` passed to C.
        drop(unsafe { Box::from_raw(owner.cast::<O>()) })
    });
}

fn numel(shape: &[i64]) -> Option<usize> {
    shape.iter().try_fold(1usize, |count, &size| {
        count.checked_mul(usize::try_from(size).ok()?)
    })
}

fn check_count(function: &str, count: usize, shape: &[i64]) -> Result<()> {
    if numel(shape) == Some(count) {
        return Ok(());
    }
    Err(Error::new(
        Status::INVALID_ARGUMENT,
        format!("{function}: shape must describe {count} elements, got {shape:?}"),
    ))
}

impl Clone for Tensor {
    #[inline]
    fn clone(&self) -> Tensor {
        // SAFETY: the tensor is live; retain returns a new reference.
        unsafe { Tensor::from_raw(sys::tenon_tensor_retain(self.as_raw())) }
    }
}

impl Drop for Tensor {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_tensor_release(self.as_raw()) }
    }
}

/// Formats the elements as text; long dims are abbreviated.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the tensor is live and `out` gets a new reference.
        let text = Buffer::fill(|out| unsafe { sys::tenon_tensor_print(self.as_raw(), out) });
        f.write_str(&text.map_err(|_| fmt::Error)?.text())
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_defined() {
            return f.write_str("Tensor(undefined)");
        }
        write!(
            f,
            "Tensor({}, {:?}, {})",
            self.dtype(),
            self.shape(),
            self.device()
        )
    }
}

fn require_as_many(function: &str, shape: &[i64], strides: &[i64]) -> Result<()> {
    if strides.len() == shape.len() {
        return Ok(());
    }
    Err(Error::new(
        Status::INVALID_ARGUMENT,
        format!(
            "{function}: strides must be {} numbers, got {strides:?}",
            shape.len()
        ),
    ))
}

/// Returns true if the calling thread is in a fake mode.
fn is_fake_mode_on() -> bool {
    // SAFETY: fake.h: a new reference or NULL, which release accepts.
    unsafe {
        let mode = sys::tenon_fake_mode_copy_current();
        sys::tenon_fake_mode_release(mode);
        !mode.is_null()
    }
}

/// Returns a tensor that was just made from elements, or in a fake mode a fake tensor in its place.
/// While a graph is recorded, returns a recorded copy, which each run makes again: otherwise writes
/// of one run to the constant would be visible in the next run.
pub(crate) fn fake_if_on(made: Tensor) -> Result<Tensor> {
    // SAFETY: graph.h: any thread.
    if unsafe { sys::tenon_graph_is_recording() } != 0 {
        return crate::aten::clone(&made);
    }
    if !is_fake_mode_on() {
        return Ok(made);
    }
    let mut out = ptr::null_mut();
    // SAFETY: the tensor lives for the call and `out` gets a new reference.
    check(unsafe { sys::tenon_tensor_copy_fake(made.as_raw(), ptr::null_mut(), &mut out) })?;
    // SAFETY: as above.
    Ok(unsafe { Tensor::from_raw(out) })
}
