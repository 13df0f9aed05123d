// One SQL scalar for a signal: a connection of its own, read-only, with time limits on both sides.
// Where to connect to comes from a private file of the plane's operator, never from a manifest.

import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import { controllerFault } from "../../controllers/faults.ts"

const fileBytesMax = 64 * 1024
const connectMs = 5000
const statementMs = 30_000

const failed = (cause: string) => controllerFault("SPT-SIG-001", { cause })

export async function querySql(
  directory: string,
  connection: string,
  query: string,
  signal: AbortSignal,
): Promise<Json> {
  const { host, port, user, database, password } = readConnection(directory, connection)
  const { default: pg } = await import("pg")
  const client = new pg.Client({
    ...texts({ host, user, database, password }),
    ...(typeof port === "number" ? { port } : {}),
    application_name: "setpoint-signal",
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: statementMs,
    options: "-c default_transaction_read_only=on",
  })
  client.on("error", () => {}) // The call that is under way fails by itself.
  const callOff = () => void client.end().catch(() => {})
  signal.addEventListener("abort", callOff, { once: true })
  try {
    await client.connect()
    // One statement that can only be a query, one column, two short rows at most.
    const text = `SELECT left(v::text, 100) FROM (\n${query}\n) AS signal(v) LIMIT 2`
    const config = { text, rowMode: "array", queryMode: "extended" } as const
    const { rows } = await client.query<[string | null]>(config)
    if (rows.length !== 1) throw failed(`the query gives ${rows.length} rows, not one`)
    const [value = null] = rows[0] ?? []
    return value === "true" ? true : value === "false" ? false : value
  } catch (error) {
    if (signal.aborted) throw failed("it was called off")
    throw failed(error instanceof Error ? error.message : String(error))
  } finally {
    signal.removeEventListener("abort", callOff)
    await client.end().catch(() => {})
  }
}

/** DIR/connections/NAME.json: host, port, user, database, password. */
function readConnection(directory: string, name: string): JsonObject {
  const path = join(directory, "connections", `${name}.json`)
  if (!/^[a-z0-9-]+$/.test(name)) throw failed(`${name} is not the name of a connection`)
  try {
    const { mode, size } = statSync(path)
    if ((mode & 0o077) !== 0) throw new Error("others may read it; its mode must be 0600")
    if (size > fileBytesMax) throw new Error("it is too large")
    const value: Json = JSON.parse(readFileSync(path, "utf8"))
    if (!isObject(value)) throw new Error("it is not a JSON object")
    return value
  } catch (error) {
    // A parser's message would quote the file, and so the password.
    const cause = error instanceof SyntaxError ? "it is not JSON" : String(error)
    throw failed(`the connection file connections/${name}.json: ${cause}`)
  }
}

function texts(values: Readonly<Record<string, Json | undefined>>): Record<string, string> {
  const out: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "string") out[name] = value
  }
  return out
}
