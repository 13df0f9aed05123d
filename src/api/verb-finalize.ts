// `namespaces/finalize`: who keeps a namespace from ending lets it go. The finalizer of its content
// goes only when there is none: objects without a namespace would be lost.

import { isObject, type Json } from "../base/json.ts"
import type { ApiObject } from "../object/object.ts"
import { type ApiContext, commitObject } from "./api-context.ts"
import { apiFault } from "./faults.ts"
import { finishNamespace, innerFinalizers, readContent } from "./namespace-end.ts"
import { namespaceKey } from "./namespace-exists.ts"
import { contentFinalizer } from "./namespace-status.ts"
import { needStored, readStored } from "./stored-object.ts"
import { checkPreconditions } from "./verb-update.ts"
import { conflict, withRevision } from "./write-object.ts"

const attempts = 5

export async function finalizeNamespace(
  context: ApiContext,
  name: string,
  body: Json | undefined,
): Promise<ApiObject> {
  const wanted = isObject(body) && isObject(body.spec) ? innerFinalizers(body.spec) : []
  const given = isObject(body) && isObject(body.metadata) ? body.metadata : {}
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "")
  const lock = { uid: text(given.uid), resourceVersion: text(given.resourceVersion) }
  for (let attempt = 0; attempt < attempts; attempt++) {
    const old = await needStored(context, namespaceKey(name))
    checkPreconditions(old, lock)
    const ending = old.object.metadata.deletionTimestamp !== undefined
    if (!wanted.includes(contentFinalizer)) await checkEmpty(context, name, ending)
    // Without content it ends by itself as soon as nobody else waits.
    const finalizers = [...new Set([...wanted, contentFinalizer])]
    const object = { ...old.object, spec: { ...old.object.spec, finalizers } }
    const revision = await commitObject(context, { ...old, before: old.revision, object })
    if (revision === undefined) continue
    if (ending) await finishNamespace(context, name)
    const now = await readStored(context, namespaceKey(name))
    return now?.object ?? withRevision(object, revision)
  }
  throw conflict(namespaceKey(name))
}

async function checkEmpty(context: ApiContext, name: string, ending: boolean): Promise<void> {
  const { resources } = await readContent(context, name)
  if (ending && resources.length === 0) return
  const what = resources.length === 0 ? "its finalizer and is not being deleted" : resources.join()
  throw apiFault("SPT-API-095", { name, what })
}
