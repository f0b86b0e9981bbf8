// SPDX-License-Identifier: Apache-2.0
//! Borrowed views of values, which kernels receive as arguments.

use std::fmt;

use tenon_sys as sys;

use crate::error::Result;
use crate::types::{Complex, DType, Device, Layout, MemoryFormat};
use crate::value::{tag_name, RawValue, Scalar, Value};
use crate::{Function, Generator, Object, Tensor};

/// A borrowed view of a value, which kernels receive as an argument.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ValueRef<'a> {
    /// An absent optional.
    None,
    /// `bool`
    Bool(bool),
    /// `int`, `SymInt`
    Int(i64),
    /// `float`
    Float(f64),
    /// `complex`
    Complex(Complex<f64>),
    /// `str`
    Str(&'a str),
    /// `ScalarType`
    DType(DType),
    /// `Layout`
    Layout(Layout),
    /// `MemoryFormat`
    MemoryFormat(MemoryFormat),
    /// `Device`
    Device(Device),
    /// `Generator`
    Generator(&'a Generator),
    /// `Tensor`
    Tensor(&'a Tensor),
    /// A class type, or any object of a language's own type.
    Object(&'a Object),
    /// A function type.
    Function(&'a Function),
    /// `int[]`
    IntList(&'a [i64]),
    /// `float[]`
    FloatList(&'a [f64]),
    /// `bool[]`, one byte each, 0 is false
    BoolList(&'a [u8]),
    /// `Tensor[]`, `Tensor?[]`
    TensorList(&'a [Option<Tensor>]),
    /// Every other list.
    List(Values<'a>),
    /// A tuple.
    Tuple(Values<'a>),
    /// A dict: alternating keys and values.
    Dict(Values<'a>),
    /// Values that have no Rust type.
    Other(&'a RawValue),
}

/// A sequence of values: elements of a list or tuple, arguments of a call.
#[derive(Clone, Copy)]
pub struct Values<'a>(pub(crate) &'a [sys::tenon_value]);

impl<'a> Values<'a> {
    /// Returns the number of values.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Returns true if the sequence is empty.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns value `index`, if it is in range.
    pub fn get(self, index: usize) -> Option<ValueRef<'a>> {
        // SAFETY: the code that made `Values` guarantees that its elements are valid.
        self.0
            .get(index)
            .map(|raw| unsafe { ValueRef::from_raw(raw) })
    }

    /// Returns an iterator over all values in order.
    pub fn iter(self) -> impl Iterator<Item = ValueRef<'a>> {
        // SAFETY: as in `get`.
        self.0.iter().map(|raw| unsafe { ValueRef::from_raw(raw) })
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Makes a slice of the elements of a list value; an empty list may have a NULL pointer.
///
/// # Safety
/// `data` points to `count` elements of `T` that live for `'a`, or `count` is 0.
pub(crate) unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(data, count) }
}

impl<'a> ValueRef<'a> {
    /// Makes a view of a value of the C interface.
    ///
    /// # Safety
    /// `raw` obeys value.h: its payload fits its tag and lives for `'a`.
    #[inline]
    pub unsafe fn from_raw(raw: &'a sys::tenon_value) -> ValueRef<'a> {
        if RawValue::view(raw).lacks_handle() {
            return ValueRef::Other(RawValue::view(raw));
        }
        let payload = &raw.as_;
        let count = raw.count as usize;
        // SAFETY: for all reads of the union, value.h states the field for each tag; handle fields
        // are not NULL here, `Tensor`, `Generator`, `Object` and `Function` are transparent over
        // the pointer, and `Option` of them is NULL for None.
        unsafe {
            match u32::from(raw.tag) {
                sys::TENON_TAG_NONE => ValueRef::None,
                sys::TENON_TAG_BOOL => ValueRef::Bool(payload.i != 0),
                sys::TENON_TAG_INT => ValueRef::Int(payload.i),
                sys::TENON_TAG_FLOAT => ValueRef::Float(payload.f),
                sys::TENON_TAG_COMPLEX => ValueRef::Complex(Complex {
                    re: payload.c.real,
                    im: payload.c.imag,
                }),
                sys::TENON_TAG_STRING => {
                    match std::str::from_utf8(slice(payload.list.data.cast::<u8>(), count)) {
                        Ok(text) => ValueRef::Str(text),
                        Err(_) => ValueRef::Other(RawValue::view(raw)),
                    }
                }
                sys::TENON_TAG_DTYPE => ValueRef::DType(DType(payload.i as i32)),
                sys::TENON_TAG_LAYOUT => ValueRef::Layout(Layout(payload.i as i32)),
                sys::TENON_TAG_MEMORY_FORMAT => {
                    ValueRef::MemoryFormat(MemoryFormat(payload.i as i32))
                }
                sys::TENON_TAG_DEVICE => ValueRef::Device(Device::from_raw(payload.device)),
                sys::TENON_TAG_GENERATOR => ValueRef::Generator(
                    &*(&payload.generator as *const *mut sys::tenon_generator).cast(),
                ),
                sys::TENON_TAG_TENSOR => {
                    ValueRef::Tensor(&*(&payload.tensor as *const *mut sys::tenon_tensor).cast())
                }
                sys::TENON_TAG_OBJECT => {
                    ValueRef::Object(&*(&payload.object as *const *mut sys::tenon_object).cast())
                }
                sys::TENON_TAG_FUNCTION => {
                    ValueRef::Function(&*(&payload.object as *const *mut sys::tenon_object).cast())
                }
                // Some of its words are symbols.
                sys::TENON_TAG_INT_LIST
                    if u32::from(raw.flags) & sys::TENON_VALUE_HAS_SYMBOLIC != 0 =>
                {
                    ValueRef::Other(RawValue::view(raw))
                }
                sys::TENON_TAG_INT_LIST => {
                    ValueRef::IntList(slice(payload.list.data.cast(), count))
                }
                sys::TENON_TAG_FLOAT_LIST => {
                    ValueRef::FloatList(slice(payload.list.data.cast(), count))
                }
                sys::TENON_TAG_BOOL_LIST => {
                    ValueRef::BoolList(slice(payload.list.data.cast(), count))
                }
                sys::TENON_TAG_TENSOR_LIST => {
                    ValueRef::TensorList(slice(payload.list.data.cast(), count))
                }
                sys::TENON_TAG_LIST => {
                    ValueRef::List(Values(slice(payload.list.data.cast(), count)))
                }
                sys::TENON_TAG_TUPLE => {
                    ValueRef::Tuple(Values(slice(payload.list.data.cast(), count)))
                }
                sys::TENON_TAG_DICT => {
                    ValueRef::Dict(Values(slice(payload.list.data.cast(), 2 * count)))
                }
                _ => ValueRef::Other(RawValue::view(raw)),
            }
        }
    }

    /// Returns the value's type as schemas write it, such as `"int[]"`.
    pub fn type_name(&self) -> &'static str {
        let tag = match self {
            ValueRef::None => sys::TENON_TAG_NONE,
            ValueRef::Bool(_) => sys::TENON_TAG_BOOL,
            ValueRef::Int(_) => sys::TENON_TAG_INT,
            ValueRef::Float(_) => sys::TENON_TAG_FLOAT,
            ValueRef::Complex(_) => sys::TENON_TAG_COMPLEX,
            ValueRef::Str(_) => sys::TENON_TAG_STRING,
            ValueRef::DType(_) => sys::TENON_TAG_DTYPE,
            ValueRef::Layout(_) => sys::TENON_TAG_LAYOUT,
            ValueRef::MemoryFormat(_) => sys::TENON_TAG_MEMORY_FORMAT,
            ValueRef::Device(_) => sys::TENON_TAG_DEVICE,
            ValueRef::Generator(_) => sys::TENON_TAG_GENERATOR,
            ValueRef::Tensor(_) => sys::TENON_TAG_TENSOR,
            ValueRef::Object(_) => sys::TENON_TAG_OBJECT,
            ValueRef::Function(_) => sys::TENON_TAG_FUNCTION,
            ValueRef::IntList(_) => sys::TENON_TAG_INT_LIST,
            ValueRef::FloatList(_) => sys::TENON_TAG_FLOAT_LIST,
            ValueRef::BoolList(_) => sys::TENON_TAG_BOOL_LIST,
            ValueRef::TensorList(_) => sys::TENON_TAG_TENSOR_LIST,
            ValueRef::List(_) => sys::TENON_TAG_LIST,
            ValueRef::Tuple(_) => sys::TENON_TAG_TUPLE,
            ValueRef::Dict(_) => sys::TENON_TAG_DICT,
            ValueRef::Other(raw) => u32::from(raw.0.tag),
        };
        tag_name(tag as u16)
    }

    /// Returns the description of a value of an unexpected type, for messages.
    pub(crate) fn actual(&self) -> &'static str {
        match self {
            ValueRef::Other(raw) if raw.lacks_handle() => "NULL",
            ValueRef::Other(raw) if u32::from(raw.0.tag) == sys::TENON_TAG_STRING => {
                "bytes that are not UTF-8"
            }
            other => other.type_name(),
        }
    }

    /// Makes an owned value; tensors and objects are retained, not copied.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn to_value(self) -> Result<Value> {
        let list = |values: Values<'_>| -> Result<Vec<Value>> {
            values.iter().map(ValueRef::to_value).collect()
        };
        Ok(match self {
            ValueRef::None => Value::None,
            ValueRef::Bool(value) => Value::Bool(value),
            ValueRef::Int(value) => Value::Int(value),
            ValueRef::Float(value) => Value::Float(value),
            ValueRef::Complex(value) => Value::Complex(value),
            ValueRef::Str(value) => Value::Str(value.to_owned()),
            ValueRef::DType(value) => Value::DType(value),
            ValueRef::Layout(value) => Value::Layout(value),
            ValueRef::MemoryFormat(value) => Value::MemoryFormat(value),
            ValueRef::Device(value) => Value::Device(value),
            ValueRef::Generator(value) => Value::Generator(value.clone()),
            ValueRef::Tensor(value) => Value::Tensor(value.clone()),
            ValueRef::Object(value) => Value::Object(value.clone()),
            ValueRef::Function(value) => Value::Function(value.clone()),
            ValueRef::IntList(value) => Value::IntList(value.to_vec()),
            ValueRef::FloatList(value) => Value::FloatList(value.to_vec()),
            ValueRef::BoolList(value) => Value::BoolList(value.iter().map(|&b| b != 0).collect()),
            ValueRef::TensorList(value) => Value::TensorList(value.to_vec()),
            ValueRef::List(values) => Value::List(list(values)?),
            ValueRef::Tuple(values) => Value::Tuple(list(values)?),
            ValueRef::Dict(values) => {
                let mut flat = list(values)?.into_iter();
                let mut pairs = Vec::new();
                while let (Some(key), Some(value)) = (flat.next(), flat.next()) {
                    pairs.push((key, value));
                }
                Value::Dict(pairs)
            }
            ValueRef::Other(raw) => Value::Other(raw.try_clone()?),
        })
    }

    /// Returns the value as a number, if it is one.
    pub fn as_scalar(self) -> Option<Scalar> {
        match self {
            ValueRef::Bool(value) => Some(Scalar::Bool(value)),
            ValueRef::Int(value) => Some(Scalar::Int(value)),
            ValueRef::Float(value) => Some(Scalar::Float(value)),
            ValueRef::Complex(value) => Some(Scalar::Complex(value)),
            _ => None,
        }
    }
}
