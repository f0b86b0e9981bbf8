// SPDX-License-Identifier: Apache-2.0
//! Calls with arguments by name.

use crate::arg::{Arg, IntoArg};
use crate::error::{Error, Result};
use crate::op::Op;
use crate::returns::FromReturns;
use crate::status::Status;

/// A call under construction: positional arguments, then arguments by name, then defaults.
#[derive(Debug)]
#[must_use = "nothing is called before `call`"]
pub struct CallBuilder<'a> {
    op: Op,
    positional: Vec<Arg<'a>>,
    named: Vec<(&'a str, Arg<'a>)>,
}

impl<'a> CallBuilder<'a> {
    pub(crate) fn new(op: Op) -> Self {
        CallBuilder {
            op,
            positional: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Adds a positional argument.
    pub fn arg(mut self, value: impl IntoArg<'a>) -> Self {
        self.positional.push(value.into_arg());
        self
    }

    /// Adds an argument by name.
    pub fn named(mut self, name: &'a str, value: impl IntoArg<'a>) -> Self {
        self.named.push((name, value.into_arg()));
        self
    }

    /// Calls the operator.
    ///
    /// # Errors
    /// [`Status::TYPE`] for an unknown name, an argument given twice or not at all, and one by
    /// position that goes by name only; else as [`Op::call`].
    pub fn call<R: FromReturns>(self) -> Result<R> {
        let op = self.op.read()?;
        let schema = op.schema()?;
        let arguments = schema.arguments();
        let wrong = |what: String| Error::new(Status::TYPE, format!("{}: {what}", op.name()));
        let free = arguments
            .iter()
            .take_while(|argument| !argument.kwarg_only)
            .count();
        if self.positional.len() > free {
            return Err(wrong(format!(
                "positional arguments must be at most {free}, got {}",
                self.positional.len()
            )));
        }
        let mut all: Vec<Option<Arg<'_>>> = self.positional.into_iter().map(Some).collect();
        all.resize_with(arguments.len(), || None);
        for (name, value) in self.named {
            let index = arguments.iter().position(|argument| argument.name == name);
            match index.and_then(|index| all.get_mut(index)) {
                Some(slot @ None) => *slot = Some(value),
                Some(_) => {
                    return Err(wrong(format!(
                        "argument '{name}' must be given once, got twice"
                    )))
                }
                None => {
                    let known: Vec<_> = arguments.iter().map(|one| one.name.as_ref()).collect();
                    return Err(wrong(format!(
                        "argument name must be one of {}, got '{name}'",
                        known.join(", ")
                    )));
                }
            }
        }
        let args = op.complete(&schema, all)?;
        op.call_args(&args)
    }
}
