/** The pages of a list, first to last. `read` gets the cursor of a page; the first page has none. */
export const listPages = async function* <T extends { readonly next_cursor: string | null }>(
  read: (cursor: string | undefined) => Promise<T>,
): AsyncGenerator<T> {
  let cursor: string | undefined
  do {
    const page: T = await read(cursor)
    yield page
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>

/** A query string without `?`. Values that are undefined are left out. */
export const queryText = (parameters: Parameters): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, String(value))
  return query.toString()
}
