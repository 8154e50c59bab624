/** Copies a text to the clipboard; returns false if the browser refuses. */
export const copyText = async (text: string): Promise<boolean> => {
  // Available to pages loaded over https and from localhost only.
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (clipboard)
    return clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  return copyByCommand(text)
}

/** Copies with the older `copy` command, without a selection and without moving the focus. */
const copyByCommand = (text: string): boolean => {
  let isCopied = false
  // Enables the command although nothing is selected.
  const enable = (event: Event): void => event.preventDefault()
  const fill = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    isCopied = event.clipboardData !== null
  }
  document.addEventListener('beforecopy', enable, true)
  document.addEventListener('copy', fill, true)
  try {
    // Deprecated, but there is no other way without `navigator.clipboard`.
    return document.execCommand('copy') && isCopied
  } finally {
    document.removeEventListener('beforecopy', enable, true)
    document.removeEventListener('copy', fill, true)
  }
}
