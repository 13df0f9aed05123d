// What stands in for a quarantined source revision: the manifests that a checkpoint pinned. Asked
// with every snapshot of the source; a snapshot of another revision ends the quarantine once it is
// good as a whole, and one that can't be read leaves the pinned state in force.

import { protects } from "../base/protections.ts"
import type { Principal } from "../contract/principal.ts"
import type { Manifest, SourceSnapshot } from "../contract/source.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { type Quarantine, quarantineText } from "../ledger/quarantines.ts"
import { parseApiVersion } from "../object/object.ts"
import { controllerFault } from "./faults.ts"
import { manifestOfPin } from "./pins.ts"
import type { ServedKind } from "./place-manifest.ts"

/** The name under which a rollback keeps what it returned to, as long as it stands. */
export const rollbackName = "rollback"

export interface Pinned {
  readonly manifests: readonly Manifest[]
  /** Objects whose kind is not served any more: they can't be declared again. */
  readonly lost: readonly string[]
}

type AskKind = (group: string, kind: string) => ServedKind | undefined

export class PinnedSource {
  readonly #loop: string
  readonly #ledger: Ledger
  readonly #ask: AskKind
  #known: { readonly root: string; readonly manifests: readonly Manifest[] } | undefined
  #served: { readonly from: readonly Manifest[]; readonly pinned: Pinned } | undefined

  constructor(loop: string, ledger: Ledger, ask: AskKind) {
    this.#loop = loop
    this.#ledger = ledger
    this.#ask = ask
  }

  get quarantine(): Quarantine | undefined {
    return this.#ledger.quarantines.get(this.#loop)
  }

  /** Whether this snapshot is the one that a person rolled back from. */
  isQuarantined(snapshot: SourceSnapshot): boolean {
    const revision = this.quarantine?.revision
    if (revision === undefined || snapshot.kind !== "complete") return false
    return snapshot.revision === revision && protects("quarantine-holds")
  }

  /** What is in force instead; the same list as long as it is the same rollback. */
  async load(): Promise<Pinned> {
    const header = this.#ledger.checkpoints.get(this.#loop, rollbackName)
    if (header === undefined) {
      throw controllerFault("SPT-ROLL-001", { loop: this.#loop, name: rollbackName })
    }
    if (this.#known?.root !== header.root) {
      const pins = await this.#ledger.checkpoints.pins(header)
      this.#known = { root: header.root, manifests: pins.map(manifestOfPin) }
    }
    const { manifests } = this.#known
    const gone = manifests.filter((one) => !this.#isServed(one))
    const lost = gone.map(({ object }) => `${object.kind} ${object.metadata.name}`)
    if (this.#served?.from !== manifests || this.#served.pinned.lost.length !== lost.length) {
      const kept = lost.length === 0 ? manifests : manifests.filter((one) => this.#isServed(one))
      this.#served = { from: manifests, pinned: { manifests: kept, lost } }
    }
    return this.#served.pinned
  }

  #isServed({ object }: Manifest): boolean {
    return this.#ask(parseApiVersion(object.apiVersion).group, object.kind) !== undefined
  }
}

/** The quarantine is over: the source moved on, or a person said so. */
export async function endQuarantine(
  ledger: Ledger,
  quarantine: Quarantine,
  principal: Principal,
  reason: string,
): Promise<void> {
  const { loop, checkpoint, revision } = quarantine
  const { checkpoints, quarantines } = ledger
  await checkpoints.exclusive(loop, async () => {
    if (quarantines.get(loop) !== quarantine) return // Another rollback came meanwhile.
    const event = { type: "rollback", state: "ended", checkpoint, revision, reason } as const
    const writes = [quarantines.end(loop)]
    await checkpoints.commit(loop, principal, {
      puts: [],
      drops: [rollbackName],
      events: [event],
      writes,
    })
    quarantines.forget(loop)
  })
}

/** How the loop's actions are explained while it stands. */
export function rollbackCause(quarantine: Quarantine) {
  return { principal: quarantine.by, text: quarantineText(quarantine) }
}
