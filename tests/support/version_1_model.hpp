// A model file of version 1 as xofm 0.13 wrote it, and the scores that it gave.
#pragma once

#include <string_view>

namespace xofm::test_support {

inline constexpr std::string_view version_1_model = R"json({
  "format": "xofm model",
  "version": 1,
  "program": "0.1.0",
  "label": "class",
  "classes": ["low", "mid", "high"],
  "missing": ["", "NA", "NaN", "?"],
  "factor_count": 2,
  "attributes": [
    {
      "name": "size",
      "kind": "numeric",
      "direction": "none",
      "knots": [0.7, 4.2, 10.0],
      "has_missing": true,
      "typical": {"coordinate": 1, "fraction": 0.0},
      "increments": [0.12898656394506383, 0.7324699156742467, 0.4662126475689513],
      "factors": [
        [0.7452617111005544, -0.9061677949249134],
        [1.0759737533593021, -0.7238525132529261],
        [0.5531551691592871, 0.19214234782051715]
      ],
      "mean_encoding": [0.6466666666666666, 0.22701149425287348, 0.13333333333333333],
      "class_histogram": [
        [9.0, 3.0, 0.0],
        [1.0, 3.0, 10.0],
        [2.0, 2.0, 0.0]
      ]
    },
    {
      "name": "colour",
      "kind": "categorical",
      "levels": ["blue", "red"],
      "has_missing": false,
      "typical": {"coordinate": 0, "fraction": 1.0},
      "increments": [-0.23952739049317695, 0.23952739049317712],
      "factors": [
        [0.7317162260950502, 0.07559886721035673],
        [0.5551241059108768, -0.6401635587809661]
      ],
      "mean_encoding": [0.5333333333333333, 0.4666666666666667],
      "class_histogram": [
        [10.0, 2.0, 4.0],
        [2.0, 6.0, 6.0]
      ]
    },
    {
      "name": "age",
      "kind": "numeric",
      "direction": "decreasing",
      "knots": [1.0, 25.0, 59.0],
      "has_missing": false,
      "typical": {"coordinate": 1, "fraction": 0.125},
      "increments": [0.1330206105315491, 0.1103783643290087],
      "factors": [
        [0.02317909565699071, 0.0],
        [0.0, 0.0]
      ],
      "mean_encoding": [0.6950980392156862, 0.25277777777777777],
      "class_histogram": [
        [9.0, 1.0, 5.0],
        [3.0, 7.0, 5.0]
      ],
      "certificate": {"least_slope": 0.1103783643290087, "holds": true}
    }
  ],
  "options": {
    "encoder": {
      "knots": "quantile",
      "segment_count": 2,
      "directions": {"age": "decreasing"}
    },
    "auto_direction": 0.0,
    "factor_count": 2,
    "margin": 1.0,
    "pair_weighting": "uniform",
    "class_weights": {},
    "increment_penalty": 0.01,
    "factor_penalty": 0.01,
    "smoothness_penalty": 0.0,
    "pair_penalty": 0.0,
    "sparsity_penalty": 0.0,
    "loss_form": "automatic",
    "bag_count": 1,
    "optimizer": {
      "method": "lbfgs",
      "max_epochs": 20,
      "tolerance": 1e-05,
      "restart_count": 1,
      "seed": 1,
      "init_stddev": 0.1,
      "learning_rate": 0.002,
      "learning_rate_decay": 0.0
    }
  },
  "assignment": {
    "rule": "probability",
    "aim": "mae",
    "reference_scores": "automatic",
    "reference_source": "training",
    "fold_count": 5,
    "reference_limit": 1000,
    "margin": 1.0,
    "accuracy_cuts": [0.948156366518588, 2.1404731155424654],
    "mae_cuts": [0.948156366518588, 2.1404731155424654],
    "calibration": {
      "slope": 11.08853516114261,
      "thresholds": [9.812719640175207, 21.371572231788676],
      "floor": [0.03581267217630854, 0.024793388429752063, 0.030303030303030304]
    },
    "conformity": []
  },
  "reference": [
    {
      "class": "low",
      "scores": [-0.14255570925495364, -0.13806956662877973, -0.0874764786028317, -0.014515444950425005, 0.17407561564363438, 0.30210143916289267, 0.3182756384277047, 0.3894843109233579, 0.5187717756483758, 0.6842701472678947, 0.7111156000638339, 0.9458224029617783],
      "weights": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
      "rows": [14, 2, 24, 16, 17, 26, 9, 7, 12, 28, 5, 1]
    },
    {
      "class": "mid",
      "scores": [0.9191447455744354, 0.9504903300753977, 1.0598789957355619, 1.2599185624662355, 1.4875527202791612, 1.6036693484424787, 1.7179236245163132, 1.9607404730394333],
      "weights": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
      "rows": [10, 19, 6, 21, 8, 30, 13, 23]
    },
    {
      "class": "high",
      "scores": [1.8353215424610578, 2.320205758045497, 2.400054228702274, 2.555942718680595, 2.7332924033647426, 2.857750173586552, 3.368282232426862, 3.5955989606791747, 4.395533296152177, 4.490099207589569],
      "weights": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
      "rows": [22, 18, 29, 27, 20, 11, 15, 4, 3, 25]
    }
  ],
  "summary": {
    "row_count": 30,
    "class_weights": [12.0, 8.0, 10.0],
    "objective": 0.10428342317437003,
    "loss": 0.04852444123776366,
    "epochs": 20,
    "best_restart": 1,
    "stop_reason": "epoch_limit",
    "data_fingerprint": "fbc405f5a2fdf2ad"
  },
  "certificate": {"holds": true}
})json";

inline constexpr std::string_view version_1_rows = "size,colour,age\n3.25,red,10\n,blue,44\n11,green,0\n5,red,\n";

inline constexpr double version_1_scores[] = {1.2850237434048668, 0.7177883641079993, 2.604883921837587,
                                              1.9911311912194618};

}  // namespace xofm::test_support
