use veil_privacy::Coins;

fn twice(coins: &Coins) -> Coins {
    coins.clone()
}

fn main() {}
