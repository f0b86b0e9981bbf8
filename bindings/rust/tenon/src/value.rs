// SPDX-License-Identifier: Apache-2.0
//! Values of every schema type: owned ([`Value`]), borrowed ([`ValueRef`]) and numbers
//! ([`Scalar`]).

use std::fmt;

use tenon_sys as sys;

use crate::buffer::Buffer;
use crate::error::{check, Error, Result};
use crate::text::static_text;
use crate::types::{Complex, DType, Device, Layout, MemoryFormat};
use crate::value_ref::ValueRef;
use crate::{Function, Generator, Object, Tensor};

/// A number, as in the schema type `Scalar`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A complex number.
    Complex(Complex<f64>),
}

impl Scalar {
    /// Returns the number as `f64`, or `None` if it is complex.
    pub fn to_f64(self) -> Option<f64> {
        match self {
            Scalar::Bool(value) => Some(f64::from(u8::from(value))),
            Scalar::Int(value) => Some(value as f64),
            Scalar::Float(value) => Some(value),
            Scalar::Complex(_) => None,
        }
    }

    /// Returns the number as `i64`, if it is an integer or a truth value.
    pub fn to_i64(self) -> Option<i64> {
        match self {
            Scalar::Bool(value) => Some(i64::from(value)),
            Scalar::Int(value) => Some(value),
            Scalar::Float(_) | Scalar::Complex(_) => None,
        }
    }
}

/// A value of any schema type that owns its contents.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Value {
    /// An absent optional.
    #[default]
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
    Str(String),
    /// `ScalarType`
    DType(DType),
    /// `Layout`
    Layout(Layout),
    /// `MemoryFormat`
    MemoryFormat(MemoryFormat),
    /// `Device`
    Device(Device),
    /// `Generator`
    Generator(Generator),
    /// `Tensor`
    Tensor(Tensor),
    /// A class type, or any object of a language's own type.
    Object(Object),
    /// A function type.
    Function(Function),
    /// `int[]`
    IntList(Vec<i64>),
    /// `float[]`
    FloatList(Vec<f64>),
    /// `bool[]`
    BoolList(Vec<bool>),
    /// `Tensor[]`, `Tensor?[]`
    TensorList(Vec<Option<Tensor>>),
    /// Every other list.
    List(Vec<Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A dict, in insertion order.
    Dict(Vec<(Value, Value)>),
    /// Values that have no Rust type: streams, storages, symbolic numbers.
    Other(RawValue),
}

/// An owned value in the layout of the C interface.
#[repr(transparent)]
pub struct RawValue(pub(crate) sys::tenon_value);

// SAFETY: value.h and the handles' headers let any thread retain, release and read the contents.
unsafe impl Send for RawValue {}
// SAFETY: as above; `&RawValue` only reads.
unsafe impl Sync for RawValue {}

