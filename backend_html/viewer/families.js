// Families of operations, which have colours of their own.

const FAMILIES = {
  product: ["products and convolutions", /MatMul|Convolution|FullyConnected|Einsum|LSTM|GRU|RNN|Attention|EmbeddingBag/],
  activation: ["activations", /^(ReLU|PReLU|Sigmoid|Tanh|Elu|Selu|Gelu|Swish|HSwish|HSigmoid|HardSigmoid|Mish|SoftPlus|SoftSign|SoftMax|LogSoftmax|Softmax|Hardmax|Clamp|Exp|Erf)$/],
  statistics: ["reductions, normalisation, pooling", /Reduce|Norm|MVN|LRN|Pool|CumSum|TopK|ArgM|NonMax|RMS/],
  quantisation: ["quantisation and types", /FakeQuantize|FakeConvert|^Convert/],
  movement: ["shapes and moves", /Reshape|Transpose|Concat|Split|Slice|Gather|Scatter|[Ss]queeze|Broadcast|ShapeOf|Tile|Pad|Range|Shuffle|DepthToSpace|SpaceTo|BatchToSpace|Reverse|Interpolate|OneHot|Roll|Unique|NonZero|Eye/],
  state: ["variables", /ReadValue|Assign/],
};

function familyOf(node) {
  const {operation} = node;
  if (node.isFold) return "fold";
  if (operation === "Parameter" || operation === "Result") return "end";
  if (operation === "Const") return "constant";
  if (isControlFlow(node)) return "control";
  for (const [family, [, pattern]] of Object.entries(FAMILIES)) {
    if (pattern.test(operation)) return family;
  }
  return "element";
}

const FAMILY_TEXTS = {
  ...Object.fromEntries(Object.entries(FAMILIES).map(([family, [text]]) => [family, text])),
  element: "elementwise and others", end: "inputs and outputs", constant: "constants", control: "Loop and If", fold: "folded repetitions",
};

// The colours of errors on a page of verify: the class of a relative error, and its meaning.
const ALL_NAN = "all elements are NaN";  // as verify writes it
const HEAT_LIMITS = [0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];

function heatOf(node) {
  if (!node.error) return "";
  const [, relative, problem, note] = node.error;
  if (!problem && note === ALL_NAN) return "nan";
  const size = relative === "" ? (problem ? Infinity : 0) : Number(relative === "inf" ? Infinity : relative);
  const level = HEAT_LIMITS.findIndex((limit) => size <= limit);
  return `heat${level < 0 ? HEAT_LIMITS.length : level}`;
}

function heatText(level) {
  if (level === 0) return "equal";
  return level === HEAT_LIMITS.length ? `relative error above ${HEAT_LIMITS[level - 1]}` : `up to ${HEAT_LIMITS[level]}`;
}
