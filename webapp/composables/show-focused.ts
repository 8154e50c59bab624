/** Scrolls to what the keyboard focuses. A focus trap moves the focus from the last to the first element without that. */
export const showFocused = ({ target }: FocusEvent): void => {
  if (target instanceof Element && target.matches(':focus-visible')) target.scrollIntoView({ block: 'nearest' })
}
