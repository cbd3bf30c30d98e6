//! Degree vectors: is one entry of a list hidden in noisy counts?