impl Value {
    /// Returns the value's type as schemas write it, such as `"int[]"`.
    pub fn type_name(&self) -> &'static str {
        let tag = match self {
            Value::List(_) => sys::TENON_TAG_LIST,
            Value::Tuple(_) => sys::TENON_TAG_TUPLE,
            Value::Dict(_) => sys::TENON_TAG_DICT,
            // A borrowed bool list is a list of bytes; every other type has its own borrowed form.
            Value::BoolList(_) => sys::TENON_TAG_BOOL_LIST,
            other => {
                return other
                    .borrow_simple()
                    .map_or("unknown", |value| value.type_name())
            }
        };
        tag_name(tag as u16)
    }

    /// Borrows values that need no array of C values.
    fn borrow_simple(&self) -> Option<ValueRef<'_>> {
        Some(match self {
            Value::None => ValueRef::None,
            Value::Bool(value) => ValueRef::Bool(*value),
            Value::Int(value) => ValueRef::Int(*value),
            Value::Float(value) => ValueRef::Float(*value),
            Value::Complex(value) => ValueRef::Complex(*value),
            Value::Str(value) => ValueRef::Str(value),
            Value::DType(value) => ValueRef::DType(*value),
            Value::Layout(value) => ValueRef::Layout(*value),
            Value::MemoryFormat(value) => ValueRef::MemoryFormat(*value),
            Value::Device(value) => ValueRef::Device(*value),
            Value::Generator(value) => ValueRef::Generator(value),
            Value::Tensor(value) => ValueRef::Tensor(value),
            Value::Object(value) => ValueRef::Object(value),
            Value::Function(value) => ValueRef::Function(value),
            Value::IntList(value) => ValueRef::IntList(value),
            Value::FloatList(value) => ValueRef::FloatList(value),
            Value::TensorList(value) => ValueRef::TensorList(value),
            Value::Other(value) => ValueRef::Other(value),
            Value::BoolList(_) | Value::List(_) | Value::Tuple(_) | Value::Dict(_) => return None,
        })
    }

    /// Returns the description of a value of an unexpected type, for messages.
    pub(crate) fn actual(&self) -> &'static str {
        match self {
            Value::Other(raw) => ValueRef::Other(raw).actual(),
            other => other.type_name(),
        }
    }

    /// Takes over a value of the C interface. Handles in it must not be NULL.
    pub(crate) fn from_owned(raw: RawValue) -> Result<Value> {
        let owned = raw.0.flags & sys::TENON_VALUE_OWNED as u16 != 0;
        if u32::from(raw.0.tag) == sys::TENON_TAG_TENSOR && owned {
            debug_assert!(!raw.lacks_handle());
            let raw = std::mem::ManuallyDrop::new(raw);
            // SAFETY: an owned tensor value holds one reference, which moves to the `Tensor`.
            return Ok(Value::Tensor(unsafe { Tensor::from_raw(raw.0.as_.tensor) }));
        }
        // SAFETY: `raw` owns what it refers to until the end of this function.
        unsafe { ValueRef::from_raw(&raw.0) }.to_value()
    }
}

macro_rules! value_from {
    ($($type:ty => $variant:ident),* $(,)?) => {
        $(impl From<$type> for Value {
            fn from(value: $type) -> Value {
                Value::$variant(value.into())
            }
        })*
    };
}

value_from! {
    bool => Bool, i64 => Int, i32 => Int, f64 => Float, f32 => Float, Complex<f64> => Complex,
    String => Str, &str => Str, DType => DType, Layout => Layout, MemoryFormat => MemoryFormat,
    Device => Device, Generator => Generator, Tensor => Tensor, Object => Object,
    Function => Function,
    Vec<i64> => IntList, Vec<f64> => FloatList, Vec<bool> => BoolList,
    Vec<Option<Tensor>> => TensorList, Vec<Value> => List,
}

impl From<Vec<Tensor>> for Value {
    fn from(tensors: Vec<Tensor>) -> Value {
        Value::TensorList(tensors.into_iter().map(Some).collect())
    }
}

impl From<&Tensor> for Value {
    fn from(tensor: &Tensor) -> Value {
        Value::Tensor(tensor.clone())
    }
}

impl From<&Generator> for Value {
    fn from(generator: &Generator) -> Value {
        Value::Generator(generator.clone())
    }
}

impl From<Scalar> for Value {
    fn from(scalar: Scalar) -> Value {
        match scalar {
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Int(value) => Value::Int(value),
            Scalar::Float(value) => Value::Float(value),
            Scalar::Complex(value) => Value::Complex(value),
        }
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::None, Into::into)
    }
}

macro_rules! scalar_from {
    ($($type:ty => $variant:ident),*) => {
        $(impl From<$type> for Scalar {
            fn from(value: $type) -> Scalar {
                Scalar::$variant(value.into())
            }
        })*
    };
}

scalar_from!(bool => Bool, i64 => Int, i32 => Int, f64 => Float, f32 => Float,
             Complex<f64> => Complex);

impl RawValue {
    pub(crate) const NONE: sys::tenon_value = sys::tenon_value {
        tag: sys::TENON_TAG_NONE as u16,
        flags: 0,
        count: 0,
        as_: sys::tenon_payload { words: [0, 0] },
    };

