// SPDX-License-Identifier: Apache-2.0
//! Parallel loops from Rust.

use std::sync::atomic::{AtomicUsize, Ordering};

use tenon::{parallel, Error, Status};

#[test]
fn for_each_calls_all_numbers_once() {
    let times: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
    parallel::for_each(times.len(), 7, |numbers| {
        for number in numbers {
            times[number].fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    })
    .unwrap();
    assert!(times.iter().all(|n| n.load(Ordering::Relaxed) == 1));
}

#[test]
fn for_each_gives_the_first_chunks_error() {
    let error = parallel::for_each(100, 10, |numbers| {
        if numbers.start < 30 {
            return Ok(());
        }
        Err(Error::new(
            Status::INDEX,
            format!("chunk {}", numbers.start),
        ))
    })
    .unwrap_err();
    assert_eq!(error.status(), Status::INDEX);
    assert_eq!(error.message(), "chunk 30");
}

#[test]
fn for_each_brings_a_panic_home() {
    let error = parallel::for_each(8, 1, |numbers| {
        assert!(numbers.start != 3, "three");
        Ok(())
    })
    .unwrap_err();
    assert!(error.is_panic());
    assert!(error.message().contains("three"));
}

#[test]
fn for_each_refuses_no_grain() {
    let error = parallel::for_each(8, 0, |_| Ok(())).unwrap_err();
    assert_eq!(error.status(), Status::INVALID_ARGUMENT);
}

#[test]
fn num_threads_is_one_at_least() {
    assert!(parallel::num_threads() >= 1);
    let error = parallel::set_num_threads(100_000).unwrap_err();
    assert_eq!(error.status(), Status::INVALID_ARGUMENT);
}
