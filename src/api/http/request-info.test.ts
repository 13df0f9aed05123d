import { describe, expect, it } from "vitest"
import { requestInfo } from "./request-info.ts"

const infoOf = (method: string, url: string) => {
  const [path = "", query = ""] = url.split("?")
  return requestInfo(method, path, new URLSearchParams(query))
}

describe("what a request asks for", () => {
  it("is one name where a selector allows one alone, read as the list reads it", () => {
    const nameOf = (selector: string) => {
      const query = new URLSearchParams({ fieldSelector: selector })
      return infoOf("GET", `/api/v1/secrets?${query}`).access.name
    }
    expect(nameOf("metadata.name=a")).toBe("a")
    expect(nameOf("metadata.namespace=x,metadata.name==a")).toBe("a")
    expect(nameOf("metadata.name=a\\,b")).toBe("a,b")
    expect(nameOf("metadata.name=a\\\\b")).toBe("a\\b")
    for (const all of ["metadata.name!=a", "metadata.namespace=a", "metadata.name=a=b", "", ","]) {
      expect([all, nameOf(all)]).toEqual([all, ""])
    }
  })

  it("is a watch by the old prefix, whatever the method and the query say", () => {
    for (const method of ["GET", "POST", "DELETE", "PATCH"]) {
      const { access, isWatch, target } = infoOf(
        method,
        "/apis/a.dev/v1/watch/namespaces/x/notes/n",
      )
      expect([access.verb, isWatch]).toEqual(["watch", true])
      expect(access).toMatchObject({ group: "a.dev", resource: "notes", namespace: "x", name: "n" })
      expect(target).toMatchObject({ name: "n", namespace: "x", isOldWatch: true })
    }
    const info = infoOf("GET", "/api/v1/watch/namespaces/x?watch=false")
    expect(info.access).toMatchObject({ verb: "watch", resource: "namespaces", name: "x" })
    expect(infoOf("GET", "/api/v1/watch").target).toBeUndefined()
  })
})
