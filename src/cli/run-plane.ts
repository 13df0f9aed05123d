// Runs a plane in this process until it is told to end. SIGTERM and SIGINT end it in order: no act
// begins any more, what is under way finishes, the rest goes on at the next start. A second signal
// ends it at once.

import { join, resolve } from "node:path"
import { systemClock } from "../base/system.ts"
import type { GitScheme } from "../contract/git-source.ts"
import type { ListenOptions } from "../plane/adapters/local-tls.ts"
import { type LocalPlane, openLocalPlane } from "../plane/adapters/open-local-plane.ts"
import type { ExecProgramOptions } from "../providers/exec/exec-program.ts"
import type { ManagementFlow } from "../providers/firewall/firewall-spec.ts"
import { type LogLevel, newLogger } from "../telemetry/logger.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import type { Place } from "./plane-options.ts"
import { backupsOf } from "./running/backup-options.ts"
import { followJournal } from "./running/follow-journal.ts"
import { issuerOf } from "./running/issuer-options.ts"
import { goesWell, journalLines } from "./running/journal-lines.ts"
import { progressOf, progressText, quietText, StatusLine } from "./running/progress.ts"
import { version } from "./version.ts"

export interface RunPlaneOptions {
  readonly root?: readonly string[]
  readonly logLevel?: LogLevel
  readonly otlpEndpoint?: string
  readonly provider?: readonly string[]
  readonly execProvider?: readonly ExecProgramOptions[]
  readonly signalCommand?: readonly string[]
  readonly managementPath?: readonly ManagementFlow[]
  readonly gitAllow?: readonly GitScheme[]
  readonly keyFile?: string
  readonly workloadKinds?: boolean
  readonly webhookService?: ReadonlyMap<string, Required<Place>>
  readonly listen?: Place
  readonly port?: number
  readonly dashboardPort?: number
  readonly tlsSan?: readonly string[]
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly oidcIssuer?: string
  readonly oidcClientId?: string
  readonly oidcUsernameClaim?: string
  readonly oidcUsernamePrefix?: string
  readonly oidcGroupsClaim?: string
  readonly oidcGroupsPrefix?: string
  readonly oidcCaFile?: string
  readonly oidcClientSecretFile?: string
  /** Milliseconds. */
  readonly journalKeep?: number
  readonly watchHistory?: number
  /** Milliseconds. */
  readonly eventsKeep?: number
  /** Milliseconds. */
  readonly shutdownDelay?: number
  readonly backupTo?: string
  /** Milliseconds. */
  readonly backupEvery?: number
  readonly backupKeep?: number
}

const progressMs = 150
const socketPathMax = 107
const lingerMs = 500

/** `opened` prints the first screen and answers with the loops whose progress is shown. */
export async function runPlane(
  cli: Cli,
  options: RunPlaneOptions,
  opened: (local: LocalPlane) => Promise<readonly string[]>,
): Promise<number> {
  requireShortSocket(cli.options().data)
  const end = endSignal()
  const local = await open(cli, options).catch((error) => {
    end.forget()
    // A part that was open already, such as a first listener, must not keep the process.
    setTimeout(() => process.exit(exitCode.failed), lingerMs).unref()
    throw error
  })
  const stop = new AbortController()
  const line = new StatusLine(cli.terminal)
  // Until then the progress line says what goes well; only what does not gets a line of its own.
  let quiet = !cli.terminal.interactive
  const following = followJournal({
    store: local.data.store,
    clock: systemClock,
    after: local.data.store.revision,
    signal: stop.signal,
    batch: (entries) => {
      const told = quiet ? entries : entries.filter((entry) => !goesWell(entry))
      for (const text of journalLines(told)) line.print(text)
    },
    missed: () => line.print("(some lines are missing here; `setpoint history` has them all)"),
  })
  try {
    const loops = await opened(local)
    const converging = showProgress(cli, local, loops, line, stop.signal).then(() => {
      quiet = true
    })
    const signal = await end.signal
    line.clear()
    cli.terminal.note(`${signal}: ending; acts under way finish first (again to end at once)`)
    stop.abort()
    await converging
  } finally {
    stop.abort()
    await following.catch(() => {}) // The store says by itself what is wrong with it.
    await local.close()
  }
  return exitCode.ok
}

