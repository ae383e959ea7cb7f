"""ai.onnx.ml against onnxruntime: models as exported from scikit-learn and similar libraries, which the backend suite does not test."""

import itertools

import numpy as np
import onnx
import pytest
from onnx import helper

from .case import Case, Run
from .entry import Entry, assert_passed, parameters

CASES = {}


def case(op, opset, *inputs, outputs, variant="", domain="ai.onnx.ml", **attributes):
    """Adds cases with inputs of static and of dynamic shape. `outputs`: their element types and ranks."""
    inputs = [np.asarray(value) for value in inputs]
    for is_dynamic in (False, True):
        name = f"{op}_{opset}{variant and '-' + variant}{'-dynamic' if is_dynamic else ''}"
        assert name not in CASES, name

        def make(name=name, is_dynamic=is_dynamic):
            tensors = [
                helper.make_tensor_value_info(
                    f"x{i}",
                    onnx.TensorProto.STRING if value.dtype.kind in "OU" else helper.np_dtype_to_tensor_dtype(value.dtype),
                    [None] * value.ndim if is_dynamic else value.shape,
                )
                for i, value in enumerate(inputs)
            ]
            results = [helper.make_tensor_value_info(f"y{i}", kind, [None] * rank) for i, (kind, rank) in enumerate(outputs)]
            node = helper.make_node(op, [t.name for t in tensors], [r.name for r in results], domain=domain, **attributes)
            graph = helper.make_graph([node], op, tensors, results)
            imports = [helper.make_opsetid("ai.onnx.ml", 3 if domain == "" else opset), helper.make_opsetid("", 17)]
            model = helper.make_model(graph, opset_imports=imports, ir_version=8)
            values = {f"x{i}": value for i, value in enumerate(inputs)}
            return Case(name, model.SerializeToString(), [Run(values, None)], rtol=1e-3, atol=1e-5)

        CASES[name] = make


FLOAT, INT64, STRING = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.STRING
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]


