// LinearClassifier, LinearRegressor, SVMClassifier, SVMRegressor.
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "frontend/translators/ai_onnx_ml/classification.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// A scalar of the type that all models are computed in.
Value number(Builder& builder, double value) {
  return builder.number(value, ElementType::f32);
}

Value emit_matrix(NodeContext& node, std::span<const double> values, std::int64_t rows,
                  std::string_view what) {
  if (rows <= 0 || values.size() % static_cast<std::size_t>(rows) != 0)
    node.fail(std::string(what) + " form no matrix of " + std::to_string(rows) + " rows");
  return node.numbers(values, {rows, std::ssize(values) / rows}, ElementType::f32);
}

Value emit_row(NodeContext& node, std::span<const double> values) {
  return emit_matrix(node, values, 1, "the values");
}

Value emit_linear_scores(NodeContext& node, Value features, std::int64_t outputs) {
  const Value coefficients = emit_matrix(node, node.real_list("coefficients"), outputs, "the coefficients");
  const Value scores = mat_mul(node, features, coefficients, {.b = true});
  const auto intercepts = node.real_list("intercepts");
  if (intercepts.empty()) return scores;
  if (intercepts.size() != static_cast<std::size_t>(outputs)) node.fail("intercepts are not as many as rows");
  return node.op(ops::Add, {scores, emit_row(node, intercepts)});
}

Values linear_regressor_1(NodeContext& node) {
  const Value scores =
      emit_linear_scores(node, read_feature_matrix(node), node.integer_attribute("targets", 1));
  return {apply_post_transform(node, scores, post_transform_of(node))};
}

/// LinearClassifier 1. With one row of coefficients for two classes, the score is that of the second class;
/// the first class has 1 - score.
Values linear_classifier_1(NodeContext& node) {
  const Labels labels = labels_of(node, "classlabels_ints", "classlabels_strings");
  const auto intercepts = node.real_list("intercepts");
  const auto classes = intercepts.empty() ? labels.size() : intercepts.size();
  const Value scores =
      emit_linear_scores(node, read_feature_matrix(node), static_cast<std::int64_t>(classes));
  const PostTransform transform = post_transform_of(node);
  if (classes > 1) {
    if (labels.size() != classes) node.fail("labels are not as many as classes");
    return {gather_label(node, labels, find_best_class(node, scores)),
            apply_post_transform(node, scores, transform)};
  }
  if (labels.size() != 2) node.fail("one row of coefficients needs two class labels");
  const Value positive = node.op(ops::Greater, {squeeze(node, scores, {1}), node.number_like(0, scores)});
  const Value label = gather_label(node, labels, convert(node, positive, ElementType::i64));
  // onnxruntime applies probit and logistic to the single score before it adds the other one.
  if (transform != PostTransform::none && transform != PostTransform::logistic)
    node.fail("post_transform " + node.text_attribute("post_transform") + " of two classes with one score");
  const Value score = apply_post_transform(node, scores, transform);
  return {label, concat(node, {node.op(ops::Subtract, {node.number_like(1, score), score}), score}, 1)};
}

/// The largest exponent whose error in f32, of a few last digits, does not matter after Exp.
constexpr double kLargestExponent = 16;

/// The square of the largest distance of a row from the mean of all rows.
double largest_square(Value rows) {
  const auto numbers = ir::exact_numbers(rows);
  const auto sizes = rows.shape().sizes();
  if (!numbers || !sizes || (*sizes)[0] == 0) return std::numeric_limits<double>::infinity();
  const auto columns = static_cast<std::size_t>((*sizes)[1]);
  std::vector<double> mean(columns);
  for (std::size_t i = 0; i < numbers->size(); ++i)
    mean[i % columns] += (*numbers)[i] / static_cast<double>((*sizes)[0]);
  double largest = 0;
  double square = 0;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    const double difference = (*numbers)[i] - mean[i % columns];
    square = (i % columns == 0 ? 0 : square) + difference * difference;
    largest = std::max(largest, square);
  }
  return largest;
}

