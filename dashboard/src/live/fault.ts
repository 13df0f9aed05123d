// What went wrong with a request, as the plane says it: a code, a sentence and what to do. Whatever
// else can happen on the way (no connection, no JSON) is given the same form.

export class RequestFault extends Error {
  /** 0 when there was no answer. */
  readonly status: number
  readonly code: string
  readonly hint: string
  readonly details: Readonly<Record<string, string>>

  constructor(
    status: number,
    {
      code,
      message,
      hint,
      details,
    }: { code: string; message: string; hint?: string; details?: Readonly<Record<string, string>> },
  ) {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint ?? ""
    this.details = details ?? {}
  }
}

interface StatusBody {
  readonly message?: string
  readonly reason?: string
  readonly details?: {
    readonly setpoint?: {
      readonly code?: string
      readonly hint?: string
      readonly details?: Readonly<Record<string, string>>
    }
  }
}

export function faultOf(status: number, body: unknown): RequestFault {
  const given = (typeof body === "object" && body !== null ? body : {}) as StatusBody
  const { code, hint, details } = given.details?.setpoint ?? {}
  return new RequestFault(status, {
    code: code ?? `HTTP ${status}`,
    message: given.message ?? given.reason ?? `the plane answered ${status}`,
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  })
}

export function toRequestFault(error: unknown): RequestFault {
  if (error instanceof RequestFault) return error
  const why = error instanceof Error ? error.message : String(error)
  return new RequestFault(0, {
    code: "no answer",
    message: `cannot reach the plane: ${why}`,
    hint: "it is asked again by itself; is the plane running?",
  })
}
