"""Made by python/stubs.py from the table of methods of the library: classifiers whose parameters are
the options of one method."""
from __future__ import annotations

from typing import Literal, Optional, Union

from ._watch import Verbose
from ._work import RandomState
from .classifier import MethodClassifier


class BlendClassifier(MethodClassifier):
    """Blend: networks and forests together, weighted by how well they judge rows they did not
    see.

    Takes, learns and gives what `LabelSieveClassifier` does.

    Parameters
    ----------
    budget : {"fast", "normal", "thorough"}, default="fast"
        what is tried: networks with a short search and few trees, with all of both, or also
        adversarial PML-GAN
    trees : int or "auto", default="auto"
        trees in each forest; auto: 200 (fast) or 500
    width : int, default=256
        units in a hidden layer
    epochs : int, default=30
        maximum passes over the data
    decision : {"balanced", "hamming", "f1", "cardinality"}, default="balanced"
        from which probability on a label is predicted: balanced, the lowest one whose
        expected Hamming loss is within 2 % of the least, or a lower one that keeps four
        fifths of the best expected F1; hamming, 1/2; f1, for the best expected micro F1;
        cardinality, for as many labels as are expected to be right
    random_state, n_jobs, verbose
        As for `LabelSieveClassifier`.

    Examples
    --------
    >>> from labelsieve import BlendClassifier, make_crowd
    >>> crowd = make_crowd(rows=100, seed=1)
    >>> classifier = BlendClassifier(trees=10, epochs=2)
    >>> classifier.fit(crowd.X, crowd.y).predict(crowd.X).shape
    (100, 12)
    """

    _name = "blend"

    def __init__(self, *, budget: Literal['fast', 'normal', 'thorough'] = 'fast',
                 trees: Union[int, Literal["auto"]] = 'auto',
                 width: int = 256, epochs: int = 30,
                 decision: Literal['balanced', 'hamming', 'f1', 'cardinality'] = 'balanced',
                 random_state: RandomState = 1,
                 n_jobs: Optional[int] = None, verbose: Verbose = 0):
        self.budget = budget
        self.trees = trees
        self.width = width
        self.epochs = epochs
        self.decision = decision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ForestClassifier(MethodClassifier):
    """Forest: trees for all labels at once, grown on the candidates, corrected for label noise.

    Takes, learns and gives what `LabelSieveClassifier` does.

    Parameters
    ----------
    trees : int, default=500
        trees
    leaf : int, default=0
        fewest rows in a leaf; 0: by out-of-bag candidates
    features : int, default=0
        features tried at a split; 0: the square root of all (best) or 4 times that (extra)
    splits : {"extra", "best"}, default="extra"
        extra: the best of one random cut for each feature tried; best: of all cuts
    bootstrap : bool, default=True
        grow each tree on a bootstrap sample of the rows, so that the others judge it
    decision : {"balanced", "hamming", "f1", "cardinality"}, default="balanced"
        from which probability on a label is predicted: balanced, the lowest one whose
        expected Hamming loss is within 2 % of the least, or a lower one that keeps four
        fifths of the best expected F1; hamming, 1/2; f1, for the best expected micro F1;
        cardinality, for as many labels as are expected to be right
    random_state, n_jobs, verbose
        As for `LabelSieveClassifier`.

    Examples
    --------
    >>> from labelsieve import ForestClassifier, make_crowd
    >>> crowd = make_crowd(rows=100, seed=1)
    >>> classifier = ForestClassifier(trees=10)
    >>> classifier.fit(crowd.X, crowd.y).predict(crowd.X).shape
    (100, 12)
    """

    _name = "forest"

    def __init__(self, *, trees: int = 500, leaf: int = 0, features: int = 0,
                 splits: Literal['extra', 'best'] = 'extra',
                 bootstrap: bool = True,
                 decision: Literal['balanced', 'hamming', 'f1', 'cardinality'] = 'balanced',
                 random_state: RandomState = 1,
                 n_jobs: Optional[int] = None, verbose: Verbose = 0):
        self.trees = trees
        self.leaf = leaf
        self.features = features
        self.splits = splits
        self.bootstrap = bootstrap
        self.decision = decision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MlpNoiseClassifier(MethodClassifier):
    """Noise-adapted MLP: a network that knows candidates are noisy, at rates learnt from held-
    out candidates.

    Takes, learns and gives what `LabelSieveClassifier` does.

    Parameters
    ----------
    members : int, default=3
        networks in the ensemble
    depth : int or "auto", default="auto"
        hidden layers of the predictor; auto: 0, 1 or 2 by held-out candidates
    width : int, default=256
        units in a hidden layer
    dropout : float, default=0.5
        share of hidden units switched off in training
    batch : int, default=64
        rows in a training step
    epochs : int, default=30
        maximum passes over the data
    patience : int, default=4
        epochs without progress on held-out candidates before stopping
    learning_rate : float, default=0.001
        step size of Adam
    parts : int or "auto", default="auto"
        pieces of a batch (1, 2, 4, ...) that ranks can share; auto: 1 alone, else 4 or more
    noise_share : float or "auto", default="auto"
        rate of noise as a multiple of the mean candidate frequency; auto: by held-out
        candidates
    label_rates : {"auto", "yes", "no"}, default="auto"
        whether a rate of noise is learnt for each label where held-out candidates tell that
        labels differ; auto: unless a noise-share is given
    decision : {"own", "balanced", "hamming", "f1", "cardinality"}, default="own"
        which scores mean that a label is predicted: own, by the method's own rule; else
        from one score on, learnt from held-out rows (five fits more): balanced, hamming, f1
        or cardinality, as in blend
    random_state, n_jobs, verbose
        As for `LabelSieveClassifier`.

    Examples
    --------
    >>> from labelsieve import MlpNoiseClassifier, make_crowd
    >>> crowd = make_crowd(rows=100, seed=1)
    >>> classifier = MlpNoiseClassifier(epochs=2)
    >>> classifier.fit(crowd.X, crowd.y).predict(crowd.X).shape
    (100, 12)
    """

    _name = "mlp-noise"

    def __init__(self, *, members: int = 3,
                 depth: Union[int, Literal["auto"]] = 'auto',
                 width: int = 256, dropout: float = 0.5, batch: int = 64,
                 epochs: int = 30, patience: int = 4,
                 learning_rate: float = 0.001,
                 parts: Union[int, Literal["auto"]] = 'auto',
                 noise_share: Union[float, Literal["auto"]] = 'auto',
                 label_rates: Literal['auto', 'yes', 'no'] = 'auto',
                 decision: Literal['own', 'balanced', 'hamming', 'f1', 'cardinality'] = 'own',
                 random_state: RandomState = 1,
                 n_jobs: Optional[int] = None, verbose: Verbose = 0):
        self.members = members
        self.depth = depth
        self.width = width
        self.dropout = dropout
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.learning_rate = learning_rate
        self.parts = parts
        self.noise_share = noise_share
        self.label_rates = label_rates
        self.decision = decision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MlpClassifier(MethodClassifier):
    """MLP on candidates: a network that takes every candidate as right.

    Takes, learns and gives what `LabelSieveClassifier` does.

    Parameters
    ----------
    members : int, default=3
        networks in the ensemble
    depth : int or "auto", default="auto"
        hidden layers of the predictor; auto: 0, 1 or 2 by held-out candidates
    width : int, default=256
        units in a hidden layer
    dropout : float, default=0.5
        share of hidden units switched off in training
    batch : int, default=64
        rows in a training step
    epochs : int, default=30
        maximum passes over the data
    patience : int, default=4
        epochs without progress on held-out candidates before stopping
    learning_rate : float, default=0.001
        step size of Adam
    parts : int or "auto", default="auto"
        pieces of a batch (1, 2, 4, ...) that ranks can share; auto: 1 alone, else 4 or more
    decision : {"own", "balanced", "hamming", "f1", "cardinality"}, default="own"
        which scores mean that a label is predicted: own, by the method's own rule; else
        from one score on, learnt from held-out rows (five fits more): balanced, hamming, f1
        or cardinality, as in blend
    random_state, n_jobs, verbose
        As for `LabelSieveClassifier`.

    Examples
    --------
    >>> from labelsieve import MlpClassifier, make_crowd
    >>> crowd = make_crowd(rows=100, seed=1)
    >>> classifier = MlpClassifier(epochs=2)
    >>> classifier.fit(crowd.X, crowd.y).predict(crowd.X).shape
    (100, 12)
    """

    _name = "mlp"

    def __init__(self, *, members: int = 3,
                 depth: Union[int, Literal["auto"]] = 'auto',
                 width: int = 256, dropout: float = 0.5, batch: int = 64,
                 epochs: int = 30, patience: int = 4,
                 learning_rate: float = 0.001,
                 parts: Union[int, Literal["auto"]] = 'auto',
                 decision: Literal['own', 'balanced', 'hamming', 'f1', 'cardinality'] = 'own',
                 random_state: RandomState = 1,
                 n_jobs: Optional[int] = None, verbose: Verbose = 0):
        self.members = members
        self.depth = depth
        self.width = width
        self.dropout = dropout
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.learning_rate = learning_rate
        self.parts = parts
        self.decision = decision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class PmlGanClassifier(MethodClassifier):
    """PML-GAN: a predictor, a disambiguator, a generator and a discriminator, trained as a
    game.

    Takes, learns and gives what `LabelSieveClassifier` does.

    Parameters
    ----------
    members : int or "auto", default="auto"
        networks in the ensemble
    depth : int or "auto", default="auto"
        hidden layers of the predictor; auto: 0, 1 or 2 by held-out candidates
    width : int, default=256
        units in a hidden layer
    dropout : float or "auto", default="auto"
        share of hidden units switched off in training
    batch : int, default=64
        rows in a training step
    epochs : int or "auto", default="auto"
        maximum passes over the data
    patience : int, default=4
        epochs without progress on held-out candidates before stopping
    learning_rate : float or "auto", default="auto"
        step size of Adam
    objective : {"calibrated", "paper"}, default="calibrated"
        calibrated, or the paper's to the letter
    ablation : {"none", "cls-gen", "cls-gan", "cls-ml"}, default="none"
        parts to leave out, as in the paper's ablation
    beta : float or "auto", default="auto"
        weight of the adversarial loss
    prior_rows : int or "auto", default="auto"
        label vectors sampled in a step (n)
    discriminator_steps : int, default=1
        steps of the discriminator in an iteration (k)
    generation_weight : float or "auto", default="auto"
        weight of the generation loss
    parts : int or "auto", default="auto"
        pieces of a batch (1, 2, 4, ...) that ranks can share; auto: 1 alone, else 4 or more
    noise_share : float or "auto", default="auto"
        rate of noise as a multiple of the mean candidate frequency; auto: by held-out
        candidates
    share : float or "auto", default="auto"
        calibrated: part of the predictor's target that the disambiguator gives; auto: 0 or
        0.5 by held-out candidates
    budget : {"fast", "normal", "thorough"}, default="normal"
        calibrated, share auto: the game is not tried, is tried where it takes up to about
        ten minutes of a core, or always
    posterior_weight : float, default=3.0
        calibrated: weight of the disambiguator's own loss
    on_collapse : {"stop", "continue"}, default="stop"
        paper: what to do when nearly every candidate is called noise
    decision : {"own", "balanced", "hamming", "f1", "cardinality"}, default="own"
        which scores mean that a label is predicted: own, by the method's own rule; else
        from one score on, learnt from held-out rows (five fits more): balanced, hamming, f1
        or cardinality, as in blend
    random_state, n_jobs, verbose
        As for `LabelSieveClassifier`.

    Examples
    --------
    >>> from labelsieve import PmlGanClassifier, make_crowd
    >>> crowd = make_crowd(rows=100, seed=1)
    >>> classifier = PmlGanClassifier(epochs=2)
    >>> classifier.fit(crowd.X, crowd.y).predict(crowd.X).shape
    (100, 12)
    """

    _name = "pml-gan"

    def __init__(self, *, members: Union[int, Literal["auto"]] = 'auto',
                 depth: Union[int, Literal["auto"]] = 'auto',
                 width: int = 256,
                 dropout: Union[float, Literal["auto"]] = 'auto',
                 batch: int = 64,
                 epochs: Union[int, Literal["auto"]] = 'auto',
                 patience: int = 4,
                 learning_rate: Union[float, Literal["auto"]] = 'auto',
                 objective: Literal['calibrated', 'paper'] = 'calibrated',
                 ablation: Literal['none', 'cls-gen', 'cls-gan', 'cls-ml'] = 'none',
                 beta: Union[float, Literal["auto"]] = 'auto',
                 prior_rows: Union[int, Literal["auto"]] = 'auto',
                 discriminator_steps: int = 1,
                 generation_weight: Union[float, Literal["auto"]] = 'auto',
                 parts: Union[int, Literal["auto"]] = 'auto',
                 noise_share: Union[float, Literal["auto"]] = 'auto',
                 share: Union[float, Literal["auto"]] = 'auto',
                 budget: Literal['fast', 'normal', 'thorough'] = 'normal',
                 posterior_weight: float = 3.0,
                 on_collapse: Literal['stop', 'continue'] = 'stop',
                 decision: Literal['own', 'balanced', 'hamming', 'f1', 'cardinality'] = 'own',
                 random_state: RandomState = 1,
                 n_jobs: Optional[int] = None, verbose: Verbose = 0):
        self.members = members
        self.depth = depth
        self.width = width
        self.dropout = dropout
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.learning_rate = learning_rate
        self.objective = objective
        self.ablation = ablation
        self.beta = beta
        self.prior_rows = prior_rows
        self.discriminator_steps = discriminator_steps
        self.generation_weight = generation_weight
        self.parts = parts
        self.noise_share = noise_share
        self.share = share
        self.budget = budget
        self.posterior_weight = posterior_weight
        self.on_collapse = on_collapse
        self.decision = decision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
