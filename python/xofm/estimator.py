"""XofmClassifier: the readable model for ordered classes as a scikit-learn estimator."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, validate_data

from . import _card, _frames, _labels, _model, _params, _run
from ._docs import with_options
from ._frames import Frame
from .explanation import GlobalExplanation, LocalExplanation, Recourse, pick_change

Floats = npt.NDArray[np.float64]
Array = npt.NDArray[Any]


@with_options
class XofmClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Ordinal regression whose decisions can be read: one curve per attribute, surfaces for a few pairs.

    The score of a row is a base, plus one curve per attribute, plus one surface per chosen pair. The class follows
    from the score. So there is one explanation for all classes, and its parts add up to the score exactly.

    Parameters
    ----------
    classes : list, "sorted" or None
        The classes, lowest first. None: integers by size, or the order that y brings along (an ordered pandas
        Categorical, a polars Enum). "sorted" takes the order of sorting.
    tune : bool or None
        Search for the options by cross-validation. None: yes, unless the data are very large.
    preset : {"default", "paper"}
        "paper" trains as the paper does.
    pairs : {"auto", "none", "all"}, int, list of pairs of names, or None
        Pairs of attributes with a surface of their own. None: "auto" after a search, else "all".
    band_count : int
        Refits on resampled rows that give every curve a band; 0: no bands.
    increasing, decreasing : list of names
        Attributes in which the score never falls, or never rises; certified over the whole space.
    categorical : list of names
        Columns of numbers to take as categories. Columns of texts always are.
    segment_counts, given_knots : dict by name
        Segments, or knots of your own, of single attributes.
    class_weights : dict by class
        How much rows count by their class; others count 1.
    descriptions, units : dict by name
        Shown beside the names of the attributes.
    columns : {"strict", "by_name"}
        How the columns of new rows are matched with those of training. "strict" refuses another order, as
        scikit-learn does; "by_name" takes them in any order and skips columns that the model does not know.
    n_jobs : int or None
        Threads; None or -1: one per core. The result does not depend on it.
    random_state : int, generator or None
        Seed of random starts and folds; None: always the same.
    verbose : int
        1 shows a progress bar.
    {options}

    Attributes
    ----------
    classes_ : array
        The classes, lowest first.
    model_ : Model
        The trained model; `model_.about` has its attributes, options and how it was found.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    classes_: Array
    model_: _model.Model
    n_features_in_: int
    feature_names_in_: Array

    def __init__(
        self,
        *,
        classes: Sequence[Any] | Literal["sorted"] | None = None,
        tune: bool | None = None,
        aim: Literal["mae", "accuracy"] = "mae",
        pairs: str | int | Sequence[tuple[str, str]] | None = None,
        most_terms: int = 0,
        teacher_pull: float = 1.0,
        increasing: Sequence[str] | None = None,
        decreasing: Sequence[str] | None = None,
        auto_direction: float = 0.0,
        categorical: Sequence[str] | None = None,
        class_weights: Mapping[Any, float] | None = None,
        band_count: int = 0,
        time_limit: float = 0.0,
        pass_budget: float = 0.0,
        most_parts: int = 6,
        preset: Literal["default", "paper"] = "default",
        method: Literal["lbfgs", "boost", "sgd"] | None = None,
        segment_count: int | None = None,
        segment_counts: Mapping[str, int] | None = None,
        given_knots: Mapping[str, Sequence[float]] | None = None,
        knots: Literal["quantile", "equal_width"] | None = None,
        spike_share: float | None = None,
        factor_count: int | None = None,
        increment_penalty: float | None = None,
        factor_penalty: float | None = None,
        sparsity_penalty: float | None = None,
        smoothness_penalty: float = 0.0,
        pair_penalty: float = 0.0,
        pair_weighting: Literal["uniform", "distance", "balanced", "adjacent"] | None = None,
        margin: float = 1.0,
        loss_form: Literal["automatic", "sweep", "histogram"] = "automatic",
        bag_count: int = 1,
        rule: Literal["probability", "threshold", "support"] = "probability",
        reference_scores: Literal["automatic", "training", "out_of_sample"] = "automatic",
        reference_limit: int = 1000,
        fold_count: int = 5,
        max_epochs: int | None = None,
        tolerance: float = 1e-05,
        restart_count: int = 1,
        init_stddev: float | None = None,
        learning_rate: float = 0.002,
        learning_rate_decay: float = 0.0,
        descriptions: Mapping[str, str] | None = None,
        units: Mapping[str, str] | None = None,
        columns: Literal["strict", "by_name"] = "strict",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
    ) -> None:
        self.classes = classes
        self.tune = tune
        self.aim = aim
        self.pairs = pairs
        self.most_terms = most_terms
        self.teacher_pull = teacher_pull
        self.increasing = increasing
        self.decreasing = decreasing
        self.auto_direction = auto_direction
        self.categorical = categorical
        self.class_weights = class_weights
        self.band_count = band_count
        self.time_limit = time_limit
        self.pass_budget = pass_budget
        self.most_parts = most_parts
        self.preset = preset
        self.method = method
        self.segment_count = segment_count
        self.segment_counts = segment_counts
        self.given_knots = given_knots
        self.knots = knots
        self.spike_share = spike_share
        self.factor_count = factor_count
        self.increment_penalty = increment_penalty
        self.factor_penalty = factor_penalty
        self.sparsity_penalty = sparsity_penalty
        self.smoothness_penalty = smoothness_penalty
        self.pair_penalty = pair_penalty
        self.pair_weighting = pair_weighting
        self.margin = margin
        self.loss_form = loss_form
        self.bag_count = bag_count
        self.rule = rule
        self.reference_scores = reference_scores
        self.reference_limit = reference_limit
        self.fold_count = fold_count
        self.max_epochs = max_epochs
        self.tolerance = tolerance
        self.restart_count = restart_count
        self.init_stddev = init_stddev
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.descriptions = descriptions
        self.units = units
        self.columns = columns
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    # Training.

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> XofmClassifier:
        """Finds a model for rows `X` with labels `y`.

        A whole-number weight is the same as so many copies of the row, weight 0 the same as no row, and the order of
        the rows does not matter. Ctrl-C keeps the best model so far and then raises KeyboardInterrupt.
        """
        options = _params.to_options(self.get_params(deep=False))
        frame = self._frame(X, reset=True)
        array = _labels.as_array(y)
        if len(array) != frame.row_count:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {[frame.row_count, len(array)]}"
            )
        classes = _labels.find_classes(y, array, self.classes)
        codes = _labels.encode(array, classes)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, codes, dtype=np.float64)
            weights = np.ascontiguousarray(weights, dtype=np.float64)
        names = [_labels.class_name(value) for value in classes.tolist()]
        label = getattr(y, "name", None)
        label_name = label if isinstance(label, str) and label else "class"

        def work(control: Any) -> _model.Model:
            return _model.fit(frame, codes, names, label_name, weights, options, control)

        model, is_stopped = _run.run(work, self.n_jobs, self.verbose)
        self.model_ = model
        self.classes_ = classes
        if is_stopped:
            raise KeyboardInterrupt
        return self

    # Predictions.

    def predict(self, X: Any) -> Array:
        """The class of each row: the median class for aim "mae", the likeliest for aim "accuracy"."""
        codes = self._predicted(X, "classes")
        classes: Array = self.classes_[codes]
        return classes

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, in the order of `classes_`."""
        found: Floats = self._predicted(X, "probabilities")
        return found

    def score_samples(self, X: Any) -> Floats:
        """The score of each row: greater for better classes."""
        found: Floats = self._predicted(X, "scores")
        return found

    def support(self, X: Any) -> Floats:
        """How strongly the training rows speak for each class (Definition 5 of the paper)."""
        found: Floats = self._predicted(X, "support")
        return found

    def predict_interval(self, X: Any, coverage: float | None = 0.9) -> Array:
        """The lowest and the highest class of each row that cover the true one as often as asked, on average.

        With coverage None: the classes that are possible by the training scores (Definition 4 of the paper).
        """
        if coverage is None:
            found = self._several(X, ["lowest", "highest"])
        elif 0 < coverage < 1:
            found = self._several(X, ["covering_lowest", "covering_highest"], coverage)
        else:
            raise ValueError(f"coverage is {coverage}; it must be between 0 and 1")
        return np.column_stack([self.classes_[codes] for codes in found.values()])

    def evaluate(self, X: Any, y: Any) -> dict[str, Any]:
        """Accuracy, MAE, macro MAE, QWK, Kendall's tau-b, ranked probability score and others on labelled rows."""
        found = self._several(X, ["classes", "scores", "probabilities"])
        codes = _labels.encode(_labels.as_array(y), self.classes_)
        if len(codes) != len(found["classes"]):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {[len(found['classes']), len(codes)]}"
            )
        return _model.evaluate(len(self.classes_), codes, found["classes"], found["scores"], found["probabilities"])

    # Explanations.

    def explain_local(self, X: Any) -> LocalExplanation:
        """Why each row has its score: base and contributions, which add up to it."""
        check_is_fitted(self)
        frame = self._frame(X)
        control = _run.control(self.n_jobs)
        base, attributes, pairs = self.model_.contributions(frame, control)
        found = self.model_.predict(frame, control, ["scores", "classes"])
        names = self.model_.attribute_names
        return LocalExplanation(
            names=names,
            pair_names=[(names[a], names[b]) for a, b in self.model_.about["pairs"]],
            base=base,
            attributes=attributes,
            pairs=pairs,
            scores=found["scores"],
            classes=self.classes_[found["classes"]],
            data=X if len(names) == self.n_features_in_ else None,  # several columns may be one attribute
        )

    def explain_global(self, X: Any = None) -> GlobalExplanation:
        """What the model has learned: curves, surfaces and importance over the rows `X`, or those of training."""
        check_is_fitted(self)
        frame = None if X is None else self._frame(X)
        return GlobalExplanation.from_json(self.model_.explain_global(frame, _run.control(self.n_jobs)))

    def recourse(
        self, X: Any, target: Any = "better", fixed: Sequence[str] = (), most_changes: Literal[1, 2] = 2
    ) -> list[Recourse | None]:
        """The smallest change of one or two attributes that brings each row into another class; exact.

        `target` is a class, a lowest and a highest class, or "better" or "worse" for the next one. Attributes in
        `fixed` may not change. A row that is there already needs no changes. None: there is no such change.
        """
        check_is_fitted(self)
        if isinstance(fixed, str):
            raise ValueError(f"fixed is the text {fixed!r}; it must be a list of names, such as [{fixed!r}]")
        if isinstance(target, str) and target in ("better", "worse") and target not in self.classes_.tolist():
            bounds = (-1, -1) if target == "better" else (-2, -2)
        else:
            ends = list(target) if isinstance(target, (list, tuple)) else [target]
            codes = _labels.encode(np.asarray(ends), self.classes_)
            bounds = (int(codes.min()), int(codes.max()))
        frame, control = self._frame(X), _run.control(self.n_jobs)
        found = self.model_.recourse(frame, bounds, {"fixed": list(fixed)}, control)
        own = self.model_.predict(frame, control, ["scores", "classes"])
        return [
            Recourse([], 0.0, float(score), self.classes_[code])
            if bounds[0] <= code <= bounds[1]
            else pick_change(entry, most_changes, self.classes_)
            for entry, score, code in zip(found, own["scores"], own["classes"], strict=True)
        ]

    def report(
        self, path: str | os.PathLike[str] | None = None, X: Any = None, y: Any = None, title: str | None = None
    ) -> str:
        """The report as one HTML page, written to `path` if given; with the rows `X` to choose from."""
        check_is_fitted(self)
        frame = None if X is None else self._frame(X)
        codes = None if X is None or y is None else _labels.encode(_labels.as_array(y), self.classes_)
        if frame is not None and codes is not None and len(codes) != frame.row_count:
            raise ValueError(f"{len(codes)} labels for {frame.row_count} rows")
        html = self.model_.report(frame, codes, {"title": title}, _run.control(self.n_jobs))
        if path is not None:
            Path(path).write_text(html, encoding="utf-8")
        return html

    def to_shap(self, X: Any) -> Any:
        """A `shap.Explanation` of the rows: one column of values for all classes, pairs shared half and half."""
        return self.explain_local(X).to_shap()

    # Files.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file that the command line reads too."""
        check_is_fitted(self)
        self.model_.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **params: Any) -> XofmClassifier:
        """A fitted estimator from a model file, by whichever program it was made."""
        estimator = cls(**params)
        estimator.model_ = _model.Model.load(path)
        names = estimator.model_.column_names
        estimator.classes_ = _labels.classes_from_names(estimator.model_.about["class_names"])
        estimator.n_features_in_ = len(names)
        if names != _array_names(len(names)):
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return estimator

    # Notebooks.

    @property
    def _repr_html_(self) -> Any:
        return self._html_card

    def _html_card(self) -> str:
        return _card.html(self) if hasattr(self, "model_") else f"<pre>{self!r}</pre>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._html_card()}

    def show(self, X: Any = None, y: Any = None, height: int = 800) -> Any:
        """The report inside a notebook."""
        return _card.framed(self.report(None, X, y), height)

    # Rows.

    def _predicted(self, X: Any, what: str) -> Any:
        return self._several(X, [what])[what]

    def _several(self, X: Any, wanted: list[str], coverage: float = 0.0) -> dict[str, Any]:
        check_is_fitted(self)
        return self.model_.predict(self._frame(X), _run.control(self.n_jobs), wanted, coverage)

    def _frame(self, X: Any, *, reset: bool = False) -> Frame:
        """The rows as the library reads them, after the checks that scikit-learn asks for."""
        if not _frames.is_frame(X):
            return self._array_frame(X, reset)
        frame = _frames.from_frame(X)
        names = frame.names
        has_names = not _frames.is_pandas(X) or all(isinstance(name, str) for name in X.columns)
        if _frames.is_pandas(X) and not has_names and any(isinstance(name, str) for name in X.columns):
            raise TypeError(
                "Feature names are only supported if all input features have string names; the columns have names "
                "of several types. Convert them: X.columns = X.columns.astype(str)"
            )
        if reset:
            self._learn_names(frame, names, has_names)
        else:
            self._match_names(frame, names, has_names)
        return frame

    def _array_frame(self, X: Any, reset: bool) -> Frame:
        array = check_array(
            X, dtype=None, ensure_all_finite=False, ensure_min_samples=2 if reset else 0, estimator=self
        )
        validate_data(self, X, reset=reset, skip_check_array=True)
        if reset:
            return _frames.from_array(array, _array_names(array.shape[1]))
        return _frames.from_array(array, self.model_.column_names)

    def _learn_names(self, frame: Frame, names: list[str], has_names: bool) -> None:
        if not names:
            raise ValueError(f"0 feature(s) (shape=({frame.row_count}, 0)) while a minimum of 1 is required.")
        if frame.row_count < 2:
            raise ValueError(f"Found {frame.row_count} sample(s) while a minimum of 2 is required.")
        self.n_features_in_ = len(names)
        if has_names:
            self.feature_names_in_ = np.array(names, dtype=object)
            return
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        frame.rename(_array_names(len(names)))

    def _match_names(self, frame: Frame, names: list[str], has_names: bool) -> None:
        fitted = getattr(self, "feature_names_in_", None)
        if has_names and fitted is not None:
            if self.columns != "by_name":
                _check_same_names(list(fitted), names)
            return
        if has_names != (fitted is not None):
            problem = "X has feature names, but {} was fitted without feature names"
            if fitted is not None:
                problem = "X does not have valid feature names, but {} was fitted with feature names"
            warnings.warn(problem.format(type(self).__name__), UserWarning, stacklevel=4)
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"X has {len(names)} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input."
            )
        frame.rename(self.model_.column_names)


def _array_names(count: int) -> list[str]:
    return [f"x{j}" for j in range(count)]


def _check_same_names(fitted: list[str], names: list[str]) -> None:
    """As scikit-learn words it, with the way out."""
    if names == fitted:
        return
    message = "The feature names should match those that were passed during fit.\n"
    for text, lacking in (
        ("Feature names unseen at fit time:\n", sorted(set(names) - set(fitted))),
        ("Feature names seen at fit time, yet now missing:\n", sorted(set(fitted) - set(names))),
    ):
        if lacking:
            shown = [f"- {name}\n" for name in lacking[:5]] + (["- ...\n"] if len(lacking) > 5 else [])
            message += text + "".join(shown)
    if set(names) == set(fitted):
        message += "Feature names must be in the same order as they were in fit.\n"
    if not set(fitted) - set(names):
        message += 'set_params(columns="by_name") takes them in any order and skips others.\n'
    raise ValueError(message)
