// From frames of a terminal to one animated picture: every line that occurs is drawn once, frames
// are made of lines, and a film strip of frames moves behind a window. No script, no font, nothing
// from elsewhere, so that it plays wherever an image may stand. Pure.

import type { Cell, Style } from "./terminal-screen.ts"

export interface Frame {
  readonly rows: readonly (readonly Cell[])[]
  /** How long it stays. */
  readonly seconds: number
}

export interface FilmOptions {
  readonly columns: number
  readonly rows: number
  readonly title: string
}

const cellWidth = 8.4
const lineHeight = 18
const margin = 14
const bar = 26
const background = "#14181d"
const foreground = "#d7dde4"
const shades: Readonly<Record<string, string>> = {
  red: "#ff7b72",
  green: "#7ee787",
  yellow: "#e3b341",
  cyan: "#79c0ff",
}

export function svgFilm(frames: readonly Frame[], options: FilmOptions): string {
  const width = Math.ceil(options.columns * cellWidth + 2 * margin)
  const height = options.rows * lineHeight + 2 * margin + bar
  const lines = new Map<string, string>()
  const strip = frames.map((frame, index) => {
    const used = frame.rows.map((row, number) => {
      const text = rowText(row)
      if (text === "") return ""
      const id = lines.get(text) ?? `l${lines.size}`
      lines.set(text, id)
      return `<use href="#${id}" y="${number * lineHeight}"/>`
    })
    return `<g transform="translate(0 ${index * height})">${used.join("")}</g>`
  })
  const drawn = [...lines].map(([text, id]) => `<text id="${id}" y="13">${text}</text>`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" ` +
      `height="${height}" role="img">`,
    `<title>${escaped(options.title)}</title>`,
    `<style>${styles(frames, height)}</style>`,
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (colour, index) => `<circle cx="${18 + index * 18}" cy="16" r="5" fill="${colour}"/>`,
    ),
    `<clipPath id="window"><rect width="${width - 2 * margin}" ` +
      `height="${options.rows * lineHeight}"/></clipPath>`,
    `<defs>${drawn.join("\n")}</defs>`,
    `<g transform="translate(${margin} ${margin + bar - 6})" clip-path="url(#window)">`,
    '<g class="film">',
    ...strip,
    "</g></g>",
    "</svg>",
    "",
  ].join("\n")
}

function styles(frames: readonly Frame[], height: number): string {
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0)
  let passed = 0
  const steps = frames.map(({ seconds }, index) => {
    const at = ((passed / total) * 100).toFixed(3)
    passed += seconds
    return `${at}%{transform:translateY(${-index * height}px)}`
  })
  const last = -(frames.length - 1) * height
  // What stands still where nothing moves: a picture of a film, not its black beginning.
  const poster = -Math.floor(frames.length / 3) * height
  return [
    `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:${foreground};` +
      "white-space:pre}",
    `.film{transform:translateY(${poster}px);` +
      `animation:film ${total.toFixed(2)}s step-end infinite}`,
    `@keyframes film{${steps.join("")}100%{transform:translateY(${last}px)}}`,
    "@media (prefers-reduced-motion:reduce){.film{animation:none}}",
  ].join("\n")
}

/** Runs of one style; each says how wide it is, so that any font fits the columns. */
function rowText(row: readonly Cell[]): string {
  const runs: { text: string; style: Style; at: number }[] = []
  for (const [at, { text, style }] of row.entries()) {
    const last = runs.at(-1)
    if (last !== undefined && isSame(last.style, style)) last.text += text
    else runs.push({ text, style, at })
  }
  return runs
    .map((run) => ({ ...run, text: run.text.trimEnd() }))
    .filter(({ text }) => text !== "")
    .map(({ text, style, at }) => {
      const skipped = text.length - text.trimStart().length
      const shown = text.trimStart()
      const x = ((at + skipped) * cellWidth).toFixed(1)
      const length = (shown.length * cellWidth).toFixed(1)
      return `<tspan x="${x}" textLength="${length}"${attributes(style)}>${escaped(shown)}</tspan>`
    })
    .join("")
}

function isSame(one: Style, other: Style): boolean {
  return one.colour === other.colour && one.bold === other.bold && one.dim === other.dim
}

function attributes({ colour, bold, dim }: Style): string {
  const shade = shades[colour]
  return [
    shade === undefined ? "" : ` fill="${shade}"`,
    bold ? ' font-weight="bold"' : "",
    dim ? ' opacity="0.6"' : "",
  ].join("")
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
