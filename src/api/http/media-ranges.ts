// The Accept header as a list of what the client would take, best first. Text that is no media
// range is left out, never refused: clients send what they like.

export interface MediaRange {
  /** "application/json", "text/*" or "*\/*", lower case. */
  readonly type: string
  readonly params: ReadonlyMap<string, string>
}

const rangesMax = 50
const typePattern = /^[!#$%&'*+.^_`|~0-9a-z@-]+\/[!#$%&'*+.^_`|~0-9a-z@-]+$/

/** No header at all means anything. */
export function mediaRanges(accept: string | undefined): MediaRange[] {
  const texts = (accept ?? "").split(",", rangesMax)
  const found: { range: MediaRange; quality: number }[] = []
  for (const text of texts) {
    const [type = "", ...rest] = text.split(";").map((part) => part.trim())
    if (!typePattern.test(type.toLowerCase())) continue
    const params = new Map<string, string>()
    for (const param of rest) {
      const [key = "", value = ""] = param.split("=", 2)
      params.set(key.trim().toLowerCase(), value.trim())
    }
    const quality = Number(params.get("q") ?? 1)
    if (quality > 0) found.push({ range: { type: type.toLowerCase(), params }, quality })
  }
  if (found.length === 0 && (accept ?? "").trim() === "") return [anything]
  return found.sort((a, b) => b.quality - a.quality).map(({ range }) => range)
}

const anything: MediaRange = { type: "*/*", params: new Map() }

/** Would a document of this type do? */
export function covers(range: MediaRange, type: string): boolean {
  if (range.type === "*/*" || range.type === type) return true
  return range.type.endsWith("/*") && type.startsWith(range.type.slice(0, -1))
}
