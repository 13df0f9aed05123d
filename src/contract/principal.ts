// Who asks. On every call from the first day; agents may propose and never approve.

export type PrincipalKind = "human" | "service" | "agent"

export interface Principal {
  readonly name: string
  readonly kind: PrincipalKind
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
