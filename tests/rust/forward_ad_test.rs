// SPDX-License-Identifier: Apache-2.0
//! Forward mode: dual levels and tangents.

use tenon::autograd::forward_ad::DualLevel;
use tenon::{grad_mode, Status, Tensor, ThreadState};

use crate::support::{fails, floats, panics, read};

#[test]
fn tangents_go_through_calls() {
    let level = DualLevel::enter().unwrap();
    let x = level
        .make_dual(&floats(&[2.0, 3.0]), &floats(&[1.0, 10.0]))
        .unwrap();
    let cube = (&(&x * &x).unwrap() * &x).unwrap();
    let (primal, tangent) = level.unpack_dual(&cube).unwrap();
    assert_eq!(read(&primal), [8.0, 27.0]);
    assert_eq!(read(&tangent.unwrap()), [12.0, 270.0]);
    let inside = grad_mode::no_grad(|| (&x * 2.0).unwrap()).unwrap();
    assert_eq!(
        read(&level.unpack_dual(&inside).unwrap().1.unwrap()),
        [2.0, 20.0]
    );
    assert!(level.unpack_dual(&floats(&[1.0])).unwrap().1.is_none());
}

#[test]
fn levels_do_not_nest_and_end() {
    let level = DualLevel::enter().unwrap();
    fails(DualLevel::enter(), Status::STATE, &["level"]);
    let dual = level.make_dual(&floats(&[2.0]), &floats(&[1.0])).unwrap();
    drop(level);
    let level = DualLevel::enter().unwrap();
    assert!(level.unpack_dual(&dual).unwrap().1.is_none());
}

#[test]
fn a_level_ends_when_its_body_panics() {
    let text = panics(|| {
        let _level = DualLevel::enter().unwrap();
        panic!("{}", "as asked");
    });
    assert_eq!(text, "as asked");
    drop(DualLevel::enter().unwrap());
}

#[test]
fn thread_states_carry_levels() {
    let level = DualLevel::enter().unwrap();
    let dual = level.make_dual(&floats(&[3.0]), &floats(&[1.0])).unwrap();
    let square = {
        let dual = dual.clone();
        move || (&dual * &dual).unwrap()
    };
    let under = ThreadState::spawn(square.clone()).unwrap().join().unwrap();
    let (_, tangent) = level.unpack_dual(&under.unwrap()).unwrap();
    assert_eq!(read(&tangent.unwrap()), [6.0]);
    let apart = std::thread::spawn(square).join().unwrap();
    assert!(level.unpack_dual(&apart).unwrap().1.is_none());
    let nested = ThreadState::spawn(|| DualLevel::enter().map(drop));
    let nested = nested.unwrap().join().unwrap().unwrap();
    fails(nested, Status::STATE, &["nested"]);
}

#[test]
fn wrong_tangents_are_refused() {
    let level = DualLevel::enter().unwrap();
    let x = floats(&[2.0]);
    fails(
        level.make_dual(&x, &floats(&[1.0, 2.0])),
        Status::STATE,
        &["[1]", "[2]"],
    );
    let ints = Tensor::from_slice(&[1i64], &[1]).unwrap();
    fails(level.make_dual(&ints, &ints), Status::TYPE, &["int64"]);
    fails(level.make_dual(&x, &ints), Status::TYPE, &["int64"]);
    fails(
        level.unpack_dual(&Tensor::undefined()),
        Status::INVALID_ARGUMENT,
        &["undefined"],
    );
}
