# SPDX-License-Identifier: Apache-2.0
"""Neural networks of skorch with scikit-learn."""

import numpy as np
import torch
from report import part
from skorch import NeuralNetClassifier, NeuralNetRegressor
from torch import nn

random = np.random.default_rng(0)
x = random.normal(size=(40, 4)).astype(np.float32)
label = (x[:, 0] > 0).astype(np.int64)


class Net(nn.Module):
    def __init__(self, hidden=8, out=2, last=nn.Softmax(dim=-1)):
        super().__init__()
        self.a, self.b, self.last = nn.Linear(4, hidden), nn.Linear(hidden, out), last

    def forward(self, inputs):
        return self.last(self.b(torch.relu(self.a(inputs))))


@part
def classifier():
    net = NeuralNetClassifier(Net, max_epochs=3, lr=0.1, verbose=0, iterator_train__shuffle=True)
    net.fit(x, label)
    return net.predict_proba(x)[:4], net.history[:, "train_loss"], net.history[:, "valid_acc"]


@part
def regressor():
    net = NeuralNetRegressor(
        Net,
        module__out=1,
        module__last=nn.Identity(),
        max_epochs=3,
        lr=0.05,
        verbose=0,
        optimizer=torch.optim.Adam,
        train_split=None,
    )
    net.fit(x, x[:, :1] * 2)
    return net.predict(x)[:4], net.history[:, "train_loss"]


@part
def search():
    from sklearn.model_selection import GridSearchCV

    net = NeuralNetClassifier(Net, max_epochs=2, verbose=0, train_split=None)
    found = GridSearchCV(net, {"lr": [0.01, 0.1]}, cv=2, scoring="accuracy", refit=False)
    found.fit(x, label)
    return found.best_score_, found.best_params_["lr"]


@part
def callbacks():
    from skorch.callbacks import EarlyStopping, GradientNormClipping, LRScheduler
    from torch.optim.lr_scheduler import StepLR

    net = NeuralNetClassifier(
        Net,
        max_epochs=4,
        lr=0.1,
        verbose=0,
        callbacks=[
            LRScheduler(StepLR, step_size=1),
            GradientNormClipping(0.5),
            EarlyStopping(patience=2),
        ],
    )
    net.fit(x, label)
    return net.history[:, "train_loss"], net.predict(x)[:8]


@part
def saved():
    import io

    net = NeuralNetClassifier(Net, max_epochs=1, verbose=0).fit(x, label)
    file = io.BytesIO()
    net.save_params(f_params=file)
    file.seek(0)
    other = NeuralNetClassifier(Net, verbose=0).initialize()
    other.load_params(f_params=file)
    return other.predict_proba(x)[:3]
