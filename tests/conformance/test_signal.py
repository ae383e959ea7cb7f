"""Fourier transforms and mel weights: attributes, axes and lengths that the backend suite does not test."""

import functools
import itertools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case, numbers

CASES = {}
case = functools.partial(add_case, CASES)


def pairs(values):
    return np.stack([values.real, values.imag], -1).astype(np.float32)


def add_transforms():
    real, complex_ = numbers("real", 2, 6, 5, 1), numbers("complex", 2, 6, 5, 2)
    waves = complex_[..., 0] + 1j * complex_[..., 1]
    for axis, constants in itertools.product((0, 1, 2, -2, -3), ((2,), ())):
        shared = dict(constants=constants, variant="constant" if constants else "", dynamic=False)
        where = np.array(axis, np.int64)
        at = axis if axis >= 0 else axis + 3 + 1
        case("DFT", 20, real, None, where, expected=[pairs(np.fft.fft(real[..., 0], axis=at))], **{**shared, "variant": f"{shared['variant']}{axis}"})
        for inverse in (0, 1):
            transform = np.fft.ifft if inverse else np.fft.fft
            case("DFT", 20, complex_, None, where, expected=[pairs(transform(waves, axis=at))], inverse=inverse, **{**shared, "variant": f"{shared['variant']}{axis}"})
        case("DFT", 20, real, None, where, expected=[pairs(np.fft.rfft(real[..., 0], axis=at))], onesided=1, **{**shared, "variant": f"{shared['variant']}{axis}"})
        half = np.fft.rfft(real[..., 0], axis=at)
        size = real.shape[at]
        if size % 2 == 0:
            case("DFT", 20, pairs(half), None, where, expected=[np.fft.irfft(half, axis=at)[..., None].astype(np.float32)], onesided=1, inverse=1, **{**shared, "variant": f"{shared['variant']}{axis}"})
    for length in (3, 6, 9):
        for opset in (17, 20):
            axis = {"axis": 1} if opset == 17 else {}
            inputs = (real, np.array(length)) if opset == 17 else (real, np.array(length), np.array(1))
            expected = pairs(np.fft.fft(real[..., 0], n=length, axis=1))
            case("DFT", opset, *inputs, constants=(1, 2), expected=[expected], variant=f"length{length}", **axis)


def frames_of(signal, window, step):
    count = 1 + (signal.shape[1] - len(window)) // step
    frames = np.stack([signal[:, i * step : i * step + len(window)] for i in range(count)], 1)
    return frames * window


def add_frames():
    signal, window = numbers("signal", 2, 20), numbers("window", 6)
    for step in (1, 3, 7):
        frames = frames_of(signal, window, step)
        shared = dict(constants=(1,), variant=str(step))
        case("STFT", 17, signal, np.array(step), window, expected=[pairs(np.fft.fft(frames))], onesided=0, **shared)
        case("STFT", 17, signal, np.array(step), window, expected=[pairs(np.fft.rfft(frames))], onesided=1, **shared)
        case("STFT", 17, signal[..., None], np.array(step), window, expected=[pairs(np.fft.fft(frames))], onesided=0, dynamic=False, **shared)
        waves = numbers("waves", 2, 20, 2)
        expected = np.fft.fft(frames_of(waves[..., 0] + 1j * waves[..., 1], window, step))
        case("STFT", 17, waves, np.array(step), window, expected=[pairs(expected)], onesided=0, dynamic=False, **shared)
    for size in (6, 25, 400):
        sound, taper = numbers("sound", 2, 1000), numbers("taper", size)
        case("STFT", 17, sound, np.array(160), taper, np.array(size), constants=(1, 3), expected=[pairs(np.fft.rfft(frames_of(sound, taper, 160)))], variant=f"size {size}")
    ones = np.ones(5, np.float32)
    case("STFT", 17, signal, np.array(4), None, np.array(5), expected=[pairs(np.fft.fft(frames_of(signal, ones, 4)))], onesided=0)


def add_mel_weights():
    for bins, length, rate, lower, upper in ((8, 16, 8192, 0, 4096), (20, 400, 16000, 20, 7600), (1, 8, 100, 0, 50), (40, 64, 22050, 0, 8000)):
        values = [np.array(bins), np.array(length), np.array(rate), np.array(lower, np.float32), np.array(upper, np.float32)]
        name = "-".join(map(str, (bins, length, rate, lower, upper)))
        for constants in ((), (0, 1, 2, 3, 4), (1, 2, 3, 4)):
            case("MelWeightMatrix", 17, *values, constants=constants, variant=f"{name}-{len(constants)}", dynamic=False)


add_transforms()
add_frames()
add_mel_weights()


@pytest.mark.parametrize("conformance", parameters(Entry(("signal", name), make) for name, make in CASES.items()))
def test_signal(conformance, result):
    assert_passed(result)
