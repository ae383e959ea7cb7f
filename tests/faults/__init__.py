"""Experiments that show faults of OpenVINO's CPU runtime with the runtime alone."""

# The modules that hold experiments.
SUBJECTS = (
    "loops", "branches", "arithmetic", "attention", "empty_tensors", "images", "indexing", "sequences", "small_types",
    "quantized_weights", "limits",
)  # fmt: skip
