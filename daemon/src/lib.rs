//! The reader of the regions of one node.
