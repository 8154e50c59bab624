/** Puts a text on the clipboard; false where the browser refuses. */
export const copyText = async (text: string): Promise<boolean> => {
  // Given to pages over https alone, and to those of this very machine.
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (clipboard)
    return clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  return copyByCommand(text)
}

/** The older way, which needs no selection and leaves the focus where it is. */
const copyByCommand = (text: string): boolean => {
  let isTaken = false
  // Tells that there is something to be copied.
  const announce = (event: Event): void => event.preventDefault()
  const fill = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    isTaken = event.clipboardData !== null
  }
  document.addEventListener('beforecopy', announce, true)
  document.addEventListener('copy', fill, true)
  try {
    // Deprecated, and there is no other.
    return document.execCommand('copy') && isTaken
  } finally {
    document.removeEventListener('beforecopy', announce, true)
    document.removeEventListener('copy', fill, true)
  }
}
