// SPDX-License-Identifier: Apache-2.0
//! The call that a kernel serves: its context, or the whole boxed stack.

use tenon_sys as sys;

use crate::arg::{raw_values, Arg, IntoArg};
use crate::arguments::Arguments;
use crate::dispatch::{DispatchKey, DispatchKeySet};
use crate::error::{Error, Result};
use crate::op::{check_keys, failure, Op};
use crate::overrides::refuse_overriding;
use crate::parameter::Parameter;
use crate::returns::FromReturns;
use crate::status::Status;
use crate::value::{Mismatch, RawValue, Value};
use crate::value_ref::{slice, Values};

const OVERRIDE_BIT: u32 = sys::TENON_BACKEND_BITS + sys::TENON_FUNCTIONALITY_OVERRIDE;

/// Context of the call that a kernel serves. A typed kernel may take `&KernelContext` as an
/// additional parameter.
#[derive(Debug)]
pub struct KernelContext {
    pub(crate) op: Op,
    pub(crate) keys: DispatchKeySet,
}

impl KernelContext {
    /// Returns the operator.
    pub fn op(&self) -> Op {
        self.op
    }

    /// Returns the key set that the call was dispatched with; its highest key is the one served
    /// here.
    pub fn keys(&self) -> DispatchKeySet {
        self.keys
    }

    /// Returns the keys below `key`, to which a kernel on `key` redispatches.
    pub fn keys_below(&self, key: DispatchKey) -> DispatchKeySet {
        self.keys & DispatchKeySet::below(key)
    }

    /// Calls the kernel that serves `keys`, with arguments in schema order.
    ///
    /// # Errors
    /// As [`Op::redispatch`].
    pub fn redispatch<R: FromReturns>(
        &self,
        keys: DispatchKeySet,
        args: impl Arguments,
    ) -> Result<R> {
        self.op.redispatch(keys, args)
    }
}

/// A boxed call as its kernel sees it: for fallbacks, and for kernels that inspect the arguments of
/// any operator or pass them on unchanged.
#[derive(Debug)]
pub struct Stack<'a> {
    pub(crate) raw: &'a mut sys::tenon_stack,
    pub(crate) op: *const sys::tenon_op,
    pub(crate) keys: DispatchKeySet,
}

