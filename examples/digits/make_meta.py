"""Writes digits.meta beside this file: the training graph as a TensorFlow 1 program exports it.

Run by hand: needs tensorflow 2.21.
"""
import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

v1 = tf.compat.v1
FOLDER = pathlib.Path(__file__).resolve().parent


def layer(inputs, width, name, seed):
    """A dense layer. Its first values depend on `seed` alone, so every run starts from the same bits."""
    with v1.variable_scope(name):
        kernel = v1.get_variable(
            "kernel", [inputs.shape[1], width], initializer=v1.glorot_uniform_initializer(seed=seed)
        )
        bias = v1.get_variable("bias", [width], initializer=v1.zeros_initializer())
        return tf.nn.bias_add(tf.matmul(inputs, kernel), bias)


def build():
    images = v1.placeholder(tf.float32, [None, 64], name="x")
    labels = v1.placeholder(tf.int64, [None], name="y")
    hidden = tf.nn.relu(layer(images, 32, "hidden", seed=1))
    logits = tf.identity(layer(hidden, 10, "output", seed=2), name="logits")
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(each, name="loss")
    v1.losses.add_loss(loss)
    right = tf.equal(tf.argmax(logits, axis=1), labels)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")
    with tf.name_scope("summaries"):
        v1.summary.scalar("loss", loss)
        v1.summary.scalar("accuracy", accuracy)
    step = v1.train.get_or_create_global_step()
    v1.train.AdamOptimizer(0.003).minimize(loss, global_step=step, name="train")


def main():
    v1.disable_eager_execution()
    with tf.Graph().as_default():
        build()
        scaffold = v1.train.Scaffold().finalize()
        meta = v1.train.export_meta_graph(saver_def=scaffold.saver.saver_def)
    (FOLDER / "digits.meta").write_bytes(meta.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
