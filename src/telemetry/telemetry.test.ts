import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Clock } from "../base/clock.ts"
import { defineFaults } from "../base/faults.ts"
import { Secret } from "../base/secret.ts"
import { catalog } from "./catalog.ts"
import { type LogLevel, lineCharactersMax, newLogger, silentLogger } from "./logger.ts"
import { Metrics } from "./metrics.ts"

const clock: Clock = { now: () => 0, monotonic: () => 0, after: () => ({ cancel: () => {} }) }

function capture(level?: LogLevel) {
  const lines: string[] = []
  const sink = (line: string) => {
    lines.push(line)
  }
  return { lines, logger: newLogger({ clock, sink, ...(level === undefined ? {} : { level }) }) }
}

describe("Logger", () => {
  it("writes one JSON line with time, level, message and the fields of its parents", () => {
    const { lines, logger } = capture()
    logger.child({ loop: "default.site" }).child({ key: "a" }).warn("held", { actions: 40 })
    expect(lines).toEqual([
      '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"held",' +
        '"loop":"default.site","key":"a","actions":40}',
    ])
  })

  it("leaves out what is below its level", () => {
    const { lines, logger } = capture("warn")
    logger.debug("a")
    logger.info("b")
    logger.error("c")
    silentLogger.child({}).error("nowhere")
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(["c"])
  })

  it("never shows a secret, wherever it hides", () => {
    const { lines, logger } = capture()
    const password = new Secret("hunter2")
    logger.info("x", {
      password,
      deep: [{ list: [password] }],
      error: new Error("x", { cause: password }),
    })
    expect(lines[0]).not.toContain("hunter2")
    expect(lines[0]).toContain("***")
  })

  it("can't be made to forge a line, steer a terminal or replace its head", () => {
    const { lines, logger } = capture()
    const evil = 'a\r\n{"level":"info"}\u001b[2J\u009b31m\u202e\u2028\u0000'
    logger.error(evil, { level: "debug", message: "other", [evil]: evil })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^[\u0020-\u007e]*$/)
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", message: evil })
  })

  it("says the code and the hint of a fault and the message of other errors", () => {
    const { lines, logger } = capture()
    const make = defineFaults({ "SPT-X-001": { fault: "retry", text: "cannot x", hint: "do y" } })
    logger.error("failed", { error: make("SPT-X-001", {}, new TypeError("deep")) })
    expect(JSON.parse(lines[0] ?? "").error).toEqual({
      code: "SPT-X-001",
      message: "cannot x",
      hint: "do y",
      cause: { name: "TypeError", message: "deep" },
    })
  })

  it("stays bounded and valid for any fields, also cyclic, deep, huge or with getters", () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    const trap = Object.defineProperty({}, "boom", {
      enumerable: true,
      get: () => {
        throw new Error("called")
      },
    })
    const property = fc.property(fc.dictionary(fc.string(), fc.anything()), (fields) => {
      const { lines, logger } = capture()
      const huge = { text: "x".repeat(100_000), many: new Array(100_000).fill("y".repeat(1000)) }
      logger.info("x", { ...fields, cyclic, trap })
      logger.info("x", { ...fields, huge })
      for (const line of lines) {
        expect(line.length).toBeLessThanOrEqual(lineCharactersMax)
        expect(JSON.parse(line)).toMatchObject({ level: "info", message: "x" })
      }
      expect(lines).toHaveLength(2)
    })
    fc.assert(property, { numRuns: 100 })
  })
})

