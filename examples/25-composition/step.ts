// What becomes of a cluster next: a pure state machine over what is known of its members. Its
// state stands in the parent's status. An election needs a majority that was fenced first, so that
// no write of the old primary counts any more, and takes the member that has the most; a member
// without data never becomes primary while another one may have some.

export interface MemberFacts {
  readonly name: string
  /** Its process runs and answers. */
  readonly alive: boolean
  /** What this very run of the node says; undefined when nobody knows. */
  readonly told?: {
    readonly role: string
    readonly epoch: number
    /** It has never had the data. Known while it neither leads nor follows, as how far it is. */
    readonly empty?: boolean
    readonly last?: { readonly epoch: number; readonly n: number }
  }
}

export interface Known {
  readonly members: ReadonlyMap<string, MemberFacts>
  /** Entries in the newest backup; undefined when there is none. */
  readonly backup?: number
  readonly now: number
}

export interface Wish {
  readonly members: number
  readonly replaceAfterMs: number
}

export interface ClusterState {
  readonly phase: "forming" | "electing" | "serving"
  readonly epoch: number
  readonly primary: string
  /** How the primary gets its data, until it has it. */
  readonly from: "nothing" | "own" | "backup"
  readonly atLeast: number
  /** It has had data once. */
  readonly begun: boolean
  readonly members: readonly string[]
  /** Number of the next new member. */
  readonly next: number
  /** Since when members are down. */
  readonly down: Readonly<Record<string, number>>
  /** Why it can't go on. */
  readonly stuck?: string
}

export const first: ClusterState = {
  ...{ phase: "forming", epoch: 0, primary: "", from: "nothing", atLeast: 0, begun: false },
  ...{ members: [], next: 0, down: {} },
}

export function step(before: ClusterState, wish: Wish, known: Known): ClusterState {
  const state = noteDown(before, known)
  switch (state.phase) {
    case "forming":
      return form(state, wish, known)
    case "electing":
      return elect(state, known)
    case "serving":
      return serve(state, wish, known)
  }
}

const alive = (known: Known, name: string): boolean => known.members.get(name)?.alive === true
const told = (known: Known, name: string) =>
  alive(known, name) ? known.members.get(name)?.told : undefined

function noteDown({ stuck: _, ...state }: ClusterState, known: Known): ClusterState {
  const gone = state.members.filter((name) => !alive(known, name))
  const down = Object.fromEntries(gone.map((name) => [name, state.down[name] ?? known.now]))
  return { ...state, down }
}

function form(state: ClusterState, wish: Wish, known: Known): ClusterState {
  const members = Array.from({ length: wish.members }, (_, index) => `m${index}`)
  const [primary = ""] = members
  const grown = { ...state, members, next: wish.members }
  if (!members.every((name) => alive(known, name))) return grown
  return { ...grown, phase: "serving", epoch: 1, primary }
}

function elect(state: ClusterState, known: Known): ClusterState {
  const { members, epoch, begun } = state
  const fenced = members.filter((name) => {
    const said = told(known, name)
    return said?.role === "fenced" && said.epoch === epoch
  })
  const full = fenced.filter((name) => told(known, name)?.empty === false)
  const all = fenced.length === members.length
  if (full.length * 2 <= members.length && !all) return state
  const far = (name: string) => told(known, name)?.last ?? { epoch: 0, n: 0 }
  const [best] = full.toSorted((left, right) => {
    const [a, b] = [far(left), far(right)]
    return b.epoch - a.epoch || b.n - a.n
  })
  if (best !== undefined) {
    return { ...state, phase: "serving", primary: best, from: "own", atLeast: far(best).n }
  }
  const [primary = ""] = members
  const anew = { ...state, phase: "serving", primary, atLeast: 0 } as const
  if (!begun) return { ...anew, from: "nothing" }
  if (known.backup !== undefined) return { ...anew, from: "backup" }
  return { ...state, stuck: "all members have lost their data, and there is no backup" }
}

function serve(given: ClusterState, wish: Wish, known: Known): ClusterState {
  const { primary, epoch } = given
  const said = told(known, primary)
  const leads = said?.role === "primary" && said.epoch === epoch
  const state = leads ? ({ ...given, begun: true, from: "own" } as const) : given
  const wiped = state.begun && said?.empty === true && state.from === "own" && !leads
  if (!alive(known, primary) || wiped) return { ...state, phase: "electing", epoch: epoch + 1 }
  return leads ? resize(state, wish, known) : state
}

/** One member at a time, and never the primary. */
function resize(state: ClusterState, wish: Wish, known: Known): ClusterState {
  const { members, next, primary, down } = state
  const settled = members.every((name) => {
    const said = told(known, name)
    return name === primary || (said?.role === "replica" && said.epoch === state.epoch)
  })
  const overdue = members.find(
    (name) => name !== primary && known.now - (down[name] ?? known.now) >= wish.replaceAfterMs,
  )
  const add = { next: next + 1, members: [...members, `m${next}`] }
  if (overdue !== undefined) {
    return { ...state, ...add, members: add.members.filter((name) => name !== overdue) }
  }
  if (!settled) return state
  if (members.length < wish.members) return { ...state, ...add }
  if (members.length === wish.members) return state
  const last = members.toReversed().find((name) => name !== primary)
  return { ...state, members: members.filter((name) => name !== last) }
}
