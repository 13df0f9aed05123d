// The class of a failure from its facts: what the provider says, errno, HTTP status, a defect, the
// fault's code. Pure. Words are read only when there is no fact at all, and the answer says so.

import type { DiagnosisClass, Failure } from "../contract/diagnosis.ts"

export interface Classified {
  readonly class: DiagnosisClass
  /** What it was concluded from; "" when from nothing. */
  readonly from: string
}

const classOfErrno = table<string>({
  Permission: ["EACCES", "EPERM", "EROFS"],
  Quota: ["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "ENOMEM", "EFBIG"],
  Transient: [
    ...["ETIMEDOUT", "ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "EHOSTUNREACH"],
    ...["ENETUNREACH", "EAI_AGAIN", "ENOTFOUND", "EBUSY", "EAGAIN", "EINTR", "ETXTBSY", "EIO"],
    ...["ESTALE", "EHOSTDOWN", "ENETDOWN"],
  ],
  Conflict: ["EEXIST", "ENOTEMPTY"],
  Dependency: ["ENOENT"],
  BadSpec: ["EINVAL", "ENAMETOOLONG", "ELOOP", "ENOTDIR", "EISDIR", "EXDEV", "EMLINK"],
})

const classOfStatus = table<number>({
  Permission: [401, 403, 407],
  Quota: [402, 507],
  Conflict: [409, 412, 423],
  Dependency: [404, 410, 424],
  BadSpec: [400, 405, 406, 411, 413, 414, 415, 422, 501],
  Transient: [0, 408, 425, 429, 500, 502, 503, 504],
})

/** Faults that can mean only one thing. */
const classOfCode: ReadonlyMap<string, DiagnosisClass> = new Map([
  ["SPT-ACT-001", "Policy"],
  ["SPT-ACT-002", "Transient"],
  ["SPT-ACT-003", "Transient"],
  ["SPT-ACT-004", "ProviderFault"],
  ["SPT-ACT-005", "Transient"],
  ["SPT-BASE-001", "ProviderFault"],
  ["SPT-FILE-002", "BadSpec"],
  ["SPT-FILE-003", "Conflict"],
  ["SPT-LOOP-003", "Conflict"],
  ["SPT-LOOP-005", "Dependency"],
  ["SPT-LOOP-006", "Dependency"],
  ["SPT-LOOP-007", "Dependency"],
  ["SPT-PROV-007", "Transient"],
  ["SPT-PROV-008", "ProviderFault"],
  ["SPT-PROV-009", "BadSpec"],
])

/** They only narrow down a status that may mean two things. */
const quotaWords = /quota|limit (?:is )?(?:exceeded|reached)|exceed\w* .*limit|insufficient/i

export function classifyFailure(failure: Failure, message: string): Classified {
  const known = fromFacts(failure, message)
  if (known !== undefined) return known
  const guessed = fromFacts(factsInWords(message), message)
  if (guessed === undefined) return { class: "Unknown", from: "" }
  return { class: guessed.class, from: `${guessed.from}, read from the words of the error` }
}

function fromFacts(failure: Failure, message: string): Classified | undefined {
  const { errno, status, defect, code } = failure
  if (failure.class !== undefined) return { class: failure.class, from: "" }
  const byErrno = errno === undefined ? undefined : classOfErrno.get(errno)
  if (byErrno !== undefined) return { class: byErrno, from: `errno ${errno}` }
  const byStatus = status === undefined ? undefined : statusClass(status, message)
  if (byStatus !== undefined) {
    return { class: byStatus, from: status === 0 ? "no answer" : `HTTP status ${status}` }
  }
  if (defect !== undefined) return { class: "ProviderFault", from: `${defect} in the provider` }
  const byCode = code === undefined ? undefined : classOfCode.get(code)
  return byCode === undefined ? undefined : { class: byCode, from: `code ${code}` }
}

function statusClass(status: number, message: string): DiagnosisClass | undefined {
  if ((status === 403 || status === 429) && quotaWords.test(message)) return "Quota"
  const known = classOfStatus.get(status)
  if (known !== undefined) return known
  return status > 500 && status < 600 ? "Transient" : undefined
}

function factsInWords(message: string): Failure {
  const errno = message.match(/\bE[A-Z_]{3,14}\b/g)?.find((word) => classOfErrno.has(word))
  const status = /\b(?:status|HTTP|answered)(?: with)?[ :]+(\d{3})\b/i.exec(message)?.[1]
  return {
    ...(errno === undefined ? {} : { errno }),
    ...(status === undefined ? {} : { status: Number(status) }),
  }
}

function table<T extends string | number>(
  classes: Readonly<Partial<Record<DiagnosisClass, readonly T[]>>>,
): ReadonlyMap<T, DiagnosisClass> {
  const found = new Map<T, DiagnosisClass>()
  for (const [name, members] of Object.entries(classes)) {
    for (const member of members ?? []) found.set(member, name as DiagnosisClass)
  }
  return found
}