describe("Metrics", () => {
  it("exposes counters, gauges and histograms as Prometheus text", () => {
    const metrics = new Metrics()
    const actions = metrics.counter("actions_total", { help: "Actions", labels: ["loop", "verb"] })
    actions.add(1, { loop: "default.site", verb: "create" })
    actions.add(2, { verb: "create", loop: "default.site" })
    const depth = metrics.gauge("queue_depth", { help: "Keys that wait" })
    metrics.onCollect(() => depth.set(7))
    const pass = metrics.histogram("pass_seconds", { help: "A pass", buckets: [0.1, 1] })
    for (const seconds of [0.05, 0.1, 0.5, 3]) pass.observe(seconds)
    expect(metrics.expose()).toBe(
      `# HELP actions_total Actions
# TYPE actions_total counter
actions_total{loop="default.site",verb="create"} 3
# HELP queue_depth Keys that wait
# TYPE queue_depth gauge
queue_depth 7
# HELP pass_seconds A pass
# TYPE pass_seconds histogram
pass_seconds_bucket{le="0.1"} 2
pass_seconds_bucket{le="1"} 3
pass_seconds_bucket{le="+Inf"} 4
pass_seconds_sum 3.65
pass_seconds_count 4
`,
    )
  })

  it("escapes label values and help", () => {
    const metrics = new Metrics()
    metrics.gauge("g", { help: "a\nb\\", labels: ["x"] }).set(1, { x: 'a"b\\c\nd' })
    expect(metrics.expose()).toContain("# HELP g a\\nb\\\\\n")
    expect(metrics.expose()).toContain('g{x="a\\"b\\\\c\\nd"} 1\n')
  })

  it("counts what comes over the bound of series together as other", () => {
    const metrics = new Metrics()
    const counter = metrics.counter("c", { help: "c", labels: ["key"], seriesMax: 3 })
    for (let n = 0; n < 10_000; n++) counter.add(1, { key: `key-${n}` })
    counter.add(5, { key: "key-0" })
    const rows = metrics.expose().trim().split("\n").slice(2)
    expect(rows).toEqual([
      'c{key="key-0"} 6',
      'c{key="key-1"} 1',
      'c{key="key-2"} 1',
      'c{key="other"} 9997',
    ])
  })

  it("forgets a removed gauge and starts unlabelled ones at zero", () => {
    const metrics = new Metrics()
    metrics.counter("zero_total", { help: "z" })
    const gauge = metrics.gauge("g", { help: "g", labels: ["loop"] })
    gauge.add(2, { loop: "a" })
    gauge.remove({ loop: "a" })
    expect(metrics.expose()).toContain("zero_total 0\n")
    expect(metrics.expose()).not.toContain("loop=")
  })

  it("forgets everything that names a loop, and nothing else", () => {
    const metrics = new Metrics()
    const labels = ["verb", "loop"]
    const counter = metrics.counter("c_total", { help: "c", labels })
    const histogram = metrics.histogram("h_seconds", { help: "h", labels: ["loop"], buckets: [1] })
    for (const loop of ["a", "b"]) {
      counter.add(1, { verb: "a", loop })
      histogram.observe(1, { loop })
    }
    metrics.forget("loop", "a")
    expect(metrics.expose()).not.toContain('loop="a"')
    expect(metrics.expose()).toContain('c_total{verb="a",loop="b"} 1')
    expect(metrics.expose()).toContain('h_seconds_count{loop="b"} 1')
  })

  it("brings a counter up to what was counted elsewhere, and never down", () => {
    const metrics = new Metrics()
    const counter = metrics.counter("c_total", { help: "c" })
    for (const total of [3, 7, 5]) counter.reach(total)
    expect(metrics.expose()).toContain("c_total 7\n")
  })

  it("has a unit, a help and bounded labels for every metric of the catalogue", () => {
    const metrics = new Metrics()
    for (const [name, entry] of Object.entries(catalog)) {
      if (entry.type === "counter") metrics.counter(name, entry)
      else if (entry.type === "gauge") metrics.gauge(name, entry)
      else metrics.histogram(name, entry)
      expect(name.endsWith("_total"), name).toBe(entry.type === "counter")
      if (entry.type === "histogram") expect(name).toMatch(/_seconds$/)
      expect(name).not.toMatch(/_(ms|millis|milliseconds|minutes|percent|kb)(_|$)/)
      expect(entry.help, name).toMatch(/\.$/)
    }
    expect(metrics.facts().map(({ name }) => name)).toEqual(Object.keys(catalog))
  })

  it("refuses bad names, doubles, wrong labels and impossible values", () => {
    const metrics = new Metrics()
    const counter = metrics.counter("c", { help: "c", labels: ["a"] })
    expect(() => metrics.counter("c", { help: "again" })).toThrow("it exists already")
    expect(() => metrics.gauge("Bad-Name", { help: "" })).toThrow("not a usable name")
    expect(() => metrics.histogram("h", { help: "", labels: ["le"] })).toThrow('"le"')
    expect(() => metrics.histogram("h", { help: "", buckets: [2, 1] })).toThrow("do not grow")
    expect(() => counter.add(1, {})).toThrow("its labels are [a]")
    expect(() => counter.add(1, { b: "x" })).toThrow('label "a" is missing')
    expect(() => counter.add(-1, { a: "x" })).toThrow("-1 is not possible")
    expect(() => counter.add(Number.NaN, { a: "x" })).toThrow("NaN")
  })
})
