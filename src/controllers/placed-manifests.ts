// Where each manifest of a source belongs, worked out once per manifest. Sources hand out the same
// manifest as long as its file is unchanged, and the same list as long as nothing is; so only what
// changed costs anything, unless a kind is served in another way than before.

import type { Breath } from "../base/breath.ts"
import type { Manifest, SourceIssue } from "../contract/source.ts"
import { parseApiVersion } from "../object/object.ts"
import { type Placed, placeManifest, type ServedKind } from "./place-manifest.ts"

type AskKind = (group: string, kind: string) => ServedKind | undefined

export interface Placement {
  readonly placed: readonly Placed[]
  readonly issues: readonly SourceIssue[]
  /** Keys, as text, of all that are placed. */
  readonly declared: ReadonlySet<string>
}

interface Known {
  readonly placed: Placed
  readonly served: ServedKind
}

const placesPerTurn = 100

export class PlacedManifests {
  readonly #loop: string
  readonly #ask: AskKind
  readonly #breath: Breath
  readonly #known = new WeakMap<Manifest, Known>()
  #last: { readonly manifests: readonly Manifest[]; readonly placement: Placement } | undefined
  /** How each kind was served when it was last asked for. */
  #served = new Map<string, ServedKind | undefined>()

  constructor(loop: string, ask: AskKind, breath: Breath) {
    this.#loop = loop
    this.#ask = ask
    this.#breath = breath
  }

  async place(manifests: readonly Manifest[]): Promise<Placement> {
    if (this.#kindsChanged()) this.#last = undefined
    if (this.#last?.manifests === manifests) return this.#last.placement
    const placed: Placed[] = []
    const issues: SourceIssue[] = []
    for (const [index, manifest] of manifests.entries()) {
      if (index % placesPerTurn === 0) await this.#breath.due()
      const one = this.#placeOne(manifest)
      if ("message" in one) issues.push(one)
      else placed.push(one)
    }
    const placement = { placed, issues, declared: new Set(placed.map((one) => one.text)) }
    this.#last = { manifests, placement }
    return placement
  }

  #placeOne(manifest: Manifest): Placed | SourceIssue {
    const { apiVersion, kind } = manifest.object
    const served = this.#servedKind(parseApiVersion(apiVersion).group, kind)
    const known = this.#known.get(manifest)
    if (known !== undefined && sameKind(known.served, served)) return known.placed
    const placed = placeManifest(manifest, this.#loop, (...name) => this.#servedKind(...name))
    if (!("message" in placed) && served !== undefined) {
      this.#known.set(manifest, { placed, served })
    }
    return placed
  }

  #servedKind(group: string, kind: string): ServedKind | undefined {
    const name = `${group}/${kind}`
    if (!this.#served.has(name)) this.#served.set(name, this.#ask(group, kind))
    return this.#served.get(name)
  }

  #kindsChanged(): boolean {
    const before = this.#served
    this.#served = new Map()
    let changed = false
    for (const [name, served] of before) {
      const [group = "", kind = ""] = name.split("/")
      if (!sameKind(served, this.#servedKind(group, kind))) changed = true
    }
    return changed
  }
}

function sameKind(left: ServedKind | undefined, right: ServedKind | undefined): boolean {
  if (left === undefined || right === undefined) return left === right
  return (
    left.namespaced === right.namespaced &&
    left.resource.version === right.resource.version &&
    left.resource.resource === right.resource.resource
  )
}
