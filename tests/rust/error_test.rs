// SPDX-License-Identifier: Apache-2.0
//! Errors: building, reading, and Rust errors and panics that return to Rust unchanged.

use std::error::Error as _;
use std::ffi::CString;
use std::fmt;

use tenon::{sys, DispatchKey, Error, KernelContext, Library, Op, Result, Status, ValueRef};

use crate::support::fails;

#[derive(Debug, PartialEq)]
struct Overheated {
    degrees: i32,
}

impl fmt::Display for Overheated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} degrees", self.degrees)
    }
}

impl std::error::Error for Overheated {}

fn library(namespace: &str) -> (Library, Op) {
    let library = Library::define_namespace(namespace).unwrap();
    let op = library.define("run(int x) -> int").unwrap();
    (library, op)
}

#[test]
fn errors_have_status_kind_message_notes_and_causes() {
    let mut error = Error::new(Status::INDEX, "x: must be 1, got 2").with_note("while testing");
    error.set_cause(Error::with_kind(Status::RUNTIME, "DiskError", "no disk"));
    assert_eq!(
        (error.status(), error.kind().as_ref()),
        (Status::INDEX, "IndexError")
    );
    assert_eq!(error.message(), "x: must be 1, got 2");
    assert_eq!(error.notes(), ["while testing"]);
    assert_eq!(error.cause().unwrap().kind(), "DiskError");
    assert_eq!(error.source().unwrap().to_string(), "DiskError: no disk");
    assert_eq!(
        error.to_string(),
        "IndexError: x: must be 1, got 2\n  while testing"
    );
    assert!(format!("{error:?}").contains("caused by DiskError: no disk"));
    assert_eq!(format!("{:?}", error.status()), "TENON_ERROR_INDEX");
}

#[test]
fn a_nul_in_a_message_is_written_out() {
    assert_eq!(
        Error::new(Status::RUNTIME, "one\0two").message(),
        "one\\0two"
    );
}

#[test]
fn error_values_come_home() {
    let (library, op) = library("error_value");
    library
        .impl_fn(
            "run",
            "default",
            |x: i64| -> Result<i64, Box<dyn std::error::Error + Send + Sync>> {
                if x > 100 {
                    Err(Overheated { degrees: x as i32 })?;
                }
                let parsed: i64 = "12".parse()?;
                Ok(x + parsed)
            },
        )
        .unwrap();
    assert_eq!(op.call::<i64>((1,)).unwrap(), 13);
    let error = fails(op.call::<i64>((120,)), Status::FOREIGN, &["120 degrees"]);
    assert_eq!(
        error.downcast_ref::<Overheated>(),
        Some(&Overheated { degrees: 120 })
    );
    assert!(error.downcast_ref::<fmt::Error>().is_none() && !error.is_panic());
    let error = error.into_panic().unwrap_err();
    assert_eq!(error.status(), Status::FOREIGN);
}

#[test]
fn typed_error_values_keep_their_types_name() {
    let error = Error::from_error(Overheated { degrees: 7 });
    assert_eq!(
        (error.kind().as_ref(), error.message().as_ref()),
        ("Overheated", "7 degrees")
    );
    let io: Error = std::io::Error::new(std::io::ErrorKind::Other, "disk").into();
    assert!(io.downcast_ref::<std::io::Error>().is_some());
}

#[test]
fn own_errors_pass_through_boxes_unchanged() {
    let own: Box<dyn std::error::Error + Send + Sync> =
        Box::new(Error::new(Status::BUSY, "door: must be open, got closed"));
    let error = Error::from(own);
    assert_eq!(
        (error.status(), error.kind().as_ref()),
        (Status::BUSY, "BusyError")
    );
}

#[test]
fn sources_become_causes() {
    #[derive(Debug)]
    struct Outer(Overheated);
    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("outer")
        }
    }
    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let error = Error::from_error(Outer(Overheated { degrees: 1 }));
    assert_eq!(error.cause().unwrap().message(), "1 degrees");
    assert!(error
        .source()
        .unwrap()
        .downcast_ref::<Overheated>()
        .is_some());
}