/// The squares of the distances without loss of precision, for kernels that need it.
Value subtract_rows(NodeContext& node, Value features, Value rows) {
  const Value distance = node.op(ops::Subtract, {unsqueeze(node, features, {1}), unsqueeze(node, rows, {0})});
  return reduce(node, ops::ReduceSum, node.op(ops::Multiply, {distance, distance}), {2});
}

/// The kernel between samples [samples, n] and rows [m, n]: [samples, m].
Value emit_kernel(NodeContext& node, Value features, Value rows) {
  const std::string type = node.text_attribute("kernel_type", "LINEAR");
  auto parameters = node.real_list("kernel_params");
  parameters.resize(3, 0.0);
  const double gamma = parameters[0];
  const double offset = parameters[1];
  if (type == "RBF") {
    const Value square = gamma * largest_square(rows) <= kLargestExponent
                             ? emit_squared_distances(node, features, rows)
                             : subtract_rows(node, features, rows);
    return node.op(ops::Exp, {node.op(ops::Multiply, {square, number(node, -gamma)})});
  }
  const Value product = mat_mul(node, features, rows, {.b = true});
  if (type == "LINEAR") return product;
  const Value shifted =
      node.op(ops::Add, {node.op(ops::Multiply, {product, number(node, gamma)}), number(node, offset)});
  if (type == "SIGMOID") return node.op(ops::Tanh, {shifted});
  if (type == "POLY") return node.op(ops::Power, {shifted, number(node, parameters[2])});
  node.fail("kernel_type '" + type + "' does not exist");
}

Values svm_regressor_1(NodeContext& node) {
  const Value features = read_feature_matrix(node);
  const auto coefficients = node.real_list("coefficients");
  const auto rho = node.real_list("rho");
  if (rho.empty()) node.fail("rho is missing");
  const std::int64_t supports = node.integer_attribute("n_supports", 0);
  Value scores;
  if (supports > 0) {
    if (coefficients.size() != static_cast<std::size_t>(supports))
      node.fail("coefficients are not as many as support vectors");
    const Value vectors =
        emit_matrix(node, node.real_list("support_vectors"), supports, "the support vectors");
    const Value likeness = emit_kernel(node, features, vectors);
    scores = mat_mul(node, likeness, emit_row(node, coefficients), {.b = true});
  } else {
    scores = emit_kernel(node, features, emit_row(node, coefficients));
  }
  scores = node.op(ops::Add, {scores, number(node, rho.front())});
  if (node.flag_attribute("one_class")) {
    const Value inside = node.op(ops::Greater, {scores, number(node, 0)});
    return {node.op(ops::Select, {inside, number(node, 1), number(node, -1)})};
  }
  return {apply_post_transform(node, scores, post_transform_of(node))};
}

/// The linear SVMClassifier: a row of coefficients for each class, and one intercept. onnxruntime ignores the
/// kernel and the probabilities then.
Values linear_svm_classifier(NodeContext& node, const Labels& labels) {
  const auto coefficients = node.real_list("coefficients");
  const auto rho = node.real_list("rho");
  if (rho.empty()) node.fail("rho is missing");
  const auto classes = static_cast<std::int64_t>(labels.size());
  const Value weights = emit_matrix(node, coefficients, classes, "the coefficients");
  const Value products = mat_mul(node, read_feature_matrix(node), weights, {.b = true});
  const Value scores = node.op(ops::Add, {products, number(node, rho.front())});
  Value best = find_best_class(node, scores);
  if (classes == 2 && node.real_list("prob_a").empty()) {
    // As in onnxruntime, the second class also wins if the highest score is above a threshold.
    const bool all_positive = std::ranges::all_of(coefficients, [](double value) { return value >= 0; });
    const Value highest = reduce(node, ops::ReduceMax, scores, {1});
    const Value border = number(node, all_positive ? 0.5 : 0);
    const Value wins = node.op(all_positive ? ops::GreaterEqual : ops::Greater, {highest, border});
    best = node.op(ops::Select, {wins, node.integer(1, best.type()), best});
  }
  return {gather_label(node, labels, best), apply_post_transform(node, scores, post_transform_of(node))};
}

