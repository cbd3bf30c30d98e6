#!/usr/bin/env bash
# Remakes docs/frontier.md and its pictures (hours on two cores; what was run before is not run again).
# usage: scripts/frontier.sh DATA OUT      DATA: folder with cora, citeseer, twitch_es, twitch_de, amazon_computers
set -euo pipefail
cd "$(dirname "$0")/.."
data=$1 out=$2
veil=${VEIL:-target/release/veil}
mkdir -p "$out"
given=()
for name in cora citeseer twitch_es twitch_de amazon_computers; do given+=(--data "$name=$data/$name"); done
# Three quarters of the nodes are private; the others are public and are classified.
for name in cora amazon_computers; do
    parts=$out/${name%_computers}_parts
    if [ ! -d "$parts" ]; then
        nodes=$($veil data info "$data/$name" --json | grep -m1 '"nodes"' | tr -dc 0-9)
        awk -v nodes="$nodes" 'BEGIN { srand(1); print "node,part"
            for (v = 0; v < nodes; v++) { r = rand(); print v "," (r < 0.75 ? 1 : r < 0.85 ? 2 : 3) } }' > "$parts.csv"
        $veil data split-private "$data/$name" --by "$parts.csv" --private-range 1 --train-range 2 --test-range 3 \
            --out "$parts" --quiet
    fi
    given+=(--data "${name%_computers}_parts=$parts/private")
done
$veil lab reproduce frontier "${given[@]}" --out "$out/runs" --page docs --quiet
