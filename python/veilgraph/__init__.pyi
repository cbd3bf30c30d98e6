# Written by stubs.py from the registry: do not edit.
from typing import Final, Literal

from . import account as account, attack as attack, audit as audit
from ._choose import Choice as Choice, choose as choose
from ._errors import BudgetError as BudgetError, DataError as DataError, NotDeclaredError as NotDeclaredError, NotPrivateWarning as NotPrivateWarning, NotProvenError as NotProvenError, ParameterError as ParameterError, ReleaseConflict as ReleaseConflict, VeilError as VeilError, VeilWarning as VeilWarning
from ._methods import Method as Method, method as method, methods as methods, privatize as privatize
from ._propagation import kprop as kprop
from ._sweep import Sweep as Sweep, sweep as sweep
from .data import Dataset as Dataset, dataset as dataset, from_arrays as from_arrays, from_tables as from_tables, generate as generate, open as open
from .ledger import Ledger as Ledger
from .run import Predictions as Predictions, Release as Release, Run as Run, open_run as open_run
from .statement import Guarantee as Guarantee, Statement as Statement
from ._texts import Epsilon

__version__: Final[str]

__all__ = ['Blink', 'BudgetError', 'Cascade', 'CascadeLocal', 'Choice', 'ClassSums', 'DPDGC', 'DataError', 'Dataset', 'DegreeVectors', 'DpGCN', 'DpMLP', 'DummyExchange', 'EdgeFlip', 'EdgeFree', 'GAP', 'GNN', 'GraphPrivatizer', 'Guarantee', 'LPGNet', 'Ledger', 'MLP', 'Method', 'Moments', 'NeighbourKrr', 'NotDeclaredError', 'NotPrivateWarning', 'NotProvenError', 'PATE', 'ParameterError', 'Predictions', 'PrivGNN', 'ProGAP', 'Release', 'ReleaseConflict', 'Run', 'ShuffledQuery', 'Statement', 'Sweep', 'TwoHopRr', 'VeilError', 'VeilWarning', '__version__', 'account', 'attack', 'audit', 'choose', 'dataset', 'from_arrays', 'from_tables', 'generate', 'kprop', 'method', 'methods', 'open', 'open_run', 'privatize', 'sweep']

