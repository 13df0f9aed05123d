// The page that the dashboard's address shows: loops, how they stand, and what waits for a person.
// Everything that comes from outside is shown as text, never as markup.

import type { Page } from "../../api/http/dashboard.ts"

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Setpoint</title>
<link rel="stylesheet" href="/status.css">
<script src="/status.js" defer></script>
</head>
<body>
<header><h1>Setpoint</h1><p id="plane">asking the plane</p></header>
<main>
<p id="alarm" role="alert" hidden></p>
<table>
<caption>Loops</caption>
<thead><tr><th>Loop<th>Mode<th>As declared<th>Waits for a person<th>Oldest trouble</tr></thead>
<tbody id="loops"></tbody>
</table>
</main>
</body>
</html>
`

const css = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
h1 { margin: 0; font-size: 1.4rem }
header p { margin: 0; opacity: .7 }
table { border-collapse: collapse; width: 100%; margin-top: 1.5rem }
caption { text-align: left; font-weight: 600 }
th, td { text-align: left; padding: .4rem .8rem .4rem 0; vertical-align: top }
tr { border-bottom: 1px solid #8884 }
#alarm { border-left: .3rem solid #c22; padding: .5rem 1rem; white-space: pre-line }
.well { color: #178a3c } .trouble { color: #b55a00 }
`

const js = `const byId = (id) => document.getElementById(id)
const cell = (text, kind) => {
  const td = document.createElement("td")
  td.textContent = text
  if (kind) td.className = kind
  return td
}
const rowOf = (loop) => {
  const tr = document.createElement("tr")
  const well = loop.converged === loop.objects
  const plan = loop.plan ? loop.plan.actions + " actions in plan " + loop.plan.name : ""
  const oldest = loop.oldest ? loop.oldest.object + ": " + loop.oldest.message : ""
  tr.append(
    cell(loop.id), cell(loop.mode),
    cell(loop.converged + " of " + loop.objects, well ? "well" : "trouble"),
    cell(plan, "trouble"), cell(oldest),
  )
  return tr
}
const look = async () => {
  try {
    const answer = await fetch("/setpoint/v1/status", { headers: { accept: "application/json" } })
    if (!answer.ok) throw new Error("the plane answered " + answer.status)
    const status = await answer.json()
    byId("plane").textContent = "plane " + status.plane + ", revision " + status.revision
    byId("loops").replaceChildren(...status.loops.map(rowOf))
    const stops = status.stops.map((stop) => "STOPPED: " + stop.text)
    byId("alarm").textContent = stops.join("\\n")
    byId("alarm").hidden = stops.length === 0
  } catch (error) {
    byId("alarm").textContent = "No answer from the plane: " + error.message
    byId("alarm").hidden = false
  }
  setTimeout(look, 2000)
}
look()
`

export const statusPages: ReadonlyMap<string, Page> = new Map([
  ["/", { contentType: "text/html; charset=utf-8", text: html }],
  ["/status.css", { contentType: "text/css; charset=utf-8", text: css }],
  ["/status.js", { contentType: "text/javascript; charset=utf-8", text: js }],
])
