/**
 * The encoding of the database cannot store every text. The message says what to do; the caller adds where the URL was
 * set.
 */
export class WrongEncoding extends Error {
  override readonly name = 'WrongEncoding'
}

type RunQuery = (text: string) => Promise<{ readonly rows: ReadonlyArray<Record<string, unknown>> }>

/**
 * Checks the encoding of a database. Throws `WrongEncoding` unless it is UTF8: with any other encoding the tables can
 * be created, but some requests fail. `client_encoding` of a connection does not change the encoding of the database.
 */
export const checkEncoding = async (runQuery: RunQuery): Promise<void> => {
  const { rows } = await runQuery('SHOW server_encoding')
  const encoding = String(rows[0]?.['server_encoding'])
  if (encoding === 'UTF8') return
  throw new WrongEncoding(
    `the encoding of the database is ${encoding}, and the service needs UTF8: ` +
      "create another one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and use that",
  )
}
