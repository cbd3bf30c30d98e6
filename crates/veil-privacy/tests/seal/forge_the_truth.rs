use veil_privacy::{Private, Truth};

fn main() {
    let secret = Private::seal(42);
    println!("{}", secret.for_scoring(&Truth(())));
}
