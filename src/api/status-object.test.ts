import { describe, expect, it } from "vitest"
import { toFault } from "../base/faults.ts"
import { apiFault, causesText } from "./faults.ts"
import { faultFromStatus, isStatus, statusOf } from "./status-object.ts"

describe("status objects", () => {
  it("carry a fault there and back", () => {
    const causes = causesText([{ field: "spec.{x}", reason: "FieldValueInvalid", message: "no" }])
    const why = "spec.{x}: no"
    const fault = apiFault("SPT-API-005", { kind: "Thing", name: "a", why, causes })
    const status = JSON.parse(JSON.stringify(statusOf(fault)))
    expect(status).toMatchObject({
      kind: "Status",
      status: "Failure",
      code: 422,
      reason: "Invalid",
      details: { name: "a", kind: "Thing", causes: [{ field: "spec.{x}" }] },
    })
    expect(isStatus(status)).toBe(true)
    const back = faultFromStatus(status, 422)
    const { code, message, hint, reason, status: number } = fault
    expect(back).toMatchObject({ code, message, hint, reason, status: number, fault: "stuck" })
    expect(back.details).toMatchObject(fault.details)
  })

  it("name the plan that holds a request", () => {
    const status = statusOf(apiFault("SPT-API-014", { what: "x", why: "y", plan: "p-1" }))
    expect(status.details).toMatchObject({ plan: "p-1" })
    expect(status.message).toContain("p-1")
  })

  it("hide nothing behind an unknown error, and read a stranger's Status", () => {
    expect(statusOf(toFault(new Error("boom")))).toMatchObject({
      code: 500,
      reason: "InternalError",
    })
    const details = { name: "a", causes: [{ field: "x" }] }
    const stranger = { kind: "Status", apiVersion: "v1", code: 404, reason: "NotFound", details }
    const fault = faultFromStatus({ ...stranger, message: "not {here}" }, 404)
    expect(fault).toMatchObject({ status: 404, message: "not {here}", details: { name: "a" } })
  })
})
