const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex]'

/** What Tab reaches in an element, in this order. What a closed `details` hides is not shown. */
const tabStops = (root: HTMLElement): HTMLElement[] =>
  [...root.querySelectorAll<HTMLElement>(STOPS)].filter(
    (element) =>
      element.tabIndex >= 0 && !element.matches(':disabled') && element.checkVisibility({ visibilityProperty: true }),
  )

/**
 * Keeps Tab within an element that covers the page: after its last stop comes the first one, and before the first the
 * last. The loop of Reka's FocusScope also counts what a closed `details` hides, so its last stop is never reached.
 */
export const loopTab = (event: KeyboardEvent, root: HTMLElement): void => {
  if (event.altKey || event.ctrlKey || event.metaKey) return
  const stops = tabStops(root)
  const [first, last] = [stops[0], stops.at(-1)]
  const isAtEdge = event.shiftKey
    ? document.activeElement === first || document.activeElement === root
    : document.activeElement === last
  if (!isAtEdge && last) return
  event.preventDefault()
  const next = event.shiftKey ? last : first
  next?.focus()
}
