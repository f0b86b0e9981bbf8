// SPDX-License-Identifier: Apache-2.0
//! Lists of sizes, and tensors with symbolic sizes.

use std::ptr;

use tenon_sys as sys;

use super::arithmetic::calculated;
use super::{is_symbol_word, SymInt};
use crate::arg::{Arg, IntoArg};
use crate::error::{check, Error, Result};
use crate::returns::FromValue;
use crate::status::Status;
use crate::types::DType;
use crate::value::{RawValue, Value};
use crate::value_ref::{slice, ValueRef};
use crate::{Device, Geometry, Tensor};

/// Returns the sizes in a list of ints and symbols.
fn sizes_of(raw: &sys::tenon_value) -> Option<Vec<SymInt>> {
    if u32::from(raw.tag) != sys::TENON_TAG_INT_LIST {
        return None;
    }
    // SAFETY: value.h: `count` words, whose symbols the list keeps.
    unsafe {
        let words: &[i64] = slice(raw.as_.list.data.cast(), raw.count as usize);
        if u32::from(raw.flags) & sys::TENON_VALUE_HAS_SYMBOLIC == 0 {
            return Some(words.iter().copied().map(SymInt::from).collect());
        }
        Some(words.iter().map(|&word| SymInt::of_word(word)).collect())
    }
}

/// Returns the sizes that a kernel received for `SymInt[]`.
///
/// # Errors
/// [`Status::TYPE`] for another value.
pub fn sizes(value: ValueRef<'_>) -> Result<Vec<SymInt>> {
    let arg = value.into_arg();
    sizes_of(arg.as_raw()).ok_or_else(|| {
        Error::new(
            Status::TYPE,
            format!("SymInt[] must be one, got {}", value.type_name()),
        )
    })
}

impl FromValue for Vec<SymInt> {
    const TYPE: &'static str = "SymInt[]";

    fn from_value(value: Value) -> Option<Vec<SymInt>> {
        sizes_of(value.into_owned_raw().ok()?.as_raw())
    }
}

/// Returns the words of sizes.
///
/// # Errors
/// [`Status::INVALID_ARGUMENT`] for a number below -2^62, whose bits are those of a symbol.
fn words_of(sizes: &[SymInt]) -> Result<Vec<i64>> {
    let mut words = Vec::with_capacity(sizes.len());
    for size in sizes {
        let word = size.word();
        if !size.is_symbolic() && is_symbol_word(word) {
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!("sizes: a number beside symbols must be -2^62 or more, got {word}"),
            ));
        }
        words.push(word);
    }
    Ok(words)
}

fn list_of(sizes: &[SymInt]) -> Result<RawValue> {
    let is_symbolic = sizes.iter().any(SymInt::is_symbolic);
    let words = if is_symbolic {
        words_of(sizes)?
    } else {
        sizes.iter().map(SymInt::word).collect()
    };
    let mut borrowed = RawValue::NONE;
    borrowed.tag = sys::TENON_TAG_INT_LIST as u16;
    borrowed.count = words.len() as u32;
    borrowed.as_.list = sys::tenon_list {
        data: words.as_ptr().cast(),
        owner: ptr::null_mut(),
    };
    if is_symbolic {
        borrowed.flags = sys::TENON_VALUE_HAS_SYMBOLIC as u16;
    }
    RawValue::copy_of(&borrowed)
}

impl From<Vec<SymInt>> for Value {
    /// # Panics
    /// When memory is short.
    fn from(sizes: Vec<SymInt>) -> Value {
        Value::Other(calculated(list_of(&sizes)))
    }
}

/// The list is copied, because the words of symbols are stored in a separate list.
impl<'a> IntoArg<'a> for &[SymInt] {
    fn into_arg(self) -> Arg<'a> {
        Arg::owned(list_of(self))
    }
}

impl<'a, const N: usize> IntoArg<'a> for &[SymInt; N] {
    fn into_arg(self) -> Arg<'a> {
        self.as_slice().into_arg()
    }
}

