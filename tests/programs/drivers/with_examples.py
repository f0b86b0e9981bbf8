# SPDX-License-Identifier: Apache-2.0
"""Small programs of the usual kinds: classifier, autoencoder, recurrent model, policy."""

import torch
from report import part, train
from torch import nn
from torch.nn import functional as F
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset, random_split


@part
def digits():
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, 1),
        nn.ReLU(),
        nn.Conv2d(8, 8, 3, 1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(1),
        nn.Linear(288, 32),
        nn.ReLU(),
        nn.Linear(32, 10),
        nn.LogSoftmax(dim=1),
    )
    data = TensorDataset(torch.rand(40, 1, 16, 16), torch.randint(0, 10, size=(40,)))
    learn, rest = random_split(data, [32, 8])
    optimizer = torch.optim.Adadelta(net.parameters(), lr=1.0)
    schedule = StepLR(optimizer, step_size=1, gamma=0.7)
    losses = []
    for _ in range(2):
        for images, labels in DataLoader(learn, batch_size=8, shuffle=True):
            optimizer.zero_grad()
            loss = F.nll_loss(net(images), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        schedule.step()
    net.eval()
    with torch.no_grad():
        right = sum(
            net(i).argmax(dim=1, keepdim=True).eq(t.view(-1, 1)).sum().item()
            for i, t in DataLoader(rest, batch_size=4)
        )
    return losses, right, schedule.get_last_lr()


@part
def autoencoder():
    class Coder(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.mean, self.spread = (
                nn.Linear(64, 32),
                nn.Linear(32, 4),
                nn.Linear(32, 4),
            )
            self.back = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 64), nn.Sigmoid())

        def forward(self, x):
            h = F.relu(self.first(x))
            mean, spread = self.mean(h), self.spread(h)
            z = mean + torch.randn_like(spread) * torch.exp(0.5 * spread)
            return self.back(z), mean, spread

    net, x = Coder(), torch.rand(6, 64)

    def loss():
        y, mean, spread = net(x)
        error = F.binary_cross_entropy(y, x, reduction="sum")
        return error - 0.5 * torch.sum(1 + spread - mean.pow(2) - spread.exp())

    return train(net, loss, lr=1e-3)


@part
def words():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.drop, self.table = nn.Dropout(0.0), nn.Embedding(20, 12)
            self.rnn, self.out = nn.LSTM(12, 12, 2), nn.Linear(12, 20)
            self.out.weight = self.table.weight

        def forward(self, x):
            y, state = self.rnn(self.drop(self.table(x)))
            return F.log_softmax(self.out(y).view(-1, 20), dim=1)

    net, x = Model(), torch.randint(0, 20, (7, 3))
    found = train(net, lambda: F.nll_loss(net(x), x.flip(0).reshape(-1)), lr=0.5)
    nn.utils.clip_grad_norm_(net.parameters(), 0.25)
    return found


@part
def transformer():
    layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0)
    net = nn.TransformerEncoder(layer, 2)
    x = torch.randn(5, 2, 16)
    mask = torch.log(torch.tril(torch.ones(5, 5)))
    return train(net, lambda: net(x, mask).square().mean())


