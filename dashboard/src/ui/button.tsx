// Buttons. One that may not be used stays in sight, can be reached by keyboard and says why. One
// that changes something asks first, shows that it works, and shows what the plane refused.

import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { type RequestFault, toRequestFault } from "../live/fault.ts"
import { Dialog } from "./dialog.tsx"
import { ErrorBox } from "./error-box.tsx"

export interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: () => void
  readonly tone?: "plain" | "main" | "danger" | "quiet"
  /** Why it can't be used now; undefined when it can. */
  readonly disabledWhy?: string | undefined
  readonly type?: "button" | "submit"
  readonly label?: string
  readonly pressed?: boolean
  readonly busy?: boolean
  readonly id?: string
  /** Where the focus is when its dialog opens. */
  readonly first?: boolean
}

export function Button(props: ButtonProps) {
  const { children, onClick, tone = "plain", disabledWhy, type = "button" } = props
  const off = disabledWhy !== undefined || props.busy === true
  return (
    <button
      type={type}
      id={props.id}
      class={`button button-${tone}`}
      aria-disabled={off ? "true" : undefined}
      aria-label={props.label}
      aria-pressed={props.pressed}
      aria-busy={props.busy}
      autofocus={props.first}
      title={disabledWhy}
      onClick={(event) => {
        if (!off) return onClick?.()
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      {children}
    </button>
  )
}

export interface ConfirmProps {
  readonly title: string
  /** What will happen, in words. */
  readonly children: ComponentChildren
  /** What the button that does it says: "Resume", "Approve 40 deletes". */
  readonly verb: string
  readonly danger?: boolean
  readonly disabledWhy?: string | undefined
  onClose(): void
  /** Closes when it resolves; what it throws is shown. */
  onConfirm(): Promise<void>
}

/** Asks before it acts. The safe answer has the focus. */
export function Confirm(props: ConfirmProps) {
  const busy = useSignal(false)
  const fault = useSignal<RequestFault | undefined>(undefined)
  const act = async () => {
    busy.value = true
    fault.value = undefined
    try {
      await props.onConfirm()
      props.onClose()
    } catch (error) {
      fault.value = toRequestFault(error)
    } finally {
      busy.value = false
    }
  }
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div class="dialog-body">{props.children}</div>
      {fault.value === undefined ? null : <ErrorBox fault={fault.value} />}
      <div class="dialog-actions">
        <Button first onClick={props.onClose}>
          Cancel
        </Button>
        <Button
          tone={props.danger === true ? "danger" : "main"}
          busy={busy.value}
          disabledWhy={props.disabledWhy}
          onClick={() => void act()}
        >
          {props.verb}
        </Button>
      </div>
    </Dialog>
  )
}

export interface ActionProps extends Omit<ConfirmProps, "onClose" | "children"> {
  /** On the button in the page. */
  readonly label: string
  readonly explain: ComponentChildren
  readonly tone?: ButtonProps["tone"]
}

/** A button with its question. */
export function ActionButton({ label, explain, tone, ...confirm }: ActionProps) {
  const open = useSignal(false)
  return (
    <>
      <Button
        tone={tone ?? (confirm.danger === true ? "danger" : "plain")}
        disabledWhy={confirm.disabledWhy}
        onClick={() => {
          open.value = true
        }}
      >
        {label}
      </Button>
      {open.value ? (
        <Confirm
          {...confirm}
          onClose={() => {
            open.value = false
          }}
        >
          {explain}
        </Confirm>
      ) : null}
    </>
  )
}
