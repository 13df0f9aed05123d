// Protections are asked for by name, once each, in the real code path, and switched off by tests
// alone. Where one is asked in several places, the reason is written down here.

import { codeText } from "./code-text.ts"
import { type Finding, findLines, inSource, isCode, isTest, type TidyFile } from "./repository.ts"

const table = "src/base/protections.ts"

/** What one site alone can't see. */
const asked: Readonly<Record<string, { readonly sites: number; readonly why: string }>> = {
  "epoch-fence": { sites: 2, why: "objects and the ledger are committed apart" },
  "loosening-is-held": { sites: 3, why: "loops, policies and annotations become looser apart" },
  "protected-object": { sites: 2, why: "deletes are judged when marked, updates in their round" },
  "restored-holds": { sites: 2, why: "deletes are judged when marked, updates in their round" },
}

const isForTests = (file: TidyFile) => isTest(file) || file.path.startsWith("test/")

export function protectionSites(files: readonly TidyFile[]): Finding[] {
  const names = protectionNames(files)
  const sites = new Map<string, number>()
  const findings = files.filter(inSource).flatMap((file) => {
    if (file.path === table || isTest(file)) return []
    const code = codeText(file.text, { keepStrings: true })
    for (const [, name = ""] of code.matchAll(/\bprotects\("([^"]+)"\)/g)) {
      sites.set(name, (sites.get(name) ?? 0) + 1)
    }
    return [
      ...findLines(file, code, /\bdisarm\b.*protections\.ts/, () => "only tests disarm"),
      ...findLines(file, code, /(?<![.#\w])disarm\(/, () => "only tests disarm"),
      ...findLines(file, code, /\bprotects\((?!")/, () => "protects() wants a name as text"),
    ]
  })
  const wrong = names.flatMap((name): Finding[] => {
    const wanted = asked[name]?.sites ?? 1
    const found = sites.get(name) ?? 0
    if (found === wanted) return []
    return [{ path: table, message: `${name} is asked in ${found} places, not in ${wanted}` }]
  })
  const unknown = [...sites.keys()].filter((name) => !names.includes(name))
  const missing = unknown.map((name) => ({ path: table, message: `${name} is not listed` }))
  return [...findings, ...wrong, ...missing]
}

/** Every protection is switched off by some test, which then shows what is lost. */
export function protectionTwins(files: readonly TidyFile[]): Finding[] {
  const tests = files.filter((file) => isCode(file) && isForTests(file) && switchesOff(file))
  const texts = tests.map((file) => codeText(file.text, { keepStrings: true }))
  const alone = protectionNames(files).filter(
    (name) => !texts.some((text) => text.includes(`"${name}"`)),
  )
  return alone.map((name) => ({ path: table, message: `${name} has no twin` }))
}

const switchesOff = ({ text }: TidyFile) =>
  /\bdisarm\(/.test(text) || /\b(?:prove|twin|replay)\(/.test(text)

export function protectionNames(files: readonly TidyFile[]): string[] {
  const text = files.find((file) => file.path === table)?.text ?? ""
  return [...text.matchAll(/^ {2}"([a-z0-9-]+)":/gm)].map((match) => match[1] ?? "")
}
