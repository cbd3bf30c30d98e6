//! Labels and features, one report each.
