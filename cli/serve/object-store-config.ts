import { InvalidStoreUrl, readStoreUrl, type S3Settings } from '../../storage/objects/s3/settings.ts'
import { isInjected } from './variables.ts'

type Variables = Readonly<Record<string, string | undefined>>

const NAMES = [
  'SERVICE_OBJECT_STORE_URL',
  'SERVICE_OBJECT_STORE_TIMEOUT_MS',
  'SERVICE_OBJECT_STORE_CONCURRENCY',
  'SERVICE_OBJECT_STORE_DOCUMENTS',
] as const
type Name = (typeof NAMES)[number]

/** The settings of the bucket, with a mark if the documents of new runs are moved there. */
export type ObjectStoreSettings = S3Settings & { readonly movesDocuments?: true }

const wholeNumber = (env: Variables, name: Name, byDefault: number, maximum: number, errors: string[]): number => {
  const text = env[name]?.trim()
  if (text === undefined || text === '') return byDefault
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (value < 1 || value > maximum) errors.push(`${name}: must be a whole number from 1 to ${maximum}`)
  return value
}

/**
 * Reads the variables of the object store. `objectStore` is null if there is none, or if there are errors, which name the variable and never
 * quote its value.
 */
export const readObjectStore = (
  env: Variables,
): {
  readonly objectStore: ObjectStoreSettings | null
  readonly errors: readonly string[]
} => {
  const errors = Object.keys(env)
    .filter((name) => name.startsWith('SERVICE_OBJECT_STORE_') && !(NAMES as readonly string[]).includes(name))
    .filter((name) => !isInjected(name))
    .sort()
    .map((name) => `${name}: is not a variable of this service`)
  const url = env['SERVICE_OBJECT_STORE_URL'] || undefined
  if (url === undefined)
    for (const name of NAMES) if (env[name]) errors.push(`${name}: must be set together with SERVICE_OBJECT_STORE_URL`)
  const documents = env['SERVICE_OBJECT_STORE_DOCUMENTS'] || 'keep'
  if (documents !== 'keep' && documents !== 'move') errors.push('SERVICE_OBJECT_STORE_DOCUMENTS: must be keep or move')
  const timeoutMs = wholeNumber(env, 'SERVICE_OBJECT_STORE_TIMEOUT_MS', 10_000, 600_000, errors)
  const concurrency = wholeNumber(env, 'SERVICE_OBJECT_STORE_CONCURRENCY', 16, 1000, errors)
  try {
    const objectStore =
      url === undefined
        ? null
        : {
            ...readStoreUrl(url),
            timeoutMs,
            concurrency,
            ...(documents === 'move' && { movesDocuments: true as const }),
          }
    return { objectStore: errors.length > 0 ? null : objectStore, errors }
  } catch (error) {
    if (!(error instanceof InvalidStoreUrl)) throw error
    return { objectStore: null, errors: [...errors, `SERVICE_OBJECT_STORE_URL: ${error.message}`] }
  }
}
