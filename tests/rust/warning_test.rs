// SPDX-License-Identifier: Apache-2.0
//! Warnings: one handler of the process, so that these cases run one after the other.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon::{warning, DispatchKey, Error, Library, Status, Tensor};

use crate::support::{fails, floats};

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn warnings_reach_the_handler_with_category_and_operator() {
    let _alone = alone();
    let library = Library::define_namespace("warning_op").unwrap();
    let op = library.define("f(Tensor x) -> Tensor").unwrap();
    library
        .impl_fn("f", DispatchKey::CPU, |x: &Tensor| {
            warning::emit("UserWarning", "slow")?;
            Ok::<Tensor, Error>(x.clone())
        })
        .unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    warning::set_handler(move |warning| {
        let (category, message) = (warning.category.to_string(), warning.message.to_string());
        told.lock()
            .unwrap()
            .push((category, message, warning.op.to_string()));
        Ok(())
    })
    .unwrap();
    op.call::<Tensor>((&floats(&[1.0]),)).unwrap();
    warning::clear_handler().unwrap();
    op.call::<Tensor>((&floats(&[1.0]),)).unwrap();
    let texts = |(a, b, c): &(String, String, String)| format!("{a} {b} {c}");
    let seen: Vec<_> = seen.lock().unwrap().iter().map(texts).collect();
    assert_eq!(seen, ["UserWarning slow warning_op::f"]);
}

#[test]
fn a_handlers_error_is_the_calls_and_its_panic_comes_home() {
    let _alone = alone();
    warning::set_handler(|warning| {
        if warning.category == "UserWarning" {
            return Err(Error::new(Status::INDEX, "refused"));
        }
        panic!("as asked")
    })
    .unwrap();
    fails(
        warning::emit("UserWarning", "x"),
        Status::INDEX,
        &["refused"],
    );
    let error = warning::emit("Other", "x").unwrap_err();
    warning::clear_handler().unwrap();
    assert_eq!(
        error.into_panic().unwrap().downcast_ref::<&str>(),
        Some(&"as asked")
    );
    warning::emit("UserWarning", "x").unwrap();
}

#[test]
fn a_place_warns_once_and_the_handler_is_dropped() {
    let _alone = alone();
    let seen = Arc::new(Mutex::new(0));
    let told = seen.clone();
    warning::set_handler(move |_| {
        *told.lock().unwrap() += 1;
        Ok(())
    })
    .unwrap();
    for round in 0..3 {
        tenon::warn_once!("UserWarning", "round {round}").unwrap();
    }
    tenon::warn_once!("UserWarning", "another place").unwrap();
    warning::clear_handler().unwrap();
    assert_eq!(*seen.lock().unwrap(), 2);
    assert_eq!(Arc::strong_count(&seen), 1);
}
