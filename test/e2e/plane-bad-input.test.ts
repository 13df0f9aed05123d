// Bad manifests in a real folder: each is refused with its file and a clear reason, or its object
// says what is wrong; the plane stays alive, the last good revision stands, and a good manifest is
// taken again as soon as the bad one is gone.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { manifestText, PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const head = "apiVersion: host.setpoint.dev/v1\nkind: File\nmetadata: {name: bad}\n"
const bomb = `a: &a [x, x, x, x, x, x, x, x, x]
${Array.from({ length: 9 }, (_, level) => {
  const [name, before] = [level + 1, level].map((one) => String.fromCharCode(97 + one))
  return `${name}: &${name} [${Array(9).fill(`*${before}`).join(", ")}]`
}).join("\n")}
`

/** What is written, and what status has to say about it. */
const broken: Readonly<Record<string, readonly [string, RegExp]>> = {
  "a YAML bomb": [bomb, /bad\.yaml:\d+/],
  "a __proto__ key": [
    `${head}spec: {path: /tmp/x, content: x, __proto__: {polluted: true}}`,
    /__proto__/,
  ],
  "100,000 levels in YAML": [
    `${head}spec: ${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    /deep|nest/,
  ],
  "100,000 levels in JSON": [`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, /deep|nest/],
  "a key twice": [`${head}spec: {path: /tmp/x, content: a, content: b}`, /content.*|twice|unique/i],
  "an unknown field": [`${head}spec: {path: /tmp/x, content: a, contnet: b}`, /contnet/],
  "a wrong type": [`${head}spec: {path: /tmp/x, content: 5}`, /content/],
  "a mode as a number": [
    `${head}spec: {path: /tmp/x, content: a, mode: 0644}`,
    /leading zeros are octal/,
  ],
  "an unknown kind": [
    "apiVersion: host.setpoint.dev/v1\nkind: Flie\nmetadata: {name: bad}\n",
    /Flie/,
  ],
  "no name": ["apiVersion: host.setpoint.dev/v1\nkind: File\nspec: {}\n", /metadata/],
  "a relative path": [`${head}spec: {path: tmp/x, content: a}`, /path/],
  "dots in a path": [`${head}spec: {path: /tmp/../etc/x, content: a}`, /path/],
  "bytes that are not UTF-8": ["\u0000\u0001", /bad\.yaml/],
  "a Loop in its own source": [
    "apiVersion: setpoint.dev/v1alpha1\nkind: Loop\nmetadata: {name: bad}\nspec: {mode: Enforce}\n",
    /bad\.yaml:\d+/,
  ],
  "another namespace": [
    `${head.replace("bad", "bad, namespace: other")}spec: {path: /tmp/x, content: a}\n`,
    /namespace/,
  ],
  "a Plane that lifts the stop": [
    "apiVersion: setpoint.dev/v1alpha1\nkind: Plane\nmetadata: {name: local}\nspec: {stop: []}\n",
    /bad\.yaml:\d+/,
  ],
}

/** A name that the kernel refuses to look up is no file either. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile()
  } catch {
    return false
  }
}

describe("bad manifests", () => {
  const rig = new PlaneRig()
  const bad = join(rig.site, "bad.yaml")
  // Each case drifts a file of its own: one that drifts again and again would be held as flapping.
  const goods = rig.declareMany(30)
  let used = 0
  const nextGood = () => rig.target(goods[used++] ?? "")

  beforeAll(async () => {
    await rig.start({ args: ["--root", rig.targets] })
    await rig.converged(goods.length)
  })
  afterAll(() => rig.close())

  it.each(Object.entries(broken))(
    "%s: refused with its place, and nothing changes",
    async (_, given) => {
      const [text, pattern] = given
      writeFileSync(bad, text)
      let said = ""
      await waitFor(
        "status says why",
        async () => {
          const { source } = await rig.loopStatus()
          said = source?.issues?.join("; ") ?? ""
          return (
            (source?.state === "invalid" && said.includes("bad.yaml") && pattern.test(said)) ||
            `${source?.state}: ${said}`
          )
        },
        { deadlineMs: 40_000 },
      )
      expect(said.length).toBeLessThan(5000)
      const good = nextGood()
      rmSync(good)
      await waitFor("drift is healed meanwhile", () => existsSync(good))
      rmSync(bad)
      await waitFor(
        "the source is good again",
        async () => (await rig.loopStatus()).source?.state === "good",
      )
      expect(rig.alive).toBe(true)
      await rig.converged(goods.length)
    },
  )

  /** Valid as a manifest, impossible as a target: its object alone is stuck, and says why. */
  const stuck: Readonly<Record<string, readonly [() => string, RegExp]>> = {
    "a path outside --root": [() => join(rig.base, "outside"), /outside of the allowed roots/],
    "a path inside the data directory": [
      () => join(rig.data, "stop"),
      /allowed roots|belongs to the plane/,
    ],
    "a symlink in the way": [
      () => {
        mkdirSync(join(rig.base, "elsewhere"))
        symlinkSync(join(rig.base, "elsewhere"), join(rig.targets, "link"))
        return join(rig.targets, "link", "file")
      },
      /symlink is in the way/,
    ],
    "a directory at the path": [
      () => {
        mkdirSync(join(rig.targets, "folder"))
        return join(rig.targets, "folder")
      },
      /differs and was not made by Setpoint/,
    ],
    "a parent that does not exist": [() => join(rig.targets, "no", "file"), /does not exist/],
    "a parent that is a file": [() => join(rig.target("f0029"), "file"), /in the way/],
    "a name of 300 bytes": [() => join(rig.targets, "n".repeat(300)), /ENAMETOOLONG/],
  }

  it.each(Object.entries(stuck))("%s: the object says why, the others go on", async (_, given) => {
    const [path, pattern] = given
    const target = path()
    writeFileSync(bad, manifestText("bad", { path: target, content: "x\n" }))
    await waitFor(
      "its status says why",
      async () => {
        const text = JSON.stringify((await rig.file("bad"))?.status ?? {})
        return pattern.test(text) || text
      },
      { deadlineMs: 40_000 },
    )
    const good = nextGood()
    rmSync(good)
    await waitFor("drift is healed meanwhile", () => existsSync(good))
    expect(isFile(target)).toBe(false)
    rmSync(bad)
    await waitFor("its object goes", async () => (await rig.file("bad")) === undefined)
    await rig.converged(goods.length)
    expect(readFileSync(good, "utf8")).toMatch(/^content/)
    for (const name of ["folder", "link"])
      rmSync(join(rig.targets, name), { recursive: true, force: true })
    expect(readdirSync(rig.targets).sort()).toEqual(goods)
  })
})
