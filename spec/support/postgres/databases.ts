import { randomUUID } from 'node:crypto'
import PQueue from 'p-queue'
import pg from 'pg'

/** The role that owns and migrates the databases, and the serving role, which has rights on rows only. */
export const OWNER = 'ers_owner'
export const APP = 'ers_app'

/** Returns the URL of a server for another database and role. */
export type ServerUrl = (database?: string, role?: string) => string

export type FreshDatabase = {
  readonly name: string
  /** For the owner of its tables. */
  readonly ownerUrl: string
  /** For the serving role. */
  readonly appUrl: string
  /** For the superuser, who can read everything and end sessions. */
  readonly superUrl: string
  /** Drops it, even while clients are connected. */
  readonly close: () => Promise<void>
}

export type DatabaseOptions = {
  /** Whether its tables exist; true by default. */
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

/** The session that creates and drops databases, by the server's URL: one per process, open until the process ends. */
const sessions = new Map<string, Promise<pg.Client>>()

const sessionOn = (url: string): Promise<pg.Client> => {
  const existing = sessions.get(url)
  if (existing) return existing
  const client = new pg.Client(url)
  const removeSession = (): void => void sessions.delete(url)
  client.once('error', removeSession)
  client.once('end', removeSession)
  const session = client.connect().then(() => client)
  session.catch(removeSession)
  sessions.set(url, session)
  return session
}

/** A session runs one query at a time, so concurrent callers wait for each other. */
const queue = new PQueue({ concurrency: 1 })

const inSession = <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  queue.add(async () => work(await sessionOn(url)))

const templateOf = (icu: boolean): string => (icu ? 'spec_template_icu' : 'spec_template')
const emptyOf = (icu: boolean): string => (icu ? 'spec_empty_icu' : 'spec_empty')

/**
 * The rights of the serving role on tables that the owner creates. The superuser must be connected to the database in
 * question.
 */
const RIGHTS = `
  GRANT USAGE ON SCHEMA public TO ${APP};
  ALTER DEFAULT PRIVILEGES FOR ROLE ${OWNER} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${APP};
  ALTER DEFAULT PRIVILEGES FOR ROLE ${OWNER} GRANT USAGE ON SEQUENCES TO ${APP};
`

/**
 * Creates the roles and the databases that `freshDatabase` copies, for both locales: an empty one, and one whose tables
 * `migrate` creates as the owner.
 */
export const prepareDatabases = async (url: ServerUrl, migrate: (ownerUrl: string) => Promise<void>): Promise<void> => {
  await asSuperuser(url(), (client) => client.query(`CREATE ROLE ${OWNER} LOGIN; CREATE ROLE ${APP} LOGIN`))
  for (const icu of [false, true]) {
    const [empty, template] = [emptyOf(icu), templateOf(icu)]
    await asSuperuser(url(), (client) =>
      client.query(`CREATE DATABASE ${empty} OWNER ${OWNER} TEMPLATE template0 ${icu ? LOCALES.icu : LOCALES.bytes}`),
    )
    // Since version 15 the public schema belongs to the database's owner, and other roles cannot create anything in it.
    await asSuperuser(url(empty), (client) => client.query(RIGHTS))
    await asSuperuser(url(), (client) => client.query(`CREATE DATABASE ${template} OWNER ${OWNER} TEMPLATE ${empty}`))
    await migrate(url(template, OWNER))
  }
}

/**
 * Returns the option that copies the files of a database. Since version 15 a copy is written to the journal by default.
 * A copy of the files needs only two thirds of the CPU time for its creation and the first connection.
 */
const copyStrategy = async (client: pg.Client): Promise<string> => {
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  )
  return (rows[0]?.version ?? 0) < 150_000 ? '' : 'STRATEGY FILE_COPY'
}

/** Creates a separate database on a prepared server. */
export const databaseOn = async (
  url: ServerUrl,
  { template = true, icu = false }: DatabaseOptions = {},
): Promise<FreshDatabase> => {
  const name = `spec_${randomUUID().replaceAll('-', '')}`
  await inSession(url(), async (client) => {
    const strategy = await copyStrategy(client)
    await client.query(
      `CREATE DATABASE ${name} OWNER ${OWNER} TEMPLATE ${template ? templateOf(icu) : emptyOf(icu)} ${strategy}`,
    )
  })
  return {
    name,
    ownerUrl: url(name, OWNER),
    appUrl: url(name, APP),
    superUrl: url(name),
    close: async () =>
      void (await inSession(url(), (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))),
  }
}
