// Text from outside as it is shown: marks that turn the direction of writing, control characters
// and escapes of terminals appear as what they are, so that nothing reads as something else.

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export function visible(text: string): string {
  return text.replaceAll(hidden, (mark) => {
    if (mark === "\n" || mark === "\t") return mark
    const code = (mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
    return `\u2039U+${code}\u203a`
  })
}
