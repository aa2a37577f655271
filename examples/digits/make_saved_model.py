"""Writes digits_saved_model/ beside this file: the same task as a TensorFlow 2 SavedModel that can be trained.

Run by hand: needs tensorflow 2.21.
"""
import os
import pathlib
import shutil

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

FOLDER = pathlib.Path(__file__).resolve().parent / "digits_saved_model"
INPUTS = [
    tf.TensorSpec([None, 64], tf.float32, name="x"),
    tf.TensorSpec([None], tf.int64, name="y"),
]


def glorot(shape, seed):
    limit = (6 / sum(shape)) ** 0.5
    return tf.random.stateless_uniform(shape, seed=[seed, 0], minval=-limit, maxval=limit)


class Digits(tf.Module):
    """All that training changes is a tf.Variable held here: weights, Adam's two moments of each, and the step."""

    def __init__(self):
        super().__init__(name="digits")
        self.weights = [
            tf.Variable(glorot([64, 32], 1), name="hidden/kernel"),
            tf.Variable(tf.zeros([32]), name="hidden/bias"),
            tf.Variable(glorot([32, 10], 2), name="output/kernel"),
            tf.Variable(tf.zeros([10]), name="output/bias"),
        ]
        self.first_moments = [self.moment(w, "first_moment") for w in self.weights]
        self.second_moments = [self.moment(w, "second_moment") for w in self.weights]
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False, name="step")

    @staticmethod
    def moment(weight, kind):
        return tf.Variable(tf.zeros(weight.shape), trainable=False, name=f"{weight.name.split(':')[0]}/{kind}")

    def logits(self, x):
        hidden_kernel, hidden_bias, output_kernel, output_bias = self.weights
        hidden = tf.nn.relu(tf.matmul(x, hidden_kernel) + hidden_bias)
        return tf.matmul(hidden, output_kernel) + output_bias

    @staticmethod
    def mean_loss(logits, y):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))

    def adam(self, gradients, step, rate=0.003, beta1=0.9, beta2=0.999, epsilon=1e-8):
        """One step of Adam, written out so that its state is nothing but the variables above."""
        t = tf.cast(step, tf.float32)
        rate = rate * tf.sqrt(1 - beta2**t) / (1 - beta1**t)
        for weight, m, v, g in zip(self.weights, self.first_moments, self.second_moments, gradients):
            m.assign(beta1 * m + (1 - beta1) * g)
            v.assign(beta2 * v + (1 - beta2) * tf.square(g))
            weight.assign_sub(rate * m / (tf.sqrt(v) + epsilon))

    @tf.function(input_signature=INPUTS)
    def train(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.mean_loss(self.logits(x), y)
        step = self.step.assign_add(1, read_value=True)
        self.adam(tape.gradient(loss, self.weights), step)
        return {"loss": loss, "step": step}

    @tf.function(input_signature=INPUTS)
    def evaluate(self, x, y):
        logits = self.logits(x)
        right = tf.equal(tf.argmax(logits, axis=1), y)
        return {"loss": self.mean_loss(logits, y), "accuracy": tf.reduce_mean(tf.cast(right, tf.float32))}


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    module = Digits()
    tf.saved_model.save(module, str(FOLDER), signatures={"train": module.train, "evaluate": module.evaluate})


if __name__ == "__main__":
    main()
