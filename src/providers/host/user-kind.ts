// The kind User. Facts come from the account files, changes go through the shadow tools. The tools
// have no compare-and-swap: the files are read again right before the first of them runs.

import { protects } from "../../base/protections.ts"
import type { CommandRequest } from "../../contract/commands.ts"
import { failureOf } from "../../contract/diagnosis.ts"
import { absent, present, type Unknown, unknown } from "../../contract/observation.ts"
import type { ActContext, ActResult, KindProvider } from "../../contract/provider.ts"
import type { FilesRead } from "../../contract/world.ts"
import { defineKind, type KindTarget } from "../../provider/define-kind.ts"
import { untilAborted } from "../../provider/until-aborted.ts"
import type { AccountFiles, KnownAccounts } from "./account-files.ts"
import { copyKeys, findKeyFiles, moveKeysAway, readKeys, writeKeys } from "./authorized-keys.ts"
import { userImporter } from "./import.ts"
import { complaintOf, done, failed, raced } from "./results.ts"
import {
  addUser,
  changeUser,
  forgetPassword,
  openUser,
  refusals,
  removeUser,
  retireUser,
  setPassword,
} from "./user-commands.ts"
import { isRetired, sightOf, type UserSight, userFacts, userToken } from "./user-facts.ts"
import { type UserSpec, userSpec } from "./user-spec.ts"

export const firstUserId = 1000

export function userKind(accounts: AccountFiles): KindProvider {
  return defineKind({
    ...{ group: "host.setpoint.dev", version: "v1", kind: "User", plural: "users" },
    ...{ provider: "user", privileged: true },
    description: "A user account of this host, with groups, password hash and SSH keys.",
    spec: userSpec,
    replaceOn: ["name"],
    printerColumns: [{ name: "User", type: "string", jsonPath: ".spec.name" }],
    // The tools wait for each other, for up to 15 seconds each.
    timeoutMs: { act: 60_000 },
    identity: (spec) => spec.name,
    async observe({ desired }, { world: { files }, signal }) {
      const seen = await untilAborted(signal, () => lookAt(accounts, files, desired))
      if (seen.kind === "none") return absent(seen.proof)
      if (seen.kind === "unknown") return seen
      return present(userFacts(seen.user, desired), userToken(seen.user))
    },
    importer: userImporter(accounts, userSpec),
    watch: (_, { files }, changed) => accounts.watch(files, changed),
    create: (target, context) =>
      untilAborted(context.signal, () => new UserAct(accounts, target, context).create()),
    update: (target, context) =>
      untilAborted(context.signal, () => new UserAct(accounts, target, context).update()),
    delete: (target, context) =>
      untilAborted(context.signal, () => new UserAct(accounts, target, context).delete()),
  })
}

interface Found {
  readonly kind: "user"
  readonly user: UserSight
  readonly accounts: KnownAccounts
}

interface None {
  readonly kind: "none"
  readonly proof: string
  readonly accounts: KnownAccounts
  /** There is an account that a delete has disabled. */
  readonly retired?: UserSight
}

async function lookAt(
  accounts: AccountFiles,
  files: FilesRead,
  spec: UserSpec,
): Promise<Found | None | Unknown> {
  const known = await accounts.read(files)
  if (known.kind === "unknown") return known
  const entry = known.users.get(spec.name)
  if (entry === undefined) {
    // The tools keep both files in step: a line that stayed in one of them proves nothing.
    if (known.shadows.has(spec.name)) {
      return unknown(`${spec.name} is in /etc/shadow and not in /etc/passwd; pwck puts that right`)
    }
    return { kind: "none", proof: `no ${spec.name} in it: ${known.proof}`, accounts: known }
  }
  if (isRetired(known.shadows.get(spec.name))) {
    const proof = `${spec.name} is disabled since its object was deleted: ${known.proof}`
    return { kind: "none", proof, accounts: known, retired: sightOf(known, entry, undefined) }
  }
  if (spec.authorizedKeys === undefined) {
    return { kind: "user", user: sightOf(known, entry, undefined), accounts: known }
  }
  try {
    const keys = await readKeys(files, `${accounts.root}${entry.home}`, entry)
    if (keys.kind === "unknown") return keys
    return { kind: "user", user: sightOf(known, entry, keys.lines), accounts: known }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return unknown(cause, false, failureOf(error))
  }
}

