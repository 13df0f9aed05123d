// What a preview is made of on this host: the data directory as a snapshot that is never written,
// or nothing at all where there is none yet.

import { existsSync, readdirSync } from "node:fs"
import { resolve } from "node:path"
import { encodeObject } from "../../api/codec.ts"
import { sealedStore } from "../../api/sealed-store.ts"
import { storageKey } from "../../api/storage-keys.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import type { GitScheme } from "../../contract/git-source.ts"
import type { Store } from "../../contract/store.ts"
import type { ApiObject } from "../../object/object.ts"
import { openReadOnlyStore } from "../../store/engines/open-read-only-store.ts"
import { openMemoryStore } from "../../store/open-memory-store.ts"
import { EndingStops } from "../ending-stops.ts"
import { type Preview, type PreviewRequest, preview } from "../preview.ts"
import { localComposites } from "./local-composites.ts"
import { type LocalKindOptions, localKinds, localWorld } from "./local-kinds.ts"
import { openLocalSource } from "./local-sources.ts"
import { type PreviewGit, type PreviewRepository, previewGit } from "./preview-git.ts"
import { readSealer, readSecretKey } from "./secret-key.ts"
import { stopFile } from "./stop-file.ts"

export interface PreviewOptions extends LocalKindOptions {
  readonly keyFile?: string
  /** The repository and revision that git loops are shown with. */
  readonly git?: PreviewRepository
  readonly gitAllow?: readonly GitScheme[]
}

/** With the commit that a revision of a repository here is. */
export type LocalPreview = Preview & { readonly commit?: string }

export async function previewLocal(
  request: PreviewRequest,
  options: PreviewOptions,
): Promise<LocalPreview> {
  const git = await previewGit(options.git, options.gitAllow)
  try {
    const anyRevision = options.git !== undefined
    const found = await previewWith({ ...request, anyRevision }, options, git)
    return git.commit === undefined ? found : { ...found, commit: git.commit }
  } finally {
    git.close()
  }
}

async function previewWith(
  request: PreviewRequest,
  options: PreviewOptions,
  git: PreviewGit,
): Promise<Preview> {
  const directory = resolve(options.directory)
  const [clock, random] = [systemClock, systemRandom]
  const below = isUnused(directory) ? await emptyStore() : await openReadOnlyStore(directory)
  const { planeId } = below.identity
  const store = sealedStore(below, readSealer(planeId, random, options.keyFile))
  const world = localWorld()
  try {
    return await preview(request, {
      ...{ clock, random, store },
      kinds: await localKinds({ ...options, directory }),
      composites: await localComposites(options),
      readWorld: world.readWorld,
      hasher: readSecretKey(planeId, options.keyFile),
      stops: () => new EndingStops(stopFile(directory), clock).entries(),
      openSource: (source) => openLocalSource(source, clock),
      openGit: (asked) => git.openGit(asked),
    })
  } finally {
    world.close()
    await store.close()
  }
}

/** What a plane has before anything was declared: its two namespaces. */
async function emptyStore(): Promise<Store> {
  const store = await openMemoryStore({ clock: systemClock, random: systemRandom })
  const writes = ["default", "setpoint-system"].map((name) => {
    const key = storageKey({ group: "", resource: "namespaces", namespace: "", name })
    const object: ApiObject = { apiVersion: "v1", kind: "Namespace", metadata: { name } }
    return { kind: "put", key, value: encodeObject(object), apart: true } as const
  })
  await store.commit([], writes)
  return store
}

/** No plane ever ran there. A directory that holds something else is not that. */
function isUnused(directory: string): boolean {
  return !existsSync(directory) || readdirSync(directory).length === 0
}
