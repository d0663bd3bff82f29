"""Puts the frames of film.mjs together: from 2 s before the failure on, half a second each, as a GIF that loops."""

import pathlib
import sys

from PIL import Image

folder, out, failed = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
frames = []
for path in sorted(folder.glob("*.png")):
    if int(path.stem.split("-")[1]) >= failed - 2000:
        frames.append(Image.open(path).convert("RGB"))
assert len(frames) > 8, f"only {len(frames)} frames"
# One palette for all, so that a colour does not change from frame to frame.
palette = frames[len(frames) // 2].quantize(64, dither=Image.Dither.NONE)
small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
lasts = [500] * (len(small) - 1) + [2500]
small[0].save(out, save_all=True, append_images=small[1:], duration=lasts, loop=0, optimize=True)
print(f"{out}: {len(small)} frames, {pathlib.Path(out).stat().st_size} bytes")
