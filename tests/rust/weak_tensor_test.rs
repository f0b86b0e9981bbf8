// SPDX-License-Identifier: Apache-2.0
//! Weak tensors: they find a tensor while it is alive, on any thread, without keeping it alive.

use tenon::WeakTensor;

use crate::support::{floats, read};

#[test]
fn upgrade_finds_the_tensor_while_it_lives() {
    let x = floats(&[1.0, 2.0]);
    let weak = x.downgrade().unwrap();
    assert_eq!(x.use_count(), 1);
    let found = weak.upgrade().unwrap();
    assert_eq!((found.as_raw(), x.use_count()), (x.as_raw(), 2));
    drop(x);
    assert_eq!(read(&weak.upgrade().unwrap()), [1.0, 2.0]);
    drop(found);
    assert!(weak.upgrade().is_none());
}

#[test]
fn clone_outlives_the_first_reference() {
    let x = floats(&[1.0]);
    let weak = x.downgrade().unwrap();
    let other = weak.clone();
    drop(weak);
    assert!(other.upgrade().is_some());
    drop(x);
    assert!(other.upgrade().is_none());
}

#[test]
fn data_goes_with_the_tensor() {
    struct Owner(std::sync::mpsc::Sender<()>);
    impl Drop for Owner {
        fn drop(&mut self) {
            self.0.send(()).unwrap();
        }
    }
    let (sender, dropped) = std::sync::mpsc::channel();
    let mut memory = [0f32; 2];
    let data = memory.as_mut_ptr().cast();
    let owner = Box::new(Owner(sender));
    // SAFETY: the memory outlives the tensor, which dies below.
    let x = unsafe { tenon::Tensor::wrap(data, tenon::DType::F32, &[2], None, owner) }.unwrap();
    let weak = x.downgrade().unwrap();
    drop(x);
    assert_eq!(dropped.try_recv(), Ok(()));
    assert!(weak.upgrade().is_none());
}

#[test]
fn threads_race_to_find_a_tensor_that_dies() {
    for _ in 0..50 {
        let x = floats(&[3.0]);
        let weak = x.downgrade().unwrap();
        let finders: Vec<_> = (0..3)
            .map(|_| {
                let weak: WeakTensor = weak.clone();
                std::thread::spawn(move || {
                    while let Some(found) = weak.upgrade() {
                        assert_eq!(read(&found), [3.0]);
                    }
                })
            })
            .collect();
        drop(x);
        for finder in finders {
            finder.join().unwrap();
        }
        assert!(weak.upgrade().is_none());
    }
}
