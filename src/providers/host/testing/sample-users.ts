// Users to try things with: every fourth has a home, a password and keys. The second version of
// each differs in every field that an update can change.

import type { JsonObject } from "../../../base/json.ts"

export const sampleHash = (salt: string) => `$6$${salt}$${"a".repeat(86)}`

export function sampleUser(n: number, version: 0 | 1): JsonObject {
  const first = version === 0
  const common = {
    ...{ name: `user${n}`, uid: 2000 + 2 * n + version, home: `/home/user${n}` },
    ...{ group: first ? "crew" : "deck", groups: first ? ["sudo"] : ["crew", "sudo"] },
    ...{ comment: `User ${n} (${version})`, shell: first ? "/bin/sh" : "/bin/bash" },
    ...{ enabled: true, onDelete: "remove" },
  }
  if (n % 4 > 0) return { ...common, createHome: false }
  const key = (which: number) => `ssh-ed25519 KEY${n} user@${which}`
  const authorizedKeys = first ? [key(0)] : [key(0), key(1)]
  return { ...common, authorizedKeys, passwordHash: sampleHash(`v${version}`), createHome: true }
}