/// The support vectors of a classifier, ordered by class.
struct SupportVectors {
  ir::Integers counts;  ///< by class
  ir::Integers starts;  ///< the first vector of each class
  std::int64_t total = 0;

  std::int64_t classes() const { return static_cast<std::int64_t>(counts.size()); }
};

/// `counts`: the vectors of each class. Each vector has a coefficient for each other class.
SupportVectors support_vectors_of(const NodeContext& node, const ir::Integers& counts,
                                  const ir::Numbers& coefficients) {
  SupportVectors vectors{counts, {}};
  for (const std::int64_t count : counts) {
    if (count < 0 || count > static_cast<std::int64_t>(coefficients.size()))
      node.fail("vectors_per_class does not fit the coefficients");
    vectors.starts.push_back(vectors.total);
    vectors.total += count;
  }
  if (vectors.total == 0 ||
      coefficients.size() != static_cast<std::size_t>(vectors.total * (vectors.classes() - 1)))
    node.fail("the coefficients do not fit the support vectors");
  return vectors;
}

/// The pairs of classes: a row of each matrix for each pair.
struct ClassPairs {
  std::vector<double> weights;      ///< the contribution of each support vector to the decision
  std::vector<double> first_wins;   ///< 1 for the class that gets the vote of a positive decision
  std::vector<double> second_wins;  ///< 1 for the class that gets the vote of another one
};

ClassPairs pair_classes(const SupportVectors& vectors, const ir::Numbers& coefficients) {
  ClassPairs pairs;
  for (std::int64_t i = 0; i < vectors.classes(); ++i) {
    for (std::int64_t j = i + 1; j < vectors.classes(); ++j) {
      std::vector<double> pair(static_cast<std::size_t>(vectors.total), 0.0);
      const auto add = [&](std::int64_t owner, std::int64_t row_of_coefficients) {
        for (std::int64_t k = 0; k < vectors.counts[static_cast<std::size_t>(owner)]; ++k) {
          const auto vector = static_cast<std::size_t>(vectors.starts[static_cast<std::size_t>(owner)] + k);
          pair[vector] = coefficients[static_cast<std::size_t>(row_of_coefficients * vectors.total) + vector];
        }
      };
      add(i, j - 1);
      add(j, i);
      pairs.weights.insert(pairs.weights.end(), pair.begin(), pair.end());
      for (std::int64_t c = 0; c < vectors.classes(); ++c) {
        pairs.first_wins.push_back(c == i ? 1 : 0);
        pairs.second_wins.push_back(c == j ? 1 : 0);
      }
    }
  }
  return pairs;
}

/// r_ij [samples, classes, classes], 0 on the diagonal.
Value compute_pairwise(NodeContext& node, Value decisions, const std::vector<double>& a,
                       const std::vector<double>& b, std::int64_t classes) {
  const Value exponent =
      node.op(ops::Add, {node.op(ops::Multiply, {decisions, emit_row(node, a)}), emit_row(node, b)});
  const Value certain = node.op(ops::Sigmoid, {node.op(ops::Negative, {exponent})});
  const Value first = node.op(ops::Clamp, {certain}, {{"min", 1e-7}, {"max", 1 - 1e-7}});
  const Value second = node.op(ops::Subtract, {number(node, 1), first});
  const Value nothing = node.op(ops::Multiply, {slice(node, first, 0, 1, 1), number(node, 0)});
  const auto pairs = static_cast<std::int64_t>(a.size());
  std::vector<std::int64_t> columns(static_cast<std::size_t>(classes * classes), 2 * pairs);
  std::int64_t pair = 0;
  for (std::int64_t i = 0; i < classes; ++i) {
    for (std::int64_t j = i + 1; j < classes; ++j, ++pair) {
      columns[static_cast<std::size_t>(i * classes + j)] = pair;
      columns[static_cast<std::size_t>(j * classes + i)] = pairs + pair;
    }
  }
  const Value all = concat(node, {first, second, nothing}, 1);
  return reshape(node, gather(node, all, node.integers(columns), 1), {-1, classes, classes});
}

