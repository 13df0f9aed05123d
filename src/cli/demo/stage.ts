// What a key of the demo has to play with: the world, the plane, a way to say things, to run
// commands that are printed first, and to wait for what they bring about.

import type { DemoProgram, ShellResult } from "./demo-shell.ts"
import type { DemoView } from "./demo-view.ts"
import type { Load } from "./load.ts"
import type { DemoWorld } from "./world/demo-world.ts"

export interface Waited<T> {
  readonly value: T
  readonly ms: number
}

export interface DemoStage {
  readonly world: DemoWorld
  readonly plane: DemoProgram
  readonly naive: DemoProgram
  readonly view: DemoView
  readonly load: Load
  say(text: string): void
  /** As hoped for: green. */
  good(text: string): void
  /** What nobody wants: red. */
  bad(text: string): void
  /** Prints the command and runs it; its output only when it failed. */
  run(command: string): Promise<ShellResult>
  /** Runs, and shows its output too: so many lines of its beginning, and its last ones. */
  show(command: string, head?: number): Promise<ShellResult>
  /** Asks again until there is an answer; undefined when the time is over. */
  until<T>(
    what: string,
    probe: () => Promise<T | undefined> | T | undefined,
    limitMs?: number,
  ): Promise<Waited<T> | undefined>
  /** Starts the plane again and waits until it has looked at everything. */
  restart(): Promise<number | undefined>
}

export interface DemoAction {
  readonly key: string
  readonly title: string
  act(stage: DemoStage): Promise<void>
}

/** How long an effect may take on a busy machine. */
export const effectMs = 60_000
/** How long to look when nothing is expected to happen. */
export const nothingMs = 1000

/** The first stop that stands, in words. */
export async function stopped(stage: DemoStage): Promise<string | undefined> {
  return (await stage.view.status())?.stops[0]
}

/** "0 failed of 312 requests" between two moments. */
export function requestsSince(stage: DemoStage): () => string {
  const { requests, failed } = stage.load
  return () => {
    const lost = stage.load.failed - failed
    const why = lost === 0 ? "" : ` (${stage.load.lastFailure})`
    return `${stage.load.requests - requests} requests meanwhile, ${lost} failed${why}`
  }
}
