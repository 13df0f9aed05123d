// Names that mean something to the machine below: ways out of a namespace, members that every
// JavaScript object has, other hosts and other sites.

import type { Hostile } from "./hostile-bytes.ts"

const ways = [
  "/api/v1/namespaces/open/../private/configmaps/kept",
  "/api/v1/namespaces/open/%2e%2e/private/configmaps/kept",
  "/api/v1/namespaces/open/..%2fprivate/configmaps/kept",
  "/api/v1/namespaces/open%2f..%2fprivate/configmaps/kept",
  "/api/v1/namespaces/open/..;/private/configmaps/kept",
  "/api/v1/namespaces//private/configmaps/kept",
  "//api/v1/namespaces/private/configmaps/kept",
  "/api/v1/./namespaces/private/configmaps/kept",
  "/api/v1/namespaces/private%00/configmaps/kept",
  "/api/v1/namespaces/PRIVATE/configmaps/kept",
  "/api/v1/namespaces/private/configmaps/kept",
  "/api/v1/namespaces/private/secrets/kept",
  "/api/v1/namespaces/private/configmaps/kept?namespace=open",
  "/api/v1/namespaces/open/configmaps/..%2f..%2fprivate%2fconfigmaps%2fkept",
  "/api/v1/namespaces/open/configmaps/kept/../../../private/configmaps/kept",
  "/api/v1/configmaps",
  "/api/v1/secrets?fieldSelector=metadata.namespace%3Dopen",
  "/api/v1/watch/namespaces/private/configmaps",
  "/api/v1/namespaces/private/configmaps?watch=1",
  "/API/V1/namespaces/private/configmaps",
  "/api/v1/namespaces/open/configmaps/%",
  "/api/v1/namespaces/open/configmaps/%ff%fe",
  "/api/v1/namespaces/open/configmaps/%252e%252e",
  "https://127.0.0.1/api/v1/namespaces/private/configmaps/kept",
  "\\api\\v1\\namespaces\\private\\configmaps",
  "*",
]

export const hostilePaths: readonly Hostile[] = ways.map((path) => ({
  name: `the path ${path}`,
  bytes: (rig) => rig.request("GET", path),
}))

const home = "/api/v1/namespaces/open/configmaps"
const member = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]
const answered = /^HTTP\/1\.1 (2|4)\d\d /

/** None of these may become a member of every object. */
export const hostileMembers: readonly Hostile[] = [
  ...member.flatMap((name): Hostile[] => [
    { name: `the resource ${name}`, bytes: (rig) => rig.request("GET", `/api/v1/${name}`) },
    { name: `the group ${name}`, bytes: (rig) => rig.request("GET", `/apis/${name}/v1/${name}`) },
    {
      name: `the subresource ${name}`,
      bytes: (rig) => rig.request("GET", `${home}/hostile/${name}`),
    },
    {
      name: `parameters and selectors of ${name}`,
      bytes: (rig) => {
        const query = `${name}=1&labelSelector=${name}&fieldSelector=${name}%3D1`
        return rig.request("GET", `${home}?${query}`)
      },
    },
    {
      name: `labels, data and managers of ${name}`,
      bytes: (rig) => {
        const body =
          `{"apiVersion":"v1","kind":"ConfigMap","${name}":{"polluted":"yes"},"metadata":` +
          `{"name":"hostile-${name.replaceAll(/[^a-z]/gi, "").toLowerCase()}",` +
          `"${name}":{"polluted":"yes"},"labels":{"${name}":"polluted"}},` +
          `"data":{"${name}":"polluted"}}`
        return rig.request("POST", `${home}?fieldManager=${name}`, body)
      },
      answer: answered,
    },
    {
      name: `a merge patch of ${name}`,
      bytes: (rig) => {
        const body = `{"${name}":{"polluted":"yes"},"metadata":{"${name}":{"polluted":"yes"}}}`
        return rig.request(
          "PATCH",
          `${home}/hostile-tostring`,
          body,
          "application/merge-patch+json",
        )
      },
      answer: answered,
    },
    {
      name: `a JSON patch of ${name}`,
      bytes: (rig) => {
        const body = `[{"op":"add","path":"/${name}/polluted","value":"yes"}]`
        return rig.request("PATCH", `${home}/hostile-tostring`, body, "application/json-patch+json")
      },
      answer: answered,
    },
  ]),
]

const elsewhere = (name: string, headers: string): Hostile => ({
  name,
  bytes: (rig) =>
    `GET ${home} HTTP/1.1\r\n${headers}\r\nAuthorization: Bearer ${rig.guest}\r\n\r\n`,
})

export const hostileSites: readonly Hostile[] = [
  elsewhere("a host that only resolves to us", "Host: evil.example"),
  elsewhere("two hosts", "Host: 127.0.0.1\r\nHost: evil.example"),
  elsewhere("a host with a user", "Host: 127.0.0.1@evil.example"),
  elsewhere("no host", "X-A: b"),
  elsewhere("a page of another site", "Host: 127.0.0.1\r\nOrigin: https://evil.example"),
  elsewhere("a page without an origin", "Host: 127.0.0.1\r\nOrigin: null"),
  elsewhere("a form of another site", "Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site"),
]
