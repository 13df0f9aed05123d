// A plane with loops in every standing that the overview knows: in order, held, with a source that
// is not valid, watching only, empty. Texts in them are hostile wherever the API lets them be.

import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "../../src/base/json.ts"
import { loopResource, manifestText, type PlaneRig } from "../e2e/plane/plane-rig.ts"
import { waitFor } from "../e2e/plane/wait-for.ts"

/** Would be elements, an escape of a terminal, or a name that reads backwards, were it no text. */
export const hostileText = `<img src=x onerror="document.title='owned'">\u001b[31m\u202Egnp.exe`

export class LoopFolder {
  readonly #plane: PlaneRig
  readonly #name: string
  readonly folder: string

  constructor(plane: PlaneRig, name: string) {
    this.#plane = plane
    this.#name = name
    this.folder = join(plane.base, `loop-${name}`)
    mkdirSync(this.folder, { recursive: true })
    mkdirSync(join(plane.targets, name), { recursive: true })
  }

  get id(): string {
    return `default.${this.#name}`
  }

  target(name: string): string {
    return join(this.#plane.targets, this.#name, name)
  }

  declare(name: string, spec: JsonObject = {}): void {
    const whole = { path: this.target(name), content: `${name}\n`, ...spec }
    writeFileSync(join(this.folder, `${name}.yaml`), manifestText(`${this.#name}-${name}`, whole))
  }

  declareMany(count: number): void {
    for (let at = 0; at < count; at++) this.declare(`f${at}`)
  }

  remove(name: string): void {
    rmSync(join(this.folder, `${name}.yaml`))
  }

  async create(spec: JsonObject = {}): Promise<void> {
    await this.#plane.client.create(loopResource, {
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "Loop",
      metadata: { name: this.#name, namespace: "default" },
      spec: { source: { directory: { path: this.folder } }, mode: "Enforce", ...spec },
    })
  }

  async view() {
    return (await this.#plane.status()).loops.find((loop) => loop.id === this.id)
  }

  async converged(objects: number): Promise<void> {
    await waitFor(`${objects} objects of ${this.id} converge`, async () => {
      const view = await this.view()
      if (view?.objects === objects && view.converged === objects) return true
      return JSON.stringify(view?.oldest ?? view ?? "no loop")
    })
  }
}

/** One that waits for a person to agree to deletes. */
export async function heldLoop(plane: PlaneRig): Promise<LoopFolder> {
  const loop = new LoopFolder(plane, "held")
  loop.declareMany(12)
  await loop.create()
  await loop.converged(12)
  for (let at = 0; at < 9; at++) loop.remove(`f${at}`)
  await waitFor("the deletes wait", async () => (await loop.view())?.plan !== undefined)
  return loop
}

/** One whose source stopped being valid. */
export async function invalidLoop(plane: PlaneRig): Promise<LoopFolder> {
  const loop = new LoopFolder(plane, "invalid")
  loop.declareMany(3)
  await loop.create()
  await loop.converged(3)
  writeFileSync(join(loop.folder, "broken.yaml"), `kind: File\nspec: { path: "${hostileText}`)
  await waitFor(
    "the source is invalid",
    async () => (await loop.view())?.source?.state === "invalid",
  )
  return loop
}

/** One that only watches, and sees a difference. */
export async function observedLoop(plane: PlaneRig): Promise<LoopFolder> {
  const loop = new LoopFolder(plane, "observed")
  loop.declare("a", { content: hostileText })
  writeFileSync(loop.target("a"), "somebody's own\n")
  await loop.create({ mode: "Observe", windows: windowsOf })
  await waitFor("the difference is seen", async () => (await loop.view())?.oldest !== undefined)
  return loop
}

const windowsOf: JsonObject[] = [
  { kind: "Open", schedule: "0 9 * * 1-5", duration: "8h", timeZone: "Europe/Berlin" },
  { kind: "Freeze", schedule: "0 0 24 12 *", duration: "72h" },
]
