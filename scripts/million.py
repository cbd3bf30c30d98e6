"""A data set of a million nodes, 20 million edges, 128 dense features and 10 classes, in our folder format.

    python3 scripts/million.py OUT [NODES EDGES]

Needs nothing but Python. docs/performance.md has the times of `veil train OUT --method cascade`.
"""

import os
import random
import struct
import sys
from array import array
from operator import add

CLASSES, COLUMNS, GROUPS = 10, 128, 20


def main(out, nodes=1_000_000, edges=20_000_000):
    os.makedirs(out)
    rng = random.Random(1)
    pool = array("f", (rng.gauss(0, 1) for _ in range(2_000_000)))
    # Some groups of nodes in each class.
    centres = [array("f", (rng.gauss(0, 0.35) for _ in range(COLUMNS))) for _ in range(CLASSES * GROUPS)]
    group = [rng.randrange(CLASSES * GROUPS) for _ in range(nodes)]
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (nodes, COLUMNS)
    head += " " * ((64 - (10 + len(head) + 1) % 64) % 64) + "\n"
    with open(out + "/features.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        most = len(pool) - COLUMNS
        for node in range(nodes):
            at = int(rng.random() * most)
            file.write(array("f", map(add, centres[group[node]], pool[at : at + COLUMNS])).tobytes())
    with open(out + "/labels.csv", "w") as file:
        file.write("node,label\n")
        file.writelines("%d,%d\n" % (node, it % CLASSES) for node, it in enumerate(group))
    with open(out + "/splits.csv", "w") as file:
        file.write("node,split\n")
        parts = ("train", "train", "val", "test")
        file.writelines("%d,%s\n" % (node, parts[int(4 * rng.random())]) for node in range(nodes))
    members = [[] for _ in range(CLASSES)]
    for node, it in enumerate(group):
        members[it % CLASSES].append(node)
    with open(out + "/edges.csv", "w") as file:
        file.write("src,dst\n")
        for _ in range(edges):
            a = int(rng.random() * nodes)
            if rng.random() < 0.6:
                own = members[group[a] % CLASSES]
                b = own[int(rng.random() * len(own))]
            else:
                b = int(rng.random() * nodes)
            if a != b:
                file.write("%d,%d\n" % (min(a, b), max(a, b)))
    with open(out + "/meta.json", "w") as file:
        file.write(
            '{"format":1,"name":"million","nodes":%d,"features":%d,"classes":%d,"directed":false}'
            % (nodes, COLUMNS, CLASSES)
        )


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
