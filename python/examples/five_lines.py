"""A private model in five lines: python examples/five_lines.py [DATA]."""

import sys
import tempfile

import veilgraph as vg

folder = tempfile.mkdtemp()
data = sys.argv[1] if len(sys.argv) > 1 else vg.generate("citation", nodes=500)

book = vg.Ledger.create(f"{folder}/book.db", {"edge": 8})
run = vg.LPGNet(epsilon_edges=4, stages=2).train(data, ledger=book, out=f"{folder}/run")
print(run.predict()[:3])
print(run.epsilon("edge"), book.left("edge"), run.test_accuracy)
print(run.statement)
