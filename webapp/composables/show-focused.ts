const CONTROLS = 'a, button, input, select, textarea, summary, [tabindex="0"]'

/**
 * Scrolls to the control that the keyboard focuses. Browsers leave it half hidden in what scrolls sideways, and focus
 * traps do not scroll at all when they move the focus from the last to the first control.
 */
export const showFocused = ({ target }: FocusEvent): void => {
  if (!(target instanceof Element) || !target.matches(CONTROLS) || !target.matches(':focus-visible')) return
  if (target.clientHeight < window.innerHeight / 2) target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
