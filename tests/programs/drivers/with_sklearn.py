# SPDX-License-Identifier: Apache-2.0
"""scikit-learn on tensors by the Array API."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"

import torch  # noqa: E402
from report import part  # noqa: E402
from sklearn import config_context  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis  # noqa: E402
from sklearn.linear_model import Ridge  # noqa: E402
from sklearn.metrics import (  # noqa: E402
    accuracy_score,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
)
from sklearn.preprocessing import (  # noqa: E402
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    StandardScaler,
)

torch.manual_seed(5)
x = torch.randn(30, 4, dtype=torch.float64)
y = (x @ torch.tensor([1.0, -2.0, 0.5, 0.0], dtype=torch.float64)) + 0.3
label = (y > 0).to(torch.int64)
CASES = {
    "pca": lambda: PCA(n_components=2, svd_solver="full").fit(x).transform(x).abs(),
    "pca_variance": lambda: PCA(n_components=2, svd_solver="full").fit(x).explained_variance_,
    "lda": lambda: LinearDiscriminantAnalysis().fit(x, label).predict(x),
    "ridge": lambda: Ridge(solver="svd").fit(x, y).coef_,
    "minmax": lambda: MinMaxScaler().fit_transform(x),
    "maxabs": lambda: MaxAbsScaler().fit_transform(x),
    "normalizer": lambda: Normalizer().fit_transform(x),
    "standard": lambda: StandardScaler().fit_transform(x),
    "accuracy": lambda: accuracy_score(label, label.roll(1)),
    "mse": lambda: mean_squared_error(y, y * 0.9),
    "r2": lambda: r2_score(y, y * 0.9),
    "mae": lambda: mean_absolute_error(y, y * 0.8),
}
for name, case in CASES.items():

    def body(case=case):
        with config_context(array_api_dispatch=True):
            return case()

    body.__name__ = name
    part(body)


@part
def scipy():
    from scipy import special, stats

    z = torch.linspace(0.1, 2.0, 6, dtype=torch.float64)
    return [
        special.erf(z),
        special.gammaln(z),
        special.expit(z),
        special.logit(z / 3),
        special.ndtr(z),
        special.xlogy(z, z),
        special.i0(z),
        stats.zscore(z),
        special.logsumexp(z),
        stats.skew(z),
        stats.kurtosis(z),
    ]


@part
def compat():
    from array_api_compat import array_namespace

    xp = array_namespace(x)
    return [
        xp.sum(x, axis=0),
        xp.mean(x, axis=1, keepdims=True),
        xp.unique_values(label),
        xp.linalg.svdvals(x),
        xp.permute_dims(x, (1, 0)),
        xp.std(x, axis=0, correction=1),
    ]
