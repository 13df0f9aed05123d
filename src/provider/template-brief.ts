// The page of a new provider that tells somebody who knows neither Setpoint nor the domain what to
// write: a colleague, or an assistant. It says what the contract is, what is forbidden, and that
// the conformance suite decides.

/** The text of BRIEF.md. */
export function providerBrief(name: string, kind: string): string {
  return `# Brief: write the provider ${kind}

You are given this folder and, from whoever gives it to you, the system that ${kind} stands for:
its documentation and a way to start one for tests. Fill in what is in angle brackets first.

- System: <which one, which version, where its documentation is>
- One ${kind} is: <one thing in it: a record, a role, a bucket>
- What names it: <the fields that identify it there>
- How it notices that somebody was faster: <ETag, version, transaction, exclusive create, or
  nothing>

## What to write

\`${name}.ts\`: the fields (\`spec\`), what names it (\`identity\`), how to read it (\`observe\`
for one, \`list\` where many come together) and how to make, change and remove one. Setpoint does
the rest: when to look, what differs, whether it may act, retries, limits, approvals, history.
\`${name}.test.ts\`: a real system for the suite, with a back door to look at it and to meddle
with it.

## The contract

1. Reading changes nothing. \`present(value, token)\` gives facts in the shape of \`spec\`, and a
   token that changes exactly when they do.
2. An error is not an empty answer. \`absent(proof)\` only when the system said so; timeouts, 401,
   403, 429, 5xx, missing pages and counts that do not fit are \`unknown(cause)\`. A list is
   \`complete\` only when every page came.
3. The check happens at the effect: hand the token to the system with the change. Reading,
   comparing and then writing is not a check. A create fails when something is there already.
4. \`done\` when it happened; \`failed\` only when nothing changed, with \`stuck: true\` when
   trying again is pointless; throw when you can't know.
5. Acts can be asked for twice, and the process can die between any two calls. Neither makes a
   second one, nor half of one that nobody finds.
6. Only the target is touched. What is not declared is nobody's business.
7. \`identity\` comes from the spec alone; fields that take part in it are in \`replaceOn\`.

## Rules

- The world is reached only through \`context.world\`, and \`context.signal\` goes to every call.
  No timers, no retries, no caches, no globals, no environment variables, no other packages for
  what \`world\` already does.
- Secrets are marked with \`secret()\` and appear in no message, token or identity.
- Causes and proofs are sentences for people: what was asked, what was answered.
- \`strict\` TypeScript without \`any\`; \`npm run types\` says nothing.
- What can't be read again (an e-mail, a payment) is no kind. Say so instead of writing it.

## The gate

\`npm test\` runs the conformance suite of \`setpoint/testing\` against your system, with errors,
timeouts, crashes and other people's changes at every call. The work is done when it is green and
every skipped rule has a reason that is a fact about the system. Do not change the suite, weaken a
sample, catch a failure or skip a rule to get there; when a rule seems wrong, say which and why,
and stop.

Then prove that the test can fail: let \`observe\` answer \`absent\` for every error, see it red,
and undo that.

## Hand back

The two files, the output of \`npm test\` and of \`npm run types\`, the skipped rules with their
reasons, and what you are not sure of.
`
}