/// The quadratic form of the sum: Q_tt = sum of r_jt^2, Q_tj = -r_jt r_tj.
Value compute_quadratic_form(NodeContext& node, Value ratios, std::int64_t classes) {
  const Value turned = transpose(node, ratios, {0, 2, 1});
  const Value squares = reduce_keep_dims(node, ops::ReduceSum, node.op(ops::Multiply, {turned, turned}), {2});
  std::vector<double> identity(static_cast<std::size_t>(classes * classes), 0.0);
  for (std::int64_t i = 0; i < classes; ++i) identity[static_cast<std::size_t>(i * classes + i)] = 1;
  const Value diagonal =
      node.op(ops::Multiply, {squares, node.numbers(identity, {classes, classes}, ElementType::f32)});
  return node.op(ops::Subtract, {diagonal, node.op(ops::Multiply, {ratios, turned})});
}

/// One step: optimises each probability in turn and scales all to the sum 1. Samples that have converged do
/// not change; there is a next step if there are others.
Iteration improve(Builder& body, Value before, Value form, std::int64_t classes) {
  const auto op = [&](ir::Op id, std::initializer_list<Value> inputs) { return body.op(id, inputs); };
  const auto reduced = [&](ir::Op id, Value value) { return reduce_keep_dims(body, id, value, {1}); };
  const Value one = number(body, 1);
  Value slope = squeeze(body, mat_mul(body, form, unsqueeze(body, before, {2})), {2});
  Value height = reduced(ops::ReduceSum, op(ops::Multiply, {before, slope}));
  const Value error = reduced(ops::ReduceMax, body.op(ops::Abs, {op(ops::Subtract, {slope, height})}));
  const Value is_done = op(ops::Less, {error, number(body, 0.005 / static_cast<double>(classes))});
  Value p = before;
  for (std::int64_t t = 0; t < classes; ++t) {
    const Value row = gather(body, form, body.integer(t), 1);
    const Value own = gather(body, row, body.integers({t}), 1);
    const Value own_slope = gather(body, slope, body.integers({t}), 1);
    const Value change = divide(body, op(ops::Subtract, {height, own_slope}), own);
    const Value scale = op(ops::Add, {change, one});
    std::vector<double> place(static_cast<std::size_t>(classes), 0.0);
    place[static_cast<std::size_t>(t)] = 1;
    const Value own_change = op(ops::Multiply, {change, body.numbers(place, {1, classes}, ElementType::f32)});
    p = divide(body, op(ops::Add, {p, own_change}), scale);
    const Value twice = op(ops::Add, {own_slope, own_slope});
    const Value rise = op(ops::Multiply, {change, op(ops::Add, {op(ops::Multiply, {change, own}), twice})});
    height = divide(body, divide(body, op(ops::Add, {height, rise}), scale), scale);
    slope = divide(body, op(ops::Add, {slope, op(ops::Multiply, {change, row})}), scale);
  }
  const Value is_open = body.op(ops::LogicalNot, {is_done});
  return {.states = {body.op(ops::Select, {is_done, before, p})},
          .rows = {},
          .condition = reduce(body, ops::ReduceLogicalOr, is_open, {0, 1})};
}

/// The probabilities of the classes, [samples, classes], from `decisions` [samples, pairs] for the classes
/// (0, 1), (0, 2) ... (1, 2) ...; the probability of a decision is 1 / (1 + exp(a * decision + b)).
///
/// Wu, Lin and Weng, "Probability estimates for multi-class classification by pairwise coupling", second
/// method: minimises the sum over i, j of (r_ji p_i - r_ij p_j)^2, with the algorithm and the number of steps
/// of libsvm.
Value couple_probabilities(NodeContext& node, Value decisions, const std::vector<double>& a,
                           const std::vector<double>& b, std::int64_t classes) {
  const Value form = compute_quadratic_form(node, compute_pairwise(node, decisions, a, b, classes), classes);
  const Value shape = concat(node, {dimension_of(node, form, 0), node.integers({classes})});
  const Value equal = fill(node, 1.0 / static_cast<double>(classes), ElementType::f32, shape);
  const Value steps = node.integer(std::max<std::int64_t>(100, classes));
  const LoopOutputs result =
      iterate(node, steps, {equal}, {form},
              [classes](Builder& body, Value, const Values& states, const Values& invariants) {
                return improve(body, states[0], invariants[0], classes);
              });
  return result.states[0];
}

