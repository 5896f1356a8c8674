"""Gradients of PyTorch's autograd, in double precision, against those of a folder's cases.json.

A case is one network with the loss sum(output * weights), or one whole step of PML-GAN. Prints
lines "CASE/what error": the largest difference over the largest entry.
"""

import json
import pathlib
import sys

import torch
from torch.nn import functional

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


class Network:
    def __init__(self, told):
        self.told = told
        self.parameters = [[torch.tensor(values, requires_grad=True) for values in layer]
                           for layer in told["parameters"]]

    def __call__(self, x):
        for layer, (weights, *rest) in zip(self.told["layers"], self.parameters):
            x = self.normalise(x @ weights, *rest)
            x = self.activate(layer["activation"], x)
            if "dropout" in layer:
                x = x * torch.tensor(layer["dropout"])
        return x

    def normalise(self, x, shift, scale=None):
        if scale is None:
            return x + shift
        return functional.batch_norm(x, None, None, scale, shift, training=True,
                                     eps=self.told["epsilon"])

    def activate(self, kind, x):
        if kind == "leaky":
            return functional.leaky_relu(x, self.told["slope"])
        return {"identity": lambda v: v, "tanh": torch.tanh}[kind](x)

    def flat(self):
        return [tensor for layer in self.parameters for tensor in layer]


def error(expected, ours):
    ours = torch.tensor(ours)
    return float((expected - ours).abs().max() / expected.abs().max().clamp(min=1e-12))


def gradient_error(loss, network, ours):
    """The worst tensor's, each against the largest entry of its own gradient."""
    expected = torch.autograd.grad(loss, network.flat(), retain_graph=True)
    told = [values for layer in ours for values in layer]
    largest = max(float(e.abs().max()) for e in expected)
    return max(float((e - torch.tensor(o)).abs().max()) / max(float(e.abs().max()), 1e-3 * largest)
               for e, o in zip(expected, told, strict=True))


def one_network(case):
    network = Network(case["network"])
    x = torch.tensor(case["x"], requires_grad=True)
    loss = (network(x - torch.tensor(case["centre"])) * torch.tensor(case["weights"])).sum()
    yield "parameters", gradient_error(loss, network, case["gradients"])
    if "input_gradients" in case:
        yield "inputs", error(torch.autograd.grad(loss, x)[0], case["input_gradients"])


def cross_entropy(logits, targets):
    return functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")


def whole_step(case):
    told = case["objective"]
    networks = {name: Network(network) for name, network in case["networks"].items()}
    x, y, prior, centre, rates = (torch.tensor(case[name])
                                  for name in ("x", "y", "prior", "centre", "log_rates"))
    f, a = networks["F"](x - centre), networks["D~"](x - centre)
    z = torch.relu(y - torch.sigmoid(a))
    fake = networks["D"](networks["G"](prior) - centre)
    target, losses = z, {"L_d": torch.zeros(())}
    if told["calibrated"]:
        belief = torch.sigmoid(rates - f).detach()
        noise = told["noise_share"] * belief + (1 - told["noise_share"]) * torch.sigmoid(a).detach()
        target = y * (1 - noise)
        losses["L_d"] = told["disambiguation"] * (y * cross_entropy(a, belief)).sum(1).mean()
    losses["L_c"] = told["classification"] * cross_entropy(f, target).sum(1).mean()
    losses["L_g"] = told["generation"] * ((networks["G"](z) - x) ** 2).sum(1).mean()
    deceived = torch.log(1 - torch.sigmoid(fake)) if told["saturating"] \
        else -functional.logsigmoid(fake)
    losses["L_adv"] = told["adversarial"] * deceived.mean()
    total = sum(losses.values())
    real = networks["D"](x - centre)
    losses["L_D"] = -functional.logsigmoid(real).mean() - functional.logsigmoid(-fake).mean()
    for name, ours in case["losses"].items():
        yield name, abs(float(losses[name]) - ours) / max(abs(ours), 1e-3)
    for name, ours in case["gradients"].items():
        loss = losses["L_D"] if name == "D" else total
        yield f"gradient-of-{name}", gradient_error(loss, networks[name], ours)


def main(folder):
    cases = json.loads((folder / "cases.json").read_text())
    for name, case in cases.items():
        for what, value in (whole_step if "networks" in case else one_network)(case):
            print(f"{name}/{what} {value!r}")


main(pathlib.Path(sys.argv[1]))