def random(seed, *shape, low=-3.0, high=3.0):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def random_forest(seed, trees, depth, features, outputs, kind, modes=("BRANCH_LEQ",), low=-1.0, high=1.0, one_output=None, missing=False):
    """The attributes of a forest whose leaves have a weight for each output, or for `one_output`."""
    generator = np.random.default_rng(seed)
    nodes = {key: [] for key in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")}
    tracks = []
    weights = {key: [] for key in ("treeids", "nodeids", "ids", "weights")}

    def add(tree, number, level):
        is_leaf = level == depth or (level > 0 and generator.random() < 0.2)
        row = (tree, number, int(generator.integers(features)), "LEAF" if is_leaf else str(generator.choice(modes)))
        row += (float(np.float32(generator.integers(-2, 3) if len(modes) > 1 else generator.uniform(-2, 2))),)
        row += (0, 0) if is_leaf else (2 * number + 1, 2 * number + 2)
        for key, value in zip(nodes, row):
            nodes[key].append(value)
        tracks.append(int(generator.integers(2)) if missing else 0)
        if is_leaf:
            for output in range(outputs) if one_output is None else [one_output]:
                values = (tree, number, output, float(np.float32(generator.uniform(low, high))))
                for key, value in zip(weights, values):
                    weights[key].append(value)
        else:
            add(tree, 2 * number + 1, level + 1)
            add(tree, 2 * number + 2, level + 1)

    for tree in range(trees):
        add(tree, 0, 0)
    attributes = {f"nodes_{key}": value for key, value in nodes.items()}
    attributes |= {f"{kind}_{key}": value for key, value in weights.items()}
    if missing:
        attributes["nodes_missing_value_tracks_true"] = tracks
    return attributes


def repeated_weights(forest):
    """Each leaf has a second weight for each target, as scikit-learn's decision_leaf of several classes has."""
    repeated = {key: forest[f"target_{key}"] * 2 for key in ("treeids", "nodeids", "ids")}
    weights = forest["target_weights"] + [2 * weight - 1 for weight in forest["target_weights"]]
    return forest | {f"target_{key}": value for key, value in repeated.items()} | {"target_weights": weights}


def with_infinities(values, seed):
    """The values, with infinities in place of a third of them."""
    chosen = np.random.default_rng(seed).random(values.shape)
    return np.where(chosen < 1 / 6, -np.inf, np.where(chosen > 5 / 6, np.inf, values)).astype(np.float32)


def add_trees():
    x = random(1, 7, 4)
    for aggregate, transform in itertools.product(["SUM", "AVERAGE", "MIN", "MAX"], ["NONE", "LOGISTIC"]):
        forest = random_forest(2, 5, 4, 4, 3, "target")
        case("TreeEnsembleRegressor", 1, x, outputs=[(FLOAT, 2)], variant=f"{aggregate}-{transform}", n_targets=3,
             aggregate_function=aggregate, post_transform=transform, **forest)
    for aggregate, targets in itertools.product(["SUM", "AVERAGE", "MIN", "MAX"], (1, 2)):
        forest = repeated_weights(random_forest(2, 5, 4, 4, targets, "target"))
        case("TreeEnsembleRegressor", 1, x, outputs=[(FLOAT, 2)], variant=f"repeated-{aggregate}-{targets}", n_targets=targets,
             aggregate_function=aggregate, **forest)
    forest = random_forest(3, 1, 0, 4, 1, "target")
    case("TreeEnsembleRegressor", 1, x, outputs=[(FLOAT, 2)], variant="leaf", n_targets=1, **forest)
    forest = random_forest(4, 6, 5, 4, 1, "target")
    case("TreeEnsembleRegressor", 3, x, outputs=[(FLOAT, 2)], variant="base", n_targets=1, base_values=[0.5], **forest)
    case("TreeEnsembleRegressor", 1, x.astype(np.float64), outputs=[(FLOAT, 2)], variant="double", n_targets=1, **forest)
    every_mode = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
    forest = random_forest(5, 6, 4, 4, 2, "target", modes=every_mode)
    case("TreeEnsembleRegressor", 1, np.round(x), outputs=[(FLOAT, 2)], variant="modes", n_targets=2, **forest)
    with_missing = x.copy()
    with_missing[::2, ::2] = np.nan
    forest = random_forest(6, 6, 4, 4, 2, "target", missing=True)
    case("TreeEnsembleRegressor", 1, with_missing, outputs=[(FLOAT, 2)], variant="missing", n_targets=2, **forest)
    for number, modes in enumerate([(mode,) for mode in every_mode] + [every_mode]):
        forest = random_forest(20 + number, 6, 4, 4, 2, "target", modes=modes, missing=True)
        forest["nodes_values"] = with_infinities(np.array(forest["nodes_values"]), 5).tolist()
        variant = "missing-" + "-".join(modes) if len(modes) == 1 else "missing-modes"
        case("TreeEnsembleRegressor", 1, with_infinities(with_missing, 6), outputs=[(FLOAT, 2)], variant=variant, n_targets=2, **forest)
    for output in (0, 1):
        forest = random_forest(8, 5, 4, 4, 2, "class", one_output=output)
        for key in ("treeids", "nodeids", "ids", "weights"):
            forest[f"class_{key}"] = forest[f"class_{key}"] * 2
        case("TreeEnsembleClassifier", 1, x, outputs=[(INT64, 1), (FLOAT, 2)], variant=f"repeated-{output}", classlabels_int64s=[4, 9], **forest)
    for transform in TRANSFORMS:
        low, high = (0.01, 0.05) if transform == "PROBIT" else (-1.0, 1.0)
        forest = random_forest(7, 5, 4, 4, 3, "class", low=low, high=high)
        case("TreeEnsembleClassifier", 1, x, outputs=[(INT64, 1), (FLOAT, 2)], variant=f"three-{transform}",
             post_transform=transform, classlabels_int64s=[10, 20, 30], **forest)
    for transform, low, base, output in itertools.product(["NONE", "LOGISTIC", "SOFTMAX"], [0.0, -1.0], [None, [0.25]], [0, 1]):
        forest = random_forest(8, 5, 4, 4, 2, "class", low=low, high=0.3 if low == 0 else 1.0, one_output=output)
        if base:
            forest["base_values"] = base
        case("TreeEnsembleClassifier", 1, x, outputs=[(INT64, 1), (FLOAT, 2)], variant=f"two-{transform}-{low}-{base}-{output}",
             post_transform=transform, classlabels_int64s=[4, 9], **forest)
    forest = random_forest(9, 5, 4, 4, 2, "class", low=0.0)
    case("TreeEnsembleClassifier", 1, x, outputs=[(STRING, 1), (FLOAT, 2)], variant="strings", classlabels_strings=["no", "yes"], **forest)
    forest = random_forest(10, 5, 4, 4, 2, "class")
    case("TreeEnsembleClassifier", 1, x, outputs=[(STRING, 1), (FLOAT, 2)], variant="signed", classlabels_strings=["no", "yes"], **forest)


def add_linear():
    x = random(1, 6, 4)
    weights = [float(value) for value in random(2, 12)]
    case("LinearRegressor", 1, x, outputs=[(FLOAT, 2)], coefficients=weights, intercepts=[0.1, 0.2, 0.3], targets=3)
    for transform in ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]:
        case("LinearClassifier", 1, x, outputs=[(INT64, 1), (FLOAT, 2)], variant=f"three-{transform}", post_transform=transform,
             coefficients=weights, intercepts=[0.1, 0.2, 0.3], classlabels_ints=[5, 6, 7])
        case("LinearClassifier", 1, x, outputs=[(STRING, 1), (FLOAT, 2)], variant=f"two-{transform}", post_transform=transform,
             coefficients=weights[:8], intercepts=[0.1, 0.2], classlabels_strings=["a", "b"])
    for transform in ["NONE", "LOGISTIC"]:
        case("LinearClassifier", 1, x, outputs=[(INT64, 1), (FLOAT, 2)], variant=f"one-{transform}", post_transform=transform,
             coefficients=weights[:4], intercepts=[0.1], classlabels_ints=[0, 1])


