// SPDX-License-Identifier: Apache-2.0
//! Nodes of backward graphs, and the edges between them.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::text::text;

/// A step of a backward graph. It is recorded with a call, holds the call's gradient formula, and
/// its edges lead to the nodes that made the call's arguments. Cloning shares the node, and
/// equality means identity.
///
/// ```
/// let x = tenon::Tensor::scalar(2.0f32)?;
/// x.set_requires_grad(true)?;
/// let node = (&x * &x)?.grad_fn()?.unwrap();
/// assert_eq!(node.name(), "MulBackward0");
/// let leaf = node.next_functions().next().flatten().unwrap().node;
/// assert_eq!(leaf.name(), "AccumulateGrad");
/// # Ok::<(), tenon::Error>(())
/// ```
pub struct Node(NonNull<sys::tenon_node>);

// SAFETY: autograd.h: every function on a node may run on any thread.
unsafe impl Send for Node {}
// SAFETY: as above.
unsafe impl Sync for Node {}

/// An edge to a node: the node that receives gradients, and the output that they belong to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The node.
    pub node: Node,
    /// Index of the output.
    pub output: i64,
}

impl Edge {
    /// Calls a function that returns a node and the index of an output. A NULL node is no edge.
    pub(crate) fn fill(
        function: impl FnOnce(*mut *mut sys::tenon_node, *mut i64) -> sys::tenon_status,
    ) -> Result<Option<Edge>> {
        let (mut node, mut output) = (ptr::null_mut(), 0);
        check(function(&mut node, &mut output))?;
        Ok(NonNull::new(node).map(|node| Edge {
            node: Node(node),
            output,
        }))
    }
}

impl Node {
    /// Shares a node that C lends for the duration of a call.
    ///
    /// # Safety
    /// `raw` is a live node.
    pub(crate) unsafe fn share(raw: *mut sys::tenon_node) -> Node {
        // SAFETY: the caller's promise; retain returns a new reference to the same node.
        Node(unsafe { NonNull::new_unchecked(sys::tenon_node_retain(raw)) })
    }

    /// Returns the handle, borrowed.
    pub fn as_raw(&self) -> *mut sys::tenon_node {
        self.0.as_ptr()
    }

    /// Returns the name, such as `"MulBackward0"`, or `"AccumulateGrad"` for a leaf's.
    pub fn name(&self) -> Cow<'_, str> {
        // SAFETY: the text is borrowed until the node dies.
        unsafe { text(sys::tenon_node_name(self.as_raw())) }
    }

    /// Returns a sequence number that is larger than that of every node that the edges lead to.
    pub fn sequence(&self) -> i64 {
        // SAFETY: the node is live.
        unsafe { sys::tenon_node_sequence(self.as_raw()) }
    }

    /// Returns the edges, one for each input of the formula, or `None` if the input needs no
    /// gradient.
    pub fn next_functions(&self) -> impl Iterator<Item = Option<Edge>> + '_ {
        // SAFETY: the node is live.
        let count = unsafe { sys::tenon_node_edge_count(self.as_raw()) };
        (0..count).map(|index| {
            let edge = Edge::fill(|node, output| {
                // SAFETY: the node is live, and `node` gets a new reference or NULL.
                unsafe { sys::tenon_node_copy_edge(self.as_raw(), index, node, output) }
            });
            debug_assert!(edge.is_ok(), "it fails for an index out of range only");
            edge.ok().flatten()
        })
    }
}

impl Clone for Node {
    fn clone(&self) -> Node {
        // SAFETY: the node is live.
        unsafe { Node::share(self.as_raw()) }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_node_release(self.as_raw()) }
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.0 == other.0
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({} {})", self.name(), self.sequence())
    }
}
