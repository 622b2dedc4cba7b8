"""Writes loan applications with credit grades. They are generated: no bank and no person stands behind them.

    python3 examples/loans.py loans.csv                         # 1000 rows
    python3 examples/loans.py new_loans.csv --rows 300 --seed 2 --drift

The grade follows from income, debt, employment, age, use of credit lines, home, inquiries and past defaults, and from chance.
Two traps are as in practice: months_since_default is -1 where there was no default, and years_employed is sometimes missing.
--drift makes applicants younger and deeper in debt, as a year later they may be.
"""

import argparse
import csv
import math
import random

GRADES = ["poor", "fair", "good", "very_good"]
CUTS = [-0.75, 0.25, 1.15]
HOMES = {"rent": -0.15, "mortgage": 0.1, "own": 0.25}
PURPOSES = ["car", "education", "home", "holiday", "business"]


def application(random, drift):
    age = min(75, max(18, round(random.gauss(36 if drift else 41, 12))))
    income = round(math.exp(random.gauss(10.45, 0.45)), -2)
    debt = round(income * min(0.9, max(0.0, random.gauss(0.36 if drift else 0.28, 0.16))), -1)
    years = round(min(max(0, age - 18), random.expovariate(1 / 6)), 1)
    used = round(100 * random.betavariate(1.4, 2.2))
    since = random.randint(1, 120) if random.random() < 0.18 else -1
    return {
        "age": age, "income": int(income), "debt": int(debt), "years_employed": years, "credit_used": used,
        "months_since_default": since, "inquiries": min(9, int(random.expovariate(1 / 1.3))),
        "home": random.choices(list(HOMES), [5, 3, 2])[0], "purpose": random.choice(PURPOSES),
    }


def worth(row):
    """The truth: curves of single attributes, and debt that weighs more on a small income."""
    score = 1.3 * math.tanh((row["income"] - 34000) / 22000) + 0.5 * math.tanh(row["years_employed"] / 5)
    score -= 2.6 * max(0.0, row["debt"] / row["income"] - 0.2)
    score -= 0.9 / (1 + math.exp(-(row["credit_used"] - 65) / 6)) + 0.12 * row["inquiries"]
    score -= ((row["age"] - 48) / 30) ** 2 * 0.5
    if row["months_since_default"] >= 0:
        score -= 1.5 * math.exp(-row["months_since_default"] / 50)
    return score + HOMES[row["home"]] + 0.55


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drift", action="store_true")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with open(arguments.output, "w", newline="", encoding="utf-8") as file:
        writer = None
        for number in range(1, arguments.rows + 1):
            row = application(chance, arguments.drift)
            value = worth(row) + chance.gauss(0, 0.28)
            grade = GRADES[sum(value >= cut for cut in CUTS)]
            if chance.random() < 0.06:
                row["years_employed"] = ""
            row = {"client": f"C{10000 * arguments.seed + number}", **row, "grade": grade}
            if writer is None:
                writer = csv.DictWriter(file, row, lineterminator="\n")
                writer.writeheader()
            writer.writerow(row)


if __name__ == "__main__":
    main()