    pub(crate) fn view(raw: &sys::tenon_value) -> &RawValue {
        // SAFETY: `RawValue` is transparent over `tenon_value`; a reference never runs its `drop`.
        unsafe { &*(raw as *const sys::tenon_value).cast() }
    }

    /// Returns true if the tag says that the value is a handle, but the handle is NULL: a bug of a
    /// kernel.
    pub(crate) fn lacks_handle(&self) -> bool {
        match u32::from(self.0.tag) {
            sys::TENON_TAG_TENSOR
            | sys::TENON_TAG_GENERATOR
            | sys::TENON_TAG_OBJECT
            | sys::TENON_TAG_FUNCTION => {
                // SAFETY: value.h: all of these are one pointer, at the same offset.
                unsafe { self.0.as_.tensor.is_null() }
            }
            _ => false,
        }
    }

    /// Returns the value as the C interface lays it out, borrowed.
    pub fn as_raw(&self) -> &sys::tenon_value {
        &self.0
    }

    /// Makes a deep copy; handles are retained.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn try_clone(&self) -> Result<RawValue> {
        let mut out = RawValue::NONE;
        // SAFETY: value.h: `out` is overwritten and ours to clear.
        check(unsafe { sys::tenon_value_copy(&self.0, &mut out) })?;
        Ok(RawValue(out))
    }

    /// Like [`RawValue::try_clone`], for a value with another owner.
    pub(crate) fn copy_of(raw: &sys::tenon_value) -> Result<RawValue> {
        RawValue::view(raw).try_clone()
    }

    pub(crate) fn list(tag: u32, elements: *const std::ffi::c_void, count: usize) -> Result<Self> {
        let mut out = RawValue::NONE;
        // SAFETY: callers pass `count` live elements of the type that `tag` names.
        check(unsafe { sys::tenon_value_new_list(tag as u16, elements, count as i64, &mut out) })?;
        Ok(RawValue(out))
    }

    pub(crate) fn string(text: &str) -> Result<RawValue> {
        let mut out = RawValue::NONE;
        // SAFETY: the text is copied.
        check(unsafe {
            sys::tenon_value_new_string(text.as_ptr().cast(), text.len() as i64, &mut out)
        })?;
        Ok(RawValue(out))
    }

    pub(crate) fn into_raw(self) -> sys::tenon_value {
        std::mem::ManuallyDrop::new(self).0
    }
}

impl Drop for RawValue {
    fn drop(&mut self) {
        if self.0.flags & sys::TENON_VALUE_OWNED as u16 != 0 {
            // SAFETY: value.h: clears what the value owns, once.
            unsafe { sys::tenon_value_clear(&mut self.0) }
        }
    }
}

impl Clone for RawValue {
    /// Makes a deep copy.
    ///
    /// # Panics
    /// If memory is short; [`RawValue::try_clone`] returns an error instead.
    fn clone(&self) -> RawValue {
        match self.try_clone() {
            Ok(copy) => copy,
            Err(error) => panic!("{error}"),
        }
    }
}

impl fmt::Debug for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the value is live and `out` gets a new reference.
        let text = Buffer::fill(|out| unsafe { sys::tenon_value_print(&self.0, out) });
        match text {
            Ok(text) => f.write_str(&text.text()),
            Err(_) => f.write_str(tag_name(self.0.tag)),
        }
    }
}

pub(crate) fn tag_name(tag: u16) -> &'static str {
    // SAFETY: tenon_tag_name returns static text for any number.
    unsafe { static_text(sys::tenon_tag_name(tag)) }
}

/// Returns the error for a value of another type than requested.
#[derive(Debug)]
pub(crate) struct Mismatch {
    pub(crate) expected: &'static str,
    pub(crate) actual: &'static str,
}

impl Mismatch {
    pub(crate) fn error(&self, place: &str) -> Error {
        let Mismatch { expected, actual } = self;
        Error::new(
            crate::Status::TYPE,
            format!("{place} must be {expected}, got {actual}"),
        )
    }
}
