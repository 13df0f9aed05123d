// The kinds File and Directory. Both act on the same real things, so they share one provider: two
// objects that name the same path are one target with two claimants, which the engine refuses.

import { present, unknown } from "../../contract/observation.ts"
import type { KindProvider } from "../../contract/provider.ts"
import { defineKind } from "../../provider/define-kind.ts"
import { directoryOf, findGround } from "./bounds.ts"
import { createDirectory, deleteDirectory, updateDirectory } from "./directory-acts.ts"
import { directoryFacts, directorySpec, directoryToken, lookAt } from "./directory-look.ts"
import { fileFacts, fileToken } from "./facts.ts"
import { createFile, deleteFile, updateFile } from "./file-acts.ts"
import { fileSpec, fileWish } from "./file-spec.ts"
import { directoryFingerprints, fileFingerprints } from "./fingerprints.ts"
import { type FileKindOptions, HostMemory } from "./host-memory.ts"
import { fileImporter } from "./import.ts"
import { look } from "./look.ts"
import { atRealPlace } from "./real-place.ts"
import { labelOf } from "./temporaries.ts"

const group = "host.setpoint.dev"

export function fileKinds(options: FileKindOptions): readonly KindProvider[] {
  const memory = new HostMemory(options)
  return [fileKind(memory), directoryKind(memory)]
}

function fileKind(memory: HostMemory): KindProvider {
  return defineKind({
    ...{ group, version: "v1", kind: "File", plural: "files", provider: "file" },
    description: "A file or symbolic link on this host, with content, mode and owner.",
    privileged: everywhere(memory),
    spec: fileSpec,
    replaceOn: ["path"],
    printerColumns: [{ name: "Path", type: "string", jsonPath: ".spec.path" }],
    identity: (spec) => spec.path,
    async observe(target, { world: { files }, signal }) {
      const wish = fileWish(target.desired)
      if (typeof wish === "string") return unknown(wish, true, { class: "BadSpec" })
      const applied = target.applied !== undefined
      const sight = await look(files, wish, memory, { wanted: wish.body.hash, applied, signal })
      if (sight.kind !== "seen") return sight
      return present(
        fileFacts(files, sight, target.desired, wish, target.applied),
        fileToken(sight),
      )
    },
    importer: fileImporter(memory, "file"),
    fingerprints: (paths, { files }) => fileFingerprints(paths, files, memory),
    create: async (target, context) =>
      createFile(await atRealPlace(target, context, memory), context, memory),
    update: async (target, context) =>
      updateFile(await atRealPlace(target, context, memory), context, memory),
    delete: async (target, context) =>
      deleteFile(await atRealPlace(target, context, memory), context, memory),
    async cleanUp(path, uid, { files }) {
      const ground = await findGround(files, { path, root: "/" }, memory.bounds)
      if (ground.kind !== "ground") return
      await memory.temporaries.removeOwn(files, directoryOf(path), labelOf(uid))
    },
    // The parent is watched, not the file: a rename over the file would end a watch on it.
    watch: (target, { files }, changed) =>
      memory.watches.watch(files, target.desired.path, changed),
  })
}

function directoryKind(memory: HostMemory): KindProvider {
  return defineKind({
    ...{ group, version: "v1", kind: "Directory", plural: "directories", provider: "file" },
    description: "A directory on this host, with mode and owner. What is in it is left alone.",
    privileged: everywhere(memory),
    spec: directorySpec,
    replaceOn: ["path"],
    printerColumns: [{ name: "Path", type: "string", jsonPath: ".spec.path" }],
    identity: (spec) => spec.path,
    async observe(target, { world: { files }, signal }) {
      const sight = await lookAt(files, target, memory, signal)
      if (sight.kind !== "seen") return sight
      return present(
        directoryFacts(files, sight, target.desired, target.applied),
        directoryToken(sight),
        sight.unfinished ? { unfinished: true } : {},
      )
    },
    importer: fileImporter(memory, "directory"),
    fingerprints: (paths, { files }) => directoryFingerprints(paths, files, memory),
    create: async (target, context) =>
      createDirectory(await atRealPlace(target, context, memory), context, memory),
    update: async (target, context) =>
      updateDirectory(await atRealPlace(target, context, memory), context, memory),
    delete: async (target, context) =>
      deleteDirectory(await atRealPlace(target, context, memory), context, memory),
    watch: (target, { files }, changed) =>
      memory.watches.watch(files, target.desired.path, changed),
  })
}

/** Who may write any file of a host holds the host; who is kept to some folders does not. */
const everywhere = ({ bounds }: HostMemory): boolean => bounds.roots.includes("/")
