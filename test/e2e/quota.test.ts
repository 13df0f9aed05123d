// A tenant that may use 10 GPUs uses 14, on a real plane with real processes: exactly the right
// four save their work and end, ten go on untouched, and everybody can see why.

import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { program } from "../program.ts"
import { requireClient } from "../tools.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { pidsRunning } from "./plane/process-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const group = { group: "gpu.setpoint.dev", version: "v1alpha1" } as const
const run = promisify(execFile)
const kubectl = requireClient("kubectl-1.35")
const why = "tenant ann uses 14 a100 and may use 10: 4 too many"

/** Says at its end whether its work had been saved by then. */
const job = `work="$OUT/$SETPOINT_WORKLOAD"
trap 'test -e "$work.saved" && echo saved > "$work.ended"; exit 0' TERM
sleep 100000 &
wait
`
const save = 'echo "$SETPOINT_GPUS" > "$OUT/$SETPOINT_WORKLOAD.saved"\n'

describe("a tenant with 14 GPUs", () => {
  const rig = new PlaneRig()
  const out = join(rig.base, "out")
  const script = join(rig.base, "job.sh")
  const running = () => pidsRunning(["/bin/sh", script], `OUT=${out}`)
  const workloads = Array.from({ length: 14 }, (_, index) => `w${String(index).padStart(2, "0")}`)
  const four = ["w10", "w11", "w12", "w13"]

  const declare = (kind: string, name: string, spec: JsonObject) => {
    const object = { apiVersion: "gpu.setpoint.dev/v1alpha1", kind, metadata: { name }, spec }
    writeFileSync(rig.manifest(`${kind}-${name}`), `${JSON.stringify(object)}\n`)
  }
  const mayUse = (nominal: number) => declare("Tenant", "ann", { quota: { a100: { nominal } } })
  const submit = (from: number, to: number) => {
    for (const [index, name] of workloads.entries()) {
      if (index < from || index >= to) continue
      const priority = index < 6 ? 5 : index < 12 ? 1 : 0
      declare("Workload", name, {
        ...{ tenant: "ann", flavor: "a100", gpus: 1, priority },
        process: { command: ["/bin/sh", script], env: { OUT: out } },
        checkpoint: { command: ["/bin/sh", join(rig.base, "save.sh")] },
      })
    }
  }
  const phases = async () => {
    const found = await rig.client.list(
      { ...group, resource: "workloads" },
      { namespace: "default" },
    )
    return found.items.map(({ metadata, status }) => `${metadata.name} ${String(status?.phase)}`)
  }
  const reached = (phase: string, names: readonly string[]) =>
    waitFor(`${names.join(" ")} are ${phase}`, async () => {
      const now = await phases()
      const those = now.filter((one) => one.endsWith(` ${phase}`)).map((one) => one.split(" ")[0])
      return those.join() === names.join() || now.join(", ")
    })

  beforeAll(async () => {
    mkdirSync(out)
    writeFileSync(script, job)
    writeFileSync(join(rig.base, "save.sh"), save)
    declare("GpuPool", "default", { cooldownSeconds: 1 })
    for (const node of ["n1", "n2"]) {
      declare("GpuNode", node, { flavor: "a100", gpus: 8, simulated: true })
    }
    mayUse(14)
    submit(0, 10)
    await rig.start()
    await reached("Running", workloads.slice(0, 10))
    submit(10, 14)
    await reached("Running", workloads)
    await waitFor("14 processes run", () => running().length === 14 || `${running().length}`)
  })
  afterAll(async () => {
    await rig.close()
    for (const pid of running()) process.kill(-pid, "SIGKILL") // With what it started.
    await waitFor("all ended", () => running().length === 0)
    rmSync(rig.base, { recursive: true, force: true })
  })

  it("loses exactly the four least important, newest when it may use 10, no more", async () => {
    const before = running()
    mayUse(10)
    await reached("Waiting", four)
    await waitFor("10 processes run", () => running().length === 10 || `${running().length}`)
    const ten = running()
    expect(before).toEqual(expect.arrayContaining([...ten]))
    const files = readdirSync(out).sort()
    expect(files).toEqual(four.flatMap((name) => [`${name}.ended`, `${name}.saved`]))
    for (const name of four)
      expect(readFileSync(join(out, `${name}.ended`), "utf8")).toBe("saved\n")

    // A plane that dies and comes back neither starts nor ends anything.
    await rig.end("SIGKILL")
    await rig.start()
    await reached("Waiting", four)
    await rig.call("POST", "look")
    await waitFor("nobody cools down any more", async () => {
      const { items } = await rig.client.list({ ...group, resource: "workloads" }, {})
      const waits = items.filter(({ status }) => status?.phase === "Waiting")
      const told = JSON.stringify(waits.map(({ status }) => status))
      return (told.match(/"QuotaExceeded"/g)?.length ?? 0) === 4 || told
    })
    await waitFor("the pool is quiet", async () => {
      const before = (await rig.status()).revision
      await rig.call("POST", "look")
      return (await rig.status()).revision === before
    })
    expect(running().sort()).toEqual([...ten].sort())
    expect(readdirSync(out).sort()).toEqual(files)
  })

  it("tells why, in explain and in the journal", async () => {
    const explain = [program, "--data", rig.data, "explain", "workload", "w13"]
    expect((await run(process.execPath, explain)).stdout).toContain(why)
    const key = "processes.process.setpoint.dev/default/gpu.w13.0"
    const history = await rig.call("GET", `history?object=${encodeURIComponent(key)}`)
    expect(JSON.stringify(history)).toContain(`OverQuota: ${why}`)
  })

  it.skipIf(kubectl.missing)("tells why to kubectl", async () => {
    const asked = ["--kubeconfig", join(rig.data, "kubeconfig"), "describe", "workload", "w13"]
    expect((await run(kubectl.path, asked)).stdout).toContain(why)
  })

  it("loses nothing while a node is silent, and goes on when it is heard", async () => {
    const statusOf = async (resource: string, name: string) => {
      const ref = { ...group, resource, namespace: "default", name }
      return JSON.stringify((await rig.client.get(ref))?.status)
    }
    declare("GpuNode", "n3", { flavor: "a100", gpus: 8 })
    await waitFor("the pool says that it doubts", async () => {
      const text = await statusOf("gpupools", "default")
      return text.includes("nobody is evicted: node n3: there is no Lease gpunode-n3") || text
    })
    mayUse(9)
    await waitFor("the pool knows of the new quota", async () => {
      const text = await statusOf("tenants", "ann")
      return text.includes('"cap":9') || text
    })
    await rig.call("POST", "look")
    expect((await phases()).filter((one) => one.endsWith(" Running"))).toHaveLength(10)
    expect(running()).toHaveLength(10)
    const leases = { group: "coordination.k8s.io", version: "v1", resource: "leases" }
    await rig.client.create(leases, {
      ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
      metadata: { name: "gpunode-n3", namespace: "default" },
      spec: { renewTime: new Date().toISOString().replace("Z", "000Z") },
    })
    await waitFor("9 processes run", () => running().length === 9 || `${running().length}`)
    const waiting = (await phases()).filter((one) => /^w0[6-9] (Waiting|Preempting)/.test(one))
    expect(waiting).toHaveLength(1) // One of those with priority 1 that came together.
  })

  it("keeps nobody waiting for a workload whose process can't be made", async () => {
    const processes = { group: "process.setpoint.dev", version: "v1", resource: "processes" }
    await rig.client.create(processes, {
      ...{ apiVersion: "process.setpoint.dev/v1", kind: "Process" },
      metadata: { name: "gpu.taken.0", namespace: "default" },
      spec: { command: ["/bin/true"], state: "Stopped" },
    })
    const urgent = (name: string) =>
      declare("Workload", name, {
        ...{ tenant: "ann", flavor: "a100", gpus: 1, priority: 9 },
        process: { command: ["/bin/sh", script], env: { OUT: out } },
      })
    const told = async (name: string) => {
      const ref = { ...group, resource: "workloads", namespace: "default", name }
      return JSON.stringify((await rig.client.get(ref))?.status ?? {})
    }
    const isRunning = (name: string) =>
      waitFor(`${name} runs`, async () => {
        const text = await told(name)
        return text.includes('"phase":"Running"') || text
      })
    urgent("taken")
    mayUse(10)
    await waitFor("10 processes run", () => running().length === 10 || `${running().length}`)
    await waitFor("the workload is told", async () => {
      const text = await told("taken")
      return (text.includes('"Invalid"') && text.includes("does not belong to it")) || text
    })
    const long = "l".repeat(100)
    urgent(long)
    mayUse(11)
    await isRunning(long)
    await rig.client.delete({ ...processes, namespace: "default", name: "gpu.taken.0" })
    mayUse(12)
    await isRunning("taken")
  })
})
