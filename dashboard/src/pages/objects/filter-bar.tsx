// What the tree shows: words, kind, loop, namespace, and how objects stand, each with its count.

import { useMemo } from "preact/hooks"
import { navigate, place, query, setQuery } from "../../app/router.tsx"
import { Shape } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { visible } from "../../ui/visible.ts"
import { isEmpty, type ObjectFilter } from "./object-filter.ts"
import { standings, standingText, toneOf } from "./object-row.ts"
import type { ObjectStore } from "./object-store.ts"
import type { Tree } from "./object-tree.ts"

export interface FilterBarProps {
  readonly store: ObjectStore
  readonly tree: Tree
  readonly filter: ObjectFilter
}

export function FilterBar({ store, tree, filter }: FilterBarProps) {
  const version = store.version.value
  const known = useMemo(() => choicesOf(store), [version])
  const { states } = filter
  const turn = (word: string) => {
    const next = new Set(states)
    if (!next.delete(word)) next.add(word)
    setQuery("state", [...next].join(","))
  }
  return (
    <search class="filter-bar">
      <label class="filter">
        <span class="sr-only">Search objects</span>
        <input
          type="search"
          placeholder="Name, kind, reason"
          value={query.value.get("q") ?? ""}
          onInput={(event) => setQuery("q", event.currentTarget.value)}
        />
      </label>
      <Choose name="kind" label="Kind" value={filter.type} choices={known.kinds} />
      <Choose name="loop" label="Loop" value={filter.loop} choices={known.loops} />
      <Choose name="namespace" label="Namespace" value={filter.namespace} choices={known.spaces} />
      <fieldset class="standing-choice">
        <legend class="sr-only">How they stand</legend>
        {standings.map((word) => {
          const count = tree.standings.get(word) ?? 0
          if (count === 0 && !states.has(word)) return null
          return (
            <button
              key={word}
              type="button"
              class="chip"
              aria-pressed={states.has(word)}
              onClick={() => turn(word)}
            >
              <Shape tone={toneOf(word)} />
              {standingText(word)} <span class="chip-count">{count.toLocaleString("en")}</span>
            </button>
          )
        })}
      </fieldset>
      {isEmpty(filter) ? null : (
        <Button tone="quiet" onClick={() => navigate(place.peek().path, { replace: true })}>
          Show all
        </Button>
      )}
    </search>
  )
}

type Choice = readonly [string, string]

function choicesOf({ rows, kinds }: ObjectStore) {
  const [types, loops, spaces] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const { type, namespace, loop } of rows.values()) {
    types.add(type)
    if (namespace !== "") spaces.add(namespace)
    if (loop !== undefined) loops.add(loop)
  }
  const named = [...types].map((type): Choice => [type, kinds[type] ?? type])
  const plain = (texts: Set<string>) => [...texts].sort().map((text): Choice => [text, text])
  named.sort((one, other) => (one[1] < other[1] ? -1 : 1))
  return { kinds: named, loops: plain(loops), spaces: plain(spaces) }
}

interface ChooseProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly choices: readonly Choice[]
}

/** One choice is none; what the address names is there in any case. */
function Choose({ name, label, value, choices }: ChooseProps) {
  if (choices.length < 2 && value === "") return null
  const known = choices.some(([one]) => one === value) || value === ""
  const all = known ? choices : [...choices, [value, value] as const]
  return (
    <label>
      <span class="sr-only">{label}</span>
      <select value={value} onChange={(event) => setQuery(name, event.currentTarget.value)}>
        <option value="">{`${label}: all`}</option>
        {all.map(([one, text]) => (
          <option key={one} value={one}>
            {visible(text)}
          </option>
        ))}
      </select>
    </label>
  )
}