class UserAct {
  readonly #accounts: AccountFiles
  readonly #spec: UserSpec
  readonly #context: ActContext
  #changed = false

  constructor(accounts: AccountFiles, target: KindTarget<UserSpec>, context: ActContext) {
    this.#accounts = accounts
    this.#spec = target.desired
    this.#context = context
  }

  async create(): Promise<ActResult> {
    const seen = await this.#look()
    if (seen.kind === "unknown") return failed(seen.cause, seen.stuck, seen.failure)
    const { name } = this.#spec
    if (seen.kind === "user") return raced(`the user ${name} exists by now`)
    const problem = specProblem(this.#spec, seen.accounts)
    if (problem !== undefined) return problem
    if (seen.retired !== undefined) return this.#revive(seen.retired)
    // In several steps it stays closed until the last one: half a user is nobody's.
    const { root } = this.#accounts
    const { passwordHash, authorizedKeys } = this.#spec
    const unfinished = passwordHash !== undefined || authorizedKeys !== undefined
    return this.#steps([addUser(this.#spec, root, unfinished)], () =>
      unfinished ? this.#finish() : Promise.resolve(done()),
    )
  }

  async update(): Promise<ActResult> {
    const seen = await this.#look()
    const stale = this.#staleness(seen)
    if (stale !== undefined || seen.kind !== "user") return stale ?? raced("it is gone")
    const problem = accountProblem(this.#spec, seen.user) ?? specProblem(this.#spec, seen.accounts)
    if (problem !== undefined) return problem
    const change = changeUser(this.#spec, seen.user, this.#accounts.root)
    return this.#steps(change === undefined ? [] : [change], () => this.#rest(seen.user))
  }

  async delete(): Promise<ActResult> {
    const seen = await this.#look()
    if (seen.kind === "none") return done()
    const stale = this.#staleness(seen)
    if (stale !== undefined || seen.kind !== "user") return stale ?? raced("it is gone")
    const problem = accountProblem(this.#spec, seen.user)
    if (problem !== undefined) return problem
    const { name, uid } = seen.user.entry
    if (uid === 0) return failed(`${name} is root: it is never disabled or removed`, true)
    const { root } = this.#accounts
    const removes = this.#spec.onDelete === "remove"
    const how = removes ? removeUser(name, root) : retireUser(name, root)
    const note = removes ? "the home directory is kept" : "disabled; nothing of it was removed"
    return this.#steps([how], async () => done(note))
  }

  /** An account that a delete has disabled, or that an earlier create did not finish. */
  async #revive(retired: UserSight): Promise<ActResult> {
    const { root } = this.#accounts
    const problem = accountProblem(this.#spec, retired)
    if (problem !== undefined) return problem
    const home = `${root}${retired.entry.home}`
    const keys = await findKeyFiles(this.#context.world.files, home, retired.entry)
    if (keys.kind === "unknown") {
      const cause = `${this.#spec.name} may have old keys that would let somebody in`
      return failed(`${cause}: ${keys.cause}`, keys.stuck, keys.failure)
    }
    const away = keys.paths.map((path) => moveKeysAway(retired.entry, path))
    return this.#steps([...away, forgetPassword(this.#spec.name, root)], () => this.#finish())
  }

  async #finish(): Promise<ActResult> {
    const { root } = this.#accounts
    const seen = await this.#look()
    if (seen.kind !== "none" || seen.retired === undefined) {
      throw new Error(`the user ${this.#spec.name} is not as it was left`)
    }
    const closed = seen.retired
    const change = changeUser({ ...this.#spec, enabled: closed.enabled }, closed, root)
    return this.#steps(change === undefined ? [] : [change], () =>
      this.#rest(closed, [openUser(this.#spec, root)]),
    )
  }

  /** What usermod can't do: the password hash and the keys. */
  async #rest(sight: UserSight, last: readonly CommandRequest[] = []): Promise<ActResult> {
    const { passwordHash, authorizedKeys, name, home } = this.#spec
    const { root } = this.#accounts
    const steps: CommandRequest[] = []
    if (passwordHash !== undefined && passwordHash !== sight.passwordHash) {
      const locked = this.#spec.enabled ? "" : "!"
      steps.push(setPassword(name, `${locked}${passwordHash}`, root))
    }
    const wanted = authorizedKeys === undefined ? undefined : [...new Set(authorizedKeys)].sort()
    if (wanted !== undefined && wanted.join("\n") !== sight.keys?.join("\n")) {
      const place = `${root}${home ?? sight.entry.home}`
      const user = {
        ...sight.entry,
        ...(this.#spec.uid === undefined ? {} : { uid: this.#spec.uid }),
      }
      const adopts = this.#context.action.verb === "adopt" && (sight.keys?.length ?? 0) > 0
      if (adopts) steps.push(copyKeys(user, place))
      steps.push(...writeKeys(user, place, wanted))
    }
    return this.#steps([...steps, ...last], async () => done())
  }

  /** One after the other. Before the first one has an effect, a refusal proves that nothing did. */
  async #steps(
    requests: readonly CommandRequest[],
    then: () => Promise<ActResult>,
  ): Promise<ActResult> {
    const { world, signal } = this.#context
    for (const request of requests) {
      signal.throwIfAborted()
      const result = await world.commands.run(request, signal)
      if (result.code !== 0) {
        const cause = complaintOf(result)
        if (this.#changed || !refusals.has(result.code)) throw new Error(cause)
        const failure = result.code === 6 ? ({ class: "Dependency" } as const) : undefined
        return failed(cause, false, failure)
      }
      this.#changed = true
    }
    return then()
  }

  #look(): Promise<Found | None | Unknown> {
    return lookAt(this.#accounts, this.#context.world.files, this.#spec)
  }

  #staleness(seen: Found | None | Unknown): ActResult | undefined {
    if (seen.kind === "unknown") return failed(seen.cause, seen.stuck, seen.failure)
    if (seen.kind === "none") return raced("it is gone since it was observed")
    const { token } = this.#context
    if (token === undefined) return failed("the action carries no token to compare with")
    return userToken(seen.user) === token ? undefined : raced("it changed since then")
  }
}

const policy = { class: "Policy" } as const

/** Accounts of the system are touched only when the object says that it means one. */
function accountProblem(spec: UserSpec, { entry }: UserSight): ActResult | undefined {
  if (!protects("system-accounts-stay")) return undefined
  if (entry.uid < firstUserId && !spec.system) {
    const cause = `${entry.name} has the uid ${entry.uid}, an account of the system`
    return failed(`${cause}; say system: true when it is meant`, true, policy)
  }
  const wantsOther = spec.uid !== undefined && spec.uid !== entry.uid
  if (entry.uid === 0 && (wantsOther || !spec.enabled)) {
    return failed("root keeps its uid and is never disabled", true, policy)
  }
  return undefined
}

function specProblem(spec: UserSpec, accounts: KnownAccounts): ActResult | undefined {
  if (spec.uid !== undefined && spec.uid < firstUserId && !spec.system) {
    const cause = `the uid ${spec.uid} is below ${firstUserId}`
    return failed(`${cause}; say system: true when it is meant`, true, { class: "BadSpec" })
  }
  const needed = [...(spec.group === undefined ? [] : [spec.group]), ...(spec.groups ?? [])]
  const lacking = needed.find((name) => !accounts.groups.has(name))
  if (lacking === undefined) return undefined
  return failed(`there is no group ${lacking}; declare a Group`, false, { class: "Dependency" })
}
