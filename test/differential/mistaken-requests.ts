// Requests that are wrong in one way each, and a few to namespaces themselves.

import fc from "fast-check"
import { apply, collection, json, merge, patch, type Request } from "./request-parts.ts"

export const mistakes: fc.Arbitrary<Request> = fc.constantFrom<Request>(
  { method: "POST", path: collection("configmaps"), type: "text/plain", body: "x" },
  {
    method: "POST",
    path: collection("things"),
    type: "application/vnd.kubernetes.protobuf",
    body: "x",
  },
  { method: "POST", path: collection("configmaps"), type: json, body: "{" },
  { method: "POST", path: collection("configmaps"), type: json, body: "[]" },
  { method: "POST", path: collection("configmaps"), type: json, body: "null" },
  { method: "POST", path: collection("things"), type: json, body: '{"kind":"Thing"}' },
  { method: "PUT", path: collection("configmaps"), type: json, body: {} },
  { method: "POST", path: `${collection("configmaps")}/a`, type: json, body: {} },
  { method: "PATCH", path: `${collection("configmaps")}/a`, type: json, body: {} },
  { method: "PATCH", path: `${collection("configmaps")}/a`, type: merge, body: "[" },
  { method: "PATCH", path: `${collection("configmaps")}/a`, type: patch, body: {} },
  { method: "PATCH", path: `${collection("things")}/a`, type: apply, body: "a: [" },
  { method: "GET", path: "/api/v1/namespaces/{ns}/nothings" },
  { method: "GET", path: "/apis/compare.dev/v2/things" },
  { method: "GET", path: "/apis/nowhere.dev/v1/things" },
  { method: "GET", path: "/apis/nowhere.dev" },
  { method: "GET", path: "/nowhere" },
  { method: "GET", path: "/api/v1/namespaces/{ns}" },
  { method: "GET", path: "/api/v1/namespaces/nowhere" },
  { method: "GET", path: "/api/v1/namespaces?fieldSelector=metadata.name%3D{ns}" },
  {
    method: "POST",
    path: collection("configmaps", "nowhere"),
    type: json,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
  },
  {
    method: "POST",
    path: "/api/v1/configmaps",
    type: json,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
  },
  {
    method: "POST",
    path: "/api/v1/namespaces",
    type: json,
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "Bad_Name" } },
  },
  {
    method: "POST",
    path: "/api/v1/namespaces?dryRun=All",
    type: json,
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "{ns}-x", labels: { a: "b" } } },
  },
  {
    method: "PATCH",
    path: "/api/v1/namespaces/{ns}?fieldManager=m1",
    type: merge,
    body: { metadata: { labels: { team: "t" } } },
  },
  {
    method: "PATCH",
    path: "/api/v1/namespaces/{ns}?fieldManager=m2&force=true",
    type: apply,
    body: {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "{ns}", labels: { team: "u" } },
    },
  },
  { method: "DELETE", path: "/api/v1/namespaces/default" },
)
