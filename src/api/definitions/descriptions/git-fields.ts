// What the fields of a Loop's `source.git` mean, for `kubectl explain` and the reference.

import type { Descriptions } from "./describe.ts"

export const gitFields: Descriptions = {
  "": "A git repository. It is pulled; nothing is ever pushed to it.",
  url:
    "https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH. Without credentials: they come " +
    "by `secretRef`.",
  ref: "What is followed: one of branch, tag, semver or commit. The branch main when missing.",
  "ref.branch": "The newest commit of this branch.",
  "ref.tag": "What this tag points to.",
  "ref.semver": "The highest tag within this range, such as `1.x` or `>=1.2.0 <2.0.0`.",
  "ref.commit": "Exactly this commit, by its full id.",
  path: "The folder of the tree that holds the manifests. The root when missing.",
  interval: "How often the repository is asked for something new. At least 1s.",
  secretRef:
    "A Secret of the loop's namespace: `username` and `password` (or `token`) for https, " +
    "`identity` and `known_hosts` for ssh, `ca.crt` for an authority of your own.",
  "secretRef.name": "Its name.",
  verify: "Only what these signers signed is read. Unsigned commits hold.",
  "verify.signers": "Where their public keys are.",
  "verify.signers.kind":
    "ConfigMap or Secret of the loop's namespace. `allowed_signers` holds SSH keys in git's own " +
    "format; names that end in `.asc` hold armored GPG public keys.",
  "verify.signers.name": "Its name.",
  "verify.what":
    "Commit: the commit is signed. TagOrCommit: a signed tag is enough where a tag is followed; " +
    "not for a loop with promotion, which takes commits.",
  environment:
    "What the file `.setpoint/environment` must say, in the folder or at the root of the tree. " +
    "Another word, or none, holds.",
  webhook: "POST /setpoint/v1/hooks/git/NAMESPACE/LOOP makes the plane look at once.",
  "webhook.secretRef": "A Secret of the loop's namespace whose `token` the sender knows.",
  "webhook.secretRef.name": "Its name.",
  allowRewrite:
    "Take history that was written anew (a force-push). Without it such a commit holds until a " +
    "person accepts it: `setpoint source accept LOOP COMMIT`.",
}
