// Who asks. On every call from the first day; agents may propose and never approve.

export type PrincipalKind = "human" | "service" | "agent"

export interface Principal {
  readonly name: string
  readonly kind: PrincipalKind
  /** As in Kubernetes: what role bindings name besides the principal itself. */
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
  /** Who really asked, when a principal was allowed to speak as another. */
  readonly impersonator?: string
  /** Missing where nothing of their own let them in. */
  readonly signedInBy?: SignedInBy
}

/** What somebody signed in with: what they open with it ends with it. */
export interface SignedInBy {
  /** In a form that can be kept and asked again: "token:HASH", "issuer:CLIENT@URL". */
  readonly ground: string
  /** Wall time at which it ends by itself. */
  readonly until?: number
}

/** May do everything that a request can ask for; the owner of the data directory is in it. */
export const mastersGroup = "system:masters"

/** Of the tokens that `setpoint token create` makes, by kind. */
export const humansGroup = "setpoint:humans"
export const servicesGroup = "setpoint:services"
export const agentsGroup = "setpoint:agents"
export const monitorsGroup = "setpoint:monitors"

/** Added to everybody who signed in, and to nobody else: whoever is in it is bound by roles. */
export const authenticatedGroup = "system:authenticated"

/** False for the engine, sources and others who call the verbs from inside. */
export function isFromOutside({ groups = [] }: Principal): boolean {
  return groups.includes(authenticatedGroup)
}

/** Whose hand it really was. */
export function handOf({ name, impersonator }: Principal): string {
  return impersonator ?? name
}

/** The engine itself, writing status, plans and finalizers. Nobody can sign in as it. */
export const enginePrincipal: Principal = { name: "setpoint:engine", kind: "service" }

/** A source writes as nobody's hand; it is never the same person as anyone. */
export function sourcePrincipal(loop: string): Principal {
  return { name: `setpoint-source/${loop}`, kind: "service" }
}

export function isSource(principal: Pick<Principal, "name">): boolean {
  return principal.name.startsWith("setpoint-source/")
}

const composerPrefix = "setpoint-composite/"

/**
 * Writes the children of a composite kind. `author` is whoever changed the parent last: who asked
 * for a child that way is still the one who asked.
 */
export function compositePrincipal(kind: string, author?: string): Principal {
  const name = `${composerPrefix}${kind}`
  return { name, kind: "service", ...(author === undefined ? {} : { impersonator: author }) }
}

export function isComposer(principal: Pick<Principal, "name">): boolean {
  return principal.name.startsWith(composerPrefix)
}
