// What an operator may name as a management path, and that the plane's own API is always one.

import { expect, test } from "vitest"
import { managementPaths, parseManagementPath } from "./management-paths.ts"

test.each([
  ["10.0.0.5:22", { from: "10.0.0.5", port: 22, protocol: "tcp" }],
  ["10.0.0.0/24:7443", { from: "10.0.0.0/24", port: 7443, protocol: "tcp" }],
  ["[2001:db8::/32]:22", { from: "2001:db8::/32", port: 22, protocol: "tcp" }],
])("%s is a path", (text, path) => expect(parseManagementPath(text)).toEqual(path))

test.each([
  "10.0.0.5",
  ":22",
  "host:22",
  "10.0.0.5:0",
  "10.0.0.5:70000",
  "10.0.0.500:22",
  "::1:22",
])("%s is none", (text) => expect(parseManagementPath(text)).toBeUndefined())

test("the plane's own API is always a path, by way of the loopback interface", () => {
  const named = [{ from: "10.0.0.5", port: 22, protocol: "tcp" as const }]
  const own = { from: "127.0.0.1", port: 7443, protocol: "tcp", interface: "lo" }
  expect(managementPaths(named, "https://127.0.0.1:7443")).toEqual([...named, own])
  expect(managementPaths([], "https://[::1]:7443")).toEqual([{ ...own, from: "::1" }])
  expect(managementPaths(named, "https://127.0.0.1:0")).toEqual(named)
})
