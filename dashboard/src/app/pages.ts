// The pages there are, and their order in the navigation. A page is one folder under pages/ and one
// entry here.

import { computed, type ReadonlySignal } from "@preact/signals"
import { loops } from "../live/status.ts"
import { OverviewPage } from "../pages/overview/overview-page.tsx"
import { StopPage } from "../pages/stop/stop-page.tsx"
import { lazyPage, type PageComponent } from "./lazy-page.tsx"
import { matchPath, type Params } from "./router.tsx"

export type { PageProps } from "./lazy-page.tsx"

const ActivityPage = lazyPage(
  async () => (await import("../pages/activity/activity-page.tsx")).ActivityPage,
)
const CheckpointPage = lazyPage(
  async () => (await import("../pages/checkpoints/checkpoint-page.tsx")).CheckpointPage,
)
const CheckpointsPage = lazyPage(
  async () => (await import("../pages/checkpoints/checkpoints-page.tsx")).CheckpointsPage,
)
const InvariantsPage = lazyPage(
  async () => (await import("../pages/invariants/invariants-page.tsx")).InvariantsPage,
)
const JournalPage = lazyPage(
  async () => (await import("../pages/journal/journal-page.tsx")).JournalPage,
)
const RecordPage = lazyPage(
  async () => (await import("../pages/journal/record-page.tsx")).RecordPage,
)
const LoopPage = lazyPage(async () => (await import("../pages/loop/loop-page.tsx")).LoopPage)
const ObjectPage = lazyPage(
  async () => (await import("../pages/object/object-page.tsx")).ObjectPage,
)
const ObjectsPage = lazyPage(
  async () => (await import("../pages/objects/objects-page.tsx")).ObjectsPage,
)
const PlanPage = lazyPage(async () => (await import("../pages/plans/plan-page.tsx")).PlanPage)
const PlansPage = lazyPage(async () => (await import("../pages/plans/plans-page.tsx")).PlansPage)

const waitingPlans = computed(() => loops.value.filter(({ plan }) => plan !== undefined).length)

export interface PageEntry {
  /** "/loops/:loop", "/objects/*key". */
  readonly pattern: string
  /** In the browser's title and as the heading for screen readers. */
  readonly title: string
  readonly component: PageComponent
  /** In the navigation; `key` is the letter after "g". */
  readonly nav?: {
    readonly label: string
    readonly key: string
    /** How many wait there for a person. */
    readonly waiting?: ReadonlySignal<number>
  }
  /** The pattern of the page in the navigation that this one belongs to. */
  readonly under?: string
}

export const pages: readonly PageEntry[] = [
  {
    pattern: "/",
    title: "Overview",
    component: OverviewPage,
    nav: { label: "Overview", key: "o" },
  },
  { pattern: "/loops/:loop", title: "Loop", component: LoopPage, under: "/" },
  {
    pattern: "/objects",
    title: "Objects",
    component: ObjectsPage,
    nav: { label: "Objects", key: "b" },
  },
  { pattern: "/objects/*key", title: "Object", component: ObjectPage, under: "/objects" },
  {
    pattern: "/plans",
    title: "Plans",
    component: PlansPage,
    nav: { label: "Plans", key: "p", waiting: waitingPlans },
  },
  { pattern: "/plans/:name", title: "Plan", component: PlanPage, under: "/plans" },
  {
    pattern: "/activity",
    title: "Activity",
    component: ActivityPage,
    nav: { label: "Activity", key: "a" },
  },
  {
    pattern: "/journal",
    title: "Journal",
    component: JournalPage,
    nav: { label: "Journal", key: "j" },
  },
  {
    pattern: "/journal/:loop/:sequence",
    title: "Record",
    component: RecordPage,
    under: "/journal",
  },
  {
    pattern: "/invariants",
    title: "Invariants",
    component: InvariantsPage,
    nav: { label: "Invariants", key: "i" },
  },
  {
    pattern: "/checkpoints",
    title: "Checkpoints",
    component: CheckpointsPage,
    nav: { label: "Checkpoints", key: "c" },
  },
  {
    pattern: "/checkpoints/:loop/:name",
    title: "Checkpoint",
    component: CheckpointPage,
    under: "/checkpoints",
  },
  { pattern: "/stop", title: "Stop", component: StopPage, nav: { label: "Stop", key: "s" } },
]

export interface FoundPage {
  readonly page: PageEntry
  readonly params: Params
}

export function findPage(path: string): FoundPage | undefined {
  for (const page of pages) {
    const params = matchPath(page.pattern, path)
    if (params !== undefined) return { page, params }
  }
  return undefined
}
