// What must lie nowhere, and where it was looked for. A place that holds nothing shows nothing, so
// each has to hold something; a text may stand only in the places that are named for it.

import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Hunted {
  readonly name: string
  readonly forms: readonly string[]
  /** The only places where it may stand. */
  readonly homes: readonly string[]
}

export class CanarySearch {
  readonly #hunted: Hunted[] = []
  readonly #places = new Map<string, Buffer>()

  /** As it is, and as base64 holds it. */
  hunt(name: string, text: string, ...homes: readonly string[]): void {
    if (text.length < 8) throw new Error(`${name} is too short to be looked for: "${text}"`)
    const encoded = Buffer.from(text).toString("base64").replaceAll("=", "")
    this.#hunted.push({ name, homes, forms: [text, encoded] })
  }

  place(name: string, content: string | Buffer): void {
    const before = this.#places.get(name) ?? Buffer.alloc(0)
    this.#places.set(name, Buffer.concat([before, Buffer.from(content)]))
  }

  /** Every file below a directory, by its path in it. */
  directory(name: string, directory: string): void {
    for (const path of readdirSync(directory, { recursive: true }).map(String)) {
      const whole = join(directory, path)
      if (lstatSync(whole).isFile()) this.place(`${name}/${path}`, readFileSync(whole))
    }
  }

  get places(): readonly string[] {
    return [...this.#places.keys()]
  }

  holds(place: string, text: string): boolean {
    return this.#places.get(place)?.includes(text) === true
  }

  /** Places that show nothing. */
  empty(): string[] {
    return this.places.filter((name) => this.#places.get(name)?.toString().trim() === "")
  }

  /** "place: what stands there", of what must not. */
  found(): string[] {
    return this.#look((place, { homes }) => !homes.includes(place))
  }

  /** The same of where it may stand: what is looked for would have been found. */
  atHome(): string[] {
    return this.#look((place, { homes }) => homes.includes(place))
  }

  #look(counts: (place: string, hunted: Hunted) => boolean): string[] {
    return [...this.#places].flatMap(([place, bytes]) =>
      this.#hunted
        .filter((one) => counts(place, one) && one.forms.some((form) => bytes.includes(form)))
        .map(({ name }) => `${place}: ${name}`),
    )
  }
}
