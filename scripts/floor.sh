#!/usr/bin/env bash
# Compares cascade with the methods that read no edge, on the graphs of experiments/cascade-floor.toml.
# usage: scripts/floor.sh DATA OUT      DATA: folder with cora, citeseer, twitch_es, twitch_de
set -euo pipefail
cd "$(dirname "$0")/.."
data=$1 out=$2
veil=${VEIL:-target/release/veil}
mkdir -p "$out"
given=()
for name in cora citeseer twitch_es twitch_de; do given+=(--data "$name=$data/$name"); done
for kind in citation social; do
    for level in low:0.2 mid:0.5 high:0.8; do
        graph=$out/$kind-${level%:*}
        [ -d "$graph" ] || $veil data generate $kind --homophily ${level#*:} --seed 1 --out "$graph" --quiet
        given+=(--data "$kind-${level%:*}=$graph")
    done
done
[ -d "$out/bipartite" ] || $veil data generate bipartite --seed 1 --out "$out/bipartite" --quiet
given+=(--data "bipartite=$out/bipartite")
$veil lab sweep experiments/cascade-floor.toml "${given[@]}" --out "$out/sweep" --quiet
$veil lab sweep export "$out/sweep" --csv "$out/runs.csv"
