// What authors of providers import as "setpoint/provider".

export type { Action } from "../contract/action.ts"
export type {
  ComposeInput,
  CompositeKind,
  Composition,
  KindName,
  NoComposition,
  RefusedChild,
} from "../contract/composite.ts"
export {
  absent,
  type ListedItem,
  type Listing,
  type Observation,
  present,
  unknown,
} from "../contract/observation.ts"
export type {
  ActContext,
  ActResult,
  IdentityRule,
  KindProvider,
  ObserveContext,
  Target,
} from "../contract/provider.ts"
export type { ActWorld, Closeable, ReadWorld } from "../contract/world.ts"
export { type CompositeInput, defineComposite, type ParentOf } from "./define-composite.ts"
export {
  defineKind,
  type KindAct,
  type KindInput,
  type KindTarget,
  type SpecOf,
} from "./define-kind.ts"
export type { PrinterColumn } from "./definition.ts"
export { kindPage } from "./kind-page.ts"
export {
  type FieldReference,
  type Lookup,
  type MissingReference,
  readField,
  ref,
  references,
  resolveReferences,
} from "./ref.ts"
export { createRegistry, type Registry } from "./registry.ts"
export { atomic, expiry, listMap, listSet, payload, scale, secret } from "./schema-marks.ts"