class MLP(Method):
    """MLP on the features: the edge-free baseline."""
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class EdgeFree(Method):
    """Stack of MLPs on features and their nearest neighbours, no edges (ours)."""
    neighbours: bool | None
    class_bias: bool | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        neighbours: bool | None = None,
        class_bias: bool | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class GNN(Method):
    """GNN on the unchanged edges: no guarantee for edges."""
    reads: Literal["all", "none"] | None
    recipe: Literal["graph-privatizer", "lpgnet"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        reads: Literal["all", "none"] | None = None,
        recipe: Literal["graph-privatizer", "lpgnet"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class DpGCN(Method):
    """GNN on a noisy graph from LapGraph or EdgeRand (DpGCN)."""
    graph: Literal["lapgraph", "edgerand"] | None
    epsilon_edges: Epsilon | None
    epsilon_count: Epsilon | None
    max_edges: int | None
    recipe: Literal["graph-privatizer", "lpgnet"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        graph: Literal["lapgraph", "edgerand"] | None = None,
        epsilon_edges: Epsilon | None = None,
        epsilon_count: Epsilon | None = None,
        max_edges: int | None = None,
        recipe: Literal["graph-privatizer", "lpgnet"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class LPGNet(Method):
    """MLPs on noisy cluster degree vectors (LPGNet, CCS 2022)."""
    epsilon_edges: Epsilon | None
    stages: int | None
    readout: Literal["network", "bayes"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        stages: int | None = None,
        readout: Literal["network", "bayes"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class Cascade(Method):
    """Noisy sums in which every edge is counted once (ours; recommended)."""
    epsilon_edges: Epsilon | None
    batches: int | None
    paired: Literal["auto", "yes", "no"] | None
    self_training: int | None
    neighbours: bool | None
    class_bias: bool | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        batches: int | None = None,
        paired: Literal["auto", "yes", "no"] | None = None,
        self_training: int | None = None,
        neighbours: bool | None = None,
        class_bias: bool | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class GAP(Method):
    """Noisy sums of neighbours' representations (GAP, USENIX Security 2023)."""
    epsilon_edges: Epsilon | None
    delta: float | None
    hops: int | None
    width: int | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        delta: float | None = None,
        hops: int | None = None,
        width: int | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class ProGAP(Method):
    """GAP with a network after every hop (ProGAP, WSDM 2024)."""
    epsilon_edges: Epsilon | None
    delta: float | None
    hops: int | None
    width: int | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        delta: float | None = None,
        hops: int | None = None,
        width: int | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class DPDGC(Method):
    """Noisy A·W beside features, read apart (DPDGC, NeurIPS 2023)."""
    epsilon_edges: Epsilon | None
    delta: float | None
    encoder: Literal["random", "gradient"] | None
    width: int | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        delta: float | None = None,
        encoder: Literal["random", "gradient"] | None = None,
        width: int | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class Moments(Method):
    """Linear model from noisy moments of whole nodes, no edges and no public graph (ours)."""
    epsilon: Epsilon | None
    delta: float | None
    adjacency: Literal["added", "replaced"] | None
    dimensions: int | None
    def __init__(
        self,
        *,
        epsilon: Epsilon | None = None,
        delta: float | None = None,
        adjacency: Literal["added", "replaced"] | None = None,
        dimensions: int | None = None,
    ) -> None: ...

class GraphPrivatizer(Method):
    """Neighbours kept or replaced by their own similar neighbours."""
    epsilon_edges: Epsilon | None
    strategy: Literal["most-similar", "threshold"] | None
    alpha: float | None
    threshold: float | None
    similarity: Literal["paper", "reference"] | None
    measure: Literal["cosine", "euclidean"] | None
    recipe: Literal["graph-privatizer", "lpgnet"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        strategy: Literal["most-similar", "threshold"] | None = None,
        alpha: float | None = None,
        threshold: float | None = None,
        similarity: Literal["paper", "reference"] | None = None,
        measure: Literal["cosine", "euclidean"] | None = None,
        recipe: Literal["graph-privatizer", "lpgnet"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class TwoHopRr(Method):
    """Randomised response on the list of nodes within two hops."""
    epsilon_edges: Epsilon | None
    recipe: Literal["graph-privatizer", "lpgnet"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        recipe: Literal["graph-privatizer", "lpgnet"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class DummyExchange(Method):
    """Neighbours replaced by similar nodes (messages with dummies)."""
    epsilon_edges: Epsilon | None
    measure: Literal["cosine", "euclidean"] | None
    max_dummies: int | None
    candidates: int | None
    recipe: Literal["graph-privatizer", "lpgnet"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        measure: Literal["cosine", "euclidean"] | None = None,
        max_dummies: int | None = None,
        candidates: int | None = None,
        recipe: Literal["graph-privatizer", "lpgnet"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class ShuffledQuery(Method):
    """Neighbours replaced by similar nodes (shuffled queries)."""
    epsilon_edges: Epsilon | None
    measure: Literal["cosine", "euclidean"] | None
    recipe: Literal["graph-privatizer", "lpgnet"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        measure: Literal["cosine", "euclidean"] | None = None,
        recipe: Literal["graph-privatizer", "lpgnet"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class NeighbourKrr(Method):
    """k-ary randomised response on the id of each neighbour."""
    epsilon_edges: Epsilon | None
    recipe: Literal["graph-privatizer", "lpgnet"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        recipe: Literal["graph-privatizer", "lpgnet"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class EdgeFlip(Method):
    """Randomised response on every bit of the neighbour list."""
    epsilon_edges: Epsilon | None
    heard: Literal["earlier", "all"] | None
    max_edges: int | None
    recipe: Literal["graph-privatizer", "lpgnet"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        heard: Literal["earlier", "all"] | None = None,
        max_edges: int | None = None,
        recipe: Literal["graph-privatizer", "lpgnet"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class Blink(Method):
    """Noisy degree and randomised response on every bit of the list (Blink, CCS 2023)."""
    epsilon_edges: Epsilon | None
    degree_share: float | None
    max_edges: int | None
    variant: Literal["hard", "hybrid"] | None
    recipe: Literal["graph-privatizer", "lpgnet"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        degree_share: float | None = None,
        max_edges: int | None = None,
        variant: Literal["hard", "hybrid"] | None = None,
        recipe: Literal["graph-privatizer", "lpgnet"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class DegreeVectors(Method):
    """MLPs on users' noisy degree vectors (LPGNet, local model)."""
    epsilon_edges: Epsilon | None
    features: Literal["none", "released"] | None
    rounds: int | None
    unit: Literal["edge-bit", "edge-set"] | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        features: Literal["none", "released"] | None = None,
        rounds: int | None = None,
        unit: Literal["edge-bit", "edge-set"] | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class CascadeLocal(Method):
    """Users' noisy sums, each user reports once (cascade, local model)."""
    epsilon_edges: Epsilon | None
    reported: Literal["auto", "rows", "bits"] | None
    batches: int | None
    paired: Literal["auto", "yes", "no"] | None
    heard: Literal["earlier", "all"] | None
    self_training: int | None
    neighbours: bool | None
    class_bias: bool | None
    epsilon_features: Epsilon | None
    epsilon_labels: Epsilon | None
    feature_encoder: Literal["multi-bit", "codebook"] | None
    samples: int | None
    scale: Literal["minmax", "rows", "standard", "none"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon_edges: Epsilon | None = None,
        reported: Literal["auto", "rows", "bits"] | None = None,
        batches: int | None = None,
        paired: Literal["auto", "yes", "no"] | None = None,
        heard: Literal["earlier", "all"] | None = None,
        self_training: int | None = None,
        neighbours: bool | None = None,
        class_bias: bool | None = None,
        epsilon_features: Epsilon | None = None,
        epsilon_labels: Epsilon | None = None,
        feature_encoder: Literal["multi-bit", "codebook"] | None = None,
        samples: int | None = None,
        scale: Literal["minmax", "rows", "standard", "none"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class PrivGNN(Method):
    """Student of one teacher per query, on fresh samples (PrivGNN)."""
    epsilon: Epsilon | None
    delta: float | None
    lambda_: Epsilon | None
    queries: int | None
    choose: Literal["random", "pagerank", "degree", "clustering"] | None
    release: Literal["krr", "noisy-argmax", "noisy-log-posterior"] | None
    gamma: float | None
    k: int | None
    measure: Literal["cosine", "euclidean"] | None
    teacher: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    denoise: bool | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon: Epsilon | None = None,
        delta: float | None = None,
        lambda_: Epsilon | None = None,
        queries: int | None = None,
        choose: Literal["random", "pagerank", "degree", "clustering"] | None = None,
        release: Literal["krr", "noisy-argmax", "noisy-log-posterior"] | None = None,
        gamma: float | None = None,
        k: int | None = None,
        measure: Literal["cosine", "euclidean"] | None = None,
        teacher: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        denoise: bool | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class PATE(Method):
    """Student of voting teachers on disjoint parts (PATE)."""
    epsilon: Epsilon | None
    delta: float | None
    lambda_: Epsilon | None
    queries: int | None
    choose: Literal["random", "pagerank", "degree", "clustering"] | None
    teachers: int | None
    teacher: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    denoise: bool | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon: Epsilon | None = None,
        delta: float | None = None,
        lambda_: Epsilon | None = None,
        queries: int | None = None,
        choose: Literal["random", "pagerank", "degree", "clustering"] | None = None,
        teachers: int | None = None,
        teacher: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        denoise: bool | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class ClassSums(Method):
    """Student of labels from noisy class sums (ours; no teachers)."""
    epsilon: Epsilon | None
    delta: float | None
    model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None
    heads: int | None
    activation: Literal["none", "relu", "selu"] | None
    layers: int | None
    hidden: int | None
    bias: bool | None
    batch_norm: bool | None
    dropout: float | None
    kx: int | None
    ky: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon: Epsilon | None = None,
        delta: float | None = None,
        model: Literal["mlp", "gcn", "sage", "gat", "gatv2", "gt", "gconv"] | None = None,
        heads: int | None = None,
        activation: Literal["none", "relu", "selu"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        bias: bool | None = None,
        batch_norm: bool | None = None,
        dropout: float | None = None,
        kx: int | None = None,
        ky: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...

class DpMLP(Method):
    """Network on features alone, by DP-SGD on private nodes (published baseline)."""
    epsilon: Epsilon | None
    delta: float | None
    gamma: float | None
    hidden: int | None
    epochs: int | None
    lr: float | None
    schedule: Literal["constant", "linear-to-zero"] | None
    weight_decay: float | None
    select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None
    def __init__(
        self,
        *,
        epsilon: Epsilon | None = None,
        delta: float | None = None,
        gamma: float | None = None,
        hidden: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: Literal["constant", "linear-to-zero"] | None = None,
        weight_decay: float | None = None,
        select: Literal["reference", "lowest-validation-loss", "highest-validation-accuracy", "last"] | None = None,
    ) -> None: ...
