// Calls of git for one copy: those that only read it, those that ask its server, and those that
// bring something into it. Each within its bounds and its turn; never outside of the copy's place.

import type { Slots } from "../../base/async.ts"
import type { Clock } from "../../base/clock.ts"
import type { Fault } from "../../base/faults.ts"
import type { GitAddress } from "../../contract/git-source.ts"
import { gitFault } from "./faults.ts"
import type { GitBounds } from "./git-bounds.ts"
import { type GitCredentials, GitCut, type GitProgram, type GitResult } from "./git-program.ts"
import { lockedArguments, lockedEnvironment, remoteCall } from "./locked-git.ts"
import { callFault, remoteFault } from "./what-went-wrong.ts"

export interface CopyCallsOptions {
  readonly name: string
  readonly address: GitAddress
  readonly program: GitProgram
  readonly clock: Clock
  readonly bounds: GitBounds
  readonly signal: AbortSignal
  /** For calls that read the copy, and for those that go over a network. */
  readonly slots: { readonly near: Slots; readonly far: Slots }
  /** How many bytes it may have beside the other copies. */
  room(): Promise<number>
}

type NearRequest = Pick<Parameters<GitProgram["run"]>[0], "args" | "input" | "files" | "publicKeys">

export class CopyCalls {
  readonly #options: CopyCallsOptions

  constructor(options: CopyCallsOptions) {
    this.#options = options
  }

  at(): string[] {
    const { program, name } = this.#options
    return [`--git-dir=${program.place(name)}`]
  }

  /** Goes over no network; what a failure means is the caller's business. */
  async near(request: NearRequest): Promise<GitResult> {
    const { program, address, bounds, signal, slots } = this.#options
    const limits = { timeoutMs: bounds.readMs, outputBytesMax: bounds.readBytes }
    const whole = { ...request, env: lockedEnvironment(), ...limits }
    try {
      return await slots.near.run(() => program.run(whole, signal))
    } catch (error) {
      throw callFault(error, { url: address.url, limit: bounds.readBytes }) ?? error
    }
  }

  /** Asks the server; the copy stays as it is. */
  async ask(args: readonly string[], credentials: GitCredentials): Promise<GitResult> {
    const { address, bounds } = this.#options
    try {
      const result = await this.#far(args, credentials, bounds.askMs)
      if (result.code === 0) return result
      throw remoteFault(result, address.url, credentials)
    } catch (error) {
      throw callFault(error, { url: address.url, limit: bounds.refsBytes }) ?? error
    }
  }

  /** Brings something into the copy, as long as there is room beside the others. */
  async fill(args: readonly string[], credentials: GitCredentials): Promise<GitResult> {
    const { program, name, address, bounds } = this.#options
    const room = await this.#room()
    const bytesMax = Math.min(bounds.copyBytes, room)
    try {
      const result = await this.#far(args, credentials, bounds.fetchMs, { copy: name, bytesMax })
      // Others may have grown meanwhile.
      if ((await program.bytes(name)) > (await this.#room())) throw this.#full()
      return result
    } catch (error) {
      if (error instanceof GitCut) await program.unlock(name)
      const full = room < bounds.copyBytes ? { full: this.#full() } : {}
      throw callFault(error, { url: address.url, limit: bounds.copyBytes, ...full }) ?? error
    }
  }

  #far(
    args: readonly string[],
    credentials: GitCredentials,
    timeoutMs: number,
    grows?: { readonly copy: string; readonly bytesMax: number },
  ): Promise<GitResult> {
    const { program, address, bounds, signal, slots } = this.#options
    const { settings, ...how } = remoteCall(address.scheme, credentials)
    const locked = lockedArguments(address.scheme, settings)
    const limits = { timeoutMs, outputBytesMax: bounds.refsBytes }
    const growth = grows === undefined ? {} : { grows }
    const request = { args: [...locked, ...args], ...how, ...growth, ...limits }
    return slots.far.run(() => program.run(request, signal))
  }

  async #room(): Promise<number> {
    const room = await this.#options.room()
    if (room <= 0) throw this.#full()
    return room
  }

  #full(): Fault {
    const { address, bounds } = this.#options
    return gitFault("SPT-GIT-039", { url: address.url, limit: bounds.allBytes })
  }
}
