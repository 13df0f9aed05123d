// The kind that a scenario asks what it is. One that is made of others has no targets of its own:
// it is named by its samples, and what is acted and looked at are its children.

import type { KindProvider } from "../../contract/provider.ts"
import { Violation } from "../conformance/bench.ts"
import type { ScenarioDriver, ScenarioSystem } from "./driver.ts"

export function kindUnderTest(driver: ScenarioDriver, system: ScenarioSystem): KindProvider {
  const { kind: name, madeOf } = driver
  const acting = system.kinds().find(({ kind }) => kind === actingKind(driver))
  if (acting === undefined) throw new Violation(`the driver has no kind ${actingKind(driver)}`)
  if (madeOf === undefined) return acting
  const composite = system.composites?.().find(({ kind }) => kind === name)
  if (composite === undefined) throw new Violation(`the driver has no composite ${name}`)
  const { definition, group, version, resource, kind, namespaced } = composite
  const { importer: _, normalize: _normal, ...rest } = acting
  return {
    ...rest,
    ...{ definition, group, version, resource, kind, namespaced },
    ...{ identity: madeOf.identity, identityRule: "searchable", replaceOn: [], secretPaths: [] },
  }
}

/** The kind whose acts scenarios step into, and about whose targets observers lie. */
export const actingKind = ({ kind, madeOf }: ScenarioDriver): string => madeOf?.kind ?? kind
