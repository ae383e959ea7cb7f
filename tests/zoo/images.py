"""Inputs and wrappers for models of images."""

ANY_SIZE = {"image": {0: "batch", 2: "height", 3: "width"}}
THREE_SIZES = [dict(batch=2), dict(batch=1, height=96, width=72), dict(batch=3, height=50, width=65)]


def images(size):
    """Inputs for a batch of images, by default of `size` x `size`."""

    def inputs(batch, height=size, width=size):
        import torch

        return {"image": torch.randn(batch, 3, height, width)}

    return inputs


def named(module, *fields):
    """A module whose forward has one parameter `image` and returns `fields` of the result, or the result itself."""
    import torch

    class OneImage(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.module = module

        def forward(self, image):
            result = self.module(image)
            return tuple(result[field] for field in fields) if fields else result

    return OneImage().eval()
