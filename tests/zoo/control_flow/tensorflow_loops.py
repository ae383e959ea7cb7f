"""Loops and branches of TensorFlow functions, as tf2onnx emits them: While with invariants as states, TensorArrays."""

from .registry import integers, normal, number, traced

X = normal(3, 4)
ROWS = [(normal(n, 4),) for n in (5, 1, 8)]
COUNTS = [(X, number(n)) for n in (5, 1, 0)]


@traced(opset=13, runs=COUNTS)
def tf_counted_while(tf, x, n):
    i = tf.constant(0, tf.int64)
    while i < n:
        x = tf.tanh(x) + tf.cast(i, tf.float32)
        i += 1
    return x


@traced(opset=11, runs=[(X * s,) for s in (1.0, 100.0, 0.001)])
def tf_while_large(tf, x):
    steps = tf.constant(0)
    while tf.reduce_sum(tf.abs(x)) > 1.0:
        x = x * 0.5
        steps += 1
    return x, steps


@traced(opset=13, runs=[*ROWS, (normal(0, 4),)], dynamic={"x": [0]})
def tf_recurrence(tf, x):
    count = tf.shape(x)[0]
    states = tf.TensorArray(tf.float32, size=count)
    h = tf.zeros([4])
    for t in tf.range(count):
        h = tf.tanh(h * 0.5 + x[t])
        states = states.write(t, h)
    return h, tf.reshape(states.stack(), [-1, 4])


@traced(opset=15, runs=ROWS, dynamic={"x": [0]})
def tf_backwards(tf, x):
    count = tf.shape(x)[0]
    states = tf.TensorArray(tf.float32, size=count)
    h = tf.zeros([4])
    for t in tf.range(count - 1, -1, -1):
        h = tf.sigmoid(h + x[t])
        states = states.write(count - 1 - t, h)
    return states.stack()


@traced(opset=14, runs=[(X, number(a), number(b)) for a, b in ((3, 4), (2, 1), (3, 0), (0, 3))])
def tf_nested_loops(tf, x, n, m):
    for i in tf.range(n):
        for j in tf.range(m):
            x = x * 0.5 + tf.cast(i * 10 + j, tf.float32)
        x = x + 1.0
    return x


@traced(opset=17, runs=COUNTS)
def tf_branch_in_loop(tf, x, n):
    for i in tf.range(n):
        if tf.reduce_sum(x) > 3.0:
            x = x - 2.0
        elif i % 2 == 0:
            x = x * 2.0
        else:
            x = tf.sin(x)
    return x


@traced(opset=13, runs=[(X,), (-X,), (X * 0.0,)])
def tf_branches(tf, x):
    if tf.reduce_sum(x) > 0.0:
        y = tf.matmul(x, x, transpose_b=True)
    else:
        y = tf.zeros([3, 3]) - 1.0
    return y


WORDS = [(integers(0, 5, n, seed=n), integers(0, 5, m, seed=m)) for n, m in ((4, 6), (1, 3), (5, 5))]


@traced(opset=15, runs=WORDS, dynamic={"a": [0], "b": [0]})
def tf_edit_distance(tf, a, b):
    width = tf.shape(b)[0]
    row = tf.range(width + 1)
    for i in tf.range(tf.shape(a)[0]):
        before = row
        row = tf.tensor_scatter_nd_update(row, [[0]], [i + 1])
        for j in tf.range(width):
            cost = tf.cast(a[i] != b[j], tf.int32)
            best = tf.minimum(tf.minimum(row[j], before[j + 1]) + 1, before[j] + cost)
            row = tf.tensor_scatter_nd_update(row, [[j + 1]], [best])
    return row[-1]


@traced(opset=13, runs=ROWS, dynamic={"x": [0]})
def tf_mapped(tf, x):
    return tf.map_fn(lambda row: tf.nn.softmax(row) * tf.reduce_max(row), x)


@traced(opset=14, runs=ROWS, dynamic={"x": [0]})
def tf_scanned(tf, x):
    return tf.scan(lambda state, row: state * 0.5 + row, x, initializer=tf.ones([4]))


@traced(opset=12, runs=ROWS, dynamic={"x": [0]})
def tf_folded(tf, x):
    return tf.foldl(lambda state, row: tf.maximum(state * 0.9, row), x)


@traced(opset=13, runs=COUNTS)
def tf_growing(tf, x, n):
    def going(i, y):
        return i < n

    def step(i, y):
        return i + 1, tf.concat([y, y[-1:] * 0.5], 0)

    shapes = [tf.TensorShape([]), tf.TensorShape([None, 4])]
    return tf.while_loop(going, step, [tf.constant(0, tf.int64), x], shape_invariants=shapes)[1]


@traced(opset=15, runs=[(normal(2, 4), number(n)) for n in (6, 2, 0)])
def tf_greedy_decoder(tf, h, longest):
    words = tf.constant(normal(7, 4, seed=1).numpy())
    out = tf.constant(normal(4, 7, seed=2).numpy())
    word = tf.ones([2], tf.int64)

    def going(step, h, word, ended, text):
        return tf.logical_and(step < longest, tf.logical_not(tf.reduce_all(ended)))

    def decode(step, h, word, ended, text):
        h = tf.tanh(h + tf.gather(words, word))
        word = tf.where(ended, tf.zeros_like(word), tf.argmax(tf.matmul(h, out), axis=1))
        return step + 1, h, word, tf.logical_or(ended, word == 2), tf.concat([text, tf.reshape(word, [2, 1])], 1)

    start = [tf.constant(0, tf.int64), h, word, tf.zeros([2], tf.bool), tf.reshape(word, [2, 1])]
    shapes = [tf.TensorShape(shape) for shape in ([], [2, 4], [2], [2], [2, None])]
    _, _, _, ended, text = tf.while_loop(going, decode, start, shape_invariants=shapes)
    return text, ended


@traced(opset=13, runs=[(normal(2, n, 3, seed=n),) for n in (4, 1, 7)], dynamic={"x": [1]})
def tf_lstm_layer(tf, x):
    cell = _lstm(tf)
    h = tf.zeros([2, 4])
    c = tf.zeros([2, 4])
    outputs = tf.TensorArray(tf.float32, size=tf.shape(x)[1])
    for t in tf.range(tf.shape(x)[1]):
        h, c = cell(x[:, t], h, c)
        outputs = outputs.write(t, h)
    return tf.transpose(outputs.stack(), [1, 0, 2]), c


def _lstm(tf):
    weights = tf.constant(normal(7, 16, seed=5, scale=0.4).numpy())

    def cell(x, h, c):
        i, f, g, o = tf.split(tf.matmul(tf.concat([x, h], 1), weights), 4, axis=1)
        c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c), c

    return cell


@traced(opset=16, runs=[(normal(6, seed=s),) for s in (0, 1, 2)])
def tf_bubble_sort(tf, x):
    for i in tf.range(5):
        for j in tf.range(5 - i):
            if x[j] > x[j + 1]:
                x = tf.tensor_scatter_nd_update(x, [[j], [j + 1]], [x[j + 1], x[j]])
    return x
