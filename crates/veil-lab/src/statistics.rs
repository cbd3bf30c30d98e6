//! What figures of several runs mean together.
