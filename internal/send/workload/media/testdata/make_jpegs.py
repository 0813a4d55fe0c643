"""Makes jpegs.json beside it: hashes of pictures and of what Pillow writes for them.

Run: PYTHON make_jpegs.py > jpegs.json   (needs numpy and pillow)
"""

import hashlib
import io
import json

import numpy as np
import PIL
from PIL import Image, features


def sha(data):
    return hashlib.sha256(data).hexdigest()[:16]


pictures = []
for kind in ("noise", "ramp"):
    for seed, (width, height) in enumerate(
        ((256, 256), (1280, 720), (1, 1), (2, 1), (1, 2), (7, 9), (8, 8), (9, 8), (15, 17), (16, 16), (17, 31), (24, 40), (33, 50), (63, 65), (100, 3))
    ):
        if kind == "noise":
            pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
        else:
            x, y = np.arange(width)[None, :], np.arange(height)[:, None]
            planes = np.broadcast_arrays(x * 255 // max(width - 1, 1), y * 255 // max(height - 1, 1), (x * y) % 256)
            pixels = np.stack(planes, axis=-1).astype(np.uint8)
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, format="JPEG")
        pictures.append({"kind": kind, "seed": seed, "width": width, "height": height, "pixels": sha(pixels.tobytes()), "jpeg": sha(out.getvalue())})
print(json.dumps({"made_with": f"Pillow {PIL.__version__}, libjpeg-turbo {features.version('libjpeg_turbo')}, NumPy {np.__version__}", "pictures": pictures}, indent=0))
