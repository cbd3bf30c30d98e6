//! Whole graphs released by their owner.
