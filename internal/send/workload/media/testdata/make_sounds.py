"""Makes sounds.json beside it: WAV files of each encoding, and what vLLM's client sends for
them: read by soundfile, and written again as WAV.

Run: PYTHON make_sounds.py > sounds.json   (needs numpy and soundfile)
"""

import base64
import io
import json

import numpy as np
import soundfile as sf

steps = np.array([0, 1, -1, 3, 1000, 16384, 16385, 20000, 32767, -16384, -20000, -32768]) / 32768
wave = np.concatenate([steps, np.sin(np.arange(60) / 3) * 0.9])
stereo = np.stack([wave, wave[::-1]], axis=1)
sounds = []
for subtype in ("PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"):
    for data, rate in ((wave, 16000), (stereo * 1.0, 44100)):
        for form in ("WAV", "WAVEX"):
            given = io.BytesIO()
            sf.write(given, data, rate, format=form, subtype=subtype)
            given.seek(0)
            y, sr = sf.read(given)
            sent = io.BytesIO()
            sf.write(sent, y, sr, format="WAV")
            sounds.append({"kind": f"{form} {subtype}", "given": base64.b64encode(given.getvalue()).decode(), "sent": base64.b64encode(sent.getvalue()).decode(),
                           "seconds": sf.info(io.BytesIO(sent.getvalue())).duration})
flac = io.BytesIO()
sf.write(flac, wave, 16000, format="FLAC")
print(json.dumps({"made_with": f"soundfile {sf.__version__}, {sf.__libsndfile_version__}", "sounds": sounds,
                  "flac": base64.b64encode(flac.getvalue()).decode(), "flac_seconds": len(wave) / 16000}, indent=0))
