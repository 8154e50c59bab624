import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** The role that owns the databases and migrates them, and the one that serves with rights on rows alone. */
export const OWNER = 'ers_owner'
const APP = 'ers_app'

/** How a server is reached for another database and role. */
export type ServerUrl = (database?: string, role?: string) => string

export type FreshDatabase = {
  readonly name: string
  /** As the owner of its tables. */
  readonly ownerUrl: string
  /** As the role that serves. */
  readonly appUrl: string
  /** As the superuser, who sees all and may end sessions. */
  readonly superUrl: string
  /** Drops it, whoever is connected. */
  readonly close: () => Promise<void>
}

export type DatabaseOptions = {
  /** Whether its tables are there; they are, unless told otherwise. */
  readonly template?: boolean
  /** Whether texts sort by the rules of a language (ICU) instead of by byte (C.UTF-8). */
  readonly icu?: boolean
}

const LOCALES = { bytes: "LOCALE 'C.UTF-8'", icu: "LOCALE 'C.UTF-8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'" } as const

const asSuperuser = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * The session that makes and drops databases, by the server's address: one for all of a process, open until that ends.
 */
const sessions = new Map<string, Promise<pg.Client>>()

const sessionOn = (url: string): Promise<pg.Client> => {
  const known = sessions.get(url)
  if (known) return known
  const client = new pg.Client(url)
  const forget = (): void => void sessions.delete(url)
  client.once('error', forget)
  client.once('end', forget)
  const session = client.connect().then(() => client)
  session.catch(forget)
  sessions.set(url, session)
  return session
}

const templateOf = (icu: boolean): string => (icu ? 'spec_template_icu' : 'spec_template')
const emptyOf = (icu: boolean): string => (icu ? 'spec_empty_icu' : 'spec_empty')

/**
 * What the role that serves may do with the tables that the owner makes; the superuser's connection must be to the
 * database meant.
 */
const RIGHTS = `
  GRANT USAGE ON SCHEMA public TO ${APP};
  ALTER DEFAULT PRIVILEGES FOR ROLE ${OWNER} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${APP};
  ALTER DEFAULT PRIVILEGES FOR ROLE ${OWNER} GRANT USAGE ON SEQUENCES TO ${APP};
`

/**
 * Makes the roles and the databases that `freshDatabase` copies, of either locale: an empty one, and one whose tables
 * `migrate` makes as the owner.
 */
export const prepareDatabases = async (url: ServerUrl, migrate: (ownerUrl: string) => Promise<void>): Promise<void> => {
  await asSuperuser(url(), (client) => client.query(`CREATE ROLE ${OWNER} LOGIN; CREATE ROLE ${APP} LOGIN`))
  for (const icu of [false, true]) {
    const [empty, template] = [emptyOf(icu), templateOf(icu)]
    await asSuperuser(url(), (client) =>
      client.query(`CREATE DATABASE ${empty} OWNER ${OWNER} TEMPLATE template0 ${icu ? LOCALES.icu : LOCALES.bytes}`),
    )
    // From version 15 on the public schema belongs to the database's owner, and others may make nothing in it.
    await asSuperuser(url(empty), (client) => client.query(RIGHTS))
    await asSuperuser(url(), (client) => client.query(`CREATE DATABASE ${template} OWNER ${OWNER} TEMPLATE ${empty}`))
    await migrate(url(template, OWNER))
  }
}

/**
 * From version 15 on a copy goes through the journal unless told otherwise; copied as files it is made, and first
 * connected to, in two thirds of the CPU time.
 */
const copying = async (client: pg.Client): Promise<string> => {
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  )
  return (rows[0]?.version ?? 0) < 150_000 ? '' : 'STRATEGY FILE_COPY'
}

/** A database that nobody else uses, on a server that is prepared. */
export const databaseOn = async (
  url: ServerUrl,
  { template = true, icu = false }: DatabaseOptions = {},
): Promise<FreshDatabase> => {
  const name = `spec_${randomUUID().replaceAll('-', '')}`
  const client = await sessionOn(url())
  await client.query(
    `CREATE DATABASE ${name} OWNER ${OWNER} TEMPLATE ${template ? templateOf(icu) : emptyOf(icu)} ${await copying(client)}`,
  )
  return {
    name,
    ownerUrl: url(name, OWNER),
    appUrl: url(name, APP),
    superUrl: url(name),
    close: async () => void (await (await sessionOn(url())).query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  }
}
