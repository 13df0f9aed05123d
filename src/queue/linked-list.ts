// A doubly linked list whose links live in its nodes, so that any node is removed in O(1). A node
// is in at most one list at a time.

export class Linked<N> {
  before: N | undefined = undefined
  after: N | undefined = undefined
}

export class LinkedList<N extends Linked<N>> {
  #first: N | undefined
  #last: N | undefined
  #length = 0

  get first(): N | undefined {
    return this.#first
  }

  get length(): number {
    return this.#length
  }

  append(node: N): void {
    node.before = this.#last
    node.after = undefined
    if (this.#last === undefined) this.#first = node
    else this.#last.after = node
    this.#last = node
    this.#length++
  }

  remove(node: N): void {
    const { before, after } = node
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    node.before = undefined
    node.after = undefined
    this.#length--
  }

  clear(): void {
    this.#first = undefined
    this.#last = undefined
    this.#length = 0
  }
}
