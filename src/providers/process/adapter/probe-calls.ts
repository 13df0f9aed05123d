// How probes reach a process: one connection, one GET, or one program, each with a deadline. What
// does not answer in time is cut off, a program with its whole group. Answers are read to the
// status and no further.

import { spawn } from "node:child_process"
import { type ClientRequest, type RequestOptions, request } from "node:http"
import { connect } from "node:net"
import { baseEnvironment, wrappers } from "../../../provider/adapter/process-wrappers.ts"
import type { ProbeCalls, ProbeSubject } from "../caretaker.ts"
import { type Answer, unasked } from "../probe-state.ts"
import type { ProbeSpec } from "../process-spec.ts"

const yes: Answer = { yes: true }
const no = (why: string): Answer => ({ yes: false, why })

export const nodeProbeCalls: ProbeCalls = {
  ask(probe, subject) {
    const limitMs = probe.timeoutSeconds * 1000
    const { http, tcp, exec } = probe
    if (http !== undefined) return askHttp(http, subject, limitMs)
    if (tcp !== undefined) return askTcp(tcp, subject, limitMs)
    if (exec !== undefined) return askProgram(exec.command, subject, limitMs)
    return Promise.resolve(no("the probe says neither exec, http nor tcp"))
  },
}

const noPort = no("neither the probe nor the process says a port")
const late = (limitMs: number) => no(`no answer in ${limitMs / 1000} s`)
/** An answer that has come while the plane was busy counts: it is read before this fires. */
function lateAfter(limitMs: number, end: (answer: Answer) => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(() => end(late(limitMs))), limitMs)
}

/** What the plane or the host has run out of; the process was never reached. */
const shortages: ReadonlySet<string> = new Set([
  ...["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "EAGAIN", "EADDRNOTAVAIL"],
])

function refusal(error: Error): Answer {
  const code = String(Object(error).code ?? error.message)
  return shortages.has(code) ? unasked(code) : no(code)
}

function askTcp(
  { host, port }: NonNullable<ProbeSpec["tcp"]>,
  subject: ProbeSubject,
  limitMs: number,
): Promise<Answer> {
  const to = port ?? subject.port
  if (to === undefined) return Promise.resolve(noPort)
  return new Promise((resolve) => {
    const socket = connect({ host, port: to })
    const end = (answer: Answer) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = lateAfter(limitMs, end)
    socket.on("connect", () => end(yes))
    socket.on("error", (error) => end(refusal(error)))
  })
}

function askHttp(
  { host, port, path, headers }: NonNullable<ProbeSpec["http"]>,
  subject: ProbeSubject,
  limitMs: number,
): Promise<Answer> {
  const to = port ?? subject.port
  if (to === undefined) return Promise.resolve(noPort)
  return new Promise((resolve) => {
    const sent = send({ host, port: to, path, headers: { ...headers, connection: "close" } })
    if (sent instanceof Error) return resolve(no(`it can't be sent: ${sent.message}`))
    const end = (answer: Answer) => {
      clearTimeout(timer)
      sent.destroy()
      resolve(answer)
    }
    const timer = lateAfter(limitMs, end)
    sent.on("response", ({ statusCode = 0 }) => {
      end(statusCode >= 200 && statusCode < 400 ? yes : no(`HTTP status ${statusCode}`))
    })
    sent.on("error", (error) => end(refusal(error)))
  })
}

/** Node throws what can't be a request at once, when it is made or when its head is written. */
function send(options: RequestOptions): ClientRequest | Error {
  let sent: ClientRequest | undefined
  try {
    sent = request({ ...options, agent: false })
    sent.end()
    return sent
  } catch (error) {
    sent?.on("error", () => {}).destroy()
    return error instanceof Error ? error : new Error(String(error))
  }
}

function askProgram(
  argv: readonly string[],
  { env, cwd, user }: ProbeSubject,
  limitMs: number,
): Promise<Answer> {
  const place = { directory: "", run: 0, note: {}, env }
  const asked = { ...place, argv, ...(user === undefined ? {} : { user }) }
  return new Promise((resolve) => {
    const [program = "", ...rest] = [...wrappers(asked), ...argv]
    const child = spawn(program, rest, {
      ...{ cwd, detached: true, stdio: "ignore" },
      env: { ...baseEnvironment(user), ...env },
    })
    let over = false
    const end = (answer: Answer) => {
      over = true
      clearTimeout(timer)
      resolve(answer)
    }
    const timer = lateAfter(limitMs, (answer) => {
      if (over) return
      if (child.pid !== undefined) killGroup(child.pid)
      end(answer)
    })
    child.on("error", (error) => end(refusal(error)))
    child.on("exit", (code, signal) =>
      end(code === 0 ? yes : no(`it ended with ${code ?? signal}`)),
    )
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}
