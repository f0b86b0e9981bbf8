// SPDX-License-Identifier: Apache-2.0
//! Objects of Rust types.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tenon::{Library, Object, ObjectType, Status};

use crate::support::fails;

struct Palette {
    colours: Vec<u32>,
    drops: Arc<AtomicUsize>,
}

impl ObjectType for Palette {
    const NAME: &'static str = "object_test.Palette";
}

impl Drop for Palette {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn the_value_is_dropped_with_the_last_reference() {
    let drops = Arc::new(AtomicUsize::new(0));
    let object = Object::new(Palette {
        colours: vec![1],
        drops: drops.clone(),
    })
    .unwrap();
    let other = object.clone();
    drop(object);
    assert_eq!(other.downcast_ref::<Palette>().unwrap().colours, [1]);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(other);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn class_types_of_schemas_match_by_name() {
    let library = Library::define_namespace("object_class").unwrap();
    let class = "__torch__.torch.classes.object_test.Palette";
    let op = match library.define(&format!("count({class} palette) -> int")) {
        Ok(op) => op,
        Err(error) => panic!("{error:?}"),
    };
    library
        .impl_fn("count", "default", |palette: &Object| {
            palette
                .downcast_ref::<Palette>()
                .map_or(-1, |palette| palette.colours.len() as i64)
        })
        .unwrap();
    let drops = Arc::new(AtomicUsize::new(0));
    let palette = Object::new(Palette {
        colours: vec![1, 2],
        drops,
    })
    .unwrap();
    fails(
        op.call::<i64>((3,)),
        Status::TYPE,
        &["object_class::count", "palette"],
    );
    drop(palette);
}
