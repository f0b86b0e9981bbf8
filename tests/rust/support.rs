// SPDX-License-Identifier: Apache-2.0
//! Helpers of all test files.
#![allow(dead_code)]

use std::path::PathBuf;

use tenon::{Error, Result, Status, Tensor};

/// Makes a float32 tensor with one dim.
pub fn floats(data: &[f32]) -> Tensor {
    Tensor::from_slice(data, &[data.len() as i64]).unwrap()
}

/// Returns the elements of a float32 tensor.
pub fn read(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec().unwrap()
}

/// Returns the error of a call that must fail with `status` and mention each of `texts`.
#[track_caller]
pub fn fails<T>(result: Result<T>, status: Status, texts: &[&str]) -> Error {
    let error = match result {
        Ok(_) => panic!("must fail with {status:?}"),
        Err(error) => error,
    };
    assert_eq!(error.status(), status, "{error:?}");
    for text in texts {
        assert!(error.message().contains(text), "no {text:?} in: {error}");
    }
    error
}

/// Returns the message of the panic that `body` must end with.
#[track_caller]
pub fn panics(body: impl FnOnce()) -> String {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(()) => panic!("must panic"),
        Err(payload) => *payload.downcast::<String>().unwrap(),
    }
}

/// Resumes the panic that a call must have failed with.
#[track_caller]
pub fn resume<T>(result: Result<T>) {
    match result {
        Ok(_) => panic!("must fail with a panic"),
        Err(error) => std::panic::resume_unwind(error.into_panic().unwrap()),
    }
}

/// A cdylib that `cargo test` built from this package's examples.
pub fn example_library(name: &str) -> PathBuf {
    let mut dir = std::env::current_exe().unwrap();
    dir.pop();
    if dir.ends_with("deps") {
        dir.pop();
    }
    let path = dir.join("examples").join(format!("lib{name}.so"));
    assert!(
        path.exists(),
        "{} must exist: run `cargo build --examples`",
        path.display()
    );
    path
}
