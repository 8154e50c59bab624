const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/

/**
 * The id after which a page starts, if the cursor of the list is the id of its last row. Undefined for any other text: it is
 * no cursor, so the list starts with the first page.
 */
export const idInCursor = (cursor: string | undefined): string | undefined =>
  cursor !== undefined && ULID.test(cursor) ? cursor : undefined
