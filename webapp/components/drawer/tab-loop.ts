/**
 * Keeps Tab within an element that covers the page: after its last stop comes the first one, and before the first the
 * last. The loop of Reka's FocusScope also counts what a closed `details` hides, so its last stop is never reached.
 */
export const loopTab = (event: KeyboardEvent, root: HTMLElement): void => {
  const stops = [...root.querySelectorAll<HTMLElement>('*')].filter(
    (element) =>
      element.tabIndex >= 0 && !element.matches(':disabled') && element.checkVisibility({ visibilityProperty: true }),
  )
  const focused = document.activeElement
  const [first, last] = [stops[0], stops.at(-1)]
  const isAtEdge = event.shiftKey ? focused === first || focused === root : focused === last
  if (!isAtEdge) return
  event.preventDefault()
  ;(event.shiftKey ? last : first)?.focus()
}
