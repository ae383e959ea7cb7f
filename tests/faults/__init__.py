"""Experiments that show faults of OpenVINO's CPU runtime with the runtime alone."""

# The modules with experiments.
SUBJECTS = (
    "loops",
    "branches",
    "empty_tensors",
    "small_types",
    "quantized_weights",
    "limits",
    "operations",
    "versions",
    "kernels",
    "transformations",
    "fusions",
    "quantized_fusions",
    "arithmetic",
    "attention",
    "images",
    "indexing",
    "sequences",
    "random_numbers",
)
