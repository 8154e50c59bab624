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

type Value = string | number | boolean | undefined
type Parameters = Readonly<Record<string, Value | readonly string[]>>

/** A query string without `?`. Values that are undefined are left out; a list repeats its parameter. */
export const queryText = (parameters: Parameters): string => {
  const query = new URLSearchParams()
  for (const [name, given] of Object.entries(parameters))
    for (const value of [given].flat()) if (value !== undefined) query.append(name, String(value))
  return query.toString()
}
