import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readKubeconfig } from "./kubeconfig.ts"

const base64 = (text: string) => Buffer.from(text).toString("base64")
const file = (user: string, cluster = "server: https://plane:7443") => `
apiVersion: v1
kind: Config
current-context: one
clusters:
- name: c
  cluster: { ${cluster} }
contexts:
- name: one
  context: { cluster: c, user: u, namespace: apps }
- name: two
  context: { cluster: gone, user: u }
users:
- name: u
  user: ${user}
`
const read = (text: string, context?: string) => readKubeconfig(text, "FILE", context)

describe("a kubeconfig", () => {
  it("gives the current context: server, authority, certificate", () => {
    const user = `{ client-certificate-data: ${base64("cert")}, client-key: keys/u.key }`
    const cluster = `server: https://plane:7443, certificate-authority-data: ${base64("ca")}`
    expect(read(file(user, cluster))).toEqual({
      ...{ name: "one", server: "https://plane:7443", namespace: "apps", user: "u" },
      authority: { text: "ca" },
      certificate: { text: "cert" },
      key: { file: "keys/u.key" },
      insecure: false,
    })
  })

  it("gives tokens and tokens in files, and who to speak as", () => {
    expect(read(file("{ token: abc }")).token).toEqual({ text: "abc" })
    expect(read(file("{ token: abc, tokenFile: /run/t }")).token).toEqual({ file: "/run/t" })
    const as = read(file("{ token: abc, as: bob, as-groups: [x] }")).as
    expect(as).toEqual({ user: "bob", groups: ["x"] })
  })

  it("is refused where honouring half of it would call as somebody else", () => {
    const bad: readonly (readonly [string, string])[] = [
      ["{ exec: { command: /bin/sh } }", "signs in by exec"],
      ["{ auth-provider: { name: x } }", "signs in by auth-provider"],
      ["{ username: a, password: b }", "signs in by username"],
      ["{ token: a, as-groups: [x] }", "speaks as another by as-groups"],
      ["{ token: a, as: bob, as-uid: b }", "speaks as another by as-uid"],
      ["{ token: a, as: bob, as-user-extra: { b: [c] } }", "by as-user-extra"],
    ]
    for (const [user, why] of bad) expect(() => read(file(user)), user).toThrow(why)
    const proxied = "server: https://p, proxy-url: http://x"
    expect(() => read(file("{}", proxied))).toThrow("through a proxy")
    expect(() => read(file("{}", "server: ftp://p"))).toThrow("no http(s) server")
    expect(() => read(file("{}"), "two")).toThrow('it has no cluster "gone"')
    expect(() => read(file("{}"), "three")).toThrow('it has no context "three"')
  })

  it("never ends in anything but an answer or a clear refusal", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json().map(String)), (text) => {
        try {
          read(text)
        } catch (error) {
          expect(error).toMatchObject({ code: "SPT-CLIENT-006" })
        }
      }),
      { numRuns: 200 },
    )
  })
})
