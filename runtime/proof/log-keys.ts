import { randomBytes } from 'node:crypto'
import type { KeyChanges } from '../../commands/log-key/change-log-keys.ts'
import { refusalOfOrigin } from '../../commands/log-key/origins.ts'
import { Refused } from '../../commands/refused.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { parsePolicy, wordText, type Policy } from '../../domain/proof/policy.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { listLogKeys } from '../../queries/log/log-keys.ts'
import { isTreeComplete, readHashes, rootAt } from '../../queries/log/tree.ts'
import { replaceFile } from '../../storage/disk/replace-file.ts'
import { findHead } from '../../storage/log/head.ts'
import { readSigningGuards } from '../../storage/sqlite/signing-guard.ts'
import type { Reader } from '../../storage/storage.ts'
import type { OpenService } from '../services.ts'
import type { CheckpointConfig } from './checkpoint-config.ts'
import { nodeCrypto } from '../../storage/log/proof-crypto.ts'
import { keyOfSeed, privateKeyText, SEED_BYTES, type SigningKey } from './keys.ts'
import { signedBefore, type SignedBefore } from './signed-before.ts'

export type Keys = readonly [SigningKey, ...SigningKey[]]

/**
 * The configured keys; null if the first start has to make some. Throws `UserError` if the log had keys and they are
 * missing, or if the configured ones are of a former origin of the log.
 */
export const requireKeys = async (
  reader: Reader,
  { keys, defaultKeyFile }: Pick<CheckpointConfig, 'keys' | 'defaultKeyFile'>,
): Promise<Keys | null> => {
  const [first, ...others] = keys ?? []
  const recorded = await reader.read(listLogKeys)
  if (first) {
    const refusal = refusalOfOrigin(recorded, first.name)
    if (refusal !== null) throw new UserError(refusal)
    return [first, ...others]
  }
  const active = recorded.find(({ retired_at }) => retired_at === null)
  if (active)
    throw new UserError(
      `${defaultKeyFile} is missing, but this log is signed by the key ${active.vkey}. Restore the file, or name the file of this key in SERVICE_CHECKPOINT_KEY_FILE. ` +
        `If the key is lost, make another one of the same name with "ers log keygen --origin ${active.origin} --out ${defaultKeyFile}"`,
    )
  return null
}

/** The name of a log without the number of `nextOrigin`. */
const baseOf = (origin: string): string => origin.replace(/\/\d{1,6}$/, '')

/**
 * Refuses the signing guard of another log, which shows what must not be signed there. `origin` is that of the configured
 * keys, or null. A guard is of this log if one of its checkpoints has a recorded origin, or one that `origin` follows.
 * Throws `UserError`.
 */
export const requireOwnGuard = async (
  reader: Reader,
  guardFile: string | null,
  origin: string | null,
): Promise<void> => {
  const notes = guardFile === null ? [] : readSigningGuards(guardFile)
  const signed = notes.map((note) => signedBefore(note, `the checkpoint in ${guardFile}`))
  const known = new Set((await reader.read(listLogKeys)).map((key) => key.origin))
  const isOwn = (name: string): boolean => known.has(name) || (origin !== null && baseOf(name) === baseOf(origin))
  const [last] = signed
  if (!last || signed.some((checkpoint) => isOwn(checkpoint.origin))) return
  throw new UserError(
    `${last.from} is of ${last.origin}, and this log never had that name: it belongs to another store. ` +
      'Restore the file that belongs to this store. If there is none, because this store never signed, move the file to its own store',
  )
}

/** Makes the first key of a state directory, named after the first record of its log, and stores it in a file. */
export const makeFirstKey = async (reader: Reader, file: string): Promise<Keys> => {
  const [leaf] = await readHashes(reader, 0, 0, 1)
  if (!leaf) throw new Error('an empty log has no name')
  const name = `evaluation-results/${leaf.toString('hex').slice(0, 16)}`
  const seed = randomBytes(SEED_BYTES)
  await replaceFile(file, `${privateKeyText(name, seed)}\n`)
  return [keyOfSeed(name, seed)]
}

