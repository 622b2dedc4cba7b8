"""The lines of the README: train on the shipped cars, look at the model, ask why and what would have to change."""

import pandas as pd
from sklearn.model_selection import train_test_split

from xofm import XofmClassifier
from xofm.plots import plot_curves

cars = pd.read_csv("data/car_insurance_risk.csv")
learn, test = train_test_split(cars, test_size=0.2, random_state=7, stratify=cars["risk"])
X, y, X_test, y_test = learn.drop(columns="risk"), learn["risk"], test.drop(columns="risk"), test["risk"]
model = XofmClassifier(verbose=1).fit(X, y)
print(model.evaluate(X_test, y_test)["mae"])
print(model.predict_interval(X_test[:3], coverage=0.9))
print(model.explain_local(X_test).parts(0, most=5))
print(model.recourse(X_test, target="worse", fixed=["make"])[0])
plot_curves(model).savefig("curves.png")
model.save("model.json")
