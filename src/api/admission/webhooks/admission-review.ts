// admission.k8s.io/v1 AdmissionReview: the question to a webhook, and its answer read with
// suspicion. An answer that is not exactly what was asked for counts as none.

import { isArray, isObject, type Json, type JsonObject } from "../../../base/json.ts"
import { parseJson } from "../../../base/json-text.ts"
import type { AdmissionRequest } from "../../../contract/admission.ts"
import { requestMembers, type SeenRequest } from "../match/admission-cel.ts"

const apiVersion = "admission.k8s.io/v1"
const warningsMax = 20
const warningLengthMax = 1000

export interface ReviewAnswer {
  readonly allowed: boolean
  /** A JSON patch; undefined when nothing is to be changed. */
  readonly patch: Json | undefined
  /** metav1.Status of a denial. */
  readonly result: JsonObject
  readonly warnings: readonly string[]
}

export function reviewOf(uid: string, request: AdmissionRequest, seen: SeenRequest): JsonObject {
  const { object, old, resource } = seen
  const isDelete = request.operation === "delete"
  return {
    apiVersion,
    kind: "AdmissionReview",
    request: {
      uid,
      ...requestMembers(request, resource),
      object: isDelete ? null : (object as JsonObject),
      oldObject: old === undefined ? null : (old as JsonObject),
    },
  }
}

/** Throws with a sentence that says what is wrong with it. */
export function readAnswer(review: Json, uid: string, mutating: boolean): ReviewAnswer {
  const { apiVersion: version, kind, response }: JsonObject = isObject(review) ? review : {}
  if (!isObject(response)) throw new Error("webhook response was absent")
  if (response.uid !== uid) {
    throw new Error(`expected response.uid="${uid}", got "${String(response.uid ?? "")}"`)
  }
  if (version !== apiVersion || kind !== "AdmissionReview") {
    const got = `${String(version ?? "")}, Kind=${String(kind ?? "")}`
    throw new Error(`expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${got}`)
  }
  const warnings = isArray(response.warnings) ? response.warnings : []
  return {
    allowed: response.allowed === true,
    patch: mutating ? readPatch(response) : refusePatch(response),
    result: isObject(response.status) ? response.status : {},
    warnings: warnings
      .filter((text) => typeof text === "string")
      .slice(0, warningsMax)
      .map((text) => text.slice(0, warningLengthMax)),
  }
}

const isGiven = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && value !== ""

function refusePatch({ patch, patchType }: JsonObject): undefined {
  if (isGiven(patch)) throw new Error("validating webhook may not return response.patch")
  if (isGiven(patchType)) throw new Error("validating webhook may not return response.patchType")
}

function readPatch({ patch, patchType }: JsonObject): Json | undefined {
  if (!isGiven(patch)) {
    if (!isGiven(patchType)) return undefined
    throw new Error("webhook returned response.patchType but not response.patch")
  }
  if (!isGiven(patchType)) {
    throw new Error("webhook returned response.patch but not response.patchType")
  }
  if (patchType !== "JSONPatch") throw new Error(`unsupported patch type "${String(patchType)}"`)
  try {
    const read = parseJson(Buffer.from(String(patch), "base64").toString("utf8"))
    return isArray(read) && read.length === 0 ? undefined : read
  } catch {
    throw new Error("received undecodable patch in webhook response")
  }
}
