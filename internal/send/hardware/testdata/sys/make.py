"""Writes the trees of AMD's GPUs: boards that do not exist, in the files that the kernel documents.

The names, units and layout are those of https://docs.kernel.org/gpu/amdgpu/thermal.html and of the ABI of hwmon; all
numbers are made up here, so that each tree has one thing that the others have not. python make.py
"""

import json
import pathlib

HERE = pathlib.Path(__file__).parent


def levels(clocks, now):
    """The file pp_dpm_sclk or pp_dpm_mclk: a line a level, a star at the one that is set."""
    return "".join(f"{i}: {clock}Mhz {'*' if i == now else ''}\n" for i, clock in enumerate(clocks))


def board(name, card, monitor, core, memory, power, temperatures, busy, **files):
    """core and memory: (levels in MHz, the one that is set, the clock in Hz); power: (µW, its limit)."""
    folder, sensors = f"sys/class/drm/card{card}/device/", f"hwmon/hwmon{monitor}/"
    tree = {"vendor": "0x1002\n", "gpu_busy_percent": f"{busy}\n", "pp_dpm_sclk": levels(*core[:2]), "pp_dpm_mclk": levels(*memory[:2])}
    for i, (label, clock) in enumerate([("sclk", core[2]), ("mclk", memory[2])], 1):
        tree[f"{sensors}freq{i}_input"], tree[f"{sensors}freq{i}_label"] = f"{clock}\n", label + "\n"
    for i, (label, degrees) in enumerate(temperatures.items(), 1):
        tree[f"{sensors}temp{i}_input"], tree[f"{sensors}temp{i}_label"] = f"{degrees}\n", label + "\n"
    tree[f"{sensors}power1_average"], tree[f"{sensors}power1_cap"] = (f"{p}\n" for p in power)
    tree |= files
    lines = (f"{folder}{path} = {json.dumps(text)}\n" for path, text in sorted(tree.items()))
    (HERE / f"{name}.tree").write_text("".join(lines))


# One sensor of temperature, memory that is told, a name that is empty: the board's number stands in for it.
board(
    "amd-one-sensor", 0, 4, ([310, 650, 940, 1120, 1290], 2, 812_500_000), ([310, 1010, 1800], 2, 1_800_000_000), (43_210_000, 150_000_000), {"edge": 46_000}, 12,
    device="0xabc1\n", product_name="\n", mem_info_vram_total=f"{6 << 30}\n", mem_info_vram_used=f"{600 << 20}\n", **{"hwmon/hwmon4/name": "amdgpu\n"},
)
# Three sensors, of which the junction's counts; the second card; idle.
board(
    "amd-second-card", 1, 3, ([850, 1000, 1150, 1400, 1610], 0, 27_000_000), ([170, 510, 930], 0, 170_000_000), (7_000_000, 240_000_000),
    {"edge": 35_000, "junction": 37_000, "mem": 36_000}, 0,
    device="0xabc2\n", product_name="Board of Nobody 2\n", mem_info_vram_total=f"{8 << 30}\n", mem_info_vram_used=f"{17 << 20}\n", **{"hwmon/hwmon3/name": "amdgpu\n"},
)
# Nothing but sensors: no device, no name, no memory, not even the monitor's name. The clock is below the lowest level.
board(
    "amd-sensors-only", 0, 8, ([500, 33, 2300], 1, 33_000_000), ([96, 450, 780, 1260], 3, 1_260_000_000), (66_000_000, 300_000_000),
    {"edge": 51_000, "junction": 63_000, "mem": 70_000}, 4,
)
# The level that is set is 0 MHz, while the sensor tells of a clock; the limit is power1_cap's.
board(
    "amd-sleeping", 1, 3, ([500, 0, 2610], 1, 62_000_000), ([96, 450, 780, 900, 1130, 1260], 0, 96_000_000), (21_000_000, 320_000_000),
    {"edge": 40_000, "junction": 43_000, "mem": 60_000}, 8, **{"hwmon/hwmon3/name": "amdgpu\n"},
)