def add_svm():
    x = random(1, 6, 3, low=-1, high=1)
    vectors = [float(value) for value in random(2, 15, low=-1, high=1)]
    weights = [float(value) for value in random(3, 10, low=-1, high=1)]
    linear = dict(outputs=[(INT64, 1), (FLOAT, 2)], rho=[0.1, -0.2, 0.3], kernel_type="LINEAR", kernel_params=[0.4, 0.5, 3.0])
    for transform in TRANSFORMS[:-1]:
        case("SVMClassifier", 1, x, variant=f"linear-three-{transform}", coefficients=weights[:9], classlabels_ints=[3, 4, 5],
             post_transform=transform, **linear)
        for sign, rows in (("signed", weights[:6]), ("positive", [abs(weight) for weight in weights[:6]])):
            case("SVMClassifier", 1, x, variant=f"linear-two-{sign}-{transform}", coefficients=rows, classlabels_ints=[3, 4],
                 post_transform=transform, **linear)
    case("SVMClassifier", 1, x, variant="linear-two-probabilities", coefficients=weights[:6], classlabels_ints=[3, 4], prob_a=[-1.3],
         prob_b=[0.2], **linear)
    case("SVMClassifier", 1, x, variant="linear-kernel", coefficients=weights[:9], classlabels_ints=[3, 4, 5],
         **linear | {"kernel_type": "RBF"})
    for kernel in ["LINEAR", "RBF", "SIGMOID", "POLY"]:
        parameters = dict(kernel_type=kernel, kernel_params=[0.4, 0.5, 3.0], support_vectors=vectors)
        for one_class in (0, 1):
            case("SVMRegressor", 1, x, outputs=[(FLOAT, 2)], variant=f"{kernel}-{one_class}", coefficients=weights[:5], rho=[0.2],
                 n_supports=5, one_class=one_class, **parameters)
        case("SVMClassifier", 1, x, outputs=[(INT64, 1), (FLOAT, 2)], variant=f"three-{kernel}", coefficients=weights, rho=[0.1, -0.2, 0.3],
             vectors_per_class=[2, 1, 2], classlabels_ints=[3, 4, 5], **parameters)
        case("SVMClassifier", 1, x, outputs=[(STRING, 1), (FLOAT, 2)], variant=f"two-{kernel}", coefficients=weights[:5], rho=[0.1],
             vectors_per_class=[2, 3], classlabels_strings=["p", "q"], **parameters)
        case("SVMClassifier", 1, x, outputs=[(INT64, 1), (FLOAT, 2)], variant=f"three-{kernel}-probabilities", coefficients=weights, rho=[0.1, -0.2, 0.3],
             vectors_per_class=[2, 1, 2], classlabels_ints=[3, 4, 5], prob_a=[-1.1, -0.7, -2.0], prob_b=[0.1, -0.2, 0.3], **parameters)
        case("SVMClassifier", 1, x, outputs=[(STRING, 1), (FLOAT, 2)], variant=f"two-{kernel}-probabilities", coefficients=weights[:5], rho=[0.1],
             vectors_per_class=[2, 3], classlabels_strings=["p", "q"], prob_a=[-1.3], prob_b=[0.2], **parameters)


