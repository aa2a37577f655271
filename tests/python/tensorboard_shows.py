"""TensorBoard shows what was written: its accumulator of events, and the server behind its page.

    tensorboard_shows.py MAKER PROGRAM SOURCE [--picture FILE.svg]

The curve of a run that was killed and went on must have each step once. With --picture it is drawn as TensorBoard's
accumulator reads it.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import numpy as np
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

STEPS = 30
SECONDS_TO_START = 90


def expect(condition, what, found):
    if not condition:
        sys.exit(f"expected {what}, found {found}")


def loss(step):
    return float(np.float32(1 / step))


def accumulated(folder):
    accumulator = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0, "histograms": 0, "images": 0})
    accumulator.Reload()
    return accumulator


def check_accumulator(folder):
    events = accumulated(folder)
    points = [(point.step, point.value) for point in events.Scalars("loss")]
    expect(points == [(step, loss(step)) for step in range(1, STEPS + 1)], "each step once, with the value of the second run", points)
    tags = events.Tags()
    for kind, tag in (("histograms", "weights"), ("images", "picture"), ("tensors", "note"), ("tensors", "matrix")):
        expect(tag in tags[kind], f"'{tag}' among the {kind}", tags)
    histogram = events.Histograms("weights")[0].histogram_value
    expect((histogram.min, histogram.max, histogram.num) == (-1, 2, 5), "a histogram of five numbers from -1 to 2", histogram)
    image = events.Images("picture")[0]
    expect((image.width, image.height) == (2, 2), "a picture of 2 × 2", image)
    text = events.Tensors("note")[0].tensor_proto.string_val[0].decode()
    expect(text == "läuft **gut**", "the text", text)


class Server:
    """TensorBoard as a user starts it."""

    def __init__(self, folder):
        command = [sys.executable, "-m", "tensorboard.main", "--logdir", folder, "--port", "0", "--host", "127.0.0.1", "--load_fast=false"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        seen = ""
        for line in self.process.stderr:
            seen += line
            if found := re.search(r"http://127\.0\.0\.1:\d+/", line):
                self.address = found.group()
                return
        sys.exit(f"TensorBoard did not start:\n{seen}")

    def get(self, path, **query):
        with urllib.request.urlopen(f"{self.address}{path}?{urllib.parse.urlencode(query)}", timeout=30) as answer:
            return answer.read()

    def until_loaded(self, path, **query):
        """It reads the files beside its first answers."""
        end = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < end:
            found = json.loads(self.get(path, **query))
            if found:
                return found
            time.sleep(0.2)
        sys.exit(f"TensorBoard shows nothing under {path}")


def check_page(folder):
    server = Server(folder)
    try:
        expect(b"<title>TensorBoard</title>" in server.get(""), "the page", server.get("")[:200])
        tags = server.until_loaded("data/plugin/scalars/tags")
        expect("loss" in tags["."], "the curve 'loss'", tags)
        points = [(step, value) for _, step, value in json.loads(server.get("data/plugin/scalars/scalars", run=".", tag="loss"))]
        expect(points == [(step, loss(step)) for step in range(1, STEPS + 1)], "each step once", points)
        for plugin in ("histograms", "images", "text"):
            expect("." in server.until_loaded(f"data/plugin/{plugin}/tags"), f"something among the {plugin}", "nothing")
        picture = json.loads(server.get("data/plugin/images/images", run=".", tag="picture", sample=0))
        png = server.get("data/plugin/images/individualImage?" + picture[0]["query"])
        expect(png.startswith(b"\x89PNG"), "a picture", png[:20])
        text = json.loads(server.get("data/plugin/text/text", run=".", tag="note"))
        expect("<strong>gut</strong>" in text[0]["text"], "the text with its emphasis", text)
    finally:
        server.process.kill()
        server.process.communicate()


def check_program(program, source, folder):
    """The curve of a real run, whose newest checkpoint was lost, so that it goes through some steps again."""
    digits = source / "examples" / "digits"
    command = [program, "train", digits / "digits.meta", "--input", f"x={digits}/train_x.npy", "--input", f"y={digits}/train_y.npy"]
    command += ["--batch-size", "32", "--log-every", "1", "--save-every", "10", "--progress", "none", "--checkpoint-dir", folder]
    subprocess.run([*map(str, command), "--last-step", "25"], check=True, capture_output=True)
    for file in folder.glob("model.ckpt-25.*"):
        file.unlink()
    subprocess.run([*map(str, command), "--last-step", "40"], check=True, capture_output=True)
    steps = [point.step for point in accumulated(folder).Scalars("loss")]
    expect(steps == list(range(1, 41)), "each step once", steps)
    exported = subprocess.run([program, "events", "export", folder, "--tag", "loss"], check=True, capture_output=True, text=True).stdout
    rows = [line.split(",") for line in exported.splitlines()[1:]]
    shown = [(point.step, point.value) for point in accumulated(folder).Scalars("loss")]
    expect([(int(row[0]), float(np.float32(row[3]))) for row in rows] == shown, "what fermata events export gives", shown)


def draw(folder, file):
    """The curve as the accumulator has it, with the place where the run went on."""
    points = [(point.step, point.value) for point in accumulated(folder).Scalars("loss")]
    lost = [(step, 1 / step + 1) for step in range(13, 21)]
    width, height, margin = 640, 280, 40

    def place(step, value):
        return f"{margin + (step - 1) * (width - 2 * margin) / (STEPS - 1):.1f},{height - margin - value * (height - 2 * margin) / 1.2:.1f}"

    def line(curve, style):
        return f'<polyline fill="none" {style} points="{" ".join(place(*point) for point in curve)}"/>'

    grey, orange = 'stroke="#bbb" stroke-dasharray="3"', 'stroke="#f57c00" stroke-width="2"'
    marks = "".join(
        f'<text x="{place(step, 0).split(",")[0]}" y="{height - 18}" text-anchor="middle">{step}</text>' for step in (1, 5, 10, 13, 20, 25, 30)
    )
    start = place(13, 0).split(",")[0]
    file.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">'
        f'<rect width="{width}" height="{height}" fill="white"/>'
        f'<line x1="{margin}" y1="{height - margin}" x2="{width - margin}" y2="{height - margin}" stroke="#888"/>{marks}'
        f'<line x1="{start}" y1="{margin}" x2="{start}" y2="{height - margin}" stroke="#888" stroke-dasharray="4"/>'
        f'<text x="{start}" y="{margin - 8}" text-anchor="middle">restart mark: goes on at step 13</text>'
        f"{line(lost, grey)}{line(points, orange)}"
        f'<text x="{width - margin}" y="{margin + 20}" text-anchor="end" fill="#f57c00">loss, as the accumulator reads it</text>'
        f'<text x="{width - margin}" y="{margin + 36}" text-anchor="end" fill="#999">steps 13 to 20 of the killed run, replaced</text></svg>\n'
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("maker")
    parser.add_argument("program")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--picture", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-board-") as name:
        made, run = pathlib.Path(name) / "made", pathlib.Path(name) / "run"
        subprocess.run([options.maker, made], check=True)
        if options.picture:
            draw(made, options.picture)
            return
        check_accumulator(made)
        check_page(made)
        check_program(options.program, options.source.resolve(), run)
    print("the accumulator and the page show each step once, and a value of each kind")


if __name__ == "__main__":
    main()