#[test]
fn panics_come_home() {
    let (library, op) = library("error_panic");
    library
        .impl_boxed("run", "default", |_: &KernelContext, args: &[ValueRef]| {
            std::panic::panic_any(format!("{:?}", args[0]));
        })
        .unwrap();
    let error = fails(op.call::<i64>((3,)), Status::FOREIGN, &["Int(3)"]);
    assert!(error.is_panic() && error.kind() == "panic");
    let payload = error.into_panic().unwrap();
    assert_eq!(payload.downcast_ref::<String>().unwrap(), "Int(3)");
}

#[test]
fn frames_name_kernel_and_place() {
    let (library, op) = library("error_frame");
    let kernel = tenon::Kernel::typed(|_: i64| -> Result<i64> {
        Err(Error::new(Status::RUNTIME, "broken"))
    });
    library
        .impl_kernel("run", "default", kernel.named("run_broken"))
        .unwrap();
    let error = op.call::<i64>((1,)).unwrap_err();
    let frames = error.frames();
    let frame = frames
        .iter()
        .find(|frame| frame.function == "run_broken")
        .unwrap();
    assert!(
        frame.file.ends_with("error_test.rs") && frame.line > 0,
        "{frame:?}"
    );
    assert_eq!(frame.language, "Rust");
}

#[test]
fn errors_pass_nested_calls_as_the_same_object() {
    let (library, inner) = library("error_nested");
    let outer = library.define("outer(int x) -> int").unwrap();
    library
        .impl_fn("run", "default", |x: i64| -> Result<i64> {
            Err(Error::from_error(Overheated { degrees: x as i32 }))
        })
        .unwrap();
    library
        .impl_fn("outer", "default", move |x: i64| {
            inner.call::<i64>((x + 1,))
        })
        .unwrap();
    let error = outer.call::<i64>((1,)).unwrap_err();
    assert_eq!(
        error.downcast_ref::<Overheated>(),
        Some(&Overheated { degrees: 2 })
    );
}

#[test]
fn the_thread_stays_usable_after_a_failure() {
    let (library, op) = library("error_after");
    library
        .impl_fn("run", "default", |x: i64| {
            assert!(x != 0, "zero");
            Ok::<i64, Error>(100 / x)
        })
        .unwrap();
    for _ in 0..3 {
        assert!(op.call::<i64>((0,)).unwrap_err().is_panic());
        assert_eq!(op.call::<i64>((4,)).unwrap(), 25);
    }
}

#[test]
fn a_kernel_with_the_wrong_number_of_results_fails() {
    let (library, op) = library("error_results");
    let registration = library
        .impl_boxed("run", "default", |_: &KernelContext, _: &[ValueRef]| {
            Ok(vec![])
        })
        .unwrap();
    fails(
        op.call::<i64>((1,)),
        Status::TYPE,
        &["error_results::run", "must be 1, got 0"],
    );
    registration.remove();
    library
        .impl_boxed("run", "default", |_: &KernelContext, _: &[ValueRef]| {
            Ok(vec!["x".into()])
        })
        .unwrap();
    fails(
        op.call::<i64>((1,)),
        Status::TYPE,
        &["error_results::run", "int", "str"],
    );
}

#[test]
fn missing_kernels_name_operator_and_key() {
    let (library, op) = library("error_missing");
    library
        .impl_fn("run", DispatchKey::CUDA, |x: i64| x)
        .unwrap();
    let error = fails(
        op.call::<i64>((1,)),
        Status::NO_KERNEL,
        &["error_missing::run"],
    );
    assert_eq!(error.kind(), "NotImplementedError");
}

fn c_text(text: &str) -> CString {
    CString::new(text).unwrap()
}

#[test]
fn frames_of_a_registered_language_carry_its_name() {
    let (name, function, file) = (c_text("Zig"), c_text("main"), c_text("main.zig"));
    let mut language = 0;
    assert_eq!(
        unsafe { sys::tenon_language_register(name.as_ptr(), &mut language) },
        0
    );
    let error = Error::new(Status::INDEX, "from afar");
    unsafe {
        sys::tenon_error_add_frame(
            error.as_raw(),
            language,
            function.as_ptr(),
            file.as_ptr(),
            7,
        );
    }
    let frames = error.frames();
    assert_eq!(
        (frames[0].language, &frames[0].function[..], frames[0].line),
        ("Zig", "main", 7)
    );
    assert!(format!("{error:?}").contains("Zig"), "{error:?}");
}
