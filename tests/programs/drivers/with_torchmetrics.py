# SPDX-License-Identifier: Apache-2.0
"""Metrics of torchmetrics, as functions and as modules over two batches."""

import torch
import torchmetrics as M
import torchmetrics.functional as F
from report import part

torch.manual_seed(6)
logits, label = torch.rand(2, 16, 4).softmax(-1), torch.randint(0, 4, (2, 16))
real, near = torch.rand(2, 16), torch.rand(2, 16)
KIND = {"task": "multiclass", "num_classes": 4}
CLASSES = {
    "accuracy": M.Accuracy(**KIND),
    "precision": M.Precision(**KIND, average="macro"),
    "recall": M.Recall(**KIND),
    "f1": M.F1Score(**KIND),
    "auroc": M.AUROC(**KIND),
    "confusion": M.ConfusionMatrix(**KIND),
    "kappa": M.CohenKappa(**KIND),
    "matthews": M.MatthewsCorrCoef(**KIND),
    "specificity": M.Specificity(**KIND),
    "calibration": M.CalibrationError(**KIND),
    "jaccard": M.JaccardIndex(**KIND),
    "hinge": M.HingeLoss(**KIND),
    "average_precision": M.AveragePrecision(**KIND),
    "exact": M.StatScores(**KIND),
    "roc": M.ROC(**KIND, thresholds=5),
}
for name, metric in CLASSES.items():

    def body(metric=metric):
        for p, t in zip(logits, label):
            metric.update(p, t)
        return metric.compute()

    body.__name__ = name
    part(body)
NUMBERS = {
    "mse": M.MeanSquaredError(),
    "mae": M.MeanAbsoluteError(),
    "r2": M.R2Score(),
    "pearson": M.PearsonCorrCoef(),
    "spearman": M.SpearmanCorrCoef(),
    "variance": M.ExplainedVariance(),
    "msle": M.MeanSquaredLogError(),
    "mape": M.MeanAbsolutePercentageError(),
    "smape": M.SymmetricMeanAbsolutePercentageError(),
    "concordance": M.ConcordanceCorrCoef(),
    "kendall": M.KendallRankCorrCoef(),
    "tweedie": M.TweedieDevianceScore(),
    "cosine": M.CosineSimilarity(),
    "logcosh": M.LogCoshError(),
    "kl": M.KLDivergence(),
}
for name, metric in NUMBERS.items():

    def body(metric=metric, name=name):
        for p, t in zip(real, near):
            if name in ("cosine", "kl"):
                p, t = p.reshape(4, 4).softmax(-1), t.reshape(4, 4).softmax(-1)
            metric.update(p, t)
        return metric.compute()

    body.__name__ = name
    part(body)
OTHERS = {
    "mean": lambda: M.MeanMetric()(real),
    "cat": lambda: M.CatMetric()(real),
    "psnr": lambda: F.image.peak_signal_noise_ratio(real, near, data_range=1.0),
    "ssim": lambda: F.image.structural_similarity_index_measure(
        torch.rand(1, 1, 16, 16), torch.rand(1, 1, 16, 16), data_range=1.0
    ),
    "tv": lambda: F.image.total_variation(torch.rand(1, 1, 8, 8)),
    "uqi": lambda: F.image.universal_image_quality_index(
        torch.rand(1, 1, 16, 16), torch.rand(1, 1, 16, 16)
    ),
    "snr": lambda: F.audio.signal_noise_ratio(real, near),
    "sdr": lambda: F.audio.scale_invariant_signal_distortion_ratio(real, near),
    "ndcg": lambda: F.retrieval.retrieval_normalized_dcg(real[0], label[0] > 1),
    "mrr": lambda: F.retrieval.retrieval_reciprocal_rank(real[0], label[0] > 1),
    "perplexity": lambda: F.text.perplexity(torch.rand(2, 8, 5), torch.randint(5, (2, 8))),
    "pairwise": lambda: F.pairwise_cosine_similarity(real, near),
    "wer": lambda: F.text.word_error_rate(["a b c"], ["a b d"]),
    "bleu": lambda: F.text.bleu_score(["the cat is here now"], [["the cat is here today"]]),
    "rand": lambda: F.clustering.adjusted_rand_score(label[0], label[1]),
    "mutual": lambda: F.clustering.mutual_info_score(label[0], label[1]),
    "cramers": lambda: F.nominal.cramers_v(label[0], label[1]),
    "running": lambda: M.wrappers.Running(M.MeanMetric(), window=2)(real),
}
for name, case in OTHERS.items():
    case.__name__ = name
    part(case)


@part
def collection():
    both = M.MetricCollection({"a": M.Accuracy(**KIND), "b": M.Recall(**KIND)})
    both(logits[0], label[0])
    kept = both.clone()
    kept(logits[1], label[1])
    tracker = M.MetricTracker(M.MeanMetric())
    tracker.increment()
    tracker.update(real)
    return both.compute(), kept.compute(), tracker.compute_all()


@part
def bootstrap():
    metric = M.BootStrapper(M.MeanSquaredError(), num_bootstraps=4)
    metric.update(real[0], near[0])
    return {k: v.shape for k, v in metric.compute().items()}