function open(cli: Cli, options: RunPlaneOptions): Promise<LocalPlane> {
  const { data } = cli.options()
  const { interactive } = cli.terminal
  return openLocalPlane({
    directory: data,
    version,
    logger: newLogger({
      clock: systemClock,
      // On a terminal the journal's lines say what the warnings say.
      level: options.logLevel ?? (interactive ? "error" : "warn"),
      sink: (text) => cli.terminal.note(text),
    }),
    onFatal: (fault) => {
      cli.terminal.note(`error: ${fault.message} [${fault.code}]`)
      process.exit(exitCode.failed)
    },
    ...(options.root === undefined ? {} : { roots: options.root }),
    ...(options.signalCommand === undefined ? {} : { signalCommands: options.signalCommand }),
    ...(options.provider === undefined ? {} : { providers: options.provider }),
    ...(options.execProvider === undefined ? {} : { programs: options.execProvider }),
    ...(options.managementPath === undefined ? {} : { managementPaths: options.managementPath }),
    ...(options.gitAllow === undefined ? {} : { gitAllow: options.gitAllow }),
    ...(options.keyFile === undefined ? {} : { keyFile: options.keyFile }),
    ...(options.workloadKinds === true ? { workloadKinds: true } : {}),
    ...(options.webhookService === undefined ? {} : { webhookServices: options.webhookService }),
    listen: listenOf(options),
    ...issuerOf(options),
    ...backupsOf(data, options),
    ...(options.watchHistory === undefined ? {} : { watchHistoryMs: options.watchHistory }),
    ...(options.eventsKeep === undefined ? {} : { eventsKeepMs: options.eventsKeep }),
    ...(options.shutdownDelay === undefined ? {} : { shutdownDelayMs: options.shutdownDelay }),
    ...(options.journalKeep === undefined ? {} : { journalKeepMs: options.journalKeep }),
    ...tracesTo(options.otlpEndpoint ?? process.env.OTEL_EXPORTER_OTLP_ENDPOINT),
  })
}

const tracesTo = (endpoint: string | undefined) =>
  endpoint === undefined || endpoint === "" ? {} : { traceEndpoint: endpoint }

function listenOf(options: RunPlaneOptions): ListenOptions {
  const { listen, port = listen?.port, dashboardPort, tlsSan, tlsCert, tlsKey } = options
  return {
    ...(tlsCert === undefined ? {} : { certificateFile: tlsCert }),
    ...(tlsKey === undefined ? {} : { keyFile: tlsKey }),
    ...(listen === undefined ? {} : { host: listen.host }),
    ...(port === undefined ? {} : { port }),
    ...(dashboardPort === undefined ? {} : { dashboardPort }),
    ...(tlsSan === undefined ? {} : { names: tlsSan }),
  }
}

/** Until everything is as declared or needs someone; then the journal's lines are enough. */
async function showProgress(
  { terminal }: Cli,
  { plane }: LocalPlane,
  loops: readonly string[],
  line: StatusLine,
  signal: AbortSignal,
): Promise<void> {
  if (loops.length === 0) return
  const started = systemClock.monotonic()
  while (!signal.aborted) {
    const progress = progressOf(plane, loops)
    if (!progress.busy) {
      line.clear()
      line.print(quietText(progress, systemClock.monotonic() - started))
      return
    }
    line.show(progressText(progress, terminal.columns))
    await new Promise<void>((resolve) => void systemClock.after(progressMs, resolve))
  }
}

/** The system refuses longer paths of sockets; told before anything is made. */
function requireShortSocket(data: string): void {
  const bytes = Buffer.byteLength(join(resolve(data), "api.sock"))
  if (bytes > socketPathMax) throw cliFault("SPT-CLI-007", { data, bytes, limit: socketPathMax })
}

const endings = ["SIGINT", "SIGTERM"] as const

function endSignal(): { readonly signal: Promise<string>; forget(): void } {
  let told = false
  let onSignal: (signal: string) => void = () => {}
  const signal = new Promise<string>((done) => {
    onSignal = (name) => {
      if (told) process.exit(exitCode.failed)
      told = true
      done(name)
    }
  })
  for (const name of endings) process.on(name, onSignal)
  const forget = () => {
    for (const name of endings) process.off(name, onSignal)
  }
  return { signal, forget }
}
