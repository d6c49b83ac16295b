"""The files of deploy/ray are what Ray and KubeRay take."""

import json
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from click import Context

from relevance.cli import main

RAY = Path(__file__).resolve().parents[2] / "deploy" / "ray"

CONTAINERS = {
    "type": "array",
    "minItems": 1,
    "items": {"type": "object", "required": ["name", "image"], "properties": {"env": {"type": "array"}}},
}
POD = {
    "type": "object",
    "required": ["spec"],
    "properties": {"spec": {"type": "object", "required": ["containers"], "properties": {"containers": CONTAINERS}}},
}
PARAMS = {"type": "object", "additionalProperties": {"type": "string"}}
WORKERS = {
    "type": "object",
    "required": ["groupName", "maxReplicas", "minReplicas", "template"],
    "properties": {
        "groupName": {"type": "string"},
        **{name: {"type": "integer", "minimum": 0} for name in ("replicas", "minReplicas", "maxReplicas")},
        "rayStartParams": PARAMS,
        "template": POD,
    },
    "additionalProperties": False,
}
RAY_JOB: dict[str, Any] = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"const": "ray.io/v1"},
        "kind": {"const": "RayJob"},
        "spec": {
            "type": "object",
            "required": ["entrypoint", "rayClusterSpec"],
            "properties": {
                "entrypoint": {"type": "string"},
                "shutdownAfterJobFinishes": {"type": "boolean"},
                "backoffLimit": {"type": "integer"},
                "rayClusterSpec": {
                    "type": "object",
                    "required": ["headGroupSpec"],
                    "properties": {
                        "rayVersion": {"type": "string"},
                        "headGroupSpec": {
                            "type": "object",
                            "required": ["template"],
                            "properties": {"rayStartParams": PARAMS, "template": POD},
                            "additionalProperties": False,
                        },
                        "workerGroupSpecs": {"type": "array", "items": WORKERS},
                    },
                    "additionalProperties": False,
                },
            },
            "additionalProperties": False,
        },
    },
}
"""What KubeRay's definition of a RayJob says of the fields that ours has."""


def test_the_cluster_file_is_what_ray_s_launcher_takes() -> None:
    schema = json.loads(files("ray.autoscaler").joinpath("ray-schema.json").read_text())
    jsonschema.validate(yaml.safe_load((RAY / "cluster.yaml").read_text()), schema)


def test_the_job_is_what_kuberay_takes_and_its_command_is_one_of_ours() -> None:
    job = yaml.safe_load((RAY / "rayjob.yaml").read_text())
    jsonschema.validate(job, RAY_JOB)
    program, name, *arguments = shlex.split(job["spec"]["entrypoint"])
    assert program == "relevance"
    command = main.get_command(Context(main), name)
    assert command is not None
    context = command.make_context(name, arguments)
    assert context.params["on"] == "ray:auto"
