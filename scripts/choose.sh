#!/usr/bin/env bash
# Remakes the table of measured runs behind `veil choose` (crates/veil-learn/src/choose/*.csv). What was run
# before is not run again; with --table, only the table is remade from what was run.
# usage: scripts/choose.sh DATA OUT [--table]      DATA: folder with cora, citeseer, twitch_es, twitch_de,
#                                                  amazon_computers
set -euo pipefail
cd "$(dirname "$0")/.."
data=$1 out=$2 only=${3:-}
veil=${VEIL:-target/release/veil}
mkdir -p "$out/graphs" "$out/infos"
given=()
add() { # NAME PATH
    given+=(--data "$1=$2")
    [ -s "$out/infos/$1.json" ] || $veil data info "$2" --json > "$out/infos/$1.json"
}
for name in cora citeseer twitch_es twitch_de amazon_computers; do add "$name" "$data/$name"; done
generated() { # NAME FLAGS
    local name=$1
    shift
    [ -d "$out/graphs/$name" ] || $veil data generate "$@" --seed 1 --out "$out/graphs/$name" --quiet > /dev/null
    add "$name" "$out/graphs/$name"
}
for kind in citation social; do
    for level in low:0.2 mid:0.5 high:0.8; do generated "$kind-${level%:*}" $kind --homophily "${level#*:}"; done
done
generated citation-small citation --nodes 700 --homophily 0.7
generated social-small social --nodes 1000 --homophily 0.4
generated bipartite bipartite
generated bipartite-small bipartite --nodes 800
# Three quarters of the nodes are private; the others are public and are classified.
for name in cora citeseer twitch_es citation-high social-mid bipartite; do
    parts=$out/graphs/${name}_parts
    path=$data/$name
    [ -d "$path" ] || path=$out/graphs/$name
    if [ ! -d "$parts" ]; then
        nodes=$($veil data info "$path" --json | grep -m1 '"nodes"' | tr -dc 0-9)
        awk -v nodes="$nodes" 'BEGIN { srand(1); print "node,part"
            for (v = 0; v < nodes; v++) { r = rand(); print v "," (r < 0.75 ? 1 : r < 0.85 ? 2 : 3) } }' > "$parts.csv"
        $veil data split-private "$path" --by "$parts.csv" --private-range 1 --train-range 2 --test-range 3 \
            --out "$parts" --quiet > /dev/null
    fi
    add "${name}_parts" "$parts/private"
done
for sweep in ${SWEEPS:-edge relationship node labels rivals dense}; do
    file=experiments/choose-$sweep.toml
    if [ "$only" != --table ]; then
        # Only the data that this file names.
        own=()
        for pair in "${given[@]}"; do
            name=${pair%%=*}
            if [ "$pair" != --data ] && grep -q "\"$name\"" "$file"; then own+=(--data "$pair"); fi
        done
        $veil lab sweep "$file" "${own[@]}" --cores 1 --out "$out/$sweep" --quiet > "$out/$sweep.txt"
    fi
    rm -f "$out/$sweep.csv"
    if [ -d "$out/$sweep" ]; then $veil lab sweep export "$out/$sweep" --csv "$out/$sweep.csv" --quiet; fi
done
python3 scripts/choose.py "$out" crates/veil-learn/src/choose
