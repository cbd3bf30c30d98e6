use veil_privacy::{Guarantee, Released};

fn forge(guarantees: Vec<Guarantee>) -> Released<u32> {
    Released::new(42, guarantees)
}

fn main() {}
