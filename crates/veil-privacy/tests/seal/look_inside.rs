use veil_privacy::Private;

fn main() {
    let secret = Private::seal(42);
    println!("{}", secret.value);
}
