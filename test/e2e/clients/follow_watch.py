"""Follows the ConfigMaps of a namespace with the watch of the Python client, as its documentation
shows it, and prints every event as a line: type, name, value, resourceVersion; and a line of the
type LIST for each full list. What a list no longer holds is gone."""

import json
import sys
import time

import urllib3
from kubernetes import client, config, watch

namespace = sys.argv[1]
config.load_kube_config()
api = client.CoreV1Api()


known = set()


def show(kind, item):
    data = item.data or {}
    meta = item.metadata
    line = [kind, meta.name, data.get("n", ""), meta.resource_version]
    print(json.dumps(line), flush=True)
    if kind == "DELETED":
        known.discard(meta.name)
    else:
        known.add(meta.name)


def follow():
    version = None
    while True:
        try:
            if version is None:
                found = api.list_namespaced_config_map(namespace, label_selector="followed=yes")
                version = found.metadata.resource_version
                print(json.dumps(["LIST", "", "", version]), flush=True)
                for name in known - {item.metadata.name for item in found.items}:
                    print(json.dumps(["DELETED", name, "", version]), flush=True)
                known.clear()
                for item in found.items:
                    show("LISTED", item)
            stream = watch.Watch().stream(
                api.list_namespaced_config_map,
                namespace,
                label_selector="followed=yes",
                resource_version=version,
            )
            for event in stream:
                version = event["object"].metadata.resource_version
                show(event["type"], event["object"])
        except client.exceptions.ApiException as error:
            if error.status == 410:
                version = None
            time.sleep(0.1)
        except urllib3.exceptions.HTTPError:
            time.sleep(0.1)


follow()
