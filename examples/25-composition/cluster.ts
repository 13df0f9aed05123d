// DatabaseCluster: a primary and replicas of a small database, as processes of this host. It says
// what should exist now; Setpoint makes it so. Failover, a new member for a lost one, backups,
// restore and scaling follow from it without a person.

import { fileURLToPath } from "node:url"
import { z } from "zod"
import { type ComposeInput, defineComposite } from "../../src/provider/index.ts"
import { backup, group, member } from "./member.ts"
import { dns, recordsOf } from "./records.ts"
import { type ClusterState, first, type Known, type MemberFacts, step } from "./step.ts"

const node = fileURLToPath(new URL("./kv-node.mjs", import.meta.url))

const spec = z.strictObject({
  members: z.int().min(1).max(9).default(3),
  directory: z.string().regex(/^\//).describe("Holds the members' data and the backup."),
  basePort: z.int().min(1024).max(60_000).describe("Member N listens on this port plus N."),
  replaceAfterSeconds: z.number().min(1).default(300).describe("A member that is down so long."),
  backupSeconds: z.number().min(1).default(3600).describe("A backup is never older than this."),
  dns: dns.optional().describe("Where clients find the primary and the members; unset = a file."),
})

type Spec = z.output<typeof spec>
type Child = ComposeInput["children"][number]
const processes = "process.setpoint.dev"

export const databaseCluster = defineComposite({
  ...{ group, version: "v1", kind: "DatabaseCluster", spec },
  description: "A replicated database of processes on this host.",
  scale: { spec: "spec.members", status: "status.ready" },
  printerColumns: [
    { name: "Primary", type: "string", jsonPath: ".status.primary" },
    { name: "Epoch", type: "integer", jsonPath: ".status.epoch" },
  ],
  children: [
    { group: processes, kind: "Process" },
    { group: "host.setpoint.dev", kind: "File" },
    { group: "dns.setpoint.dev", kind: "RecordSet" },
    { group, kind: "DatabaseMember" },
    { group, kind: "DatabaseBackup" },
  ],
  compose({ parent, children, now }) {
    const { name } = parent.metadata
    const wish = { ...parent.spec, replaceAfterMs: parent.spec.replaceAfterSeconds * 1000 }
    const before = stateOf(parent.status?.state, children)
    const known = factsOf(name, before, children, now)
    const state = step(before, wish, known)
    const slot = slotOf(state, before, known, parent, now)
    return {
      children: [
        ...state.members.map((one) => processOf(name, one, parent.spec)),
        ...(state.epoch === 0 ? [] : state.members.map((one) => memberOf(name, one, state, wish))),
        ...(state.begun ? [backupOf(name, slot, state, wish)] : []),
        ...(state.epoch === 0 ? [] : [addressOf(name, state, wish)]),
        ...(state.epoch === 0 ? [] : recordsOf(name, state, wish.dns, (own) => portOf(own, wish))),
      ],
      status: { ...summary(state, known, wish), state: { ...state, slot } },
      againMs: againMs(state, wish, now),
    }
  },
})

/** The children may know of a higher epoch than a status that a crash kept from being written. */
function stateOf(stored: unknown, children: readonly Child[]): ClusterState {
  const state = (stored ?? first) as ClusterState
  const epochs = children.map((child) => Number(child.spec?.epoch ?? 0))
  return { ...state, epoch: Math.max(state.epoch, ...epochs) }
}

function factsOf(
  name: string,
  state: ClusterState,
  children: readonly Child[],
  now: number,
): Known {
  const find = (kind: string, own: string) =>
    children.find((child) => child.kind === kind && child.metadata.name === `${name}-${own}`)
  const names = [...new Set([...state.members, ...children.map((one) => shortName(name, one))])]
  const members = names.map((own): [string, MemberFacts] => {
    const process = outputs(find("Process", own))
    const said = outputs(find("DatabaseMember", own))
    const alive = process.ready === true
    const told = alive && said.pid === process.pid ? (said as MemberFacts["told"]) : undefined
    return [own, { name: own, alive, ...(told?.role === undefined ? {} : { told }) }]
  })
  const { n } = outputs(find("DatabaseBackup", "backup"))
  const saved = typeof n === "number" ? { backup: n } : {}
  return { members: new Map(members), now, ...saved }
}

const shortName = (name: string, child: Child): string => child.metadata.name.slice(name.length + 1)

function outputs(child: Child | undefined): Record<string, unknown> {
  return (child?.status?.outputs ?? {}) as Record<string, unknown>
}

const portOf = (own: string, { basePort }: Pick<Spec, "basePort">) =>
  basePort + Number(own.slice(1))

function processOf(name: string, own: string, { directory, basePort }: Spec): Child {
  const port = portOf(own, { basePort })
  const readiness = { http: { path: "/healthz" }, periodSeconds: 0.3, failureThreshold: 2 }
  return {
    ...{ apiVersion: `${processes}/v1`, kind: "Process", metadata: { name: `${name}-${own}` } },
    spec: {
      command: [process.execPath, node, String(port), `${directory}/${own}`],
      ...{ port, probes: { readiness }, stopGraceSeconds: 2 },
      backoff: { initialSeconds: 0.5, maxSeconds: 5, resetSeconds: 10 },
    },
  }
}

function memberOf(name: string, own: string, state: ClusterState, wish: Spec): Child {
  const { phase, epoch, primary, members, from, atLeast } = state
  const port = portOf(own, wish)
  const others = members.filter((one) => one !== own).map((one) => portOf(one, wish))
  const role = phase === "electing" ? "fenced" : own === primary ? "primary" : "replica"
  const saved = from === "backup" ? { backup: backupPath(wish) } : {}
  const lead = role === "primary" ? { peers: others, from, atLeast, ...saved } : {}
  const metadata = { name: `${name}-${own}` }
  const pidFrom = { kind: "Process", name: `${name}-${own}`, field: "status.outputs.pid" }
  const told = { port, role, epoch, pidFrom, adopt: true, ...lead }
  return { apiVersion: `${group}/v1`, kind: "DatabaseMember", metadata, spec: told }
}

const backupPath = ({ directory }: Spec) => `${directory}/backup.json`

function backupOf(name: string, slot: number, { primary }: ClusterState, wish: Spec): Child {
  const metadata = { name: `${name}-backup` }
  const copied = { path: backupPath(wish), port: portOf(primary, wish), slot }
  return { apiVersion: `${group}/v1`, kind: "DatabaseBackup", metadata, spec: copied }
}

/** Where clients find the primary. */
function addressOf(name: string, { primary }: ClusterState, wish: Spec): Child {
  const content = `127.0.0.1:${portOf(primary, wish)}\n`
  const metadata = { name: `${name}-primary` }
  const file = { path: `${wish.directory}/primary`, content, mode: "0644" }
  return { apiVersion: "host.setpoint.dev/v1", kind: "File", metadata, spec: file }
}

/** A new backup is asked for only of a primary that leads: else the old one is what there is. */
function slotOf(
  state: ClusterState,
  before: ClusterState,
  known: Known,
  parent: { readonly spec: Spec; readonly status?: { readonly [name: string]: unknown } },
  now: number,
): number {
  const kept = Number((parent.status?.state as { slot?: number } | undefined)?.slot ?? 0)
  const said = known.members.get(state.primary)?.told
  const leads = before.phase === "serving" && said?.role === "primary" && said.epoch === state.epoch
  return leads ? Math.floor(now / (parent.spec.backupSeconds * 1000)) : kept
}

function againMs({ down, phase }: ClusterState, wish: Spec, now: number): number {
  const slotMs = wish.backupSeconds * 1000
  const due = Object.values(down).map((at) => at + wish.replaceAfterSeconds * 1000 - now)
  const next = phase === "serving" ? [slotMs - (now % slotMs), ...due] : [...due, 60_000]
  return Math.max(10, Math.ceil(Math.min(...next)))
}

function summary(state: ClusterState, known: Known, wish: Spec) {
  const { phase, primary, epoch, members, stuck } = state
  const good = members.filter((own) => {
    const said = known.members.get(own)?.told
    return said?.epoch === epoch && said.role === (own === primary ? "primary" : "replica")
  })
  const leads = phase === "serving" && good.includes(primary)
  const all = leads && good.length === members.length && members.length === wish.members
  const message = stuck ?? `${good.length} of ${wish.members} members serve`
  const is = (type: string, yes: boolean, reason: string) => ({
    ...{ type, status: yes ? "True" : "False", reason, message },
  })
  return {
    ...{ primary: leads ? primary : "", epoch, ready: good.length },
    address: leads ? `127.0.0.1:${portOf(primary, wish)}` : "",
    conditions: [
      is("Ready", all, all ? "Serving" : leads ? "Degraded" : "NoPrimary"),
      is("Progressing", phase !== "serving", phase === "electing" ? "Failover" : "Forming"),
      is("Degraded", leads && !all, "MembersMissing"),
      ...(stuck === undefined ? [] : [is("Stalled", true, "DataLost")]),
    ],
  }
}

export const kinds = [member, backup]
export const composites = [databaseCluster]
