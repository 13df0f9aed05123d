// URLs as Kubernetes' CEL library reads them: absolute, or a path on a host.

export interface UrlParts {
  readonly text: string
  readonly scheme: string
  readonly host: string
  readonly hostname: string
  readonly port: string
  readonly path: string
  readonly query: ReadonlyMap<string, readonly string[]>
}

const form = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/
const authority = /^(?:[^@]*@)?(\[[0-9A-Fa-f:.]+\]|[^:[\]]*)(?::(\d*))?$/

export function parseUrl(text: string): UrlParts | undefined {
  if (/[\s\p{Cc}]/u.test(text)) return undefined
  const match = form.exec(text)
  if (match === null) return undefined
  const [, scheme = "", place, path = "", query = ""] = match
  if (scheme === "" && !text.startsWith("/")) return undefined
  if (place === undefined && scheme !== "" && !path.startsWith("/") && path === "") return undefined
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return undefined
  const host = place === undefined ? ["", "", ""] : authority.exec(place)
  if (host === null) return undefined
  const [, name = "", port = ""] = host
  const bare = name.startsWith("[") ? name.slice(1, -1) : name
  return {
    text,
    scheme: scheme.toLowerCase(),
    host: port === "" ? name : `${name}:${port}`,
    hostname: bare,
    port,
    path: encodeURI(decodeSafely(path)),
    query: queryOf(query),
  }
}

function decodeSafely(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function queryOf(query: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(query)) {
    found.set(name, [...(found.get(name) ?? []), value])
  }
  return found
}
