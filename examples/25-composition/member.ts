// DatabaseMember: the role of one node, told over HTTP. A role carries an epoch, and a node
// refuses lower ones than it knows, so that an old order never comes after a new one.
// DatabaseBackup: a copy of the primary's data in a file, made anew for every time slot.

import { z } from "zod"
import {
  type ActContext,
  type ActResult,
  absent,
  defineKind,
  type KindAct,
  present,
  ref,
  unknown,
} from "../../src/provider/index.ts"

export const group = "example.setpoint.dev"

const spec = z.strictObject({
  port: z.int().min(1).max(65_535).describe("Where the node listens, on this host."),
  pid: ref(z.int(), { kind: "Process", field: "status.outputs.pid" })
    .optional()
    .describe("Of which run of the node."),
  role: z.enum(["fenced", "replica", "primary"]),
  epoch: z.int().min(1).describe("Higher than that of every order before."),
  peers: z.array(z.int()).default([]).describe("Ports of the replicas; of a primary."),
  from: z.enum(["nothing", "own", "backup"]).default("own").describe("Where its data is from."),
  atLeast: z.int().default(0).describe("A node with less than this has lost data: no primary."),
  backup: z.string().optional().describe("The file that a primary from backup begins with."),
})

const answer = z.object({
  ...{ pid: z.int(), role: z.string(), epoch: z.int(), owner: z.string() },
  ...{ peers: z.array(z.int()), empty: z.boolean() },
  last: z.object({ epoch: z.int(), n: z.int() }),
})

const copy = z.object({ slot: z.int(), n: z.int(), entries: z.array(z.json()) })
const copyBytesMax = 64 * 1024 * 1024

/** Nobody listens there: the kernel of this host says so itself, and nothing was changed. */
const isDown = (error: unknown): boolean => String(error).includes("ECONNREFUSED")

async function order(
  port: number,
  body: object,
  { world, signal }: ActContext,
): Promise<ActResult> {
  const url = `http://127.0.0.1:${port}/role`
  const request = { method: "POST", url, body: JSON.stringify(body) }
  try {
    const { status, body: said } = await world.http.request(request, signal)
    if (status < 300) return { kind: "done" }
    return { kind: "failed", cause: `the node refuses: ${said.slice(0, 200)}` }
  } catch (error) {
    if (!isDown(error)) throw error
    return { kind: "failed", cause: "the node is down" }
  }
}

const tell: KindAct<typeof spec> = async ({ desired, uid }, context) => {
  const { port, backup, pid: _, ...role } = desired
  const { files } = context.world
  const bytes = backup === undefined ? undefined : await files.read(backup, copyBytesMax)
  const entries = bytes && copy.parse(JSON.parse(Buffer.from(bytes).toString("utf8"))).entries
  return order(port, { ...role, owner: uid, ...(entries && { entries }) }, context)
}

export const member = defineKind({
  ...{ group, version: "v1", kind: "DatabaseMember", spec, fungible: true },
  description: "The role of one node of a database cluster.",
  printerColumns: [
    { name: "Role", type: "string", jsonPath: ".status.outputs.role" },
    { name: "Epoch", type: "integer", jsonPath: ".status.outputs.epoch" },
  ],
  // A node has no role after a start: that it has to be told again is no quarrel.
  restless: ["role", "epoch", "peers"],
  identity: ({ port }) => `127.0.0.1:${port}`,
  // One node that does not answer is no reason to leave the others alone.
  connection: ({ port }) => String(port),
  readsOwnWrites: true,
  // How a role is to be reached is of no interest once it is.
  normalize: ({ from: _from, atLeast: _least, backup: _backup, ...rest }) => rest,
  observe: async ({ desired }, { world, signal }) => {
    const url = `http://127.0.0.1:${desired.port}/status`
    try {
      const { body } = await world.http.request({ method: "GET", url }, signal)
      const { pid, role, epoch, owner, peers, empty, last } = answer.parse(JSON.parse(body))
      if (owner === "" && epoch > 0) return absent("its role was taken away")
      // How far a node is rests only while nobody writes there.
      const rests = role === "none" || role === "fenced"
      const far = rests ? { empty, last: { ...last } } : {}
      const value = { port: desired.port, pid, role, epoch, peers }
      const token = `${pid} ${role} ${epoch} ${peers.join(",")}`
      const mark = owner === "" ? {} : { mark: owner }
      return present(value, token, { ...mark, outputs: { pid, role, epoch, ...far } })
    } catch (error) {
      // A node that is down for a moment has its role all the same; without a process it has none.
      const ended = isDown(error) && desired.pid === undefined
      return ended ? absent("its process has ended") : unknown(String(error))
    }
  },
  create: tell,
  update: tell,
  delete: ({ desired: { port, epoch } }, context) =>
    order(port, { role: "none", epoch, owner: "" }, context),
})

const backupSpec = z.strictObject({
  path: z.string().regex(/^\//).describe("Absolute path of the copy."),
  port: z.int().min(1).max(65_535).describe("The node that is copied."),
  slot: z.int().describe("A copy of another slot is too old."),
})

const save: KindAct<typeof backupSpec> = async ({ desired, uid }, { world, signal }) => {
  const { path, port, slot } = desired
  const url = `http://127.0.0.1:${port}/dump`
  const { status, body } = await world.http.request({ method: "GET", url }, signal)
  if (status !== 200) return { kind: "failed", cause: `the node answers ${status}` }
  const dump: object = JSON.parse(body)
  const fresh = copy.parse({ ...dump, slot })
  const known = await world.files.lstat(path)
  if (known !== undefined) {
    const old = copy.parse(
      JSON.parse(Buffer.from(await world.files.read(path, copyBytesMax)).toString()),
    )
    // A copy of less is never put in the place of a copy of more.
    if (old.n > fresh.n) return { kind: "failed", cause: `it has ${fresh.n} entries, not ${old.n}` }
  }
  const directory = path.slice(0, path.lastIndexOf("/")) || "/"
  const content = Buffer.from(JSON.stringify(fresh))
  const temporary = await world.files.writeTemporary(directory, content, 0o600, uid)
  await world.files.rename(temporary, path)
  await world.files.syncDirectory(directory)
  return { kind: "done" }
}

export const backup = defineKind({
  ...{ group, version: "v1", kind: "DatabaseBackup", spec: backupSpec },
  description: "A copy of a database, not older than its time slot.",
  identity: ({ path }) => path,
  normalize: ({ port: _, ...rest }) => rest,
  restless: ["slot"],
  observe: async ({ desired: { path } }, { world }) => {
    const found = await world.files.lstat(path)
    if (found === undefined) return absent("there is no such file")
    const bytes = await world.files.read(path, copyBytesMax)
    const { slot, n } = copy.parse(JSON.parse(Buffer.from(bytes).toString("utf8")))
    return present({ path, slot }, `${found.inode} ${found.mtimeNs}`, { outputs: { slot, n } })
  },
  create: save,
  update: save,
  // A backup outlives what it is of: it is put aside.
  delete: async ({ desired: { path } }, { world }) => {
    await world.files.rename(path, `${path}.kept`)
    return { kind: "done" }
  },
})
