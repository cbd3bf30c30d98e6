use veil_privacy::{Guarantee, Released};

fn forge(guarantee: Guarantee) -> Released<u32> {
    Released::new(42, guarantee)
}

fn main() {}
