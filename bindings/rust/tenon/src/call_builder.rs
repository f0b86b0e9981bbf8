// SPDX-License-Identifier: Apache-2.0
//! Calls with named arguments.

use std::ffi::{c_char, CString};

use crate::arg::{Arg, IntoArg};
use crate::error::Result;
use crate::op::Op;
use crate::returns::FromReturns;
use crate::text::c_text;

/// A call under construction: positional arguments first, then named ones, then defaults.
#[derive(Debug)]
#[must_use = "nothing is called before `call`"]
pub struct CallBuilder<'a> {
    op: Op,
    positional: Vec<Arg<'a>>,
    names: Vec<CString>,
    named: Vec<Arg<'a>>, // one per name
}

impl<'a> CallBuilder<'a> {
    pub(crate) fn new(op: Op) -> Self {
        CallBuilder {
            op,
            positional: Vec::new(),
            names: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Adds a positional argument.
    pub fn arg(mut self, value: impl IntoArg<'a>) -> Self {
        self.positional.push(value.into_arg());
        self
    }

    /// Adds a named argument.
    pub fn named(mut self, name: &str, value: impl IntoArg<'a>) -> Self {
        self.names.push(c_text(name));
        self.named.push(value.into_arg());
        self
    }

    /// Calls the operator.
    ///
    /// # Errors
    /// [`Status::TYPE`](crate::Status::TYPE) for an unknown name, an argument that is passed twice
    /// or is missing, and a keyword-only argument passed by position; otherwise as [`Op::call`].
    pub fn call<R: FromReturns>(self) -> Result<R> {
        let names: Vec<*const c_char> = self.names.iter().map(|name| name.as_ptr()).collect();
        self.op.call_named(&self.positional, &names, &self.named)
    }
}
