import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { isPrivateKey } from '../../domain/proof/keys.ts'
import type { ProofConfig } from '../../http/services.ts'
import type { CheckpointConfig } from '../../runtime/proof/checkpoint-config.ts'
import { InvalidKeys, parseKeys, type SigningKey } from '../../runtime/proof/keys.ts'
import { listEntries } from './fields.ts'
import { isInjected } from './variables.ts'
import { errorCode } from '../../domain/plain/error-code.ts'

const MAX_SECONDS = 86_400

const Urls = z.string().transform((text, context): string[] =>
  listEntries(text).flatMap((entry, i) => {
    const url = URL.canParse(entry) ? new URL(entry) : null
    // The error does not quote the URL, which may contain a secret.
    const refuse = (message: string): [] => {
      context.addIssue({ code: 'custom', message: `entry ${i + 1} ${message}` })
      return []
    }
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return refuse('is not an http or https URL')
    if (url.username !== '' || url.password !== '') return refuse('must have no user name and no password')
    return [url.href]
  }),
)

/** The path of a file. A key that was put in its place is refused without quoting it: later messages name the path. */
const Path = z
  .string()
  .refine((text) => !isPrivateKey(text), 'is a private key, and must be the path of a file')
  .nullable()
  .default(null)

const Environment = z.object({
  SERVICE_CHECKPOINT_KEY_FILE: Path,
  SERVICE_CHECKPOINT_KEY: z.string().nullable().default(null),
  SERVICE_CHECKPOINT_SECONDS: z
    .string()
    .refine(
      (text) => /^\d{1,5}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= MAX_SECONDS,
      `must be a whole number from 1 to ${MAX_SECONDS}`,
    )
    .transform(Number)
    .default(60),
  SERVICE_CHECKPOINT_FILE: Path,
  SERVICE_CHECKPOINT_URLS: Urls.default([]),
  SERVICE_WITNESS_POLICY_FILE: Path,
  SERVICE_CHECKPOINT_ACCESS: z.enum(['admin', 'read', 'public'], 'must be admin, read or public').default('admin'),
  SERVICE_RECEIPTS: z.enum(['uploader', 'admin'], 'must be uploader or admin').default('uploader'),
})

type Variables = Readonly<Record<string, string | undefined>>

type StorePlace = { readonly dataDir: string; readonly isDatabase: boolean }

/** What has no effect without a key. */
const NEED_A_KEY = [
  'SERVICE_CHECKPOINT_FILE',
  'SERVICE_CHECKPOINT_SECONDS',
  'SERVICE_CHECKPOINT_URLS',
  'SERVICE_WITNESS_POLICY_FILE',
]

/** The files of a state directory that something else writes or reads. */
const OWN_FILES = ['checkpoint', 'checkpoint-key', 'head', 'service.db', 'cache.db']

const ABSENT = ['ENOENT', 'ENOTDIR']

const keysIn = (text: string, where: string, errors: string[]): readonly SigningKey[] | null => {
  try {
    return parseKeys(text)
  } catch (error) {
    if (!(error instanceof InvalidKeys)) throw error
    errors.push(`${where}: ${error.message}`)
    return null
  }
}

/** The keys of a file; null if there are none, or after an error. Only a file that may be missing is not an error then. */
const keysOfFile = (
  file: string,
  { mayBeMissing }: { readonly mayBeMissing: boolean },
  errors: string[],
): readonly SigningKey[] | null => {
  // The file of the state directory is used if no variable names one.
  const where = mayBeMissing ? file : `SERVICE_CHECKPOINT_KEY_FILE: ${file}`
  let text: string
  try {
    const status = statSync(file)
    // A pipe would stop the start until something writes into it.
    if (!status.isFile()) {
      errors.push(`${where} is not a regular file`)
      return null
    }
    // Windows has no such permissions.
    const mode = process.platform === 'win32' ? 0 : status.mode
    if ((mode & 0o007) !== 0) {
      errors.push(`${where} may be used by every user of this machine (mode ${(mode & 0o777).toString(8)}): chmod 600`)
      return null
    }
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (!(mayBeMissing && ABSENT.includes(errorCode(error) ?? '')))
      errors.push(`${where} cannot be read (${errorCode(error)})`)
    return null
  }
  return keysIn(text, where, errors)
}

