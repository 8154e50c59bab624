import { Command, InvalidArgumentError } from 'commander'
import { printable } from '../../domain/text/printable.ts'
import { exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import type { Config } from '../serve/config.ts'
import { DATA_DIR_HELP, namedStore } from '../store/store-options.ts'
import { checkConfiguration } from './configuration.ts'
import { warning, type Finding } from './finding.ts'

type Options = { readonly dataDir?: string; readonly url?: string; readonly backups?: string; readonly json?: boolean }

export const doctorCommand = (): Command =>
  withUsageExit(new Command('doctor'))
    .option('--data-dir <folder>', DATA_DIR_HELP)
    .option('--url <url>', 'where users reach the service (default SERVICE_PUBLIC_URL)', parseUrl)
    .option('--backups <folder>', 'the folder of backups, to check the age of the newest one')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      '\nRun it with the environment of the service, as its user, on its machine. It changes nothing, and the service may run. ' +
        'With --url, SERVICE_TOKEN or a token of SERVICE_TOKENS is sent to that address.\n\nExit code 0: no error, perhaps warnings; 1: at least one error; 2: wrong usage.',
    )
    .action((given: Options) => exitWith(() => doctor(given)))

const parseUrl = (text: string): string => {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new InvalidArgumentError('It must be an http or https URL.')
  return text.replace(/(?<!\/)\/+$/, '')
}

const doctor = async (given: Options): Promise<number> => {
  const findings = await findingsOf(given)
  const isWell = findings.every(({ status }) => status !== 'error')
  if (given.json === true) console.log(printable(JSON.stringify({ ok: isWell, checks: findings })))
  else for (const finding of findings) console.log(textOf(finding))
  return isWell ? 0 : 1
}

// Messages quote variables, files and what servers answer, and terminals obey control characters.
const textOf = ({ check, status, message, remedy }: Finding): string =>
  printable(`${status.padEnd(8)} ${check}: ${message}`) + (remedy === null ? '' : `\n         ${printable(remedy)}`)

const findingsOf = async ({ dataDir, url, backups }: Options): Promise<readonly Finding[]> => {
  const { config, findings } = checkConfiguration(process.env, dataDir, Date.now())
  if (config === null) return findings
  return [
    ...findings,
    ...(config.database === null ? await ofDirectory(config, backups ?? null) : await ofDatabase(config)),
    ...(await ofPublicUrl(config, url ?? config.publicUrl)),
    ...(await (await import('./single-sign-on.ts')).checkSingleSignOn(config.sso, Date.now)),
  ]
}

const ofDirectory = async (config: Config, backups: string | null): Promise<readonly Finding[]> => {
  const { checkBackups, checkSpace, checkStateFolder } = await import('./state-directory.ts')
  const { findings, hasStore } = checkStateFolder(config.dataDir)
  const stored = hasStore ? await ofStore(config) : []
  // A damaged store is named once.
  const isReadable = stored.some(({ check }) => check === 'clock')
  const space = isReadable ? checkSpace(config.dataDir) : []
  const store = isReadable ? namedStore({ dataDir: config.dataDir }, {}) : null
  return [...findings, ...stored, ...space, await checkBackups(backups, store, Date.now())]
}

const ofDatabase = async (config: Config): Promise<readonly Finding[]> => {
  if (config.database === null) return []
  const { checkDatabase } = await import('./database.ts')
  const { findings, isUsable } = await checkDatabase(config.database, Date.now)
  return [...findings, ...(isUsable ? await ofStore(config) : [])]
}

const ofStore = async (config: Config): Promise<readonly Finding[]> => {
  const { checkStore } = await import('./store.ts')
  const { dataDir, database } = config
  return checkStore(namedStore(database === null ? { dataDir } : { databaseUrl: database.url }, {}), config, Date.now())
}

const ofPublicUrl = async (config: Config, url: string | null): Promise<readonly Finding[]> => {
  if (url === null)
    return [
      warning(
        'public URL',
        'SERVICE_PUBLIC_URL is not set, so links in messages and single sign-on do not work',
        'set it to the address that users have, or name that with --url',
      ),
    ]
  const { checkPublicUrl } = await import('./public-url.ts')
  const token = process.env['SERVICE_TOKEN'] || (config.tokens[0]?.secret ?? null)
  return checkPublicUrl({ url, config, token, now: Date.now })
}