def add_preprocessing():
    x = random(1, 4, 3)
    case("Scaler", 1, x, outputs=[(FLOAT, 2)], offset=[1.0, 2.0, 3.0], scale=[0.5, 2.0, 4.0])
    case("Scaler", 1, x.astype(np.int64), outputs=[(FLOAT, 2)], variant="one", offset=[1.0], scale=[0.5])
    for norm in ["MAX", "L1", "L2"]:
        case("Normalizer", 1, np.abs(x), outputs=[(FLOAT, 2)], variant=norm, norm=norm)
        case("Normalizer", 1, np.zeros((2, 3), np.float32), outputs=[(FLOAT, 2)], variant=f"{norm}-zero", norm=norm)
    for norm in ["MAX", "L2"]:
        case("Normalizer", 1, x, outputs=[(FLOAT, 2)], variant=f"{norm}-signed", norm=norm)
    case("Normalizer", 1, -np.abs(x), outputs=[(FLOAT, 2)], variant="MAX-negative", norm="MAX")
    with_missing = x.copy()
    with_missing[1:3, 1] = np.nan
    case("Imputer", 1, with_missing, outputs=[(FLOAT, 2)], imputed_value_floats=[7.0, 8.0, 9.0], replaced_value_float=float("nan"))
    case("Imputer", 1, np.array([[0, 1], [5, 0]], np.int64), outputs=[(INT64, 2)], variant="int64", imputed_value_int64s=[7, 8], replaced_value_int64=0)
    case("Binarizer", 1, x, outputs=[(FLOAT, 2)], threshold=0.5)
    case("ArrayFeatureExtractor", 1, x, np.array([2, 0], np.int64), outputs=[(FLOAT, 2)])
    case("ArrayFeatureExtractor", 1, x, np.array([[1]], np.int64), outputs=[(FLOAT, 2)], variant="one")
    case("ArrayFeatureExtractor", 1, np.array([5, 6, 7], np.int64), np.array([[1, 1]], np.int64), outputs=[(INT64, 2)], variant="vector")
    case("ArrayFeatureExtractor", 1, np.array([["a", "bb", "c"]], object), np.array([1, 2], np.int64), outputs=[(STRING, 2)], variant="strings")
    case("FeatureVectorizer", 1, x, x[:, :2].copy(), outputs=[(FLOAT, 2)], inputdimensions=[3, 2])
    case("FeatureVectorizer", 1, x, x[:, :2].copy(), outputs=[(FLOAT, 2)], variant="sizes", inputdimensions=[2, 4])


