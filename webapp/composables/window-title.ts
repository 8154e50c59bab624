let page = ''
let overlay: string | null = null

const show = (): void => {
  document.title = `${overlay ?? page} · Evaluation Results`
}

/** Sets the window's title to that of the page. */
export const namePage = (title: string): void => {
  page = title
  show()
}

/** Sets the window's title to that of a drawer over the page; null restores the page's title. */
export const nameOverlay = (title: string | null): void => {
  overlay = title
  show()
}