impl<'a> IntoArg<'a> for &Vec<SymInt> {
    fn into_arg(self) -> Arg<'a> {
        self.as_slice().into_arg()
    }
}

impl Tensor {
    /// Creates a row-major tensor with these sizes on Meta, without memory.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a negative size and symbols of two environments.
    pub fn empty_symbolic(sizes: &[SymInt], dtype: DType) -> Result<Tensor> {
        Tensor::symbolic(sizes, None, dtype, &Device::META.to_raw())
    }

    /// Like [`Tensor::empty_symbolic`], with strides in elements.
    ///
    /// # Errors
    /// As [`Tensor::empty_symbolic`].
    pub fn empty_strided_symbolic(
        sizes: &[SymInt],
        strides: &[SymInt],
        dtype: DType,
    ) -> Result<Tensor> {
        Tensor::symbolic(sizes, Some(strides), dtype, &Device::META.to_raw())
    }

    /// Creates a row-major tensor with these sizes, with this tensor's dtype and device, which must
    /// have no memory. It is fake if this tensor is.
    ///
    /// # Errors
    /// As [`Tensor::empty_symbolic`]; also for a device with memory.
    pub fn new_empty_symbolic(&self, sizes: &[SymInt]) -> Result<Tensor> {
        let mut device = Device::META.to_raw();
        // SAFETY: the tensor is live and `device` ours.
        unsafe { sys::tenon_fake_device(self.as_raw(), &mut device) };
        Tensor::symbolic(sizes, None, self.dtype(), &device)
    }

    fn symbolic(
        sizes: &[SymInt],
        strides: Option<&[SymInt]>,
        dtype: DType,
        device: &sys::tenon_device,
    ) -> Result<Tensor> {
        let words = words_of(sizes)?;
        let steps = strides.map(words_of).transpose()?;
        if let Some(steps) = steps.as_ref().filter(|steps| steps.len() != words.len()) {
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!(
                    "Tensor::empty_strided_symbolic: strides must be {} like the sizes, got {}",
                    words.len(),
                    steps.len()
                ),
            ));
        }
        // SAFETY: plain data; all-zero is valid.
        let mut options: sys::tenon_symbolic_options = unsafe { std::mem::zeroed() };
        options.struct_size = std::mem::size_of::<sys::tenon_symbolic_options>() as u32;
        options.dtype = dtype.0;
        options.device = device;
        options.ndim = words.len() as i64;
        options.sizes = words.as_ptr();
        options.strides = steps.as_ref().map_or(ptr::null(), |steps| steps.as_ptr());
        let mut out = ptr::null_mut();
        // SAFETY: symbol.h: what the options point to lives for the call; `out` gets a new
        // reference.
        unsafe {
            check(sys::tenon_tensor_new_symbolic(&options, &mut out))?;
            Ok(Tensor::from_raw(out))
        }
    }

    fn sym_geometry<T: FromValue>(&self, what: Geometry) -> Result<T> {
        let value = self.geometry(what)?;
        let actual = value.type_name();
        T::from_value(value).ok_or_else(|| {
            Error::new(
                Status::TYPE,
                format!("Tensor: geometry must be {}, got {actual}", T::TYPE),
            )
        })
    }

    /// Returns the sizes: numbers or symbols.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn sym_shape(&self) -> Result<Vec<SymInt>> {
        self.sym_geometry(Geometry::Sizes)
    }

    /// Returns the strides in elements: numbers or symbols.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn sym_strides(&self) -> Result<Vec<SymInt>> {
        self.sym_geometry(Geometry::Strides)
    }

    /// Returns the number of elements, which may be a symbol.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn sym_numel(&self) -> Result<SymInt> {
        self.sym_geometry(Geometry::Numel)
    }

    /// Returns the storage offset in elements, which may be a symbol.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn sym_storage_offset(&self) -> Result<SymInt> {
        self.sym_geometry(Geometry::StorageOffset)
    }
}
