"""Keeps a model in MLflow, with its quality and its report, and takes it back. Run from the root of the clone."""

import mlflow
import pandas as pd

from xofm import XofmClassifier

cars = pd.read_csv("data/car_insurance_risk.csv")
X, y = cars.drop(columns="risk"), cars["risk"]
with mlflow.start_run():
    model = XofmClassifier(time_limit=10).fit(X, y)
    mlflow.log_params({"aim": model.aim, "classes": len(model.classes_)})
    mlflow.log_metrics({name: model.evaluate(X, y)[name] for name in ("accuracy", "mae")})
    mlflow.log_text(model.report(), "report.html")
    logged = mlflow.sklearn.log_model(model, name="model", serialization_format="cloudpickle")
assert (mlflow.sklearn.load_model(logged.model_uri).predict(X) == model.predict(X)).all()
print(logged.model_uri)
