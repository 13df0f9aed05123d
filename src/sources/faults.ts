// Everything that can be wrong with a source, in one table. Codes are forever. A source reports
// these as issues with a position; it never throws them at its reader.

import { defineFaults } from "../base/faults.ts"

export const sourceFault = defineFaults({
  "SPT-SOURCE-001": {
    fault: "stuck",
    text: "cannot read {file}: it has {bytes} bytes and the limit for one file is {limit}",
    hint: "split the file into smaller ones",
  },
  "SPT-SOURCE-002": {
    fault: "stuck",
    text: "cannot read the source: it has {bytes} bytes and the limit for one source is {limit}",
    hint: "split the source over several loops",
  },
  "SPT-SOURCE-003": {
    fault: "stuck",
    text: "cannot read the source: it has more than {limit} {what}",
    hint: "split the source over several loops",
  },
  "SPT-SOURCE-004": {
    fault: "stuck",
    text: "cannot read {file}: it is nested deeper than {limit} levels",
    hint: "flatten the document; no manifest needs so many levels",
  },
  "SPT-SOURCE-005": {
    fault: "stuck",
    text: "cannot read {file}: it has more than {limit} values",
    hint: "split the file into smaller ones",
  },
  "SPT-SOURCE-006": {
    fault: "stuck",
    text: "cannot parse {file}: {cause}",
    hint: "correct the syntax at this position; the last good revision stays in force until then",
  },
  "SPT-SOURCE-007": {
    fault: "stuck",
    text: "cannot accept {what} in {file}: anchors and aliases are off",
    hint: "write the value out in each place; an alias can grow a small file without bound",
  },
  "SPT-SOURCE-008": {
    fault: "stuck",
    text: "cannot accept a tag in {file}: only plain YAML values are read",
    hint: "remove the tag, and quote the value if it is meant to be a string",
  },
  "SPT-SOURCE-009": {
    fault: "stuck",
    text: 'cannot accept the merge key "<<" in {file}: merge keys are off',
    hint: "write the members out in each place",
  },
  "SPT-SOURCE-010": {
    fault: "stuck",
    text: 'cannot accept the key "{key}" twice in one mapping: the first is at {first}',
    hint: "remove or rename one of the two",
  },
  "SPT-SOURCE-011": {
    fault: "stuck",
    text: 'cannot accept the key "{key}" in {file}: it is reserved',
    hint: "rename the key; it could be mistaken for a part of the program that reads it",
  },
  "SPT-SOURCE-012": {
    fault: "stuck",
    text: "cannot keep this number of {file} exactly: it is outside what JSON readers agree on",
    hint: "quote it, so that it is a string; integers of 64 bits are kept as numbers",
  },
  "SPT-SOURCE-013": {
    fault: "stuck",
    text: "cannot tell what a number of {file} means: leading zeros are octal to some readers only",
    hint: 'quote it ("0644") when it is text such as a file mode, else drop the zero',
  },
  "SPT-SOURCE-014": {
    fault: "stuck",
    text: "cannot accept this key in {file}: a key must be a single plain value",
    hint: "use a string as the key",
  },
  "SPT-SOURCE-015": {
    fault: "stuck",
    text: "cannot accept a directive in {file}: manifests are read as YAML 1.2",
    hint: "remove the line that starts with %",
  },
  "SPT-SOURCE-016": {
    fault: "stuck",
    text: "cannot read {file}: it is not plain UTF-8 text ({cause})",
    hint: "save the file as UTF-8 without control characters",
  },
  "SPT-SOURCE-017": {
    fault: "stuck",
    text: "cannot use this document of {file}: a manifest is a mapping, this is {what}",
    hint: "start it with apiVersion, kind and metadata",
  },
  "SPT-SOURCE-018": {
    fault: "stuck",
    text: "cannot use this manifest of {file}: {member} {problem}",
    hint: "every manifest needs apiVersion, kind and metadata.name, each a string",
  },
  "SPT-SOURCE-019": {
    fault: "stuck",
    text: "cannot declare {object} twice: it is declared at {first} and at {second}",
    hint: "remove one of the two; one object has one manifest",
  },
  "SPT-SOURCE-020": {
    fault: "stuck",
    text: "cannot take {kind} {name} from a source: what governs a source can't come from it",
    hint: "move it to the top folder given to `setpoint up`, or apply it as a person",
  },
  "SPT-SOURCE-021": {
    fault: "stuck",
    text: "cannot unfold the List in {file}: {cause}",
    hint: "a List has `items`, a sequence of manifests",
  },
  "SPT-SOURCE-022": {
    fault: "stuck",
    text: "cannot show all issues of this source: {count} more were left out",
    hint: "correct the ones shown first",
  },
  "SPT-SOURCE-023": {
    fault: "stuck",
    text: "cannot use this Overlay of {file}: it is not the only document of an overlay.yaml",
    hint: "put it alone into a file overlay.yaml at the top of the loop's folder",
  },
  "SPT-SOURCE-024": {
    fault: "stuck",
    text: "cannot use an Overlay here: it only says how the manifests of its own folder change",
    hint: "name its folder: `setpoint render FOLDER` prints what it makes of them",
  },
  "SPT-SOURCE-030": {
    fault: "wait",
    text: "cannot read the folder {path}: it does not exist",
    hint: "create it or correct the loop's source; the last good revision stays in force",
  },
  "SPT-SOURCE-031": {
    fault: "wait",
    text: "cannot read {path}: permission denied ({errno})",
    hint: "let the user that runs the plane read it; the last good revision stays in force",
  },
  "SPT-SOURCE-032": {
    fault: "wait",
    text: "cannot read the folder {path}: it is not a folder",
    hint: "point the loop's source at a folder of manifests",
  },
  "SPT-SOURCE-033": {
    fault: "stuck",
    text: "cannot accept {path}: it is a {type} and is not followed",
    hint: "put a regular file or folder in its place, or start its name with a dot to leave it out",
  },
  "SPT-SOURCE-034": {
    fault: "retry",
    text: "cannot read {path}: it changed while it was read (half-written?)",
    hint: "it is read again; write elsewhere and rename into place for a clean switch",
  },
  "SPT-SOURCE-035": {
    fault: "wait",
    text: "cannot trust the folder {path}: it was replaced by an empty one (unmounted?)",
    hint: "mount it again; or, if it is meant to be empty, restart the plane to accept it",
  },
  "SPT-SOURCE-036": {
    fault: "retry",
    text: "cannot read {path}: {errno}",
    hint: "it is tried again; the last good revision stays in force",
  },
  "SPT-SOURCE-037": {
    fault: "retry",
    text: "cannot finish reading {path}: the read was cancelled or ran out of time",
    hint: "it is tried again; the last good revision stays in force",
  },
  "SPT-SOURCE-038": {
    fault: "wait",
    text: "cannot trust {path}: it is empty (0 bytes), as a file is while it is being written",
    hint: "write its content, or delete the file if it is meant to declare nothing",
  },
  "SPT-SOURCE-039": {
    fault: "stuck",
    text: "cannot use the root {root}: the folder {path} does not lie in it",
    hint: "name a folder above the loop's in spec.source.directory.root, without ..",
  },
})