const policyIn = (file: string, errors: string[]): CheckpointConfig['policy'] => {
  try {
    if (!statSync(file).isFile()) {
      errors.push(`SERVICE_WITNESS_POLICY_FILE: ${file} is not a regular file`)
      return null
    }
    return { file, bytes: readFileSync(file) }
  } catch (error) {
    errors.push(`SERVICE_WITNESS_POLICY_FILE: ${file} cannot be read (${errorCode(error)})`)
    return null
  }
}

type ReadProof = {
  readonly proof: ProofConfig
  readonly checkpoints: CheckpointConfig
  readonly errors: readonly string[]
}

/**
 * Reads the variables of checkpoints and receipts, and the files that they name. `errors` name the variable, and the line
 * of a key; they contain no keys. Empty variables must have been removed.
 */
export const readProof = (env: Variables, { dataDir, isDatabase }: StorePlace): ReadProof => {
  const errors = Object.keys(env)
    .filter(
      (name) => name.startsWith('SERVICE_CHECKPOINT_') && !Object.hasOwn(Environment.shape, name) && !isInjected(name),
    )
    .sort()
    .map((name) => `${name}: is not a variable of this service`)
  const parsed = Environment.safeParse(
    Object.fromEntries(Object.keys(Environment.shape).map((name) => [name, env[name]])),
  )
  if (!parsed.success) errors.push(...parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`))
  const settings = parsed.data ?? Environment.parse({})
  const { SERVICE_CHECKPOINT_KEY: text, SERVICE_CHECKPOINT_KEY_FILE: file } = settings
  const defaultKeyFile = isDatabase || text !== null || file !== null ? null : join(dataDir, 'checkpoint-key')
  if (text !== null && file !== null)
    errors.push('SERVICE_CHECKPOINT_KEY: must not be set together with SERVICE_CHECKPOINT_KEY_FILE')
  if (isDatabase && text === null && file === null)
    errors.push(
      ...NEED_A_KEY.filter((name) => env[name] !== undefined).map(
        (name) =>
          `${name}: has no effect without a key: set SERVICE_CHECKPOINT_KEY_FILE or SERVICE_CHECKPOINT_KEY, made by "ers log keygen"`,
      ),
    )
  const { SERVICE_CHECKPOINT_FILE: checkpointFile } = settings
  if (checkpointFile !== null && OWN_FILES.some((name) => resolve(checkpointFile) === resolve(dataDir, name)))
    errors.push(`SERVICE_CHECKPOINT_FILE: ${checkpointFile} is a file of the store itself: name another one`)
  const keyFile = file ?? defaultKeyFile
  const keys =
    text !== null
      ? keysIn(text, 'SERVICE_CHECKPOINT_KEY', errors)
      : keyFile === null
        ? null
        : keysOfFile(keyFile, { mayBeMissing: file === null }, errors)
  return {
    proof: { checkpointAccess: settings.SERVICE_CHECKPOINT_ACCESS, receipts: settings.SERVICE_RECEIPTS },
    checkpoints: {
      keys,
      defaultKeyFile,
      seconds: settings.SERVICE_CHECKPOINT_SECONDS,
      file: settings.SERVICE_CHECKPOINT_FILE,
      urls: settings.SERVICE_CHECKPOINT_URLS,
      policy:
        settings.SERVICE_WITNESS_POLICY_FILE === null ? null : policyIn(settings.SERVICE_WITNESS_POLICY_FILE, errors),
    },
    errors,
  }
}