def add_encoders():
    numbers = np.array([[3, 1], [2, 7]], np.int64)
    texts = np.array([["b", "", "abc"], ["ab", "abcd", "äö"]], object)
    case("OneHotEncoder", 1, numbers, outputs=[(FLOAT, 3)], cats_int64s=[1, 2, 3])
    known = np.array([[3, 1], [2, 2]], np.int64)
    case("OneHotEncoder", 1, known, outputs=[(FLOAT, 3)], variant="zeros", cats_int64s=[1, 2, 3], zeros=0)
    case("OneHotEncoder", 1, texts[:1, :1], outputs=[(FLOAT, 3)], variant="zeros-strings", cats_strings=["abc", "b"], zeros=0)
    case("OneHotEncoder", 1, numbers.astype(np.float32), outputs=[(FLOAT, 3)], variant="floats", cats_int64s=[1, 2, 3])
    case("OneHotEncoder", 1, known, outputs=[(FLOAT, 3)], variant="repeated", cats_int64s=[3, 1, 2, 1])
    case("OneHotEncoder", 1, texts, outputs=[(FLOAT, 3)], variant="repeated-strings", cats_strings=["abc", "b", "abc", "äö"])
    case("OneHotEncoder", 1, texts, outputs=[(FLOAT, 3)], variant="strings", cats_strings=["abc", "b", "äö"])
    case("LabelEncoder", 2, numbers, outputs=[(FLOAT, 2)], variant="int-float", keys_int64s=[1, 2, 3], values_floats=[0.5, 1.5, 2.5], default_float=9.0)
    large = np.array([[2_000_000_001, 2_000_000_000], [2_000_000_003, -2_000_000_000]], np.int64)
    case("LabelEncoder", 2, large, outputs=[(INT64, 2)], variant="large-int", keys_int64s=[2_000_000_002, 2_000_000_001, -2_000_000_000, 2_000_000_004], values_int64s=[1, 2, 3, 4])
    case("LabelEncoder", 2, numbers, outputs=[(STRING, 2)], variant="int-string", keys_int64s=[1, 2, 3], values_strings=["eins", "zwei", "drei"])
    case("LabelEncoder", 2, texts, outputs=[(INT64, 2)], variant="string-int", keys_strings=["abc", "", "äö"], values_int64s=[1, 2, 3], default_int64=-5)
    case("LabelEncoder", 2, texts, outputs=[(STRING, 2)], variant="string-string", keys_strings=["abc", "b"], values_strings=["x", "yyy"], default_string="?")
    case("LabelEncoder", 2, np.array([1.5, np.nan, 2.5], np.float32), outputs=[(INT64, 1)], variant="nan", keys_floats=[1.5, float("nan")], values_int64s=[1, 2])
    case("CategoryMapper", 1, texts, outputs=[(INT64, 2)], variant="string", cats_strings=["abc", "b"], cats_int64s=[7, 8])
    case("CategoryMapper", 1, numbers, outputs=[(STRING, 2)], variant="int", cats_strings=["abc", "b"], cats_int64s=[3, 7], default_string="none")