/// SVMClassifier 1. With support vectors, one against one: each pair of classes has a decision, and the class
/// with the most votes is selected.
Values svm_classifier_1(NodeContext& node) {
  const Labels labels = labels_of(node, "classlabels_ints", "classlabels_strings");
  const auto counts = node.integer_list("vectors_per_class");
  const auto rho = node.real_list("rho");
  const auto coefficients = node.real_list("coefficients");
  const auto classes = static_cast<std::int64_t>(counts.size());
  if (counts.empty()) return linear_svm_classifier(node, labels);
  if (classes < 2) node.fail("an SVM with support vectors needs at least two classes");
  const auto prob_a = node.real_list("prob_a");
  const auto prob_b = node.real_list("prob_b");
  if (post_transform_of(node) != PostTransform::none)
    node.fail("post_transform of an SVM cannot be converted");
  if (labels.size() != counts.size()) node.fail("labels are not as many as classes");
  if (rho.size() != static_cast<std::size_t>(classes * (classes - 1) / 2))
    node.fail("rho does not fit the classes");
  if (prob_a.size() != prob_b.size() || (!prob_a.empty() && prob_a.size() != rho.size()))
    node.fail("prob_a and prob_b do not fit the classes");
  const SupportVectors vectors = support_vectors_of(node, counts, coefficients);
  // The matrices of the pairs.
  constexpr std::int64_t kMaxWeights = std::int64_t{1} << 25;
  ir::checked_count(
      ir::checked_multiply(static_cast<std::int64_t>(rho.size()), std::max(vectors.total, classes)),
      kMaxWeights);
  const ClassPairs of_pairs = pair_classes(vectors, coefficients);
  const auto pairs = static_cast<std::int64_t>(rho.size());
  const Value support =
      emit_matrix(node, node.real_list("support_vectors"), vectors.total, "the support vectors");
  const Value kernels = emit_kernel(node, read_feature_matrix(node), support);
  const Value weights = emit_matrix(node, of_pairs.weights, pairs, "the weights");
  const Value products = mat_mul(node, kernels, weights, {.b = true});
  const Value decisions = node.op(ops::Add, {products, emit_row(node, rho)});
  const Value zero = number(node, 0);
  const auto votes = [&](Value won, const std::vector<double>& classes_of_pairs) {
    const Value vote = convert(node, won, ElementType::f32);
    return mat_mul(node, vote, emit_matrix(node, classes_of_pairs, pairs, "the pairs"));
  };
  const Value first = votes(node.op(ops::Greater, {decisions, zero}), of_pairs.first_wins);
  const Value second = votes(node.op(ops::LessEqual, {decisions, zero}), of_pairs.second_wins);
  const Value label = gather_label(node, labels, find_best_class(node, node.op(ops::Add, {first, second})));
  // The label is decided by votes, even if the probabilities give another one.
  if (!prob_a.empty())
    return {label, couple_probabilities(node, decisions, prob_a.unchecked(), prob_b.unchecked(), classes)};
  return {label,
          classes == 2 ? concat(node, {node.op(ops::Negative, {decisions}), decisions}, 1) : decisions};
}

}  // namespace

std::vector<TranslatorRow> linear_model_translators() {
  return {
      {"LinearClassifier", 1, linear_classifier_1, "softmax of two classes with one score"},
      {"LinearRegressor", 1, linear_regressor_1, "computed in f32"},
      {"SVMClassifier", 1, svm_classifier_1, "post_transform with support vectors"},
      {"SVMRegressor", 1, svm_regressor_1, "computed in f32"},
  };
}

}  // namespace onnx2ir::frontend
