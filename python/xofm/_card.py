"""What a notebook shows of a fitted model: a short card, or the whole page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from . import _optional

if TYPE_CHECKING:
    from .estimator import XofmClassifier

MOST_TERMS = 6
BAR = "#22577a"  # as in the page and the plots


def _rows(pairs: list[tuple[str, str]]) -> str:
    return "".join(f"<tr><th style='text-align:left'>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in pairs)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _quality(about: dict[str, Any]) -> list[tuple[str, str]]:
    metrics = about.get("validation", {}).get("metrics", {})
    shown = []
    for name, title in (("accuracy", "accuracy"), ("mae", "MAE")):
        value = metrics.get(name)
        mean = value.get("mean") if isinstance(value, dict) else None
        if mean is not None:
            shown.append(f"{title} {mean:.3f}")
    return [("in cross-validation", ", ".join(shown))] if shown else []


def html(estimator: XofmClassifier) -> str:
    """Classes, size, quality on unseen rows and the terms that matter most."""
    about = estimator.model_.about
    terms = estimator.explain_global().importance()
    used = [term for term in terms if term[1] > 0]
    most = used[0][1] if used else 1.0
    others = f"; {len(used) - MOST_TERMS} more are smaller" if len(used) > MOST_TERMS else ""
    bars = "".join(
        f"<tr><td>{escape(name)}</td><td><div style='background:{BAR};height:0.7em;width:"
        f"{10 * value / most:.2f}em'></div></td><td style='text-align:right'>{value:.3f}</td></tr>"
        for name, value in used[:MOST_TERMS]
    )
    curves = sum(1 for attribute in about["attributes"] if attribute["is_used"])
    size = f"{_count(curves, 'curve')}, {_count(len(about['pairs']), 'pair')}"
    if not about["has_terms"]:
        size = f"{_count(curves, 'attribute')}, all pairs (u and V)"
    facts = [
        ("classes", " < ".join(about["class_names"])),
        ("trained on", f"{about['summary']['row_count']} rows"),
        ("terms", size),
        *_quality(about),
    ]
    return (
        f"<div><b>{escape(type(estimator).__name__)}</b> for {escape(about['label_name'])}"
        f"<table>{_rows(facts)}</table><table><caption style='text-align:left;white-space:nowrap'>"
        f"mean absolute part of the score{others}</caption>{bars}</table></div>"
    )


def framed(page: str, height: int) -> Any:
    """The page in a frame of its own, so that its style stays inside."""
    display = _optional.load("IPython.display", "show")
    source = escape(page, quote=True)
    return display.HTML(f'<iframe srcdoc="{source}" style="width:100%;height:{height}px;border:0"></iframe>')
