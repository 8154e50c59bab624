let page = ''
let over: string | null = null

const show = (): void => {
  document.title = `${over ?? page} · Evaluation Results`
}

/** Names the window after the page. */
export const namePage = (title: string): void => {
  page = title
  show()
}

/** Names the window after what is open over the page, while it is; null gives the page its name back. */
export const nameOver = (title: string | null): void => {
  over = title
  show()
}
