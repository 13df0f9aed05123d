// Text from outside, safe to print: what could move the cursor, change colours or reorder the
// line is shown by its number instead.

const dangerous = new RegExp(
  [
    "[\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f",
    "\\u2028-\\u202e\\u2060\\u2066-\\u2069\\ufeff]",
  ].join(""),
  "g",
)

export function printable(text: string): string {
  return text.replaceAll(dangerous, (character) => {
    if (character === "\n") return "\\n"
    if (character === "\r") return "\\r"
    const code = character.charCodeAt(0)
    const hex = code.toString(16).padStart(code < 256 ? 2 : 4, "0")
    return code < 256 ? `\\x${hex}` : `\\u${hex}`
  })
}

/** At most so many characters, the last of them saying that there were more. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(1, length - 1))}…`
}