impl Stack<'_> {
    /// Returns the operator.
    pub fn op(&self) -> Op {
        Op::running(self.op, self.raw.nargs, self.raw.nrets)
    }

    /// Returns the key set that the call was dispatched with.
    pub fn keys(&self) -> DispatchKeySet {
        self.keys
    }

    /// Returns the keys below `key`.
    pub fn keys_below(&self, key: DispatchKey) -> DispatchKeySet {
        self.keys & DispatchKeySet::below(key)
    }

    /// Returns the arguments in schema order.
    pub fn args(&self) -> Values<'_> {
        // SAFETY: value.h: `nargs` values, borrowed for the call.
        Values(unsafe { slice(self.raw.args, self.raw.nargs as usize) })
    }

    /// Returns argument `index` as a Rust type.
    ///
    /// # Errors
    /// [`Status::TYPE`] naming operator and argument.
    pub fn arg<P: Parameter>(&self, index: usize) -> Result<P::Item<'_>> {
        decode::<P>(self.op, self.args().0, index)
    }

    /// Returns the results, which are NONE before they are set or redispatched.
    pub fn results(&self) -> Values<'_> {
        // SAFETY: value.h: `nrets` values of this call.
        Values(unsafe { slice(self.raw.rets, self.raw.nrets as usize) })
    }

    /// Sets result `index` and drops the previous value.
    ///
    /// # Errors
    /// [`Status::INDEX`] if the operator has no such result.
    pub fn set(&mut self, index: usize, value: impl Into<Value>) -> Result<()> {
        if index >= self.raw.nrets as usize {
            let (name, count) = (self.op().name(), self.raw.nrets);
            return Err(Error::new(
                Status::INDEX,
                format!("{name}: result index must be below {count}, got {index}"),
            ));
        }
        let value = value.into().into_owned_raw()?;
        // SAFETY: value.h: results are written owned; the index is in range.
        drop(RawValue(unsafe {
            self.raw.rets.add(index).replace(value.into_raw())
        }));
        Ok(())
    }

    /// Calls the kernel that serves `keys` on the same stack. That kernel sets the results.
    ///
    /// # Errors
    /// As [`Op::redispatch`].
    pub fn redispatch(&mut self, keys: DispatchKeySet) -> Result<()> {
        // Only kernels at Override and above receive objects in place of tensors.
        if self.keys.bits() >> OVERRIDE_BIT != 0 {
            refuse_overriding(self.op(), self.args().0)?;
        }
        if !self.is_below(keys) {
            check_keys(self.op(), keys, self.args().0)?;
        }
        // SAFETY: op.h: called from inside a kernel on its own stack.
        let status = unsafe { sys::tenon_op_redispatch(self.op, keys.bits(), self.raw) };
        if status != 0 {
            return Err(failure(status, self.raw));
        }
        Ok(())
    }

    /// Returns true if `keys` are the call's own keys without the highest ones, so that their
    /// kernels can read the call's own arguments.
    fn is_below(&self, keys: DispatchKeySet) -> bool {
        let (own, left) = (self.keys.bits(), keys.bits());
        let dropped = own & !left;
        left & !own == 0 && (dropped == 0 || dropped & dropped.wrapping_neg() > left)
    }

    /// Like [`Stack::redispatch`], with other arguments.
    ///
    /// # Errors
    /// As [`Op::redispatch`]; [`Status::TYPE`] if their number differs.
    pub fn redispatch_with(&mut self, keys: DispatchKeySet, args: impl Arguments) -> Result<()> {
        args.with(|args| {
            if args.len() != self.raw.nargs as usize {
                let (name, want, got) = (self.op().name(), self.raw.nargs, args.len());
                return Err(Error::new(
                    Status::TYPE,
                    format!("{name}: arguments must be {want}, got {got}"),
                ));
            }
            // value.h: a layer may point `args` at its own array and restores it on every exit.
            check_keys(self.op(), keys, raw_values(args))?;
            let own = std::mem::replace(&mut self.raw.args, args.as_ptr().cast_mut().cast());
            let result = self.redispatch(keys);
            self.raw.args = own;
            result
        })
    }
}

/// Reads argument `index` as a Rust type.
#[inline(always)]
pub(crate) fn decode<P: Parameter>(
    op: *const sys::tenon_op,
    args: &[sys::tenon_value],
    index: usize,
) -> Result<P::Item<'_>> {
    // SAFETY: value.h: arguments are borrowed for the call.
    let read = |raw| unsafe { P::from_value(raw) };
    match args.get(index).and_then(read) {
        Some(item) => Ok(item),
        None => Err(argument_error(op, args, index, P::TYPE)),
    }
}

/// Returns the error for an argument that is missing or has another type than the kernel's.
#[cold]
#[inline(never)]
fn argument_error(
    op: *const sys::tenon_op,
    args: &[sys::tenon_value],
    index: usize,
    expected: &'static str,
) -> Error {
    let op = Op::unread(op);
    let schema = op.schema().ok();
    let argument = schema.as_ref().and_then(|schema| schema.argument(index));
    let place = match argument {
        Some(argument) => format!("{}: argument '{}'", op.name(), argument.name),
        None => format!("{}: argument {index}", op.name()),
    };
    let actual = match Values(args).get(index) {
        Some(value) => value.actual(),
        None => "none",
    };
    Mismatch { expected, actual }.error(&place)
}

/// Values of arguments that a kernel passes on.
impl Arguments for Values<'_> {
    fn with<T>(self, function: impl FnOnce(&[Arg<'_>]) -> T) -> T {
        let args: Vec<Arg<'_>> = self.iter().map(IntoArg::into_arg).collect();
        function(&args)
    }
}
