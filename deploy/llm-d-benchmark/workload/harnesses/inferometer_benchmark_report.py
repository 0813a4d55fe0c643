#!/usr/bin/env python3
"""Turns the result of a run into llm-d-benchmark's Benchmark Report 0.2. Python's own library is enough.

    inferometer_benchmark_report.py RESULTS/inferometer.json RESULTS/benchmark_report_v0.2,_inferometer.json.yaml

What the result does not say is left out. The report is JSON, which is YAML too.
"""

import json
import math
import os
import sys
import uuid

PERCENTILES = {"p0p1": "p0.1", "p1": "p1", "p5": "p5", "p10": "p10", "p25": "p25", "p50": "median",
               "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99", "p99p9": "p99.9"}


def number(value):
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return value


def without_unknown(mapping):
    return {k: v for k, v in mapping.items() if v not in (None, {}, "")}


def latency(result, metric, units):
    """A distribution by vLLM's keys. None: it was not measured."""
    mean = number(result.get(f"mean_{metric}_ms"))
    if mean is None:
        return None
    parts = {"units": units, "mean": mean, "stddev": number(result.get(f"std_{metric}_ms"))}
    for theirs, ours in PERCENTILES.items():
        parts[theirs] = number(result.get(f"{ours}_{metric}_ms"))
    return without_unknown(parts)


def rate(result, key, units):
    value = number(result.get(key))
    return None if value is None else {"units": units, "mean": value}


def mean_length(result, key, count):
    total = number(result.get(key))
    return None if total is None or not count else {"units": "count", "mean": total / count}


def metadata(folder):
    """What the harness wrote beside the result: lines of `key: "JSON string"`."""
    known = {}
    try:
        with open(os.path.join(folder, "run_metadata.yaml"), encoding="utf-8") as lines:
            for line in lines:
                key, _, value = line.partition(": ")
                known[key] = json.loads(value)
    except (OSError, ValueError):
        pass
    return known


def flags(arguments):
    """The profile's flags as a mapping, for the load's native part."""
    found = {}
    for word in arguments.split(" --"):
        key, _, value = word.removeprefix("--").partition("=")
        if key:
            found[key] = value
    return found


def report(result, known):
    completed = int(result.get("completed") or 0)
    asked = int(result.get("num_prompts") or 0) or completed + int(result.get("failed") or 0)
    native = flags(known.get("harness_args", ""))
    asked_len, answer_len = number_of(native.get("random-input-len")), number_of(native.get("random-output-len"))
    fixed = native.get("random-range-ratio", "0") in ("0", "0.0")
    mean_in = mean_length(result, "total_input_tokens", completed)
    load = without_unknown({
        "tool": "inferometer",
        "tool_version": (result.get("inferometer") or {}).get("version") or known.get("harness_version") or "unknown",
        "stage": 0,
        "source": "random" if native.get("dataset-name") == "random" else "unknown",
        "input_seq_len": {"distribution": "fixed" if asked_len and fixed else "other", "value": asked_len or (mean_in or {"mean": 0})["mean"]},
        "output_seq_len": {"distribution": "fixed" if fixed else "other", "value": answer_len} if answer_len else None,
        "rate_qps": number(result.get("request_rate")),
        "concurrency": number(result.get("max_concurrency")),
    })
    return {
        "version": "0.2",
        "run": without_unknown({
            "uid": str(uuid.uuid4()),
            "eid": known.get("experiment_id"),
            "description": known.get("description_text") or known.get("experiment_id"),
            "keywords": [k.strip() for k in known.get("description_keywords", "").split(",") if k.strip()] or None,
            "time": without_unknown({"start": known.get("harness_start"), "end": known.get("harness_stop"), "duration": known.get("harness_delta")}),
        }),
        "scenario": {"load": {
            "metadata": {"schema_version": "0.0.1"},
            "standardized": load,
            "native": {"args": native},
        }},
        "results": {"request_performance": {"aggregate": {
            "requests": without_unknown({
                "total": asked,
                "failures": asked - completed,
                "input_length": mean_in,
                "output_length": mean_length(result, "total_output_tokens", completed),
            }),
            "latency": without_unknown({
                "time_to_first_token": latency(result, "ttft", "ms"),
                "time_per_output_token": latency(result, "tpot", "ms/token"),
                "inter_token_latency": latency(result, "itl", "ms/token"),
                "request_latency": latency(result, "e2el", "ms"),
            }),
            "throughput": without_unknown({
                "output_token_rate": rate(result, "output_throughput", "tokens/s"),
                "total_token_rate": rate(result, "total_token_throughput", "tokens/s"),
                "request_rate": rate(result, "request_throughput", "queries/s"),
            }),
        }}},
    }


def number_of(word):
    try:
        return int(word)
    except (TypeError, ValueError):
        return None


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: inferometer_benchmark_report.py RESULT.json REPORT.yaml")
    with open(sys.argv[1], encoding="utf-8") as file:
        result = json.load(file)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(report(result, metadata(os.path.dirname(os.path.abspath(sys.argv[1])))), file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
