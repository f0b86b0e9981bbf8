// SPDX-License-Identifier: Apache-2.0
//! The results of functions that are transformed: trees of tensors.

use crate::error::{Error, Result};
use crate::status::Status;
use crate::Tensor;

/// A [`Tensor`], or tuples and vectors of trees.
pub trait TensorTree: Sized {
    #[doc(hidden)]
    const IS_TENSOR: bool = false;

    /// Appends the tensors of the tree in order.
    #[doc(hidden)]
    fn add_leaves(&self, leaves: &mut Vec<Tensor>);

    /// Makes a tree of the same structure, taking the next tensors from an iterator.
    #[doc(hidden)]
    fn take_like(&self, leaves: &mut dyn Iterator<Item = Tensor>) -> Result<Self>;
}

pub(super) fn leaves_of(tree: &impl TensorTree) -> Vec<Tensor> {
    let mut leaves = Vec::new();
    tree.add_leaves(&mut leaves);
    leaves
}

pub(super) fn tree_like<T: TensorTree>(tree: &T, leaves: Vec<Tensor>) -> Result<T> {
    tree.take_like(&mut leaves.into_iter())
}

impl TensorTree for Tensor {
    const IS_TENSOR: bool = true;

    fn add_leaves(&self, leaves: &mut Vec<Tensor>) {
        leaves.push(self.clone());
    }

    fn take_like(&self, leaves: &mut dyn Iterator<Item = Tensor>) -> Result<Tensor> {
        leaves.next().ok_or_else(|| {
            Error::new(
                Status::INTERNAL,
                "func: results must be as many as the function's, got fewer",
            )
        })
    }
}

impl<T: TensorTree> TensorTree for Vec<T> {
    fn add_leaves(&self, leaves: &mut Vec<Tensor>) {
        self.iter().for_each(|each| each.add_leaves(leaves));
    }

    fn take_like(&self, leaves: &mut dyn Iterator<Item = Tensor>) -> Result<Vec<T>> {
        self.iter().map(|each| each.take_like(leaves)).collect()
    }
}

macro_rules! tree_of_tuple {
    ($($name:ident)+) => {
        impl<$($name: TensorTree),+> TensorTree for ($($name,)+) {
            #[allow(non_snake_case)]
            fn add_leaves(&self, leaves: &mut Vec<Tensor>) {
                let ($($name,)+) = self;
                $($name.add_leaves(leaves);)+
            }

            #[allow(non_snake_case)]
            fn take_like(&self, leaves: &mut dyn Iterator<Item = Tensor>) -> Result<Self> {
                let ($($name,)+) = self;
                Ok(($($name.take_like(leaves)?,)+))
            }
        }
    };
}

tree_of_tuple!(A);
tree_of_tuple!(A B);
tree_of_tuple!(A B C);
tree_of_tuple!(A B C D);
