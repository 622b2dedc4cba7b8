"""XofmClassifier: the readable model for ordered classes as a scikit-learn estimator."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from . import _card, _explain, _labels, _model, _params, _rows, _run
from ._docs import with_options
from .explanation import GlobalExplanation, LocalExplanation, Recourse

Floats = npt.NDArray[np.float64]
Array = npt.NDArray[Any]


@with_options
class XofmClassifier(ClassifierMixin, _params.Parameters):  # type: ignore[misc]
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
        "paper" trains as the paper does; with tune=True it chooses segments and margin by folds, as the paper does.
    pairs : {"auto", "none", "all"}, int, list of pairs of names, or None
        Pairs of attributes with a surface of their own. None: "auto" after a search, else "all".
    band_count : int
        Refits on resampled rows that give every curve a band; 0: no bands.
    increasing, decreasing : list of names
        Attributes in which the score never falls, or never rises; certified over the whole space.
    categorical : list of names
        Columns of numbers to take as categories. Columns of texts always are.
    cyclic : list of names
        Columns of dates to take as month, weekday and hour. Other dates are days since 1970-01-01.
    special : dict by name
        Numbers that stand for something else, as {"income": [-1, -9]}: each has a value of its own beside the curve.
    id : name
        A column that names the rows: nothing is learned from it, and `xofm explain` cites training rows by it.
    keep_indicators : bool
        Whether columns of 0 and 1 stay apart, even where each row has exactly one 1 among them.
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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    # Training.

    def check(self, X: Any, y: Any, sample_weight: Any = None) -> dict[str, Any]:
        """What there is to know of rows before training, as `xofm check --json` tells it; nothing is learned.

        "findings" says in words what to look at: repeated and contradictory rows, classes with few rows, outliers,
        values that may stand for something else, columns that alone decide the class.
        """
        options = _params.to_options(self.get_params(deep=False))
        frame = _rows.learn(clone(self), X)
        labels = _labels.learn(y, frame.row_count, self.classes, sample_weight)[1]
        return _model.check(frame, labels, options, _run.control(self.n_jobs))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> XofmClassifier:
        """Finds a model for rows `X` with labels `y`.

        A whole-number weight is the same as so many copies of the row, weight 0 the same as no row, and the order of
        the rows does not matter. Ctrl-C keeps the best model so far and then raises KeyboardInterrupt.
        """
        options = _params.to_options(self.get_params(deep=False))
        frame = _rows.learn(self, X)
        classes, labels = _labels.learn(y, frame.row_count, self.classes, sample_weight)

        def work(control: Any) -> _model.Model:
            return _model.fit(frame, labels, options, control)

        model, is_stopped = _run.run(work, self.n_jobs, self.verbose)
        self.model_ = model
        self.classes_ = classes
        if is_stopped:
            raise KeyboardInterrupt
        return self

    # Predictions.

    def predict(self, X: Any) -> Array:
        """The class of each row: the median class for aim "mae", the likeliest for aim "accuracy"."""
        codes = _rows.predict(self, X, ["classes"])["classes"]
        classes: Array = self.classes_[codes]
        return classes

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, in the order of `classes_`."""
        found: Floats = _rows.predict(self, X, ["probabilities"])["probabilities"]
        return found

    def score_samples(self, X: Any) -> Floats:
        """The score of each row: greater for better classes."""
        found: Floats = _rows.predict(self, X, ["scores"])["scores"]
        return found

    def support(self, X: Any) -> Floats:
        """How strongly the training rows speak for each class (Definition 5 of the paper)."""
        found: Floats = _rows.predict(self, X, ["support"])["support"]
        return found

    def predict_interval(self, X: Any, coverage: float | None = 0.9) -> Array:
        """The lowest and the highest class of each row that cover the true one as often as asked, on average.

        With coverage None: the classes that are possible by the training scores (Definition 4 of the paper).
        """
        if coverage is None:
            found = _rows.predict(self, X, ["lowest", "highest"])
        elif 0 < coverage < 1:
            found = _rows.predict(self, X, ["covering_lowest", "covering_highest"], coverage)
        else:
            raise ValueError(f"coverage is {coverage}; it must be between 0 and 1")
        return np.column_stack([self.classes_[codes] for codes in found.values()])

    def evaluate(self, X: Any, y: Any) -> dict[str, Any]:
        """Accuracy, MAE, macro MAE, QWK, Kendall's tau-b, ranked probability score and others on labelled rows."""
        found = _rows.predict(self, X, ["classes", "scores", "probabilities"])
        codes = _labels.encode(_labels.as_array(y), self.classes_)
        if len(codes) != len(found["classes"]):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {[len(found['classes']), len(codes)]}"
            )
        return _model.evaluate(len(self.classes_), codes, found["classes"], found["scores"], found["probabilities"])

    # Explanations.

    def explain_local(self, X: Any) -> LocalExplanation:
        """Why each row has its score: base and contributions, which add up to it."""
        return _explain.local(self, X)

    def explain_global(self, X: Any = None) -> GlobalExplanation:
        """What the model has learned: curves, surfaces and importance over the rows `X`, or those of training."""
        check_is_fitted(self)
        return _explain.whole(self, X)

    def recourse(
        self, X: Any, target: Any = "better", fixed: Sequence[str] = (), most_changes: Literal[1, 2] = 2
    ) -> list[Recourse | None]:
        """The smallest change of one or two attributes that brings each row into another class; exact.

        `target` is a class, a lowest and a highest class, or "better" or "worse" for the next one. Attributes in
        `fixed` may not change. A row that is there already needs no changes. None: there is no such change.
        """
        return _explain.recourse(self, X, target, fixed, most_changes)

    def monitor(
        self, X: Any, y: Any = None, path: str | os.PathLike[str] | None = None, **thresholds: float
    ) -> dict[str, Any]:
        """New rows against those of training, as `xofm monitor --json` tells it; with their classes also metrics.

        Thresholds: `psi`, `missing`, `unseen`, `outside`, `metric`; "alarm_count" of the result says how many are
        passed. The same as an HTML page is written to `path`, if it is given.
        """
        check_is_fitted(self)
        return _explain.monitor(self, X, y, path, thresholds)

    def report(
        self, path: str | os.PathLike[str] | None = None, X: Any = None, y: Any = None, title: str | None = None
    ) -> str:
        """The report as one HTML page, written to `path` if given; with the rows `X` to choose from."""
        check_is_fitted(self)
        return _explain.report(self, path, X, y, {"title": title})

    def to_shap(self, X: Any) -> Any:
        """A `shap.Explanation` of the rows: one column of values for all classes, pairs shared half and half."""
        return self.explain_local(X).to_shap()

    # Files.

    def export(self, path: str | os.PathLike[str] | None, to: str, **options: Any) -> bytes:
        """What `xofm export` writes; and into `path`, if given.

        `to` is "c", "python", "sql", "onnx", "pmml", "points" or "xlsx".
        `options` are those of the command line: reasons ("low", "high"), name, table, dialect, id, points, pdo.
        """
        check_is_fitted(self)
        content = self.model_.export({"to": to, **options})
        if path is not None:
            Path(path).write_bytes(content)
        return content

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
        if names != _rows.array_names(len(names)):
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
