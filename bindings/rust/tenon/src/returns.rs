// SPDX-License-Identifier: Apache-2.0
//! Conversion of the results of a call to Rust values.

use tenon_sys as sys;

use crate::error::{Error, Result};
use crate::op::Op;
use crate::status::Status;
use crate::symbol::{SymBool, SymFloat, SymInt};
use crate::types::{Complex, DType, Device, Layout, MemoryFormat};
use crate::value::{tag_name, Mismatch, RawValue, Scalar, Value};
use crate::{Function, Generator, Object, Tensor};

/// A Rust type that one result can be converted to.
pub trait FromValue: Sized {
    /// The schema type, for messages.
    const TYPE: &'static str;

    /// Converts an owned value. Returns `None` if it has another type.
    fn from_value(value: Value) -> Option<Self>;
}

macro_rules! from_value {
    ($($type:ty, $text:literal, $pattern:pat => $result:expr;)*) => {
        $(impl FromValue for $type {
            const TYPE: &'static str = $text;

            fn from_value(value: Value) -> Option<Self> {
                // The result of an override, although the schema says Tensor.
                match value.open().ok()? {
                    $pattern => Some($result),
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }
        })*
    };
}

from_value! {
    i64, "int", Value::Int(value) => value;
    f64, "float", Value::Float(value) => value;
    bool, "bool", Value::Bool(value) => value;
    Complex<f64>, "complex", Value::Complex(value) => value;
    String, "str", Value::Str(value) => value;
    DType, "ScalarType", Value::DType(value) => value;
    Layout, "Layout", Value::Layout(value) => value;
    MemoryFormat, "MemoryFormat", Value::MemoryFormat(value) => value;
    Device, "Device", Value::Device(value) => value;
    Generator, "Generator", Value::Generator(value) => value;
    Object, "object", Value::Object(value) => value;
    Function, "function", Value::Function(value) => value;
    Vec<i64>, "int[]", Value::IntList(value) => value;
    Vec<f64>, "float[]", Value::FloatList(value) => value;
    Vec<bool>, "bool[]", Value::BoolList(value) => value;
    Vec<Option<Tensor>>, "Tensor?[]", Value::TensorList(value) => value;
    Vec<Value>, "a list", Value::List(value) | Value::Tuple(value) => value;
    Value, "a value", value => value;
}

impl FromValue for Tensor {
    const TYPE: &'static str = "Tensor";

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Tensor(value) => Some(value),
            _ => None,
        }
    }
}

impl FromValue for Vec<Tensor> {
    const TYPE: &'static str = "Tensor[]";

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::TensorList(tensors) => tensors.into_iter().collect(),
            _ => None,
        }
    }
}

impl FromValue for Scalar {
    const TYPE: &'static str = "Scalar";

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(Scalar::Bool(value)),
            Value::Int(value) => Some(Scalar::Int(value)),
            Value::Float(value) => Some(Scalar::Float(value)),
            Value::Complex(value) => Some(Scalar::Complex(value)),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const TYPE: &'static str = T::TYPE;

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::None => Some(None),
            other => T::from_value(other).map(Some),
        }
    }
}

/// Results of a call, in memory of the caller. Results that are not taken are cleared.
#[doc(hidden)]
pub struct ReturnSlots<'a>(&'a mut [sys::tenon_value]);

/// Runs `function` with `count` slots that are NONE.
#[inline(always)]
pub(crate) fn with_slots<T>(count: usize, function: impl FnOnce(&mut ReturnSlots<'_>) -> T) -> T {
    const INLINE: usize = 4;
    if count <= INLINE {
        let mut memory = [RawValue::NONE; INLINE];
        let mut slots = ReturnSlots(&mut memory[..count]);
        return function(&mut slots);
    }
    let mut memory = vec![RawValue::NONE; count];
    let mut slots = ReturnSlots(&mut memory);
    function(&mut slots)
}

impl Drop for ReturnSlots<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        for slot in self.0.iter_mut() {
            if slot.flags & sys::TENON_VALUE_OWNED as u16 != 0 {
                // SAFETY: value.h: results are owned by the caller and cleared once.
                unsafe { sys::tenon_value_clear(slot) }
            }
        }
    }
}

impl ReturnSlots<'_> {
    #[inline(always)]
    pub(crate) fn as_mut_ptr(&mut self) -> *mut sys::tenon_value {
        self.0.as_mut_ptr()
    }

    /// Moves result `index` out and leaves NONE.
    #[inline]
    fn take(&mut self, index: usize) -> RawValue {
        match self.0.get_mut(index) {
            Some(slot) => RawValue(std::mem::replace(slot, RawValue::NONE)),
            None => RawValue(RawValue::NONE),
        }
    }

    fn expect(&self, op: Op, count: usize) -> Result<()> {
        if self.0.len() == count {
            return Ok(());
        }
        Err(Error::new(
            Status::TYPE,
            format!(
                "{}: results must be {count}, got {}",
                op.name(),
                self.0.len()
            ),
        ))
    }

    /// Moves result `index` of a function out, as a value.
    pub(crate) fn value(&mut self, function: &str, index: usize) -> Result<Value> {
        value_of(self.take(index), &|| format!("{function}: result {index}"))
    }

    fn one<T: FromValue>(&mut self, op: Op, index: usize) -> Result<T> {
        taken(op, index, self.take(index))
    }
}

