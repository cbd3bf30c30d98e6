use veil_privacy::Permit;

fn twice(permit: Permit) -> (Permit, Permit) {
    (permit.clone(), permit)
}

fn main() {}