@part
def adversary():
    def weights(m):
        name = m.__class__.__name__
        if name.find("Conv") != -1:
            nn.init.normal_(m.weight, 0.0, 0.02)
        elif name.find("BatchNorm") != -1:
            nn.init.normal_(m.weight, 1.0, 0.02)
            nn.init.zeros_(m.bias)

    maker = nn.Sequential(
        nn.ConvTranspose2d(8, 8, 4, 1, 0, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(True),
        nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False),
        nn.Tanh(),
    ).apply(weights)
    judge = nn.Sequential(
        nn.Conv2d(1, 8, 4, 2, 1),
        nn.LeakyReLU(0.2, inplace=True),
        nn.Flatten(),
        nn.Linear(128, 1),
        nn.Sigmoid(),
    ).apply(weights)
    losses, one = [], torch.full((4, 1), 1, dtype=torch.float)
    ways = [torch.optim.Adam(m.parameters(), lr=2e-4, betas=(0.5, 0.999)) for m in (maker, judge)]
    for _ in range(2):
        fake = maker(torch.randn(4, 8, 1, 1))
        judge.zero_grad()
        error = nn.BCELoss()(judge(fake.detach()), one * 0) + nn.BCELoss()(
            judge(torch.rand(4, 1, 8, 8)), one
        )
        error.backward()
        ways[1].step()
        maker.zero_grad()
        loss = nn.BCELoss()(judge(fake), one)
        loss.backward()
        ways[0].step()
        losses += [error.item(), loss.item()]
    return losses


@part
def policy():
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2), nn.Softmax(dim=-1))
    seen, state = [], torch.randn(1, 4)
    for _ in range(5):
        law = torch.distributions.Categorical(net(state))
        action = law.sample()
        seen.append(law.log_prob(action))
        state = torch.roll(state, 1, 1) + action
    reward = torch.tensor([1.0, 0.5, 0.2, 0.1, 0.9])
    reward = (reward - reward.mean()) / (reward.std() + torch.finfo(torch.float32).eps)
    loss = torch.cat([-p * r for p, r in zip(seen, reward)]).sum()
    loss.backward()
    return loss, state, net[0].weight.grad


@part
def sines():
    cell, out = nn.LSTMCell(1, 12).double(), nn.Linear(12, 1).double()
    net = nn.ModuleList([cell, out])
    x = torch.sin(torch.linspace(0, 6, 20, dtype=torch.double)).reshape(2, 10)
    optimizer = torch.optim.LBFGS(net.parameters(), lr=0.8)
    losses = []

    def closure():
        optimizer.zero_grad()
        h = c = torch.zeros(2, 12, dtype=torch.double)
        outs = []
        for one in x.split(1, dim=1):
            h, c = cell(one, (h, c))
            outs.append(out(h))
        loss = nn.MSELoss()(torch.cat(outs, dim=1)[:, :-1], x[:, 1:])
        loss.backward()
        losses.append(loss.item())
        return loss

    optimizer.step(closure)
    return losses[:6]


@part
def graph():
    edges = torch.eye(6).roll(1, 0) + torch.eye(6)
    sparse = edges.to_sparse() if hasattr(edges, "to_sparse") else edges
    first, x = nn.Linear(5, 4, bias=False), torch.randn(6, 5)
    return torch.spmm(sparse, first(x)) if sparse.is_sparse else edges @ first(x)


@part
def enlarge():
    net = nn.Sequential(
        nn.Conv2d(1, 8, (5, 5), (1, 1), (2, 2)),
        nn.ReLU(),
        nn.Conv2d(8, 4, (3, 3), 1, 1),
        nn.PixelShuffle(2),
    )
    nn.init.orthogonal_(net[0].weight, nn.init.calculate_gain("relu"))
    nn.init.orthogonal_(net[2].weight)
    x, y = torch.rand(2, 1, 6, 6), torch.rand(2, 1, 12, 12)
    return train(net, lambda: nn.MSELoss()(net(x), y))


@part
def pairs():
    net = nn.Sequential(nn.Linear(6, 4))
    a, b, c = torch.randn(3, 5, 6)
    lost = nn.TripletMarginLoss(margin=1.0, p=2)
    return train(net, lambda: lost(net(a), net(b), net(c))), nn.CosineSimilarity(dim=1)(a, b)


@part
def polynomial():
    weight = torch.randn(4, 1) * 5
    net = nn.Linear(4, 1)

    def loss():
        x = torch.cat([torch.randn(32).unsqueeze(1) ** i for i in range(1, 5)], 1)
        return F.smooth_l1_loss(net(x), x.mm(weight) + 2)

    return train(net, loss)