def add_large_tables():
    """Tables that are searched: many keys, some of them made of the same letters, of the same length, or prefixes of others."""
    generator = np.random.default_rng(5)
    words = sorted({"".join(generator.choice(list("abcdefä"), generator.integers(1, 8))) for _ in range(20000)} - {""})
    asked = np.array([*words[::40], "", "a" * 40, "zz", words[3] + " "], object).reshape(-1, 1)
    places = list(range(10, 10 + len(words)))
    case("LabelEncoder", 2, asked, outputs=[(INT64, 2)], variant="many-strings", keys_strings=words, values_int64s=places)
    case("LabelEncoder", 2, asked[:0], outputs=[(INT64, 2)], variant="no-strings", keys_strings=words, values_int64s=places)
    case("OneHotEncoder", 1, asked[:20, 0], outputs=[(FLOAT, 2)], variant="many-strings", cats_strings=words[:200])
    long = ["x" * 3000 + word for word in words[:50]]
    case("LabelEncoder", 2, np.array([long[7], long[8][:-1], long[9]], object), outputs=[(INT64, 1)], variant="long-strings", keys_strings=long, values_int64s=places[:50])
    numbers = np.unique(generator.integers(-(2**31), 2**31 - 1, 2000)).tolist()
    near = np.array([*numbers[::9], numbers[0] + 1, 7, -(2**31), 2**31 - 1], np.int64)
    case("LabelEncoder", 2, near, outputs=[(INT64, 1)], variant="many-integers", keys_int64s=numbers, values_int64s=list(range(len(numbers))))
    floats = np.unique(generator.normal(size=1000).astype(np.float32))
    between = np.concatenate([floats[::5], np.nextafter(floats[::5], np.float32(9)), np.float32([np.nan, np.inf, -np.inf, 0])])
    case("LabelEncoder", 2, between, outputs=[(INT64, 1)], variant="many-floats", keys_floats=floats.tolist(), values_int64s=list(range(len(floats))))


def add_n_grams():
    generator = np.random.default_rng(6)
    words = [f"w{i}" for i in range(60)]
    pairs = sorted({(a, b) for a, b in generator.integers(60, size=(400, 2)).tolist()})
    pool = [*words, *(words[i] for pair in pairs for i in pair)]
    count = len(words) + len(pairs)
    indices = generator.permutation(count + 5)[:count].tolist()
    weights = generator.uniform(0.5, 2, count).tolist()
    texts = np.array([[f"w{i}" for i in generator.integers(70, size=40)] for _ in range(6)], object)
    numbers = generator.integers(70, size=(6, 40))
    common = {"ngram_counts": [0, len(words)], "ngram_indexes": indices, "domain": "", "outputs": [(FLOAT, 2)]}
    for mode in ("TF", "IDF", "TFIDF"):
        own = {"mode": mode, "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 2, "weights": weights}
        case("TfIdfVectorizer", 9, texts, variant=f"strings-{mode}", pool_strings=pool, **common, **own)
        pool_int64s = [int(word[1:]) for word in pool]
        case("TfIdfVectorizer", 9, numbers, variant=f"integers-{mode}", pool_int64s=pool_int64s, **common, **own)
    own = {"mode": "TF", "min_gram_length": 2, "max_gram_length": 2, "max_skip_count": 0}
    for size in (10_000, 40_000, 50_000):  # a pair of words needs 27, 31 or 32 bits
        last = range(size - 40, size)
        ends = generator.choice(last, size=(200, 2)).tolist()
        far = [*range(size), *(word for pair in sorted({tuple(pair) for pair in ends}) for word in pair)]
        columns = list(range(size + (len(far) - size) // 2))
        places = {"ngram_counts": [0, size], "ngram_indexes": columns, "domain": "", "outputs": [(FLOAT, 2)]}
        asked = generator.choice([*last, size], size=(4, 300))
        case("TfIdfVectorizer", 9, asked, variant=f"pairs-of-{size}", pool_int64s=far, **places, **own)
    case("TfIdfVectorizer", 9, texts, variant="pairs", pool_strings=pool, **common, **own)
    case("TfIdfVectorizer", 9, texts[:, :1], variant="short-rows", pool_strings=pool, **common, **own)


add_trees()
add_linear()
add_svm()
add_preprocessing()
add_encoders()
add_large_tables()
add_n_grams()


@pytest.mark.parametrize("conformance", parameters(Entry(("machine-learning", name), make) for name, make in CASES.items()))
def test_machine_learning(conformance, result):
    assert_passed(result)
