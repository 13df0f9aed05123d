// What composites would make of themselves, without writing any of it: each is composed over what
// is stored and declared, its children become objects of the preview, and those it does not want
// any more are judged as the plane would judge them.

import { isFault } from "../base/faults.ts"
import type { Json } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import type { CompositeKind } from "../contract/composite.ts"
import type { AskingParent } from "../contract/delete-judge.ts"
import { compositePrincipal, type Principal } from "../contract/principal.ts"
import type { Verdict } from "../contract/verdict.ts"
import { deleteCause } from "../controllers/delete-judge.ts"
import { type ApiObject, parseKeyText } from "../object/object.ts"
import { isChildOf, type LivingChild, planChildren } from "../reconcile/children-plan.ts"
import { runCompose, type WantedChild } from "../reconcile/composition.ts"
import { deleteAction } from "../reconcile/held-delete.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { refusable } from "./child-writer.ts"
import { composeHeard } from "./heard-refusals.ts"
import type { PreviewParts } from "./preview-parts.ts"
import { lookNow } from "./preview-pass.ts"
import { actionPreview, type PreviewAction, type PreviewNote } from "./preview-view.ts"

export interface ComposedPreview {
  readonly notes: readonly PreviewNote[]
  readonly actions: readonly PreviewAction[]
  /** Children that would be deleted: nothing else is said of them. */
  readonly going: ReadonlySet<string>
}

type ActionContext = Parameters<typeof actionPreview>[2]

/** Composites of composites of composites; more is nobody's design. */
const depthMax = 5

export async function previewComposites(
  loop: LoopEngine,
  parts: PreviewParts,
  context: ActionContext,
  isGone: (key: string, object: ApiObject) => boolean,
): Promise<ComposedPreview> {
  const notes: PreviewNote[] = []
  const actions: PreviewAction[] = []
  const going = new Set<string>()
  const done = new Set<string>()
  for (let depth = 0; depth < depthMax; depth++) {
    const open = [...parts.objects.ofLoop(loop.id)].filter(
      ([key, object]) => !done.has(key) && !isGone(key, object) && isParent(key, parts),
    )
    if (open.length === 0) break
    for (const [key, object] of open) {
      done.add(key)
      const kind = parts.objects.kindOf(key)
      if (kind === undefined || object.metadata.deletionTimestamp !== undefined) continue
      const one = await composeOne({ loop, parts, context, key, object, kind })
      notes.push(...one.notes)
      actions.push(...one.actions)
      for (const child of one.going) going.add(child)
    }
  }
  return { notes, actions, going }
}

const isParent = (key: string, { objects }: PreviewParts): boolean => {
  const composite = objects.kindOf(key)?.composite
  return composite !== undefined && composite.reported !== true
}

interface Parent {
  readonly loop: LoopEngine
  readonly parts: PreviewParts
  readonly context: ActionContext
  readonly key: string
  readonly object: ApiObject
  readonly kind: KindRuntime
}

const childrenOf = ({ parts, object }: Parent): [string, ApiObject][] =>
  parts.objects.ownedBy(object.metadata.uid ?? "").filter(([, child]) => isChildOf(child, object))

async function composeOne(parent: Parent): Promise<ComposedPreview> {
  const { key, object, kind } = parent
  const none = { notes: [], actions: [], going: new Set<string>() }
  if (kind.composite === undefined) return none
  const stuck = (message: string): ComposedPreview => ({
    ...none,
    notes: [{ object: key, kind: object.kind, state: "stuck", message }],
  })
  const principal = compositePrincipal(object.kind)
  try {
    const wanted = await declareChildren(parent, kind.composite, principal)
    return typeof wanted === "string" ? stuck(wanted) : remove(parent, wanted, principal)
  } catch (error) {
    if (!isFault(error) || error.fault === "bug") throw error
    return stuck(error.message)
  }
}

type WishedChild = Pick<WantedChild, "key" | "kind">

/** The children that stay or come, or why that is not known. */
async function declareChildren(
  parent: Parent,
  composite: CompositeKind,
  principal: Principal,
): Promise<readonly WishedChild[] | string> {
  const { parts, object } = parent
  const { objects, ports } = parts
  const input = {
    parent: object,
    children: childrenOf(parent).map(([, child]) => child),
    related: await objects.related(composite.related, object.metadata.namespace ?? ""),
    now: ports.clock.now(),
    hashSecret: (value: Json) => jsonText(ports.hasher.hash(value)),
  }
  const { checked, refused } = await composeHeard(
    composite,
    (left) => runCompose(composite, { ...input, refused: left }, objects.servedKind),
    async (wanted) => (await refusable(wanted, (one) => objects.tryChild(one, principal))).refused,
  )
  if ("stalled" in checked) return checked.stalled
  const want = (child: WantedChild) => objects.wantChild(child, principal)
  const [first] = (await refusable(checked.children, want)).refused
  if (first !== undefined) return first.message
  const left = new Set(refused.map((one) => one.key))
  const kept = childrenOf(parent).filter(([key]) => left.has(key))
  return [...checked.children, ...kept.map(([key, child]) => ({ key, kind: child.kind }))]
}

async function remove(
  parent: Parent,
  children: readonly WishedChild[],
  principal: Principal,
): Promise<ComposedPreview> {
  const { parts, key: parentKey } = parent
  const living = childrenOf(parent).flatMap(([key, child]): LivingChild[] => {
    const fungible = parts.objects.kindOf(key)?.provider.fungible === true
    if (child.metadata.deletionTimestamp !== undefined) return []
    return [{ key, kind: child.kind, fungible, object: child }]
  })
  const { replaced, removed } = planChildren(living, children)
  const uids = replaced.map((child) => child.object.metadata.uid ?? "")
  const sets = [
    { set: replaced, asking: { object: parentKey, replaced: uids } },
    { set: removed, asking: { object: parentKey, replaced: [] } },
  ]
  const actions: PreviewAction[] = []
  for (const { set, asking } of sets) {
    if (set.length > 0) actions.push(...(await judgeSet(parent, set, asking, principal)))
  }
  const going = new Set([...replaced, ...removed].map(({ key }) => key))
  return { notes: [], actions, going }
}

async function judgeSet(
  { loop, parts, context }: Parent,
  set: readonly LivingChild[],
  parent: AskingParent,
  principal: Principal,
): Promise<PreviewAction[]> {
  const candidates = set.map(({ key, object }) => ({ key: parseKeyText(key), object }))
  const request = { origin: "cascade", principal, candidates, dryRun: true, parent } as const
  const judged = await parts.judge.judge(request)
  const verdict: Verdict =
    judged.kind === "allowed"
      ? { kind: "allow", reasons: [] }
      : { kind: judged.kind === "held" ? "hold" : "deny", reasons: judged.reasons }
  const cause = deleteCause(request, loop.rollback)
  const actions: PreviewAction[] = []
  for (const { key, object } of set) {
    const kind = parts.objects.kindOf(key)
    const { uid } = object.metadata
    if (kind === undefined || uid === undefined) continue
    const subject = { key, object, uid, kind, loop }
    const { record, observation, text } = await lookNow(subject, parts)
    if (record?.owned !== true || loop.spec.mode === "Observe") continue
    const action = deleteAction(subject, text, record, observation, cause)
    actions.push(actionPreview(action, verdict, context))
  }
  return actions
}