/// Converts a result to a value. Nothing is trusted, because a kernel of any language wrote it.
fn value_of(raw: RawValue, place: &dyn Fn() -> String) -> Result<Value> {
    if raw.lacks_handle() {
        let (expected, actual) = (tag_name(raw.0.tag), "NULL");
        return Err(Mismatch { expected, actual }.error(&place()));
    }
    let value = Value::from_owned(raw)?;
    if let Value::Device(device) = &value {
        device.check(place)?;
    }
    Ok(value)
}

/// Converts a result to a `T`.
pub(crate) fn taken<T: FromValue>(op: Op, index: usize, raw: RawValue) -> Result<T> {
    let value = value_of(raw, &|| place(op, index))?;
    let (expected, actual) = (T::TYPE, value.actual());
    T::from_value(value).ok_or_else(|| Mismatch { expected, actual }.error(&place(op, index)))
}

/// Returns the name of a result in messages.
#[cold]
pub(crate) fn place(op: Op, index: usize) -> String {
    format!("{}: result {index}", op.name())
}

/// A type that the results of a call can be converted to: `()`, one type, a tuple of several, or
/// `Vec<Value>`.
pub trait FromReturns: Sized {
    /// Converts the results.
    ///
    /// # Errors
    /// [`Status::TYPE`] if their number or types do not match.
    #[doc(hidden)]
    fn from_returns(op: Op, slots: &mut ReturnSlots<'_>) -> Result<Self>;
}

/// Ignores the results.
impl FromReturns for () {
    #[inline(always)]
    fn from_returns(_: Op, _: &mut ReturnSlots<'_>) -> Result<()> {
        Ok(())
    }
}

impl FromReturns for Vec<Value> {
    fn from_returns(op: Op, slots: &mut ReturnSlots<'_>) -> Result<Vec<Value>> {
        (0..slots.0.len())
            .map(|index| value_of(slots.take(index), &|| place(op, index)))
            .collect()
    }
}

macro_rules! from_returns_one {
    ($($type:ty),* $(,)?) => {
        $(impl FromReturns for $type {
            fn from_returns(op: Op, slots: &mut ReturnSlots<'_>) -> Result<$type> {
                slots.expect(op, 1)?;
                slots.one(op, 0)
            }
        })*
    };
}

from_returns_one!(
    i64,
    f64,
    bool,
    Complex<f64>,
    String,
    DType,
    Layout,
    MemoryFormat,
    Device,
    Generator,
    Object,
    Function,
    Vec<i64>,
    Vec<f64>,
    Vec<bool>,
    Vec<Tensor>,
    Vec<Option<Tensor>>,
    Scalar,
    SymInt,
    SymFloat,
    SymBool,
    Vec<SymInt>,
    Value,
);

impl FromReturns for Tensor {
    #[inline]
    fn from_returns(op: Op, slots: &mut ReturnSlots<'_>) -> Result<Tensor> {
        // Fast path: one tensor, converted without a `Value`.
        if let [slot] = &mut *slots.0 {
            let owned = slot.flags & sys::TENON_VALUE_OWNED as u16 != 0;
            if owned && u32::from(slot.tag) == sys::TENON_TAG_TENSOR {
                // SAFETY: value.h: the tag's field.
                let raw = unsafe { slot.as_.tensor };
                if !raw.is_null() {
                    *slot = RawValue::NONE;
                    // SAFETY: value.h: an owned tensor value holds one reference, moved out here.
                    return Ok(unsafe { Tensor::from_raw(raw) });
                }
            }
        }
        slots.expect(op, 1)?;
        slots.one(op, 0)
    }
}

impl<T: FromValue> FromReturns for Option<T> {
    fn from_returns(op: Op, slots: &mut ReturnSlots<'_>) -> Result<Option<T>> {
        slots.expect(op, 1)?;
        slots.one(op, 0)
    }
}

macro_rules! from_returns_tuple {
    ($count:literal: $($name:ident $index:literal)+) => {
        impl<$($name: FromValue),+> FromReturns for ($($name,)+) {
            fn from_returns(op: Op, slots: &mut ReturnSlots<'_>) -> Result<Self> {
                slots.expect(op, $count)?;
                Ok(($(slots.one::<$name>(op, $index)?,)+))
            }
        }
    };
}

from_returns_tuple!(1: A 0);
from_returns_tuple!(2: A 0 B 1);
from_returns_tuple!(3: A 0 B 1 C 2);
from_returns_tuple!(4: A 0 B 1 C 2 D 3);
from_returns_tuple!(5: A 0 B 1 C 2 D 3 E 4);
from_returns_tuple!(6: A 0 B 1 C 2 D 3 E 4 F 5);
