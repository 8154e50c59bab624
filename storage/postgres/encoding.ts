/**
 * A database that cannot hold every text. Its message says what to do; who knows where the URL came from names that.
 */
export class WrongEncoding extends Error {
  override readonly name = 'WrongEncoding'
}

type Ask = (text: string) => Promise<{ readonly rows: ReadonlyArray<Record<string, unknown>> }>

/**
 * Asks a database how it encodes text. Throws `WrongEncoding` unless that is UTF8: any other encoding accepts the
 * tables and then fails on single requests. The encoding is the database's own, which the `client_encoding` of a
 * connection does not change.
 */
export const checkEncoding = async (ask: Ask): Promise<void> => {
  const { rows } = await ask('SHOW server_encoding')
  const encoding = String(rows[0]?.['server_encoding'])
  if (encoding === 'UTF8') return
  throw new WrongEncoding(
    `the encoding of the database is ${encoding}, and the service needs UTF8: make another one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name that`,
  )
}
