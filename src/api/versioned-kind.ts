// A served kind with its other versions, for the bookkeeping of owners: whose record is of another
// version owns fields of that version. Records of versions that the definition has no more are
// read as of the asked one: an edit of the definition must not give away what sources declared.

import type { JsonObject } from "../base/json.ts"
import type { ApiObject } from "../object/object.ts"
import { type Steps, type VersionedKind, withConversions } from "../schema/owner-versions.ts"
import { type Converting, convertObjects } from "./convert-objects.ts"
import { type ServedResource, servedApiVersion } from "./served-resource.ts"

export function versionedKind(resource: ServedResource): VersionedKind {
  const { versions, schema } = resource
  const apiVersion = servedApiVersion(resource)
  const otherNode = (other: string) =>
    versions.areAlike(apiVersion, other) ? undefined : versions.schemaOf(other)?.node
  const hasSamePaths = resource.conversion === undefined
  return { apiVersion, node: schema.node, hasSamePaths, otherNode }
}

/** A webhook that fails ends it with its fault; nothing has been written then. */
export const withVersions = <T>(
  context: Converting,
  resource: ServedResource,
  steps: Steps<T>,
): Promise<T> =>
  withConversions(steps, async ({ objects, apiVersion }) => {
    const given = objects as readonly JsonObject[] & readonly ApiObject[]
    return (await convertObjects(context, resource, given, apiVersion)) as readonly JsonObject[]
  })
