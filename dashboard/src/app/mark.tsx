// The sign of the product: a line that comes back to where it should be.

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d="M2 10h4l2-6 4 12 2-6h4" />
    </svg>
  )
}
