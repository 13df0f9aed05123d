// What is searched for. Every field goes into the address when it was left or Enter was pressed.

import { navigate, place, setQuery } from "../../app/router.tsx"
import { loops } from "../../live/status.ts"
import { Button } from "../../ui/button.tsx"
import { causes, eventTypes, type FilterName, type Filters, verbs } from "./journal-view.ts"

export function JournalFilters({ filters }: { readonly filters: Filters }) {
  const journals = ["plane", ...loops.value.map(({ id }) => id)]
  const filtered = Object.keys(filters).length > 0
  return (
    <search class="filters" aria-label="Search the journals">
      <Text name="text" title="Anything" filters={filters} hint="any text of a record" />
      <Choice name="loop" title="Journal" filters={filters} values={journals} />
      <Text name="object" title="Object" filters={filters} hint="a part of its name" />
      <Choice name="type" title="Type" filters={filters} values={eventTypes} />
      <Choice name="verb" title="Verb" filters={filters} values={verbs} />
      <Choice name="cause" title="Cause" filters={filters} values={causes} />
      <Text name="principal" title="By" filters={filters} hint="who did or asked" />
      <Text name="revision" title="Revision" filters={filters} hint="how it begins" />
      <Text name="since" title="Since" filters={filters} hint="2h, 3d, or a time" />
      <Text name="until" title="Until" filters={filters} hint="1h, or a time" />
      {filtered ? <Button onClick={() => navigate(place.peek().path)}>Clear</Button> : null}
    </search>
  )
}

interface FieldProps {
  readonly name: FilterName
  readonly title: string
  readonly filters: Filters
}

function Text({ name, title, filters, hint }: FieldProps & { readonly hint: string }) {
  return (
    <label class="field">
      <span>{title}</span>
      <input
        type="search"
        maxLength={300}
        placeholder={hint}
        value={filters[name] ?? ""}
        onChange={(event) => setQuery(name, event.currentTarget.value.trim())}
      />
    </label>
  )
}

function Choice({
  name,
  title,
  filters,
  values,
}: FieldProps & { readonly values: readonly string[] }) {
  const chosen = filters[name] ?? ""
  const all = chosen === "" || values.includes(chosen) ? values : [...values, chosen]
  return (
    <label class="field">
      <span>{title}</span>
      <select value={chosen} onChange={(event) => setQuery(name, event.currentTarget.value)}>
        <option value="">all</option>
        {all.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  )
}
