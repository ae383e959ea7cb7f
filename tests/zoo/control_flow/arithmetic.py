"""Algorithms on numbers: integer sequences, and iterations until convergence."""

import torch
from torch import Tensor

from .registry import integers, normal, number, scripted


@scripted(opset=13, runs=[(number(n),) for n in (27, 6, 1)])
def collatz(n: Tensor) -> tuple[int, int]:
    x = int(n)
    steps = 0
    highest = x
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        if x > highest:
            highest = x
        steps += 1
    return steps, highest


@scripted(opset=14, runs=[(number(a), number(b)) for a, b in ((48, 36), (17, 5), (12, 0), (0, 9), (100, 75))])
def greatest_common_divisor(a: Tensor, b: Tensor) -> int:
    x, y = int(a), int(b)
    while y != 0:
        x, y = y, x % y
    return x


@scripted(opset=11, runs=[(number(n),) for n in (10, 1, 0, 20)])
def fibonacci(n: Tensor) -> int:
    a, b = 0, 1
    for i in range(int(n)):
        a, b = b, a + b
    return a


@scripted(opset=15, runs=[(number(n),) for n in (5, 1, 0, 10)])
def factorial(n: Tensor) -> Tensor:
    product = torch.ones(1, dtype=torch.int64)
    i = 1
    while i <= int(n):
        product = product * i
        i += 1
    return product


@scripted(opset=12, runs=[(torch.tensor(v),) for v in (2.0, 9.0, 1.0, 0.3)])
def square_root_by_newton(x: Tensor) -> Tensor:
    guess = x
    while float(torch.abs(guess * guess - x)) > 1e-5:
        guess = 0.5 * (guess + x / guess)
    return guess


@scripted(opset=17, runs=[(normal(5, 5, seed=s),) for s in (0, 1)] + [(torch.eye(5),)], atol=1e-3)
def power_iteration(a: Tensor) -> tuple[Tensor, Tensor]:
    matrix = a @ a.t() + torch.eye(5)
    vector = torch.ones(5)
    value = torch.zeros(())
    for i in range(200):
        following = matrix @ vector
        norm = (following * following).sum().sqrt()
        following = following / norm
        moved = (norm - value).abs()
        vector = following
        value = norm
        if float(moved) < 1e-6:
            break
    return value, vector


@scripted(opset=16, runs=[(normal(4, 3), normal(4, seed=s)) for s in (0, 1)], atol=1e-3)
def gradient_descent(a: Tensor, b: Tensor) -> Tensor:
    x = torch.zeros(3)
    step = 0
    going = True
    while going:
        gradient = a.t() @ (a @ x - b)
        x = x - 0.05 * gradient
        step += 1
        going = bool((gradient * gradient).sum() > 1e-4) and step < 300
    return x


@scripted(opset=13, runs=[(torch.tensor([a, b]),) for a, b in ((0.0, 3.0), (1.0, 2.0), (-5.0, 5.0))])
def bisection(interval: Tensor) -> Tensor:
    low, high = interval[0], interval[1]
    for i in range(60):
        middle = (low + high) / 2
        if float(middle * middle * middle - 2.0) > 0.0:
            high = middle
        else:
            low = middle
        if float(high - low) < 1e-4:
            break
    return low


@scripted(opset=14, runs=[(normal(6, seed=s) * 3,) for s in (0, 1)], dynamic={"x": [0]})
def softmax_in_one_pass(x: Tensor) -> Tensor:
    largest = torch.full((), -1e30)
    total = torch.zeros(())
    for i in range(x.size(0)):
        following = torch.maximum(largest, x[i])
        total = total * torch.exp(largest - following) + torch.exp(x[i] - following)
        largest = following
    return torch.exp(x - largest) / total


@scripted(opset=13, runs=[(number(n),) for n in (30, 3, 2)])
def sieve_of_primes(n: Tensor) -> Tensor:
    prime = torch.ones(int(n), dtype=torch.bool)
    prime[:2] = False
    i = 2
    while i * i < int(n):
        if bool(prime[i]):
            j = i * i
            while j < int(n):
                prime[j] = False
                j += i
        i += 1
    return prime


@scripted(opset=18, runs=[(torch.tensor(2.0), number(n)) for n in (10, 1, 0, 7)])
def power_by_squaring(x: Tensor, n: Tensor) -> Tensor:
    result = torch.ones(())
    exponent = int(n)
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * x
        x = x * x
        exponent = exponent // 2
    return result


@scripted(opset=16, runs=[(integers(0, 2, n),) for n in (6, 1, 8)], dynamic={"bits": [0]})
def bits_to_number(bits: Tensor) -> int:
    value = 0
    for i in range(bits.size(0)):
        value = value * 2 + int(bits[i])
    return value


@scripted(opset=20, runs=[(normal(3, 2, seed=s), normal(9, 2, seed=s + 1), number(n)) for s, n in ((0, 5), (2, 1), (3, 0))])
def k_means(centers: Tensor, points: Tensor, n: Tensor) -> Tensor:
    for i in range(int(n)):
        distances = ((points.unsqueeze(1) - centers.unsqueeze(0)) ** 2).sum(-1)
        nearest = distances.argmin(dim=1)
        members = (nearest.unsqueeze(1) == torch.arange(3).unsqueeze(0)).float()
        counts = members.sum(0).clamp(min=1.0)
        centers = (members.t() @ points) / counts.unsqueeze(1)
    return centers