/**
 * The most witnesses and keys of one log, whose signatures are lines of one note: the 32 witnesses of
 * c2sp.org/tlog-policy and four keys. Readers may refuse more lines.
 */
const MAX_SIGNERS = 36

/**
 * The witness policy, which must list one of the keys; null if none is configured. Throws `UserError`, also for more
 * witnesses than a checkpoint can have signatures.
 */
export const readPolicy = async (
  policy: CheckpointConfig['policy'],
  keys: readonly SigningKey[] | null,
): Promise<Policy | null> => {
  if (!policy) return null
  const refused = (reason: string, cause?: unknown): UserError =>
    new UserError(`SERVICE_WITNESS_POLICY_FILE: ${policy.file}: ${reason}`, { cause })
  try {
    const parsed = await parsePolicy(policy.bytes, nodeCrypto)
    if (keys && !parsed.logs.some(({ vkey }) => keys.some((key) => key.vkey === vkey.text)))
      throw refused(`it lists none of the keys that sign this log: ${keys.map(({ vkey }) => `log ${vkey}`).join(', ')}`)
    for (const { name, url } of parsed.witnesses) if (url !== null) checkUrl(wordText(name), url, refused)
    // The first start makes one key.
    const keyCount = keys?.length ?? 1
    if (parsed.witnesses.length + keyCount > MAX_SIGNERS)
      throw refused(
        `it has ${parsed.witnesses.length} witnesses, and this log ${keyCount} keys: together they may be at most ${MAX_SIGNERS}`,
      )
    return parsed
  } catch (error) {
    throw error instanceof ProofFailed ? refused(error.message, error) : error
  }
}

/** Refuses a URL to which no checkpoint can be sent. The message does not quote it, because it may contain a secret. */
const checkUrl = (name: string, text: string, refused: (reason: string) => UserError): void => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw refused(`the URL of witness ${name} is not an http or https URL`)
  if (url.username !== '' || url.password !== '')
    throw refused(`the URL of witness ${name} must have no user name and no password`)
  if (url.search !== '' || url.hash !== '')
    throw refused(`the URL of witness ${name} must have no query and no fragment: "/add-checkpoint" is added to it`)
}

/**
 * Records the keys that sign from now on, if they differ from the recorded ones. A new origin continues the largest of the
 * earlier checkpoints that is a prefix of this log. Throws `UserError` if another replica has adopted a new origin since
 * the keys were read.
 */
export const recordKeys = async (
  { reader, commit }: Pick<OpenService, 'commit'> & { readonly reader: Reader },
  keys: Keys,
  before: readonly SignedBefore[],
): Promise<KeyChanges> => {
  const [{ name: origin }] = keys
  const isKnown = (await reader.read(listLogKeys)).some((key) => key.origin === origin)
  const continues = isKnown ? null : await pastOf(reader, origin, before)
  try {
    return await commit.changeLogKeys(SYSTEM, {
      keys: keys.map(({ id, name, vkey }) => ({ key_id: id, origin: name, vkey })),
      continues,
    })
  } catch (error) {
    throw error instanceof Refused ? new UserError(error.message, { cause: error }) : error
  }
}

const pastOf = async (reader: Reader, origin: string, before: readonly SignedBefore[]) => {
  const { size: logSize } = await reader.read(findHead)
  const others = before.filter((checkpoint) => checkpoint.origin !== origin && checkpoint.size <= logSize)
  if (others.length > 0 && !(await isTreeComplete(reader)))
    throw new UserError(
      `the configured keys are of ${origin}, a new name of this log, but the tree of its earlier records is not computed yet, so the record of the new name could not say what it continues. ` +
        `Start with the keys of ${others[0]?.origin} until /api/v1/log/proof/0 is answered, and change the keys then`,
    )
  for (const { origin: past, size, root } of others.toSorted((a, b) => b.size - a.size))
    if ((await rootAt(reader, size)).equals(root))
      return { origin: past, root: Buffer.from(root).toString('hex'), size }
  return null
}
