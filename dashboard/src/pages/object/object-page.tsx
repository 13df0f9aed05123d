// One object: how it stands and why, its fields on three sides, what happened to it, its events,
// what it writes, what it is tied to, and the commands that say the same.

import type { PageProps } from "../../app/pages.ts"
import { Link, query, setQuery } from "../../app/router.tsx"
import { useView } from "../../live/view.ts"
import { Card } from "../../ui/card.tsx"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { type Tab, Tabs } from "../../ui/tabs.tsx"
import { visible } from "../../ui/visible.ts"
import { keyOfPath, partsOf } from "../objects/object-row.ts"
import { PausedBadge, StandingBadge } from "../objects/standing-badge.tsx"
import { Actions } from "./actions.tsx"
import { commandLines } from "./command-lines.ts"
import { EventsTab } from "./events-tab.tsx"
import { differs, FieldsTab } from "./fields-tab.tsx"
import { LogTab } from "./log-tab.tsx"
import type { ObjectView } from "./object-view.ts"
import { RelationsTab } from "./relations-tab.tsx"
import { Summary } from "./summary.tsx"
import { TimelineTab } from "./timeline-tab.tsx"

export function ObjectPage({ params }: PageProps) {
  const key = keyOfPath(params.key ?? "")
  const path = `/setpoint/v1/object?object=${encodeURIComponent(key)}`
  const { data: view, fault } = useView<ObjectView>(path).view.value
  const { type, name } = partsOf(key)
  const gone = fault?.status === 404
  return (
    <div class="object">
      <p class="crumbs">
        <Link to="/objects">Objects</Link> <span aria-hidden="true">/</span>{" "}
        <Link to={`/objects?kind=${encodeURIComponent(type)}`}>{visible(view?.kind ?? type)}</Link>
      </p>
      <div class="page-head">
        <h1>{visible(name)}</h1>
        {view === undefined || gone ? null : (
          <>
            <StandingBadge
              row={{ state: view.standing, ...(view.deleting ? { deleting: true } : {}) }}
            />
            <PausedBadge object={key} />
            <Actions view={view} />
          </>
        )}
      </div>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      {view === undefined && fault === undefined ? (
        <p class="muted" role="status">
          Its target is being looked at…
        </p>
      ) : null}
      {view === undefined ? null : (
        <>
          <Summary view={view} />
          <Tabs
            label="About the object"
            tabs={tabsOf(view)}
            open={query.value.get("tab") ?? "fields"}
            onOpen={(id) => setQuery("tab", id)}
          />
        </>
      )}
    </div>
  )
}

function tabsOf(view: ObjectView): Tab[] {
  const { object, rows, relations, log } = view
  const differing = rows.filter(differs).length
  const ties = relations.relations.length
  const logs: Tab = { id: "log", title: "Log", content: () => <LogTab object={object} /> }
  return [
    {
      ...{ id: "fields", title: "Fields" },
      ...(differing === 0 ? {} : { count: differing }),
      content: () => <FieldsTab view={view} />,
    },
    { id: "timeline", title: "Timeline", content: () => <TimelineTab object={object} /> },
    { id: "events", title: "Events", content: () => <EventsTab view={view} /> },
    ...(log ? [logs] : []),
    {
      ...{ id: "ties", title: "Ties" },
      ...(ties === 0 ? {} : { count: ties }),
      content: () => <RelationsTab view={view} />,
    },
    { id: "commands", title: "Commands", content: () => <Commands view={view} /> },
  ]
}

function Commands({ view }: { readonly view: ObjectView }) {
  return (
    <Card title="The same on the command line">
      <dl class="commands">
        {commandLines(view).map(({ about, command }) => (
          <div key={command}>
            <dt>{about}</dt>
            <dd>
              <CopyCommand command={command} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
