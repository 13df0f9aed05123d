// Every form in which kubectl prints an object, with what it prints of the widget `made`, blue and
// with one replica; by the version that has it first.

import { writeFileSync } from "node:fs"
import { join } from "node:path"

export interface OutputForm {
  /** After `get widget made -o`. */
  readonly form: string
  readonly prints: RegExp
  /** Of kubectl 1.x. */
  readonly since?: number
}

/** Forms that are read from a file find it in `folder`. */
export function outputForms(folder: string): readonly OutputForm[] {
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const template = "{{.spec.color}} {{.spec.replicas}}"
  const path = "{.spec.color} {.spec.replicas}"
  const columns = "N              C\n.metadata.name .spec.color\n"
  const table = /^N +C\nmade +blue\n$/
  return [
    { form: "json", prints: /^\{\n {4}"apiVersion": "example.dev\/v1",[\s\S]*"color": "blue"/ },
    { form: "yaml", prints: /^apiVersion: example.dev\/v1\n[\s\S]*^spec:\n {2}color: blue$/m },
    {
      form: "kyaml",
      prints: /^---\n\{\n {2}apiVersion: "example.dev\/v1",[\s\S]*color: "blue",/,
      since: 35,
    },
    { form: "name", prints: /^widget\.example\.dev\/made\n$/ },
    { form: "wide", prints: /^NAME +COLOR +REPLICAS +NOTE +AGE\nmade +blue +1 +\S+\s*\n?$/ },
    { form: "jsonpath={.spec.color}", prints: /^blue$/ },
    { form: `jsonpath-file=${file("path", path)}`, prints: /^blue 1$/ },
    { form: "jsonpath-as-json={.spec}", prints: /"color": "blue",\s+"replicas": 1/, since: 23 },
    { form: "go-template={{.spec.color}}", prints: /^blue$/ },
    { form: `go-template-file=${file("go", template)}`, prints: /^blue 1$/ },
    { form: "template={{.spec.color}}", prints: /^blue$/ },
    { form: `templatefile=${file("template", template)}`, prints: /^blue 1$/ },
    { form: "custom-columns=N:.metadata.name,C:.spec.color", prints: table },
    { form: `custom-columns-file=${file("columns", columns)}`, prints: table },
  ]
}
