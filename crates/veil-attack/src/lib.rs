//! What an adversary can do with a released model: find the edges again.
